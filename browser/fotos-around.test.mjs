// Around the picture: models and their keys, agents, the clipboard, zoom, what is not saved, a narrow window.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { createInterface } from "node:readline";
import { PHONE, checkAccess, checkWidth } from "./browser.mjs";
import { Editor, api, changing, close, drag, exported, marks, shotOf } from "./editor.mjs";

let [editor, models, agent] = [];

/** A provider of models on this machine, which answers as a test wants. */
class Models {
    static async start() {
        const stub = spawn(process.env.MODELS_STUB, [], { stdio: ["pipe", "pipe", "inherit"] });
        const [url] = await once(createInterface({ input: stub.stdout }), "line");
        return Object.assign(new Models(), { stub, url });
    }

    next(behaviour) {
        return fetch(`${this.url}/__stub/next`, { method: "POST", body: JSON.stringify(behaviour) });
    }

    async seen() {
        return (await fetch(`${this.url}/__stub/journal`)).json();
    }

    async stop() {
        this.stub.stdin.end();
        await once(this.stub, "exit");
    }
}

/** A client of `fotos-mcp`, which relays to the host. */
class Agent {
    static async start(env) {
        const server = spawn(process.env.FOTOS_MCP, ["--mode", "bridge"], { env, stdio: ["pipe", "pipe", "inherit"] });
        const lines = createInterface({ input: server.stdout });
        const made = Object.assign(new Agent(), { server, waiting: new Map(), next: 0 });
        lines.on("line", (line) => {
            const told = JSON.parse(line);
            made.waiting.get(told.id)?.(told);
        });
        await made.ask("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "browser-test", version: "1" } });
        return made;
    }

    ask(method, params) {
        this.next += 1;
        const id = this.next;
        return new Promise((resolve) => {
            this.waiting.set(id, resolve);
            this.server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
        });
    }

    async stop() {
        this.server.stdin.end();
        await once(this.server, "exit");
    }
}

before(async () => {
    models = await Models.start();
    editor = await Editor.start({ ANTHROPIC_BASE_URL: models.url, ANTHROPIC_API_KEY: "a-key-of-this-test-4711", Z_AI_RETRY_COUNT: "0" });
    agent = await Agent.start(editor.fotos.env);
});

after(async () => {
    await agent.stop();
    await editor.stop();
    await models.stop();
});

const ask = async (page, question) => {
    await page.getByRole("tab", { name: "Ask" }).click();
    await page.getByLabel("Question").fill(question);
    await page.locator("#ask").getByRole("button", { name: "Ask", exact: true }).click();
};

test("a model is asked, its answer comes as it is written, and it can be cancelled", async () => {
    const page = await editor.withPicture();
    await models.next({ kind: "answer", text: "A report about a quarter." });
    await ask(page, "What is this?");
    await page.locator("#ask .said", { hasText: "A report about a quarter." }).waitFor();
    await page.locator("#ask .answer", { hasText: "tokens in" }).waitFor();
    assert.ok(JSON.stringify(await models.seen()).includes("What is this?"));
    await models.next({ kind: "silence" });
    await ask(page, "And now?");
    await page.locator("#ask .working").getByRole("button", { name: "Cancel" }).click();
    await page.locator("#ask .answer", { hasText: "Cancelled." }).waitFor();
    await page.locator("#ask").getByRole("button", { name: "Explain the error" }).click();
    assert.match(await page.getByLabel("Question").inputValue(), /Explain the error/);
    await models.next({ kind: "fail", status: 401, code: "authentication_error", message: "the key {key} is wrong" });
    await page.locator("#ask").getByRole("button", { name: "Ask", exact: true }).click();
    const error = page.locator(".toast.error");
    await error.waitFor();
    assert.ok(!(await error.textContent()).includes("a-key-of-this-test"), "no key is shown");
    await checkAccess(page, "an error");
    await close(page);
});

test("keys are shown by their last letters, and tested", async () => {
    const page = await editor.open();
    await page.locator("#settings").click();
    const row = page.locator(".key", { hasText: "Claude" }).or(page.locator(".key", { hasText: "Anthropic" })).first();
    const field = row.getByRole("textbox").or(row.locator("input")).first();
    assert.match(await field.getAttribute("placeholder"), /4711$/);
    await models.next({ kind: "answer", text: "yes" });
    await row.getByRole("button", { name: "Test" }).click();
    await row.locator("output", { hasText: "Works" }).waitFor();
    assert.ok(!(await page.content()).includes("a-key-of-this-test-4711"));
    await close(page);
});

test("a screenshot of an agent appears, and so does its call", async () => {
    const page = await editor.open();
    const { result, error } = await agent.ask("tools/call", { name: "take_screenshot", arguments: { mode: "fullscreen" } });
    assert.ok(result && !result.isError, JSON.stringify(error ?? result));
    await page.locator(".toast", { hasText: "An agent took a screenshot" }).waitFor();
    await page.locator("#shots .badge.agent").first().waitFor();
    await page.getByRole("tab", { name: "Agents" }).click();
    await page.locator(".calls li.done", { hasText: "take_screenshot" }).first().waitFor();
    await page.locator(".calls", { hasText: "browser-test" }).waitFor();
    await page.getByRole("switch", { name: "Pause agents" }).check();
    await page.locator("#tab-agents.alert").waitFor();
    const refused = await agent.ask("tools/call", { name: "take_screenshot", arguments: { mode: "fullscreen" } });
    assert.match(JSON.stringify(refused), /paused/i);
    await page.locator(".calls li.paused").waitFor();
    await page.getByRole("switch", { name: "Pause agents" }).uncheck();
    await close(page);
});

test("the picture is copied as it is shown, and a picture is pasted", async () => {
    const page = await editor.withPicture({ permissions: ["clipboard-read", "clipboard-write"] });
    await page.keyboard.press("r");
    await changing(page, () => page.keyboard.press("Enter"));
    await page.locator("#stage").focus();
    await page.keyboard.press("Control+c");
    await page.locator(".toast", { hasText: "Copied" }).waitFor();
    const copied = Buffer.from(await page.evaluate(async () => {
        const [item] = await navigator.clipboard.read();
        return [...new Uint8Array(await (await item.getType("image/png")).arrayBuffer())];
    }));
    assert.equal(await editor.difference(copied, await exported(page)), 0);
    const before_ = await shotOf(page);
    await page.keyboard.press("Control+v");
    await page.waitForFunction((known) => document.getElementById("sheet").dataset.shot !== known, before_);
    assert.equal(await editor.difference(copied, await exported(page)), 0);
    await close(page);
});

test("zoom from 10 to 1000 %, by keys, buttons and wheel; the picture is moved with the space bar", async () => {
    const page = await editor.withPicture();
    const level = () => page.locator("#zoom-level").textContent();
    assert.equal(await level(), "100 %");
    for (let times = 0; times < 20; times += 1) await page.keyboard.press("+");
    assert.equal(await level(), "1000 %");
    const before_ = await page.locator("#stage").evaluate((stage) => stage.scrollLeft);
    const { x, y, width, height } = await page.locator("#stage").boundingBox();
    await page.keyboard.down(" ");
    await page.mouse.move(x + width / 2, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + width / 2 - 120, y + height / 2, { steps: 4 });
    await page.mouse.up();
    await page.keyboard.up(" ");
    assert.ok((await page.locator("#stage").evaluate((stage) => stage.scrollLeft)) > before_);
    assert.deepEqual(await marks(page), [], "nothing was drawn");
    for (let times = 0; times < 30; times += 1) await page.keyboard.press("-");
    assert.equal(await level(), "10 %");
    await page.locator("#zoom-in").click();
    assert.equal(await level(), "25 %");
    await page.mouse.move(x + width / 2, y + height / 2);
    await page.keyboard.down("Control");
    await page.mouse.wheel(0, -300);
    await page.keyboard.up("Control");
    await page.waitForFunction(() => parseInt(document.getElementById("zoom-level").textContent, 10) > 25);
    await page.locator("#stage").focus();
    await page.keyboard.press("Control+0");
    assert.equal(await level(), "100 %", "a small picture is not made larger");
    await close(page);
});

test("what is not saved is asked about before it is deleted", async () => {
    const page = await editor.withPicture();
    await page.keyboard.press("e");
    await changing(page, () => drag(page, [60, 60], [160, 120]));
    const id = await shotOf(page);
    await page.locator("#facts", { hasText: "not saved" }).waitFor();
    const leaving = await page.evaluate(() => {
        const event = new Event("beforeunload", { cancelable: true });
        dispatchEvent(event);
        return event.defaultPrevented;
    });
    assert.ok(leaving, "the browser asks before the page goes");
    const item = page.locator(`#shots li[data-id="${id}"]`);
    await item.hover();
    await item.locator(".delete").click();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    assert.equal(await item.count(), 1);
    await item.hover();
    await item.locator(".delete").click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
    await item.waitFor({ state: "detached" });
    await close(page);
});

test("what is refused is said where it can be read and closed, and does not look as if it were set", async () => {
    const page = await editor.open();
    await page.locator("#settings").click();
    const folder = page.locator("#set-capture-saveDirectory");
    const before_ = await folder.inputValue();
    await folder.fill("../elsewhere");
    await folder.press("Tab");
    const message = page.locator("dialog .toast.error", { hasText: "Files go to: a whole path, such as `~/Pictures`" });
    await message.waitFor();
    assert.ok(!(await message.textContent()).includes("default"), "what was set stays");
    await checkAccess(page, "a message above a dialog");
    await message.getByRole("button").click();
    assert.equal(await folder.inputValue(), before_);
    await page.getByRole("button", { name: "Close", exact: true }).click();
    const large = join(editor.fotos.folder, "large.tiff");
    await writeFile(large, "");
    await truncate(large, 2 ** 26 + 1);
    await page.locator("#file").setInputFiles(large);
    await page.locator("body > .toasts .toast", { hasText: "`large.tiff` is larger than 64 MiB" }).waitFor();
    await close(page);
});

test("marks with any sign in their names are taken off the picture to be moved", async () => {
    const page = await editor.withPicture();
    const id = await shotOf(page);
    const annotations = [{ id: "a,b & <i>", type: "rect", x: 40, y: 40, width: 100, height: 80, color: "#00FF00", stroke_width: 20 }];
    await changing(page, () => api(page, `shots/${id}/edit`, { method: "POST", body: JSON.stringify({ edit: { edit: "replace", annotations } }) }));
    await page.keyboard.press("v");
    const { x, y } = await page.locator("#sheet").boundingBox();
    await page.mouse.move(x + 42, y + 80);
    await page.mouse.down();
    await page.mouse.move(x + 142, y + 80, { steps: 4 });
    await page.locator("#moving").waitFor();
    const shown = await page.locator("#moving").evaluate(async (image) => {
        await image.decode();
        return image.naturalWidth;
    });
    assert.ok(shown >= 120, `${shown} pixels wide`);
    await changing(page, () => page.mouse.up());
    assert.deepEqual((await marks(page)).map((one) => [one.id, one.x]), [["a,b & <i>", 140]]);
    await close(page);
});

test("files are PNG, or JPEG and WebP of a chosen quality; WebP of 100 is without loss", async () => {
    const page = await editor.withPicture();
    const save = async (format, quality) => {
        await page.locator("#save-as").click();
        await page.getByLabel("Format").selectOption(format);
        if (quality) await page.getByLabel(/^Quality/).fill(String(quality));
        const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("dialog").getByRole("button", { name: "Save", exact: true }).click()]);
        return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
    };
    const [fine, coarse, webp, small] = [await save("jpg", 95), await save("jpg", 20), await save("webp"), await save("webp", 40)];
    assert.ok(coarse.bytes.length < fine.bytes.length / 2, `${coarse.bytes.length} and ${fine.bytes.length} bytes`);
    assert.match(webp.name, /\.webp$/);
    assert.equal(webp.bytes.subarray(8, 12).toString(), "WEBP");
    assert.equal(await editor.difference(webp.bytes, await exported(page)), 0);
    assert.equal(small.bytes.subarray(8, 16).toString(), "WEBPVP8 ");
    const different = await editor.difference(small.bytes, await exported(page));
    assert.ok(different > 0 && different < 600 * 400, `${different} pixels`);
    await close(page);
});

test("in a window of 390 pixels everything is reached, and nothing sticks out", async () => {
    const page = await editor.withPicture({ viewport: PHONE });
    await checkWidth(page, "a narrow window");
    await checkAccess(page, "a narrow window");
    await page.locator("[data-tool=rect]").click();
    await changing(page, () => page.locator("#stage").press("Enter"));
    for (const tab of ["Text", "Redact", "Ask", "Agents"]) {
        await page.getByRole("tab", { name: tab }).click();
        await checkWidth(page, tab);
    }
    await page.locator("#settings").click();
    await page.locator("#set-ui-theme").waitFor();
    await checkWidth(page, "settings");
    await close(page);
});
