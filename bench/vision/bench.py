"""Our vision server beside z.ai's own, against a stub that answers at once: what a call costs besides the model.

`bench.py VISION_MCP MODELS_STUB ZAI_MCP_SERVER` prints a table in Markdown.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "providers"))

from server import Server, noisy_png  # noqa: E402

ROUNDS = 5
CALLS = 20
IN_FLIGHT = 64


def peak_megabytes(process):
    status = Path(f"/proc/{process.pid}/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024


def sequential(command, environment, arguments):
    """Milliseconds of a call, the median of each round."""
    server = Server(command, environment)
    server.call("analyze_image", arguments)
    medians = []
    for _ in range(ROUNDS):
        times = []
        for _ in range(CALLS):
            began = time.perf_counter()
            text, failed = server.call("analyze_image", arguments)
            times.append((time.perf_counter() - began) * 1000)
            if failed:
                raise SystemExit(f"error: {command[0]} fails: {text}")
        medians.append(statistics.median(times))
    peak = peak_megabytes(server.process)
    server.end()
    return medians, peak


def together(command, environment, arguments):
    """Milliseconds for many calls at once, and the most memory the server held."""
    server = Server(command, environment)
    began = time.perf_counter()
    for number in range(IN_FLIGHT):
        server.send({"jsonrpc": "2.0", "id": 1000 + number, "method": "tools/call",
                     "params": {"name": "analyze_image", "arguments": arguments}})
    waiting = set(range(1000, 1000 + IN_FLIGHT))
    while waiting:
        message = json.loads(server.process.stdout.readline())
        if message.get("id") in waiting:
            if message.get("error") or message["result"].get("isError"):
                raise SystemExit(f"error: {command[0]} fails: {message}")
            waiting.remove(message["id"])
    took = (time.perf_counter() - began) * 1000
    peak = peak_megabytes(server.process)
    server.end()
    return took, peak


def main():
    ours, stub, theirs = sys.argv[1:4]
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder).resolve()
        picture = noisy_png(4_000_000)
        (folder / "a.png").write_bytes(picture)
        process = subprocess.Popen([stub], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        url = process.stdout.readline().decode().strip()
        environment = {
            "Z_AI_BASE_URL": f"{url}/api/paas/v4/", "Z_AI_API_KEY": "zz-0123456789abcdef", "HOME": str(folder),
        }
        arguments = {"image_source": str(folder / "a.png"), "prompt": "What?"}
        commands = {"Deskmate": [ours], "`@z_ai/mcp-server` 0.1.4": ["node", theirs]}
        # Turn by turn, so that a busy machine is busy for both.
        one = {name: sequential(command, environment, arguments) for name, command in commands.items()}
        many = {name: together(command, environment, arguments) for name, command in commands.items()}
        process.stdin.close()
        process.wait(10)
    print(f"A PNG of {len(picture) / 1e6:.1f} MB through `analyze_image` over stdio; the provider is a stub on the same machine"
          f" that answers at once. {os.cpu_count()} processors.\n")
    print("| | " + " | ".join(commands) + " | ratio |")
    print("|---|---|---|---|")
    rows = [
        ("one call, median of medians", [statistics.median(medians) for medians, _ in one.values()], "ms"),
        ("memory, calls one by one", [peak for _, peak in one.values()], "MB"),
        (f"{IN_FLIGHT} calls at once, until the last answer", [took for took, _ in many.values()], "ms"),
        (f"memory, {IN_FLIGHT} calls at once", [peak for _, peak in many.values()], "MB"),
    ]
    for title, (mine, other), unit in rows:
        print(f"| {title} | {mine:.1f} {unit} | {other:.1f} {unit} | {other / mine:.1f} |")


main()
