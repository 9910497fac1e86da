"""`take_screenshot` beside the programs people take screenshots with, on an X server without a screen.

`bench.py FOTOS_MCP CAPTURE_STAGES` prints tables in Markdown. Ours ends with the last byte of the answered line, which has the
picture in base64; theirs with the end of the process that wrote a PNG file to memory.
"""

import fcntl
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SIZES = {"1920x1080": (1920, 1080), "3840x2160": (3840, 2160)}
ROUNDS = 5
CALLS = 10
STARTS = 30
KEPT = 100
F_SETPIPE_SZ = 1031
# Written to once, so that reading an answer does not measure how this program gets memory.
ROOM = bytearray(b"x" * (64 << 20))


class Display:
    """An X server of our own, with a page of text and a photo-like patch on it."""

    def __init__(self, width, height, folder):
        self.process = subprocess.Popen(
            ["Xvfb", "-displayfd", "1", "-screen", "0", f"{width}x{height}x24", "-nolisten", "tcp", "-noreset"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.name = ":" + self.process.stdout.readline().decode().strip()
        picture = folder / f"{width}.png"
        line = "The connection was reset while loading the page; fn parse(buf: &[u8]) -> Result<Header, Error> {}".split()
        text = "\n".join(" ".join(line[(row + column) % len(line)] for column in range(width // 120))
                         for row in range(height // 17))
        subprocess.run(
            ["convert", "-seed", "1", "-size", f"{width}x{height}", "xc:white", "-font", "DejaVu-Sans", "-pointsize", "13",
             "-fill", "#222", "-annotate", "+12+20", text, "(", "-size", f"{width // 4}x{height // 4}",
             "plasma:tomato-steelblue", ")", "-gravity", "SouthEast", "-composite", str(picture)], check=True)
        # It paints, and exits with 1 all the same.
        subprocess.run(["display", "-window", "root", str(picture)], env={**os.environ, "DISPLAY": self.name})

    def end(self):
        self.process.terminate()
        self.process.wait()


class Server:
    def __init__(self, command, display, **more):
        environment = {**os.environ, "DISPLAY": display, "FOTOS_NOTIFY": "off", "FOTOS_MODE": "standalone", **more}
        environment.pop("WAYLAND_DISPLAY", None)
        self.process = subprocess.Popen([command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
        self.out = self.process.stdout.fileno()
        fcntl.fcntl(self.out, F_SETPIPE_SZ, 1 << 20)
        self.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {},
                                "clientInfo": {"name": "bench", "version": "1"}})

    def ask(self, method, params):
        """The answered line; notifications may come before it."""
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        os.write(self.process.stdin.fileno(), json.dumps(message).encode() + b"\n")
        begin = end = 0
        while True:
            count = os.readv(self.out, [memoryview(ROOM)[end:]])
            if not count:
                raise SystemExit("error: the server ended")
            end += count
            while (at := ROOM.find(b"\n", max(begin, end - count), end)) >= 0:
                line, begin = memoryview(ROOM)[begin:at], at + 1
                if b'"id":1' in bytes(line[:60]):
                    return line

    def shoot(self, **arguments):
        line = self.ask("tools/call", {"name": "take_screenshot", "arguments": arguments})
        if b'"isError":true' in bytes(line[-200:]):
            raise SystemExit(f"error: no screenshot: {bytes(line[:400])}")
        return line

    def memory(self, field):
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(next(line for line in status.splitlines() if line.startswith(field)).split()[1]) / 1024

    def end(self):
        self.process.stdin.close()
        self.process.wait(10)


def timed(work):
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) * 1000


def compare(command, display, folder):
    """Milliseconds of each way, the median of medians; all in turns, so that a busy machine is busy for all."""
    server = Server(command, display.name)
    file = folder / "out.png"
    environment = {**os.environ, "DISPLAY": display.name}

    def program(*arguments):
        def run():
            file.unlink(missing_ok=True)
            subprocess.run(arguments, check=True, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return run

    ways = {
        "Deskmate, full size": lambda: server.shoot(max_edge=0),
        "Deskmate, as clients take it": server.shoot,
        "scrot": program("scrot", str(file)),
        "maim": program("maim", str(file)),
        "import": program("import", "-window", "root", str(file)),
    }
    for way in ways.values():
        way()
    medians = {name: [] for name in ways}
    for _ in range(ROUNDS):
        for name, way in ways.items():
            medians[name].append(statistics.median(timed(way) for _ in range(CALLS)))
    server.end()
    return {name: statistics.median(values) for name, values in medians.items()}


def start_up(command, display):
    """Milliseconds from exec to the answer to `initialize`."""
    times = []
    for _ in range(STARTS):
        servers = []
        times.append(timed(lambda: servers.append(Server(command, display.name))))
        servers[0].end()
    return statistics.median(times)


def kept(command, display):
    server = Server(command, display.name)
    server.shoot()
    before = server.memory("VmRSS")
    for _ in range(KEPT):
        server.shoot()
    after, peak = server.memory("VmRSS"), server.memory("VmHWM")
    server.end()
    return before, after, peak


def main():
    command, stages = sys.argv[1:3]
    memory = "/dev/shm" if os.path.isdir("/dev/shm") else None
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        folder = Path(folder)
        displays = {name: Display(*size, folder) for name, size in SIZES.items()}
        results = {name: compare(command, display, folder) for name, display in displays.items()}
        parts = {name: json.loads(subprocess.run([stages, display.name], check=True, capture_output=True).stdout)
                 for name, display in displays.items()}
        first = next(iter(displays.values()))
        starting, (before, after, peak) = start_up(command, first), kept(command, first)
        for display in displays.values():
            display.end()
    print(f"A page of text with a photo-like patch, on Xvfb. {os.cpu_count()} processors.\n")
    print("| time of one screenshot | " + " | ".join(SIZES) + " |\n|---|" + "---|" * len(SIZES))
    for way in next(iter(results.values())):
        print(f"| {way} | " + " | ".join(f"{results[size][way]:.1f} ms" for size in SIZES) + " |")
    for peer in ("scrot", "maim", "import"):
        ratios = (f"{results[size][peer] / results[size]['Deskmate, full size']:.1f}" for size in SIZES)
        print(f"| ratio to {peer}, full size | " + " | ".join(ratios) + " |")
    print("\n| stage, alone | " + " | ".join(SIZES) + " |\n|---|" + "---|" * len(SIZES))
    for stage in next(iter(parts.values())):
        print(f"| {stage} | " + " | ".join(f"{parts[size][stage]}" for size in SIZES) + " |")
    print("\n| | |\n|---|---|")
    print(f"| from exec to the answer to `initialize` | {starting:.1f} ms |")
    print(f"| memory after one screenshot of {next(iter(SIZES))} | {before:.0f} MB |")
    print(f"| memory with {KEPT} more kept | {after:.0f} MB, at most {peak:.0f} MB |")


if __name__ == "__main__":
    main()
