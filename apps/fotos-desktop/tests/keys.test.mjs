// The keys of model providers, in the keychain of this desktop: saved, tested, deleted.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { App } from "./app.mjs";
import { Screen } from "./screen.mjs";
import { until } from "./waiting.mjs";

const KEY = "a-key-of-this-test-4711";
let [screen, app, stub, url] = [];

before(async () => {
    stub = spawn(process.env.MODELS_STUB, [], { stdio: ["pipe", "pipe", "inherit"] });
    [url] = await once(createInterface({ input: stub.stdout }), "line");
    screen = await Screen.start({ keyring: true });
    screen.env.ANTHROPIC_BASE_URL = url;
    app = await App.start(screen);
});

after(async () => {
    await app?.stop();
    await screen?.stop();
    stub?.stdin.end();
});

const ROW = ".api-keys .key:has([aria-label='Key of Anthropic'])";
const lookup = () => screen.run("secret-tool", "lookup", "service", "deskmate", "username", "anthropic-api-key").catch(() => "");

/** Presses a button of the row, and waits until it has been answered. */
async function press(name, answer) {
    await app.run((row, wanted) => [...document.querySelectorAll(`${row} button`)].find((one) => one.textContent === wanted).click(), ROW, name);
    const said = await until(`an answer to ${name}`, () => app.run((row) => {
        const { textContent } = document.querySelector(`${row} output`);
        return textContent !== "…" && textContent;
    }, ROW));
    assert.match(said, answer);
}

const shown = () => app.run((row) => document.querySelector(`${row} input`).placeholder, ROW);

test("a key is saved in the keychain, tested, and deleted", async () => {
    await app.driver.click("#settings");
    await until("the keys", () => app.run((row) => Boolean(document.querySelector(row)), ROW));
    assert.equal(await shown(), "no key");
    await press("Delete", /There was none/);
    await press("Save", /empty/);
    await app.driver.type(`${ROW} input`, KEY);
    await press("Save", /^Saved$/);
    assert.equal(await shown(), "••••••••4711");
    assert.equal(await lookup(), KEY);
    await fetch(`${url}/__stub/next`, { method: "POST", body: JSON.stringify({ kind: "answer", text: "yes" }) });
    await press("Test", /^Works/);
    assert.ok(JSON.stringify(await (await fetch(`${url}/__stub/journal`)).json()).includes(KEY), "the key that was saved is the one that is used");
    await fetch(`${url}/__stub/next`, { method: "POST", body: JSON.stringify({ kind: "fail", status: 401, code: "authentication_error", message: `the key ${KEY} is wrong` }) });
    await press("Test", /Anthropic/);
    assert.ok(!(await app.run(() => document.documentElement.outerHTML)).includes(KEY), "no key is shown");
    // Nor is it in any file of the application: the keychain has its own, and that is not readable.
    await assert.rejects(screen.run("grep", "--recursive", "--text", "--files-with-matches", "--fixed-strings", KEY, screen.folder), { code: 1 });
    await press("Delete", /^Deleted$/);
    assert.equal(await shown(), "no key");
    assert.equal(await lookup(), "");
});

test("the text that was read is copied, and the clipboard has it", async () => {
    await app.run(() => document.getElementById("dialog").close());
    const shot = await app.openFile(await app.sample());
    await app.run(() => {
        document.getElementById("tab-read").click();
        [...document.querySelectorAll("#read button")].find((one) => one.textContent === "Read the text").click();
    });
    await until("the text", () => app.run(() => Boolean(document.querySelector("#read .lines"))), 180);
    await app.driver.click("#read .read .actions button");
    await until("the clipboard", async () => (await screen.run("xclip", "-selection", "clipboard", "-o").catch(() => "")) === "Order 4711\nMail: ada.lovelace@example.org\nNothing else here");
    await until("the note of it", async () => (await app.api(`shots/${shot.screenshot_id}`)).left.some(({ to }) => to === "clipboard"));
});
