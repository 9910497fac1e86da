"""The official clients of the providers against our stub: if they understand it, it speaks as the providers do."""

import base64
import subprocess

from server import KEY, png

QUESTION = "What is this?"
ANSWER = "The stub looked at it."


def start(built):
    process = subprocess.Popen([built / "models-stub"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    return process, process.stdout.readline().decode().strip()


def judge(built, check):
    process, url = start(built)
    picture = base64.b64encode(png()).decode()
    data = f"data:image/png;base64,{picture}"
    try:
        for name, ask in (
            ("openai chat", openai_chat), ("openai responses", openai_responses), ("anthropic", anthropic_messages),
            ("google-genai", gemini), ("ollama", ollama_chat), ("zai-sdk", zai),
        ):
            for streams in (False, True):
                told = ask(url, picture, data, streams)
                check(f"stub understood by {name}{' stream' if streams else ''}", told == ANSWER, told)
        judge_errors(url, data, check)
    finally:
        process.stdin.close()
        process.wait(10)


def chat_messages(data):
    image = {"type": "image_url", "image_url": {"url": data}}
    return [{"role": "user", "content": [image, {"type": "text", "text": QUESTION}]}]


def openai_chat(url, _, data, streams):
    from openai import OpenAI
    client = OpenAI(base_url=f"{url}/v1", api_key=KEY, max_retries=0)
    answer = client.chat.completions.create(model="m", messages=chat_messages(data), stream=streams)
    if streams:
        return "".join(chunk.choices[0].delta.content or "" for chunk in answer if chunk.choices)
    return answer.choices[0].message.content


def openai_responses(url, _, data, streams):
    from openai import OpenAI
    client = OpenAI(base_url=f"{url}/v1", api_key=KEY, max_retries=0)
    content = [{"type": "input_image", "image_url": data, "detail": "auto"}, {"type": "input_text", "text": QUESTION}]
    answer = client.responses.create(model="m", input=[{"role": "user", "content": content}], stream=streams)
    if streams:
        return "".join(event.delta for event in answer if event.type == "response.output_text.delta")
    return answer.output_text


def anthropic_messages(url, picture, _, streams):
    from anthropic import Anthropic
    client = Anthropic(base_url=url, api_key=KEY, max_retries=0)
    source = {"type": "base64", "media_type": "image/png", "data": picture}
    content = [{"type": "image", "source": source}, {"type": "text", "text": QUESTION}]
    request = {"model": "m", "max_tokens": 100, "messages": [{"role": "user", "content": content}]}
    if streams:
        with client.messages.stream(**request) as stream:
            return "".join(stream.text_stream)
    return "".join(block.text for block in client.messages.create(**request).content if block.type == "text")


def gemini(url, picture, _, streams):
    from google import genai
    from google.genai import types
    client = genai.Client(api_key=KEY, http_options=types.HttpOptions(base_url=url, api_version="v1beta"))
    part = types.Part.from_bytes(data=base64.b64decode(picture), mime_type="image/png")
    if streams:
        answer = client.models.generate_content_stream(model="m", contents=[part, QUESTION])
        return "".join(chunk.text or "" for chunk in answer)
    return client.models.generate_content(model="m", contents=[part, QUESTION]).text


def ollama_chat(url, picture, _, streams):
    from ollama import Client
    message = {"role": "user", "content": QUESTION, "images": [picture]}
    answer = Client(host=url).chat(model="m", messages=[message], stream=streams)
    if streams:
        return "".join(chunk.message.content or "" for chunk in answer)
    return answer.message.content


def zai(url, _, data, streams):
    from zai import ZaiClient
    client = ZaiClient(base_url=f"{url}/api/paas/v4/", api_key=KEY, max_retries=0)
    answer = client.chat.completions.create(model="m", messages=chat_messages(data), stream=streams)
    if streams:
        return "".join(chunk.choices[0].delta.content or "" for chunk in answer if chunk.choices)
    return answer.choices[0].message.content


def judge_errors(url, data, check):
    """Errors are raised as what they are."""
    import json
    import urllib.request
    import anthropic
    import openai

    def next_is(status, code):
        body = {"kind": "fail", "status": status, "code": code, "message": "no"}
        request = urllib.request.Request(f"{url}/__stub/next", json.dumps(body).encode(), method="POST")
        urllib.request.urlopen(request, timeout=10).read()

    for status, code, kind in ((401, "invalid_api_key", openai.AuthenticationError), (429, "rate", openai.RateLimitError)):
        next_is(status, code)
        try:
            openai_chat(url, None, data, False)
            told = None
        except openai.APIError as error:
            told = error
        check(f"stub error {status} understood by openai", isinstance(told, kind), told)
    next_is(529, "overloaded_error")
    try:
        anthropic_messages(url, base64.b64encode(png()).decode(), None, False)
        told = None
    except anthropic.APIStatusError as error:
        told = error
    check("stub error 529 understood by anthropic", told is not None and told.status_code == 529, told)
