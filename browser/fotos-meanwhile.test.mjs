// An agent brings up another screenshot while the person is in the middle of something: it happens to what they were looking at. And
// what leaves on ways that no button is for is known, or barred.

import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Editor, api, close, drag, marks, shotOf } from "./editor.mjs";

let editor;

before(async () => {
    editor = await Editor.start();
});

after(() => editor.stop());

/** A window with two screenshots: `mine`, which is shown, and another one that can be brought up. */
async function withTwo(options) {
    const page = await editor.withPicture(options);
    const other = await shotOf(page);
    await page.locator("#file").setInputFiles(editor.sample);
    await page.waitForFunction((known) => document.getElementById("sheet").dataset.shot !== known, other);
    await page.locator("#stage").focus();
    await page.keyboard.press("Control+1");
    const mine = await shotOf(page);
    const bringUp = async () => {
        await editor.fotos.order({ bring_up: other });
        await page.waitForFunction((id) => document.getElementById("sheet").dataset.shot === id, other);
    };
    const state = (id) => api(page, `shots/${id}/document`);
    return { page, mine, other, bringUp, state };
}

test("what is covered for good is what was reviewed", async () => {
    const { page, mine, other, bringUp, state } = await withTwo();
    const untouched = await state(other);
    await page.keyboard.press("x");
    await drag(page, [40, 30], [200, 80]);
    await page.getByRole("button", { name: "Cover 1 for good" }).click();
    await bringUp();
    await page.getByRole("dialog").getByRole("button", { name: "Cover for good" }).click();
    await page.locator(".toast", { hasText: "1 covered for good" }).waitFor();
    assert.deepEqual(await state(other), untouched);
    assert.ok((await state(mine)).revision > 0);
    await close(page);
});

test("words are written where they were begun, and a drag that was begun draws nothing elsewhere", async () => {
    const { page, mine, other, bringUp, state } = await withTwo();
    await page.keyboard.press("t");
    await page.keyboard.press("Enter");
    await page.keyboard.type("Look here");
    await bringUp();
    await page.waitForFunction(async (id) => (await (await fetch(`/fotos/api/shots/${id}/document`)).json()).annotations.length === 1, mine);
    assert.deepEqual(await marks(page), []);
    await page.keyboard.press("v");
    await page.locator(`#shots li[data-id="${mine}"] .open`).click();
    await page.waitForFunction((id) => document.getElementById("sheet").dataset.shot === id, mine);
    await page.locator("#stage").focus();
    await page.keyboard.press("r");
    const { x, y } = await page.locator("#sheet").boundingBox();
    await page.mouse.move(x + 30, y + 200);
    await page.mouse.down();
    await page.mouse.move(x + 120, y + 260, { steps: 4 });
    await bringUp();
    await page.mouse.move(x + 160, y + 300, { steps: 4 });
    await page.mouse.up();
    // Something that comes after it: a mark by a key.
    await page.locator("#stage").focus();
    await page.keyboard.press("e");
    await page.keyboard.press("Enter");
    await page.locator("#items [data-id]", { hasText: "Ellipse" }).waitFor();
    assert.deepEqual((await state(other)).annotations.map(({ type }) => type), ["ellipse"]);
    assert.deepEqual((await state(mine)).annotations.map(({ type }) => type), ["text"]);
    await close(page);
});

test("what is saved, and what marks are imported into, is what was shown when the dialog opened", async () => {
    const { page, mine, other, bringUp, state } = await withTwo();
    await page.keyboard.press("Control+e");
    await bringUp();
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("dialog").getByRole("button", { name: "Save", exact: true }).click()]);
    assert.ok(download.url().includes(mine), download.url());
    await page.locator(`#shots li[data-id="${mine}"] .open`).click();
    await page.waitForFunction((id) => document.getElementById("sheet").dataset.shot === id, mine);
    const file = join(editor.fotos.folder, "marks.json");
    await writeFile(file, JSON.stringify({ annotations: [{ type: "rect", x: 10, y: 10, width: 30, height: 30 }] }));
    await page.locator("#save-as").click();
    await page.getByRole("button", { name: /Import annotations/ }).click();
    await bringUp();
    await page.locator("#marks-file").setInputFiles(file);
    await page.waitForFunction(async (id) => (await (await fetch(`/fotos/api/shots/${id}/document`)).json()).annotations.length === 1, mine);
    assert.deepEqual((await state(other)).annotations, []);
    await close(page);
});

test("text that is copied with keys is known to have left; the pointer's menu is for text alone", async () => {
    const page = await editor.withPicture({ permissions: ["clipboard-read", "clipboard-write"] });
    const id = await shotOf(page);
    await page.getByRole("tab", { name: "Text" }).click();
    await page.getByRole("button", { name: "Read the text" }).click();
    const word = page.locator(".lines .word", { hasText: "Quarterly" });
    await word.waitFor({ timeout: 120_000 });
    await word.dblclick();
    assert.deepEqual((await api(page, `shots/${id}`)).left, []);
    await page.keyboard.press("Control+c");
    await page.waitForFunction(async (shot) => (await (await fetch(`/fotos/api/shots/${shot}`)).json()).left.length === 1, id);
    assert.deepEqual((await api(page, `shots/${id}`)).left, [{ to: "clipboard" }]);
    assert.equal((await page.evaluate(() => navigator.clipboard.readText())).trim(), "Quarterly");
    // Without a pointer: a word, two of them, all.
    await page.locator(".lines").focus();
    const said = async (...keys) => {
        for (const key of keys) await page.keyboard.press(key);
        await page.keyboard.press("Control+c");
        return page.evaluate(async () => (await navigator.clipboard.readText()).trim());
    };
    assert.equal(await said("ArrowLeft"), "Quarterly");
    assert.equal(await page.locator("#marks .word.chosen").count(), 1);
    assert.equal(await said("ArrowRight"), "report");
    assert.equal(await said("ArrowLeft", "Shift+ArrowRight"), "Quarterly report");
    assert.match(await said("Control+a"), /^Quarterly report\s+ada\.lovelace/);
    const hasMenu = (selector) => page.locator(selector).first().evaluate((element) => element.dispatchEvent(new MouseEvent("contextmenu", { bubbles: true, cancelable: true })));
    assert.deepEqual([await hasMenu(".lines .word"), await hasMenu("#search"), await hasMenu("#picture"), await hasMenu("#shots img")], [true, true, false, false]);
    await page.goto(`${page.origin}/fotos/pin/${id}`);
    await page.waitForFunction(() => document.querySelector("img").complete);
    assert.equal(await hasMenu("img"), false);
    await close(page);
});
