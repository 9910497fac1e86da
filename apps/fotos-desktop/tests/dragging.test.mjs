// A screenshot is dragged out of the window into another program, which gets a file of what was seen.

import assert from "node:assert/strict";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { after, before, test } from "node:test";
import { App } from "./app.mjs";
import { Screen } from "./screen.mjs";
import { until } from "./waiting.mjs";

let [screen, app, target] = [];

before(async () => {
    screen = await Screen.start({ size: "1700x1000" });
    app = await App.start(screen);
    const window = await until("the window", () => screen.find("^Fotos$"));
    await screen.run("xdotool", "windowmove", window, "0", "0");
    target = screen.listener("/usr/bin/python3", [fileURLToPath(new URL("drop-target.py", import.meta.url)), "1400", "300"]);
    await until("the other program", () => screen.find("Drop target"));
});

after(async () => {
    await app?.stop();
    await screen?.stop();
});

/** Where the middle of an element is on the screen. */
async function middleOf(selector) {
    const inside = await app.run((wanted) => {
        const { left, top, width, height } = document.querySelector(wanted).getBoundingClientRect();
        return { x: left + width / 2, y: top + height / 2 };
    }, selector);
    const place = await screen.place(await screen.find("^Fotos$"));
    return { x: Math.round(place.x + inside.x), y: Math.round(place.y + inside.y) };
}

/** Drags with the real pointer, in steps small enough for a drag to begin. */
async function dragOut(to) {
    const from = await middleOf("#shots li.shown");
    const at = (part) => [Math.round(from.x + (to.x - from.x) * part), Math.round(from.y + (to.y - from.y) * part)].map(String);
    await screen.run("xdotool", "mousemove", ...at(0), "mousedown", "1");
    for (const part of [0.02, 0.05, 0.1, 0.3, 0.5, 0.7, 0.9, 0.97, 1]) {
        await screen.run("xdotool", "mousemove", "--sync", ...at(part));
        // The other program answers each move; a person is not faster.
        await screen.run("sleep", "0.05");
    }
    await screen.run("xdotool", "mouseup", "1");
}

test("another program gets the file of what was seen; redacted, it is gone", async () => {
    await app.openFile(await app.sample());
    await app.keys("r");
    await app.changing(() => app.keys("enter"));
    const lines = createInterface({ input: target.stdout });
    const place = await screen.place(await screen.find("Drop target"));
    const [heard] = await Promise.all([once(lines, "line"), dragOut({ x: place.x + 130, y: place.y + 100 })]);
    const { uris: [uri], sizes: [size] } = JSON.parse(heard[0]);
    const path = fileURLToPath(uri);
    assert.match(path, /Fotos \d{4}-\d\d-\d\d [\d.]+\.png$/);
    const file = await readFile(path);
    assert.equal(file.length, size);
    assert.equal(await app.difference(file.toString("base64"), await app.exported()), 0, "what was seen, with the mark");
    const id = await app.shown();
    const { left, unsaved } = await until("a note of it", async () => {
        const shot = await app.api(`shots/${id}`);
        return shot.left.length > 0 && shot;
    });
    assert.deepEqual([left, unsaved], [[{ to: "dragged" }], false]);
    await app.run((shot) => fetch(`/fotos/api/shots/${shot}/redact`, { method: "POST", body: JSON.stringify({ boxes: [{ x: 0, y: 0, width: 640, height: 300 }] }) }).then(() => null), id);
    await assert.rejects(readFile(path), { code: "ENOENT" });
});

test("let go of in the window itself, it opens nothing and went nowhere; the next one is a file again", async () => {
    await app.openFile(await app.sample());
    await app.keys("r");
    await app.changing(() => app.keys("enter"));
    const [stayed, known] = [await app.shown(), (await app.shots()).length];
    await dragOut(await middleOf("#stage"));
    await app.openFile(await app.sample());
    // The other program hears of the next one: what was before it is over.
    const lines = createInterface({ input: target.stdout });
    const place = await screen.place(await screen.find("Drop target"));
    const [heard] = await Promise.all([once(lines, "line"), dragOut({ x: place.x + 130, y: place.y + 100 })]);
    assert.ok(JSON.parse(heard[0]).sizes[0] > 0);
    assert.equal((await app.shots()).length, known + 1);
    const { left, unsaved } = await app.api(`shots/${stayed}`);
    assert.deepEqual([left, unsaved], [[], true]);
});
