"""The official Python client: `python.py legacy|auto|2026-07-28 stdio|http|token`."""

import base64
import json
import logging
import os
import sys
import warnings
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack

import anyio
import httpx2
import mcp_types as types
from mcp import Client, MCPError, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

# How long a check may take: far more than any of them needs.
PATIENCE_SECONDS = 60

# `resources/subscribe` is what the older revisions have, and this client says so each time.
warnings.simplefilter("ignore")

MODES = {"legacy": "2025-11-25", "auto": "2026-07-28", "2026-07-28": "2026-07-28"}

passed = 0
failed = 0


async def check(name: str, body: Callable[[], Awaitable[None]]) -> None:
    """Runs one check; what it raises is why it failed."""
    global passed, failed
    try:
        with anyio.fail_after(PATIENCE_SECONDS):
            await body()
    except Exception as error:
        failed += 1
        print(f"  FAILED  {name}: {type(error).__name__}: {error}", flush=True)
    else:
        passed += 1
        print(f"  ok      {name}", flush=True)


def same(found: object, wanted: object) -> None:
    if found != wanted:
        raise AssertionError(f"{found!r} is not {wanted!r}")


def has(text: str, part: str) -> None:
    if part not in text:
        raise AssertionError(f"{part!r} is not in {text!r}")


def noise(length: int) -> bytes:
    """The bytes the fixture makes its pictures of."""
    mask = (1 << 64) - 1
    state = 0x2545F4914F6CDD1D
    made = bytearray()
    for _ in range(length):
        state ^= (state << 13) & mask
        state ^= state >> 7
        state ^= (state << 17) & mask
        made.append(state & 0xFF)
    return bytes(made)


class News:
    """What the server told, and a way to wait for it."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        self.more = anyio.Event()

    def add(self, item: str) -> None:
        self.heard.append(item)
        self.more.set()
        self.more = anyio.Event()

    async def until(self, *items: str) -> None:
        while not all(item in self.heard for item in items):
            await self.more.wait()

    async def on_message(self, message: object) -> None:
        """What the client hands on, in every revision."""
        match message:
            case types.ResourceUpdatedNotification():
                self.add(str(message.params.uri))
            case types.ToolListChangedNotification():
                self.add("tools")
            case Exception():
                logging.warning("the transport failed: %r", message)


class Complaints(logging.Handler):
    """What the client finds fault with, without failing."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.heard: list[str] = []
        logging.getLogger().addHandler(self)

    def emit(self, record: logging.LogRecord) -> None:
        self.heard.append(record.getMessage())

    async def none(self) -> None:
        same(self.heard, [])


class Person:
    """Answers questions as it is told to."""

    def __init__(self) -> None:
        self.answer = types.ElicitResult(action="cancel")
        self.asked: types.ElicitRequestParams | None = None

    async def on_question(self, _context: object, params: types.ElicitRequestParams) -> types.ElicitResult:
        self.asked = params
        return self.answer


