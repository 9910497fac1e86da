"""figures.py: how big each package is, how long `fotos-mcp` or `deskmate` takes from there until it answers `initialize`, and how long the
application takes until its window is on the screen.

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
WINDOW_ROUNDS = 3
PATIENCE = 120
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


class Session:
    """A screen and a message bus, for windows."""

    def __init__(self, environment):
        self.screen = subprocess.Popen(
            ["Xvfb", "-displayfd", "1", "-screen", "0", "1400x900x24", "-nolisten", "tcp", "-noreset"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        display = ":" + self.screen.stdout.readline().decode().strip()
        address = f"unix:path={environment['XDG_RUNTIME_DIR']}/bus"
        self.environment = {**environment, "DISPLAY": display, "GDK_BACKEND": "x11", "DBUS_SESSION_BUS_ADDRESS": address}
        self.bus = subprocess.Popen(
            ["dbus-daemon", "--session", "--nofork", "--print-address", f"--address={address}"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=self.environment,
        )
        self.bus.stdout.readline()

    def end(self):
        for process in (self.bus, self.screen):
            process.kill()
            process.wait()

    def has_window(self):
        words = ["xdotool", "search", "--onlyvisible", "--name", "^Fotos$"]
        return subprocess.run(words, env=self.environment, capture_output=True).stdout.strip() != b""

    def once(self, words, end):
        began = time.perf_counter()
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=self.environment)
        while not self.has_window():
            if process.poll() is not None or time.perf_counter() - began > PATIENCE:
                sys.exit(f"error: there is no window: {words}")
            time.sleep(0.005)
        took = time.perf_counter() - began
        if end is None:
            process.terminate()
        else:
            run(*end, env=self.environment)
        process.wait()
        while self.has_window():
            time.sleep(0.05)
        return took

    def start(self, words, end=None):
        """Milliseconds until the window is there; `end` ends it where a signal to what was started does not."""
        self.once(words, end)
        return statistics.median(self.once(words, end) for _ in range(WINDOW_ROUNDS)) * 1000


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
        "FLATPAK_USER_DIR": str(WORK / "flatpak/installed"),
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

    session = Session(environment)
    try:
        yield from windows(folder, session)
    finally:
        session.end()

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


def windows(folder, session):
    """Packages with the application: the window of each, and `fotos-mcp` of those that have both."""
    environment = session.environment
    download, installed = one("fotos_*.deb"), folder / "deb-fotos"
    run("dpkg-deb", "--extract", download, installed)
    yield download.name, weight(download), weight(installed), "fotos-desktop", session.start([str(installed / "usr/bin/fotos-desktop")])

    image, mounted = WORK / "appimage/fotos.squashfs", folder / "mounted"
    mounted.mkdir()
    run("squashfuse", image, mounted)
    try:
        size = weight(image), weight(WORK / "appimage/AppDir")
        program = str(mounted / "AppRun")
        yield "AppImage, without its runtime", *size, "AppRun", session.start([program])
        yield "the same", *size, "AppRun fotos-mcp", start([program, "fotos-mcp"], environment)
    finally:
        run("umount", mounted)

    bundle = folder / "fotos.flatpak"
    run("flatpak", "build-bundle", WORK / "flatpak/repository", bundle, "io.github.charly.fotos", "stable", env=environment)
    size = weight(bundle), weight(WORK / "flatpak/build/app")
    flatpak = ["flatpak", "--user"]
    window = session.start([*flatpak, "run", "io.github.charly.fotos"], ["flatpak", "kill", "io.github.charly.fotos"])
    yield "Flatpak, without its runtime", *size, "flatpak run", window
    words = [*flatpak, "run", "--command=fotos-mcp", "io.github.charly.fotos"]
    yield "the same", *size, "flatpak run --command=fotos-mcp", start(words, environment)


def main():
    print("What people download, what it takes once installed, and the time from exec to the answer to `initialize` (the median of")
    print(f"{ROUNDS}), or to a window on the screen, with the programs of WebKit warm (the median of {WINDOW_ROUNDS}). The programs have the features of packages.\n")
    print("| package | MB | installed, MB | started as | ms |")
    print("|---|--:|--:|---|--:|")
    with tempfile.TemporaryDirectory() as folder:
        for name, download, installed, words, took in rows(Path(folder)):
            print(f"| {name} | {megabytes(download)} | {megabytes(installed)} | `{words}` | {took:.1f} |", flush=True)


main()
