"""Our vision server beside z.ai's own, against a stub that answers at once: what a call costs besides the model.

`bench.py VISION_MCP MODELS_STUB ZAI_MCP_SERVER` prints a table in Markdown.
"""

import http.client
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.parse
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "providers"))

from server import Server, noisy_png  # noqa: E402

ROUNDS = 9
CALLS = 10
TOGETHER_ROUNDS = 3
IN_FLIGHT = 64
PATH = "/api/paas/v4/chat/completions"


class Provider:
    """The stub, and a client that does nothing but send it a body that is ready."""

    def __init__(self, command):
        self.process = subprocess.Popen([command], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.url = self.process.stdout.readline().decode().strip()
        self.connection = http.client.HTTPConnection(urllib.parse.urlsplit(self.url).netloc)
        self.body = None

    def request(self, method, path, body=None):
        self.connection.request(method, path, body, {"Content-Type": "application/json"})
        answer = self.connection.getresponse().read()
        return json.loads(answer)

    def remember(self):
        """Takes the last body that came as the one to send."""
        self.body = json.dumps(self.request("GET", "/__stub/journal")[-1]["body"]).encode()

    def forget(self):
        """The stub keeps what it got, which is much."""
        self.request("DELETE", "/__stub/journal")

    def ask(self):
        self.request("POST", PATH, self.body)

    def end(self):
        self.connection.close()
        self.process.stdin.close()
        self.process.wait(10)


def peak_megabytes(process):
    status = Path(f"/proc/{process.pid}/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024


def milliseconds(work):
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) * 1000


def call_once(server, arguments):
    text, failed = server.call("analyze_image", arguments)
    if failed:
        raise SystemExit(f"error: {server.process.args[0]} fails: {text}")


def one_by_one(provider, servers, arguments):
    """Milliseconds of a call for each, the median of each round; the rounds take turns, so that a busy moment is everybody's."""
    work = {"stub": provider.ask}
    for name, server in servers.items():
        work[name] = lambda server=server: call_once(server, arguments)
        work[name]()
        provider.remember()
    medians = {name: [] for name in work}
    for _ in range(ROUNDS):
        for name, ask in work.items():
            medians[name].append(statistics.median(milliseconds(ask) for _ in range(CALLS)))
            provider.forget()
    return medians


def together(server, arguments):
    """Many calls at once, until the last answer."""
    waiting = set(range(1000, 1000 + IN_FLIGHT))
    for number in waiting:
        server.send({"jsonrpc": "2.0", "id": number, "method": "tools/call",
                     "params": {"name": "analyze_image", "arguments": arguments}})
    while waiting:
        message = json.loads(server.process.stdout.readline())
        if message.get("id") in waiting:
            if message.get("error") or message["result"].get("isError"):
                raise SystemExit(f"error: {server.process.args[0]} fails: {message}")
            waiting.remove(message["id"])


def at_once(provider, start, arguments):
    """Milliseconds for many calls at once for each, and the most memory it held; a new server in each round."""
    took, peaks = {name: [] for name in start}, {name: [] for name in start}
    for _ in range(TOGETHER_ROUNDS):
        for name, begin in start.items():
            server = begin()
            took[name].append(milliseconds(lambda server=server: together(server, arguments)))
            peaks[name].append(peak_megabytes(server.process))
            server.end()
            provider.forget()
    return took, peaks


def main():
    ours, stub, theirs = sys.argv[1:4]
    us, them = "Deskmate", "`@z_ai/mcp-server` 0.1.4"
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder).resolve()
        picture = noisy_png(4_000_000)
        (folder / "a.png").write_bytes(picture)
        provider = Provider(stub)
        environment = {
            "Z_AI_BASE_URL": f"{provider.url}/api/paas/v4/", "Z_AI_API_KEY": "zz-0123456789abcdef", "HOME": str(folder),
        }
        arguments = {"image_source": str(folder / "a.png"), "prompt": "What?"}
        start = {us: lambda: Server([ours], environment), them: lambda: Server(["node", theirs], environment)}
        servers = {name: begin() for name, begin in start.items()}
        medians = one_by_one(provider, servers, arguments)
        alone = {name: peak_megabytes(server.process) for name, server in servers.items()}
        for server in servers.values():
            server.end()
        took, peaks = at_once(provider, start, arguments)
        provider.end()
    call = {name: statistics.median(rounds) for name, rounds in medians.items()}
    print(f"A PNG of {len(picture) / 1e6:.1f} MB through `analyze_image` over stdio. The provider is a stub on the same machine that"
          f" answers at once; it takes {call['stub']:.1f} ms when it is sent a body that is ready. {ROUNDS} rounds of {CALLS} calls,"
          f" in turn. {os.cpu_count()} processors.\n")
    print(f"| | {us} | {them} | ratio |")
    print("|---|---|---|---|")
    rows = [
        ("one call, median of medians", call[us], call[them], "ms"),
        ("the same, without the stub's own time", call[us] - call["stub"], call[them] - call["stub"], "ms"),
        ("memory, calls one by one", alone[us], alone[them], "MB"),
        (f"{IN_FLIGHT} calls at once, until the last answer", statistics.median(took[us]), statistics.median(took[them]), "ms"),
        (f"memory, {IN_FLIGHT} calls at once", max(peaks[us]), max(peaks[them]), "MB"),
    ]
    for title, mine, other, unit in rows:
        print(f"| {title} | {mine:.1f} {unit} | {other:.1f} {unit} | {other / mine:.1f} |")


main()
