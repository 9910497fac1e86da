; The installer for one person, which needs no administrator. `installers` names what goes in:
;   VERSION, PROGRAMS (the folder of the files), OUT, COMPRESSOR, and the list `files.nsh`, which calls `EACH` with every file.
; Silent: deskmate-setup.exe /S, and uninstall.exe /S. It ends with 2 if it could not do it, and has then changed nothing.
Unicode true
ManifestDPIAware true
SetCompressor /SOLID ${COMPRESSOR}
!include LogicLib.nsh

Name "Deskmate ${VERSION}"
OutFile "${OUT}"
RequestExecutionLevel user
InstallDir "$LOCALAPPDATA\Programs\Deskmate"
!define KEY "Software\Microsoft\Windows\CurrentVersion\Uninstall\Deskmate"
InstallDirRegKey HKCU "${KEY}" "InstallLocation"

Page directory
Page instfiles
UninstPage uninstConfirm
UninstPage instfiles

; A program that runs cannot be replaced or removed. This is asked before anything is touched.
!macro REFUSE_IF_RUNNING FILE
    ${If} ${FileExists} "$INSTDIR\${FILE}"
        ClearErrors
        FileOpen $0 "$INSTDIR\${FILE}" a
        ${If} ${Errors}
            MessageBox MB_OK|MB_ICONSTOP "${FILE} is running, or may not be changed. End it, and the apps that started it, and try again." /SD IDOK
            SetErrorLevel 2
            Abort "${FILE} is running"
        ${EndIf}
        FileClose $0
    ${EndIf}
!macroend

; The person's Path, with a semicolon on either side, as a text in memory: variables here end at 1024 characters, and what is cut off
; would be lost. $0 is the open key, $1 the text (0 if it cannot be had), $2 its type, $4 where the value begins, $7 this folder
; between semicolons.
!macro PATH_FUNCTIONS UN
Function ${UN}ReadPath
    StrCpy $1 0
    StrCpy $7 ";$INSTDIR;"
    System::Call 'advapi32::RegOpenKeyExW(p 0x80000001, w "Environment", i 0, i 0x2001F, *p .r0) i .r3'
    ${If} $3 <> 0
        Return
    ${EndIf}
    System::Alloc 131072
    Pop $1
    System::Call 'kernel32::lstrcpyW(p r1, w ";")'
    IntOp $4 $1 + 2
    StrCpy $5 65000
    System::Call 'advapi32::RegQueryValueExW(p r0, w "Path", p 0, *i .r2, p r4, *i r5r5) i .r3'
    ${If} $3 = 2
        ; There is none. It may name variables, as Windows itself makes it.
        StrCpy $2 2
        StrCpy $3 0
    ${EndIf}
    ${If} $3 <> 0
    ${OrIf} $2 < 1
    ${OrIf} $2 > 2
        ; It is too long, or no text: it stays as it is.
        System::Free $1
        System::Call 'advapi32::RegCloseKey(p r0)'
        StrCpy $1 0
        Return
    ${EndIf}
    System::Call 'kernel32::lstrcatW(p r1, w ";")'
FunctionEnd

Function ${UN}WritePath
    System::Call 'kernel32::lstrlenW(p r4) i .r5'
    ${If} $5 = 0
        System::Call 'advapi32::RegDeleteValueW(p r0, w "Path")'
    ${Else}
        IntOp $5 $5 + 1
        IntOp $5 $5 * 2
        System::Call 'advapi32::RegSetValueExW(p r0, w "Path", i 0, i r2, p r4, i r5)'
    ${EndIf}
    System::Free $1
    System::Call 'advapi32::RegCloseKey(p r0)'
    ; Programs that are started from now on have it.
    SendMessage 0xFFFF 0x001A 0 "STR:Environment" /TIMEOUT=2000
FunctionEnd
!macroend
!insertmacro PATH_FUNCTIONS ""
!insertmacro PATH_FUNCTIONS "un."

Function AddToPath
    Call ReadPath
    ${If} $1 = 0
        DetailPrint "Your Path stays as it is; add $INSTDIR to it"
        Return
    ${EndIf}
    System::Call 'shlwapi::StrStrIW(p r1, w r7) p .r6'
    ${If} $6 <> 0
        System::Free $1
        System::Call 'advapi32::RegCloseKey(p r0)'
        Return
    ${EndIf}
    System::Call 'kernel32::lstrlenW(p r4) i .r5'
    ${If} $5 = 1
        ; It was empty: there is nothing to be told from.
        System::Call 'kernel32::lstrcpyW(p r4, w "$INSTDIR")'
    ${Else}
        System::Call 'kernel32::lstrcatW(p r4, w "$INSTDIR")'
    ${EndIf}
    Call WritePath
FunctionEnd

