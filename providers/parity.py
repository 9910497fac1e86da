"""Beside z.ai's own server, against the same stub: the same media, in the same order, with the same parameters."""

import json
import urllib.request

from sdks import start
from server import KEY, Server, png

CALLS = [
    ("ui_to_artifact", {"image_source": "A", "output_type": kind, "prompt": "Build it"})
    for kind in ("code", "prompt", "spec", "description")
] + [
    ("extract_text_from_screenshot", {"image_source": "A", "prompt": "Read it", "programming_language": "rust"}),
    ("diagnose_error_screenshot", {"image_source": "A", "prompt": "Why?", "context": "on start"}),
    ("understand_technical_diagram", {"image_source": "A", "prompt": "Explain", "diagram_type": "sequence"}),
    ("analyze_data_visualization", {"image_source": "A", "prompt": "Read", "analysis_focus": "trends"}),
    ("ui_diff_check", {"expected_image_source": "A", "actual_image_source": "B", "prompt": "Compare"}),
    ("analyze_image", {"image_source": "B", "prompt": "What?"}),
    ("analyze_video", {"video_source": "V", "prompt": "What happens?"}),
]


def seen(url, server, calls):
    """What the stub was sent for each call."""
    request = urllib.request.Request(f"{url}/__stub/journal", method="DELETE")
    urllib.request.urlopen(request, timeout=10).read()
    for tool, arguments in calls:
        text, failed = server.call(tool, arguments)
        if failed:
            raise SystemExit(f"error: `{tool}` of {server.process.args[0]} fails: {text}")
    server.end()
    with urllib.request.urlopen(f"{url}/__stub/journal", timeout=10) as answer:
        return json.load(answer)


def split(body):
    """A request without words: its parameters, and its media in order."""
    parameters = {name: value for name, value in body.items() if name != "messages"}
    parts = body["messages"][-1]["content"]
    return parameters, [part for part in parts if part["type"] != "text"], [part["type"] for part in parts]


def judge(here, built, folder, check):
    files = {"A": folder / "one.png", "B": folder / "two.png", "V": folder / "clip.mp4"}
    files["A"].write_bytes(png())
    files["B"].write_bytes(png(40, 30))
    files["V"].write_bytes(b"\0\0\0\x18ftypisom\0\0\x02\0isommp41\0\0\0\x08mdat" + bytes(2000))
    calls = [
        (tool, {name: str(files.get(value, value)) for name, value in arguments.items()}) for tool, arguments in CALLS
    ]
    process, url = start(built)
    environment = {
        "Z_AI_BASE_URL": f"{url}/api/paas/v4/", "Z_AI_API_KEY": KEY.replace("judge", "zz"), "HOME": str(folder),
    }
    try:
        ours = seen(url, Server([built / "vision-mcp"], environment), calls)
        theirs = seen(url, Server(["node", here / "node_modules/.bin/zai-mcp-server"], environment), calls)
    finally:
        process.stdin.close()
        process.wait(10)
    differences = set()
    for (tool, arguments), one, other in zip(calls, ours, theirs, strict=True):
        name = f"parity {tool} {arguments.get('output_type', '')}".strip()
        check(f"{name}: path", one["path"] == other["path"], (one["path"], other["path"]))
        (parameters, media, order), (their_parameters, their_media, their_order) = split(one["body"]), split(other["body"])
        check(f"{name}: parameters", parameters == their_parameters, (parameters, their_parameters))
        check(f"{name}: media", media == their_media, [len(str(part)) for part in (media, their_media)])
        check(f"{name}: order", order == their_order, (order, their_order))
        for role in ("system", "user"):
            said = [[m["content"] if isinstance(m["content"], str) else m["content"][-1]["text"]
                     for m in body["body"]["messages"] if m["role"] == role] for body in (one, other)]
            if said[0] != said[1]:
                differences.add(f"{tool}: the words of the {role} message" if all(said) else f"{tool}: only one has a {role} message")
    print("differences to z.ai's own server, all of words:")
    for difference in sorted(differences):
        print(f"  {difference}")
