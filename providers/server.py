"""An MCP server on stdin and stdout, as a client sees it, and a picture to show it."""

import base64
import json
import os
import random
import struct
import subprocess
import zlib

KEY = "judge-0123456789abcdef"


class Server:
    """A process that speaks MCP."""

    def __init__(self, command, environment):
        inherited = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR") if name in os.environ}
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**inherited, **environment},
        )
        self.last = 0
        self.progress = []
        self.request("initialize", {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "judge", "version": "1"},
        })
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message):
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def request(self, method, params):
        self.last += 1
        self.send({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params})
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise SystemExit(f"error: {self.process.args[0]} ended before it answered `{method}`")
            message = json.loads(line)
            if message.get("method") == "notifications/progress":
                self.progress.append(message["params"])
            if message.get("id") == self.last:
                return message

    def call(self, tool, arguments, token=None):
        """The text of a result, and whether it is an error."""
        params = {"name": tool, "arguments": arguments}
        if token:
            params["_meta"] = {"progressToken": token}
        answer = self.request("tools/call", params)
        result = answer.get("result") or {"isError": True, "content": [{"text": answer["error"]["message"]}]}
        return result["content"][0]["text"], bool(result.get("isError"))

    def end(self):
        self.process.stdin.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()


def encode(width, height, rows):
    """A PNG file of rows of red, green and blue, without any metadata."""
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    data = zlib.compress(b"".join(b"\0" + row for row in rows))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def png(width=64, height=48):
    """A small picture."""
    rows = (bytes(value for x in range(width) for value in (x * 4 % 256, y * 5 % 256, 90)) for y in range(height))
    return encode(width, height, rows)


def noisy_png(size):
    """A picture of noise, of about this many bytes; the same in every run."""
    noise = random.Random(1)
    height = 1000
    width = size // height // 3
    return encode(width, height, (noise.randbytes(width * 3) for _ in range(height)))


def providers_at(url):
    """The variables under which every provider is at one address."""
    return {
        "Z_AI_BASE_URL": f"{url}/api/paas/v4/",
        "OPENAI_BASE_URL": f"{url}/v1",
        "OPENAI_COMPATIBLE_BASE_URL": f"{url}/v1",
        "ANTHROPIC_BASE_URL": url,
        "GEMINI_BASE_URL": url,
        "OLLAMA_HOST": url,
        **{name: KEY for name in (
            "Z_AI_API_KEY", "OPENAI_API_KEY", "OPENAI_COMPATIBLE_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY",
        )},
    }


def holds(body, picture):
    """Whether a request has this picture in it, as base64."""
    return base64.b64encode(picture).decode() in json.dumps(body)