Function un.RemoveFromPath
    Call un.ReadPath
    ${If} $1 = 0
        Return
    ${EndIf}
    ${Do}
        System::Call 'shlwapi::StrStrIW(p r1, w r7) p .r6'
        ${If} $6 = 0
            ${ExitDo}
        ${EndIf}
        ; One semicolon goes with it.
        StrLen $8 $INSTDIR
        IntOp $8 $8 + 1
        System::Call 'kernel32::lstrlenW(p r6) i .r5'
        IntOp $5 $5 + 1
        IntOp $5 $5 - $8
        IntOp $5 $5 * 2
        IntOp $8 $8 * 2
        IntOp $8 $8 + $6
        System::Call 'kernel32::RtlMoveMemory(p r6, p r8, i r5)'
    ${Loop}
    ; The last semicolon is ours.
    System::Call 'kernel32::lstrlenW(p r4) i .r5'
    ${If} $5 > 0
        IntOp $6 $5 - 1
        IntOp $6 $6 * 2
        IntOp $6 $6 + $4
        System::Call '*$6(&i2 0)'
    ${EndIf}
    Call un.WritePath
FunctionEnd

!macro EACH FILE
    !insertmacro REFUSE_IF_RUNNING "${FILE}"
!macroend
Section "Refuse"
    !include "${PROGRAMS}\files.nsh"
SectionEnd
Section "un.Refuse"
    !include "${PROGRAMS}\files.nsh"
SectionEnd
!macroundef EACH

Section "Install"
    ; The version that is there takes away what is its own: a file that this one does not have any more would stay.
    ReadRegStr $9 HKCU "${KEY}" "InstallLocation"
    ${If} $9 != ""
    ${AndIf} ${FileExists} "$9\uninstall.exe"
        ClearErrors
        ExecWait '"$9\uninstall.exe" /S _?=$9' $0
        ${If} ${Errors}
        ${OrIf} $0 <> 0
            SetErrorLevel 2
            Abort "The installed version could not be removed"
        ${EndIf}
        Delete "$9\uninstall.exe"
        RMDir "$9"
    ${EndIf}
    SetOutPath "$INSTDIR"
    !macro EACH FILE
        File "${PROGRAMS}\${FILE}"
    !macroend
    ClearErrors
    !include "${PROGRAMS}\files.nsh"
    WriteUninstaller "$INSTDIR\uninstall.exe"
    ${If} ${Errors}
        SetErrorLevel 2
        Abort "The files could not be written"
    ${EndIf}
    !macroundef EACH
    WriteRegStr HKCU "${KEY}" "DisplayName" "Deskmate"
    WriteRegStr HKCU "${KEY}" "DisplayVersion" "${VERSION}"
    WriteRegStr HKCU "${KEY}" "Publisher" "Deskmate"
    WriteRegStr HKCU "${KEY}" "InstallLocation" "$INSTDIR"
    WriteRegStr HKCU "${KEY}" "UninstallString" '"$INSTDIR\uninstall.exe"'
    WriteRegStr HKCU "${KEY}" "QuietUninstallString" '"$INSTDIR\uninstall.exe" /S'
    WriteRegDWORD HKCU "${KEY}" "NoModify" 1
    WriteRegDWORD HKCU "${KEY}" "NoRepair" 1
    CreateDirectory "$SMPROGRAMS\Deskmate"
    CreateShortcut "$SMPROGRAMS\Deskmate\Deskmate command line.lnk" "$SYSDIR\cmd.exe" '/k ""$INSTDIR\deskmate.exe" --help"'
    ${If} ${FileExists} "$INSTDIR\fotos-desktop.exe"
        CreateShortcut "$SMPROGRAMS\Deskmate\Fotos.lnk" "$INSTDIR\fotos-desktop.exe"
    ${EndIf}
    CreateShortcut "$SMPROGRAMS\Deskmate\Uninstall Deskmate.lnk" "$INSTDIR\uninstall.exe"
    Call AddToPath
SectionEnd

Section "Uninstall"
    !macro EACH FILE
        Delete "$INSTDIR\${FILE}"
    !macroend
    ; Only what was installed: a person may have put something of their own there.
    !include "${PROGRAMS}\files.nsh"
    !macroundef EACH
    Delete "$SMPROGRAMS\Deskmate\Deskmate command line.lnk"
    Delete "$SMPROGRAMS\Deskmate\Fotos.lnk"
    Delete "$SMPROGRAMS\Deskmate\Uninstall Deskmate.lnk"
    RMDir "$SMPROGRAMS\Deskmate"
    Call un.RemoveFromPath
    DeleteRegKey HKCU "${KEY}"
    Delete "$INSTDIR\uninstall.exe"
    SetOutPath "$TEMP"
    RMDir "$INSTDIR"
SectionEnd
