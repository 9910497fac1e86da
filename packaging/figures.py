"""figures.py: how big each package is, and how long `fotos-mcp` or `deskmate` takes from there until it answers `initialize`.

Prints tables for bench/RESULTS.md. The packages are in .dev/package, as `./dev package` leaves them.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

WORK = Path(".dev/package").resolve()
OUT = WORK / "out"
ROUNDS = 15
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "figures", "version": "1"}},
}


def megabytes(count):
    return f"{count / 1e6:.1f}"


def weight(path):
    return path.stat().st_size if path.is_file() else sum(one.stat().st_size for one in path.rglob("*") if one.is_file() and not one.is_symlink())


def once(words, environment):
    began = time.perf_counter()
    process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment)
    process.stdin.write((json.dumps(INITIALIZE) + "\n").encode())
    process.stdin.flush()
    answer = json.loads(process.stdout.readline())
    took = time.perf_counter() - began
    process.stdin.close()
    process.wait()
    assert answer["result"]["serverInfo"]["name"], answer
    return took


def start(words, environment):
    once(words, environment)
    return statistics.median(once(words, environment) for _ in range(ROUNDS)) * 1000


def run(*words, **more):
    subprocess.run([str(word) for word in words], check=True, stdout=subprocess.DEVNULL, **more)


def one(pattern):
    """The download of this name; a package that is not built has no row."""
    found = sorted(OUT.glob(pattern))
    if len(found) > 1:
        sys.exit(f"error: several {pattern} in {OUT}; remove those of other versions")
    return found[0] if found else None


def rows(folder):
    environment = {
        "PATH": "/usr/bin:/bin",
        "HOME": str(folder / "home"),
        "XDG_RUNTIME_DIR": str(folder / "run"),
        "FLATPAK_USER_DIR": str(folder / "flatpak"),
        "LC_ALL": "C.UTF-8",
    }
    (folder / "home").mkdir()
    (folder / "run").mkdir(mode=0o700)

    for package, words in [("fotos-mcp", ["fotos-mcp"]), ("deskmate", ["deskmate", "stdio"])]:
        download, installed = one(f"{package}_*.deb"), folder / f"deb-{package}"
        if download is None:
            continue
        run("dpkg-deb", "--extract", download, installed)
        program = [str(installed / "usr/bin" / words[0]), *words[1:]]
        yield download.name, weight(download), weight(installed), " ".join(words), start(program, environment)

    download = one("deskmate-*.tar.gz")
    if download is not None:
        (folder / "tar").mkdir()
        run("tar", "--extract", "--file", download, "--directory", folder / "tar")
        unpacked = next((folder / "tar").iterdir())
        yield download.name, weight(download), weight(unpacked), "deskmate stdio", start([str(unpacked / "bin/deskmate"), "stdio"], environment)

    for download in sorted(OUT.glob("*.mcpb")):
        unpacked = folder / download.stem
        run("python3", "-m", "zipfile", "-e", download, unpacked)
        config = json.loads((unpacked / "manifest.json").read_text())["server"]["mcp_config"]
        program = config["command"].replace("${__dirname}", str(unpacked))
        os.chmod(program, 0o755)
        shown = " ".join([Path(program).name, *config["args"]])
        yield download.name, weight(download), weight(unpacked), shown, start([program, *config["args"]], environment)

    image, mounted = WORK / "appimage/fotos.squashfs", folder / "mounted"
    mounted.mkdir()
    run("squashfuse", image, mounted)
    try:
        took = start([str(mounted / "AppRun"), "fotos-mcp"], environment)
        yield "AppImage, without its runtime", weight(image), weight(WORK / "appimage/AppDir"), "AppRun fotos-mcp", took
    finally:
        run("umount", mounted)

    flatpak = ["flatpak", "--user"]
    run(*flatpak, "remote-add", "--no-gpg-verify", "built", f"file://{WORK}/flatpak/repository", env=environment)
    for name in ["org.deskmate.TestPlatform//1", "io.github.charly.fotos"]:
        run(*flatpak, "install", "-y", "--noninteractive", "built", name, env=environment)
    bundle = folder / "fotos.flatpak"
    run("flatpak", "build-bundle", WORK / "flatpak/repository", bundle, "io.github.charly.fotos", "stable", env=environment)
    words = [*flatpak, "run", "--command=fotos-mcp", "io.github.charly.fotos"]
    yield "Flatpak, without its runtime", weight(bundle), weight(WORK / "flatpak/build/app"), "flatpak run --command=fotos-mcp", start(words, environment)


def main():
    print("What people download, what it takes once installed, and the time from exec to the answer to `initialize` (the median of")
    print(f"{ROUNDS}). The programs have the features of packages. A package that was not built has no row.\n")
    print("| package | MB | installed, MB | started as | ms |")
    print("|---|--:|--:|---|--:|")
    with tempfile.TemporaryDirectory() as folder:
        for name, download, installed, words, took in rows(Path(folder)):
            print(f"| {name} | {megabytes(download)} | {megabytes(installed)} | `{words}` | {took:.1f} |", flush=True)


main()
