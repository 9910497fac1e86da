"""wxs.py VERSION FOLDER SEEN: writes, for wixl, the description of the .msi that installs the files of FOLDER for everybody. Wixl finds
them as SEEN."""

import sys
import uuid
from pathlib import Path
from xml.sax.saxutils import quoteattr

# What the identifiers of components are made from: those of a file stay the same from version to version.
NAMESPACE = uuid.UUID("d6f9a2f0-2f3d-4c5b-8d57-5a6e5c1b7e34")
UPGRADE = uuid.uuid5(NAMESPACE, "upgrade")


def component(number, path, seen):
    return f"""
          <Component Id="File{number}" Guid="{uuid.uuid5(NAMESPACE, path.name)}" Win64="yes">
            <File Id="file{number}" Name={quoteattr(path.name)} Source={quoteattr(f"{seen}/{path.name}")} KeyPath="yes"/>
          </Component>"""


def main():
    version, folder, seen = sys.argv[1], Path(sys.argv[2]), sys.argv[3]
    files = sorted(path for path in folder.iterdir() if path.suffix != ".nsh")
    components = "".join(component(number, path, seen) for number, path in enumerate(files))
    fotos = next((path for path in files if path.name == "fotos-desktop.exe"), None)
    menu = fotos and """
            <Shortcut Id="Fotos" Name="Fotos" Target="[INSTALLDIR]fotos-desktop.exe" WorkingDirectory="INSTALLDIR"/>"""
    names = "".join(f'<ComponentRef Id="File{number}"/>' for number in range(len(files)))
    print(f"""<?xml version="1.0" encoding="utf-8"?>
<Wix xmlns="http://schemas.microsoft.com/wix/2006/wi">
  <Product Id="*" Name="Deskmate" UpgradeCode="{UPGRADE}" Language="1033" Version="{version}" Manufacturer="Deskmate">
    <Package InstallerVersion="500" Compressed="yes" InstallScope="perMachine"/>
    <MajorUpgrade DowngradeErrorMessage="A newer version of Deskmate is installed."/>
    <Media Id="1" Cabinet="deskmate.cab" EmbedCab="yes"/>
    <Property Id="ARPNOMODIFY" Value="1"/>
    <Directory Id="TARGETDIR" Name="SourceDir">
      <Directory Id="ProgramFiles64Folder">
        <Directory Id="INSTALLDIR" Name="Deskmate">{components}
          <Component Id="Path" Guid="{uuid.uuid5(NAMESPACE, "component of the path")}" Win64="yes">
            <RegistryValue Root="HKLM" Key="Software\\Deskmate" Name="Path" Type="integer" Value="1" KeyPath="yes"/>
            <Environment Id="PATH" Name="PATH" Value="[INSTALLDIR]" Action="set" Part="last" System="yes" Permanent="no"/>
          </Component>
        </Directory>
      </Directory>
      <Directory Id="ProgramMenuFolder">
        <Directory Id="MENU" Name="Deskmate">
          <Component Id="Menu" Guid="{uuid.uuid5(NAMESPACE, "component of the menu")}" Win64="yes">
            <Shortcut Id="CommandLine" Name="Deskmate command line" Target="[System64Folder]cmd.exe"
              Arguments="/k &quot;&quot;[INSTALLDIR]deskmate.exe&quot; --help&quot;" WorkingDirectory="INSTALLDIR"/>{menu or ""}
            <RemoveFolder Id="MENU" On="uninstall"/>
            <RegistryValue Root="HKLM" Key="Software\\Deskmate" Name="Menu" Type="integer" Value="1" KeyPath="yes"/>
          </Component>
        </Directory>
      </Directory>
    </Directory>
    <Feature Id="Complete" Level="1">{names}<ComponentRef Id="Path"/><ComponentRef Id="Menu"/></Feature>
  </Product>
</Wix>""")


main()
