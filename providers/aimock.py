"""Every tool on every provider against aimock, a third-party stub: answers, streams, errors, and what it was sent."""

import json
import socket
import subprocess
import time
import urllib.request

from server import Server, holds, png, providers_at

PROVIDERS = ["zai", "openai", "claude", "gemini", "ollama", "compatible"]
ANSWER = "aimock saw the picture, word by word by word."
TOOLS = {
    "ui_to_artifact": {"output_type": "code"},
    "extract_text_from_screenshot": {"programming_language": "rust"},
    "diagnose_error_screenshot": {"context": "on start"},
    "understand_technical_diagram": {"diagram_type": "sequence"},
    "analyze_data_visualization": {"analysis_focus": "trends"},
    "ui_diff_check": {},
    "analyze_image": {},
}


def ask(url, method="GET", body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"content-type": "application/json"}, method=method)
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def start(here):
    port = free_port()
    command = ["node", here / "node_modules/.bin/llmock", "-p", str(port), "-f", here / "fixtures.json"]
    process = subprocess.Popen([*command, "--log-level", "warn"], stdout=subprocess.DEVNULL)
    url = f"http://127.0.0.1:{port}"
    # It says nothing when it is ready, so it is asked.
    for _ in range(300):
        try:
            ask(f"{url}/__aimock/journal")
            return process, url
        except OSError:
            if process.poll() is not None:
                break
            time.sleep(0.1)
    process.kill()
    raise SystemExit("error: aimock does not start; run `npm ci` in providers/")


def judge(here, built, folder, check):
    process, url = start(here)
    picture = png()
    (folder / "a.png").write_bytes(picture)
    source = str(folder / "a.png")
    try:
        for api in ("chat", "responses"):
            server = Server([built / "vision-mcp"], {
                **providers_at(url), "HOME": str(folder), "OPENAI_API": api, "Z_AI_RETRY_COUNT": "0",
            })
            providers = PROVIDERS if api == "chat" else ["openai"]
            for provider in providers:
                judge_provider(server, provider, source, picture, url, check, api)
            server.end()
        patient = Server([built / "vision-mcp"], {**providers_at(url), "HOME": str(folder), "Z_AI_RETRY_COUNT": "1"})
        before = len(ask(f"{url}/__aimock/journal"))
        patient.call("analyze_image", {"image_source": source, "prompt": "give 429"})
        count = len(ask(f"{url}/__aimock/journal")) - before
        check("aimock zai 429 with Retry-After is asked once more", count == 2, count)
        patient.end()
    finally:
        process.kill()
        process.wait()


# Those who speak as OpenAI's chat does.
CHAT = ("zai", "openai", "compatible")


def judge_provider(server, provider, source, picture, url, check, api):
    name = f"aimock {provider}" + (" responses" if api == "responses" else "")
    for tool, more in TOOLS.items():
        arguments = {"image_source": source, "prompt": "look", "provider": provider, **more}
        if tool == "ui_diff_check":
            arguments = {**arguments, "expected_image_source": source, "actual_image_source": source}
            del arguments["image_source"]
        text, failed = server.call(tool, arguments)
        check(f"{name} {tool}", (text, failed) == (ANSWER, False), text)
        sent = ask(f"{url}/__aimock/journal")[-1]["body"]
        # Its journal is in the words of OpenAI's chat, and leaves out the pictures of all other formats: those the stub
        # sees, in the tests of `vision-mcp`.
        last = sent["messages"][-1]
        if provider in CHAT and api == "chat":
            check(f"{name} {tool} shows the picture", holds(sent, picture), last)
        else:
            check(f"{name} {tool} asks", "look" in last["content"], last)
    image = {"image_source": source, "provider": provider}
    server.progress.clear()
    text, failed = server.call("analyze_image", {**image, "prompt": "look"}, token=f"{provider}-{api}")
    check(f"{name} stream", (text, failed, bool(server.progress)) == (ANSWER, False, True), text)
    for status, words in ((401, "does not accept the key"), (429, "too many requests"), (500, "trouble of its own")):
        text, failed = server.call("analyze_image", {**image, "prompt": f"give {status}"})
        check(f"{name} {status}", failed and words in text, text)
    for fault, words in (({"malformedRate": 1}, "cannot be understood"), ({"disconnectRate": 1}, "broke off")):
        ask(f"{url}/__aimock/chaos", "POST", fault)
        text, failed = server.call("analyze_image", {**image, "prompt": "look"})
        check(f"{name} {next(iter(fault))}", failed and words in text, text)
        ask(f"{url}/__aimock/chaos", "DELETE")