class Conversation:
    def __init__(self, client: Client, mode: str, news: News, person: Person) -> None:
        self.client, self.mode, self.news, self.person = client, mode, news, person
        self.modern = MODES[mode] == "2026-07-28"

    async def run(self) -> None:
        await check(f"speaks {MODES[self.mode]}", self.speaks)
        await check("is told who the server is", self.is_told_who)
        await check("lists tools with their schemas", self.lists_tools)
        await check("calls a tool", self.calls)
        await check("hears of progress", self.hears_of_progress)
        await check("gets structured content that fits the schema", self.gets_structure)
        await check("gets a picture byte for byte", self.gets_a_picture)
        await check("is told what is wrong with arguments", self.is_told_what_is_wrong)
        await check("is told that a tool failed", self.is_told_of_failure)
        await check("is told that a tool is unknown", self.is_told_unknown)
        await check("makes many calls at once", self.calls_at_once)
        await check("lists and reads a resource", self.reads)
        await check("reads through a template", self.reads_a_template)
        await check("is told that a resource is missing", self.misses)
        await check("completes what is typed", self.completes)
        await check("lists prompts and gets one with a picture", self.gets_a_prompt)
        await check("answers a question of a tool", self.answers)
        await check("answers two questions, one after the other", self.answers_twice)
        await check("declines a question of a tool", self.declines)
        async with AsyncExitStack() as listening:
            await check("hears that a resource and the tools changed", lambda: self.hears_news(listening))
            await check("cancels a call, which really ends", self.cancels)
        await check("is still served after that", self.is_served)

    async def text(self, name: str, **arguments: object) -> str:
        result = await self.client.call_tool(name, arguments)
        return result.content[0].text

    async def speaks(self) -> None:
        same(self.client.protocol_version, MODES[self.mode])
        known = await self.client.call_tool("who_calls", {})
        same(known.structured_content, {"version": MODES[self.mode], "form": True})

    async def is_told_who(self) -> None:
        if self.mode == "2026-07-28":
            # Pinned, this client asks nobody: what it knows it made up.
            raw = await self.client.session.send_discover("2026-07-28")
            discovered = types.DiscoverResult.model_validate(raw)
            has(str(discovered.supported_versions), "2026-07-28")
            same(discovered.instructions, "Call anything.")
            capabilities = discovered.capabilities
        else:
            same((self.client.server_info.name, self.client.server_info.version), ("fixture", "1.2.3"))
            same(self.client.instructions, "Call anything.")
            capabilities = self.client.server_capabilities
        for offer in ("tools", "resources", "prompts", "completions"):
            assert getattr(capabilities, offer) is not None, offer

    async def lists_tools(self) -> None:
        tools = {tool.name: tool for tool in (await self.client.list_tools()).tools}
        echo = tools["echo"]
        same(echo.title, "Echo")
        same(echo.annotations.read_only_hint, True)
        same(echo.input_schema["required"], ["text"])
        same(echo.input_schema["properties"]["text"]["type"], "string")
        same(echo.input_schema["additionalProperties"], False)
        same({"add", "count", "never", "picture", "erase"} - tools.keys(), set())

    async def calls(self) -> None:
        text = 'Grüße, 世界 🦀 "\\\u2028\n'
        result = await self.client.call_tool("echo", {"text": text})
        same([(block.type, block.text) for block in result.content], [("text", text)])
        assert not result.is_error

    async def hears_of_progress(self) -> None:
        heard: list[tuple[float, float | None, str | None]] = []

        async def on_progress(progress: float, total: float | None, message: str | None) -> None:
            heard.append((progress, total, message))

        result = await self.client.call_tool("count", {"steps": 6}, progress_callback=on_progress)
        same(result.content[0].text, "counted to 6")
        # The last one may come in the same read as the answer.
        same(heard[:5], [(step, 6, "counting") for step in range(1, 6)])

    async def gets_structure(self) -> None:
        result = await self.client.call_tool("add", {"a": 2, "b": -5})
        same(result.structured_content, {"sum": -3})
        same(json.loads(result.content[0].text), {"sum": -3})

    async def gets_a_picture(self) -> None:
        result = await self.client.call_tool("picture", {"bytes": 100_003})
        picture = result.content[1]
        same((picture.type, picture.mime_type), ("image", "image/png"))
        assert base64.b64decode(picture.data, validate=True) == noise(100_003), "other bytes"

    async def is_told_what_is_wrong(self) -> None:
        result = await self.client.call_tool("add", {"a": "two", "b": 1})
        same(result.is_error, True)
        has(result.content[0].text, "`a`")
        result = await self.client.call_tool("echo", {"text": "x", "txet": "y"})
        same(result.is_error, True)
        has(result.content[0].text, "txet")

    async def is_told_of_failure(self) -> None:
        result = await self.client.call_tool("fail_tool", {})
        same(result.is_error, True)
        has(result.content[0].text, "No such file")

    async def is_told_unknown(self) -> None:
        await self.refused(-32602, self.client.call_tool("ecko", {}))

    async def refused(self, code: int, request: Awaitable[object]) -> None:
        try:
            await request
        except MCPError as error:
            same(error.code, code)
        else:
            raise AssertionError("it was not refused")

    async def calls_at_once(self) -> None:
        answers: dict[int, str] = {}

        async def call(number: int) -> None:
            answers[number] = await self.text("echo", text=f"call {number}")

        async with anyio.create_task_group() as group:
            for number in range(50):
                group.start_soon(call, number)
        same(answers, {number: f"call {number}" for number in range(50)})

    async def reads(self) -> None:
        resources = (await self.client.list_resources()).resources
        same([(r.uri, r.name, r.mime_type) for r in resources], [("fixture://readme", "readme", "text/plain")])
        result = await self.client.read_resource("fixture://readme")
        same([content.text for content in result.contents], ["Read me"])

    async def reads_a_template(self) -> None:
        templates = (await self.client.list_resource_templates()).resource_templates
        same([template.uri_template for template in templates], ["fixture://pages/{number}"])
        content = (await self.client.read_resource("fixture://pages/707")).contents[0]
        same(content.uri, "fixture://pages/707")
        assert base64.b64decode(content.blob, validate=True) == noise(707), "other bytes"

    async def misses(self) -> None:
        code = -32602 if self.modern else -32002
        await self.refused(code, self.client.read_resource("fixture://pages/13"))

    async def completes(self) -> None:
        page = types.ResourceTemplateReference(uri="fixture://pages/{number}")
        result = await self.client.complete(page, {"name": "number", "value": "99"})
        same(len(result.completion.values), 11)
        prompt = types.PromptReference(name="describe")
        result = await self.client.complete(prompt, {"name": "tone", "value": "p"})
        same(result.completion.values, ["plain", "poetic"])

    async def gets_a_prompt(self) -> None:
        prompts = (await self.client.list_prompts()).prompts
        same([prompt.name for prompt in prompts], ["describe"])
        same([(a.name, bool(a.required)) for a in prompts[0].arguments], [("page", True), ("tone", False)])
        result = await self.client.get_prompt("describe", {"page": "33", "tone": "short"})
        picture, text = (message.content for message in result.messages)
        assert base64.b64decode(picture.data, validate=True) == noise(33), "other bytes"
        same(text.text, "Describe this page in short words.")

    async def answers(self) -> None:
        self.person.answer = types.ElicitResult(action="accept", content={"reason": "it is blurred"})
        same(await self.text("erase", what="a photo"), "erased a photo: it is blurred")
        same(self.person.asked.message, "Why erase a photo?")
        has(str(self.person.asked.requested_schema), "reason")

    async def answers_twice(self) -> None:
        self.person.answer = types.ElicitResult(action="accept", content={"reason": "so"})
        has(await self.text("ask_twice"), "so and so")

    async def declines(self) -> None:
        self.person.answer = types.ElicitResult(action="decline")
        result = await self.client.call_tool("erase", {"what": "a photo"})
        same(result.is_error, True)
        has(result.content[0].text, "the person said no")

    async def hears_news(self, listening: AsyncExitStack) -> None:
        uris = ["fixture://readme", "fixture://started", "fixture://dropped"]
        if self.modern:
            listen = self.client.listen(tools_list_changed=True, resource_subscriptions=uris)
            subscription = await listening.enter_async_context(listen)
            same(sorted(subscription.honored.resource_subscriptions), sorted(uris))
        else:
            for uri in uris:
                await self.client.subscribe_resource(uri)
        # A client of the handshake revisions opens its stream when it gets to it, without telling us.
        while not {"tools", "fixture://readme"} <= set(self.news.heard):
            await self.client.call_tool("touch", {})
            with anyio.move_on_after(0.1):
                await self.news.until("tools", "fixture://readme")

    async def cancels(self) -> None:
        self.news.heard.clear()
        async with anyio.create_task_group() as group:
            group.start_soon(self.client.call_tool, "never", {})
            await self.news.until("fixture://started")
            same(await self.text("echo", text="meanwhile"), "meanwhile")
            assert "fixture://dropped" not in self.news.heard
            group.cancel_scope.cancel()
        await self.news.until("fixture://dropped")

    async def is_served(self) -> None:
        same(await self.text("echo", text="still there"), "still there")


async def main(mode: str, transport: str) -> None:
    news, person, complaints = News(), Person(), Complaints()
    async with AsyncExitStack() as stack:
        if transport == "stdio":
            target = stdio_client(StdioServerParameters(command=os.environ["INTEROP_SERVER"], args=["stdio"]))
        elif transport == "http":
            target = os.environ["INTEROP_URL"]
        else:
            headers = {"Authorization": f"Bearer {os.environ['INTEROP_TOKEN']}"}
            http = await stack.enter_async_context(httpx2.AsyncClient(headers=headers, timeout=None))
            target = streamable_http_client(os.environ["INTEROP_TOKEN_URL"], http_client=http)
        client = Client(
            target, mode=mode, message_handler=news.on_message, elicitation_callback=person.on_question
        )
        async with client:
            await Conversation(client, mode, news, person).run()
    await check("has nothing to complain about", complaints.none)
    print(f"{passed} passed, {failed} failed")
    sys.exit(0 if passed and not failed else 1)


anyio.run(main, *sys.argv[1:])
