"""What the bridge to the Fotos application costs: `fotos-mcp` that relays to it beside `fotos-mcp` alone.

`bench.py FOTOS_MCP HOST` prints tables in Markdown. HOST is the example `host`: the application without its window.
"""

import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "fotos"))
from bench import Display, Server, timed  # noqa: E402

ROUNDS = 7
LISTS = 300
SHOTS = 8
IDLE = 10


class Application:
    def __init__(self, command, display, environment):
        self.process = subprocess.Popen([command], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        env={**os.environ, **environment, "DISPLAY": display, "FOTOS_NOTIFY": "off"})
        if self.process.stdout.readline() != b"ready\n":
            raise SystemExit("error: the application does not start")

    def memory(self):
        """Megabytes of its own, and its share of what others have, too."""
        lines = Path(f"/proc/{self.process.pid}/smaps_rollup").read_text().splitlines()
        return int(next(line for line in lines if line.startswith("Pss:")).split()[1]) / 1024

    def end(self):
        self.process.stdin.close()
        self.process.wait(10)


def compare(servers, work, count):
    """Milliseconds of each, the median of medians; in turns, so that a busy machine is busy for all."""
    for server in servers.values():
        work(server)
    medians = {name: [] for name in servers}
    for _ in range(ROUNDS):
        for name, server in servers.items():
            medians[name].append(statistics.median(timed(lambda: work(server)) for _ in range(count)))
    return {name: statistics.median(values) for name, values in medians.items()}


def main():
    command, host = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        (folder / "run").mkdir()
        display = Display(3840, 2160, folder)
        environment = {"XDG_RUNTIME_DIR": str(folder / "run"), "DESKMATE_HOME": str(folder / "home")}
        application = Application(host, display.name, environment)
        idle = application.memory()
        servers = {"standalone": Server(command, display.name),
                   "bridged": Server(command, display.name, **environment, FOTOS_MODE="bridge")}
        ask = lambda server: server.ask("tools/call", {"name": "list_screenshots", "arguments": {}})  # noqa: E731
        empty = compare(servers, ask, LISTS)
        full = compare(servers, lambda server: server.shoot(max_edge=0), SHOTS)
        fitting = compare(servers, lambda server: server.shoot(), SHOTS)
        used = application.memory()
        relay = servers["bridged"].memory("VmRSS")
        for server in servers.values():
            server.end()
        application.end()
        display.end()
    print(f"3840x2160, a page of text with a photo-like patch, on Xvfb. {os.cpu_count()} processors.\n")
    print("| call | standalone | bridged | more | |\n|---|---|---|---|---|")
    for name, times in [("`list_screenshots`", empty), ("`take_screenshot`, full size", full),
                        ("`take_screenshot`, as clients take it", fitting)]:
        alone, bridged = times["standalone"], times["bridged"]
        print(f"| {name} | {alone:.2f} ms | {bridged:.2f} ms | {bridged - alone:.2f} ms | {bridged / alone - 1:+.0%} |")
    print("\n| memory | |\n|---|---|")
    print(f"| of the host, idle | {idle:.0f} MB |")
    print(f"| of the host, with {2 * (ROUNDS * SHOTS + 1)} screenshots of this size | {used:.0f} MB |")
    print(f"| of the relay after them | {relay:.0f} MB |")


if __name__ == "__main__":
    main()
