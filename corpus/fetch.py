"""Fetches packages that have pictures in them, by name, and unpacks them.

Debian's sources come by apt, from wherever this machine has its own packages from; nothing in /etc is changed. The
sources on PyPI come by pip.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tarfile

DEBIAN = ["exiv2", "libexif", "libheif"]
PYPI = {"pillow": "13.0.0"}
# Everything a file name of a picture may end with.
ENDINGS = "jpg jpeg jpe mpo png apng heic heif hif avif webp gif tif tiff dng".split()


def run(*command, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"{done.stdout}error: `{' '.join(map(str, command))}` failed; its words are above")
    return done.stdout


def source_lists(folder):
    """The machine's own package sources, as sources of source packages."""
    folder.mkdir(parents=True, exist_ok=True)
    etc = pathlib.Path("/etc/apt")
    for path in [etc / "sources.list", *sorted((etc / "sources.list.d").glob("*"))]:
        if not path.is_file():
            continue
        text = path.read_text(errors="replace")
        if path.suffix == ".list":
            lines = re.findall(r"^\s*deb\s+(.*)$", text, re.MULTILINE)
            text = "".join(f"deb-src {line}\n" for line in lines)
        elif path.suffix == ".sources":
            text = re.sub(r"^Types:.*$", "Types: deb-src", text, flags=re.MULTILINE)
        else:
            continue
        (folder / path.name).write_text(text)


def fetch_debian(packages, downloads, apt):
    source_lists(apt / "sources")
    for folder in ["lists/partial", "archives/partial"]:
        (apt / folder).mkdir(parents=True, exist_ok=True)
    options = {
        "Dir::Etc::SourceList": "/dev/null",
        "Dir::Etc::SourceParts": apt / "sources",
        "Dir::State::Lists": apt / "lists",
        "Dir::Cache": apt,
        # Root would hand the download to a user who cannot write here; what is downloaded is checked by its signature.
        "APT::Sandbox::User": "root",
    }
    command = ["apt-get", "--quiet"]
    for name, value in options.items():
        command += ["--option", f"{name}={value}"]
    # A source of packages that has no sources is no matter, as long as the three are found.
    subprocess.run([*command, "update"], stdout=subprocess.DEVNULL)
    for package in packages:
        folder = downloads / package
        folder.mkdir(parents=True, exist_ok=True)
        run(*command, "source", "--download-only", package, cwd=folder)
        yield package, next(folder.glob("*.orig.tar.*[!c]"))


def fetch_pypi(packages, downloads):
    for package, version in packages:
        folder = downloads / package
        folder.mkdir(parents=True, exist_ok=True)
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "--quiet"]
        run(*pip, "--no-deps", "--no-binary", package, "--dest", folder, f"{package}=={version}")
        yield package, next(folder.glob("*.tar.*"))


def unpack(archive, to):
    """Only the pictures, under their paths without the folder that carries the version."""
    part = to.with_suffix(".part")
    shutil.rmtree(part, ignore_errors=True)
    count = 0
    with tarfile.open(archive) as tar:
        for member in tar:
            inside = pathlib.PurePosixPath(member.name.partition("/")[2])
            if not member.isfile() or inside.is_absolute() or ".." in inside.parts:
                continue
            if inside.suffix.lower().lstrip(".") in ENDINGS:
                path = part / inside
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(tar.extractfile(member).read())
                count += 1
    part.rename(to)
    print(f"  {to.name}: {count} pictures from {archive.name}")


def main():
    cache = pathlib.Path(sys.argv[1]).resolve()
    packages = cache / "packages"
    packages.mkdir(parents=True, exist_ok=True)
    # A folder gets its name when it is whole.
    debian = [name for name in DEBIAN if not (packages / name).exists()]
    pypi = [(name, version) for name, version in PYPI.items() if not (packages / name).exists()]
    if not debian and not pypi:
        return
    print("Fetching", *debian, *[name for name, _ in pypi], "...", flush=True)
    downloads = cache / "downloads"
    shutil.rmtree(downloads, ignore_errors=True)
    if debian:
        for package, archive in fetch_debian(debian, downloads, cache / "apt"):
            unpack(archive, packages / package)
    for package, archive in fetch_pypi(pypi, downloads):
        unpack(archive, packages / package)
    shutil.rmtree(downloads)


main()
