// The pages of Fotos on the example host: every tool by pointer and by keys, and what leaves is what was seen.

import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { checkAccess, checkWidth } from "./browser.mjs";
import { Editor, PRIVATE, api, changing, close, drag, exported, marks, shotOf } from "./editor.mjs";

let editor;

before(async () => {
    editor = await Editor.start();
});

after(() => editor.stop());

const BY_POINTER = ["arrow", "rect", "ellipse", "blur", "freehand", "highlight"];
const KEY = { arrow: "a", rect: "r", ellipse: "e", text: "t", blur: "b", step: "n", freehand: "f", highlight: "h" };

test("nobody gets in without the link, and it works once", async () => {
    const link = await editor.fotos.link();
    const { origin } = new URL(link);
    for (const path of ["/fotos", "/fotos/api/state", "/fotos/api/events"]) assert.equal((await fetch(origin + path)).status, 401, path);
    const first = await fetch(link, { redirect: "manual" });
    assert.ok(first.headers.get("set-cookie")?.includes("HttpOnly"));
    assert.equal((await fetch(link, { redirect: "manual" })).headers.get("set-cookie"), null);
    const cookie = first.headers.get("set-cookie").split(";")[0];
    assert.equal((await fetch(`${origin}/fotos/api/state`, { headers: { cookie } })).status, 200);
    const foreign = await fetch(`${origin}/fotos/api/agents/pause`, { method: "POST", headers: { cookie, origin: "http://evil.example" }, body: '{"paused":true}' });
    assert.equal(foreign.status, 403);
});

test("each tool draws by pointer, and what is exported is what the window showed", async () => {
    const page = await editor.withPicture();
    const plain = await exported(page);
    for (const [at, tool] of BY_POINTER.entries()) {
        await page.getByRole("navigation", { name: "Tools" }).locator(`[data-tool=${tool}]`).click();
        await changing(page, () => drag(page, [40 + at * 80, 40 + at * 20], [150 + at * 70, 140 + at * 30]));
    }
    await page.locator("[data-tool=step]").click();
    const { x, y } = await page.locator("#sheet").boundingBox();
    await changing(page, () => page.mouse.click(x + 500, y + 60));
    await changing(page, () => page.mouse.click(x + 540, y + 60));
    await page.locator("[data-tool=text]").click();
    await page.mouse.click(x + 300, y + 330);
    await page.locator("#words").fill("Look here\nand here");
    await changing(page, () => page.keyboard.press("Escape"));
    const drawn = await marks(page);
    assert.deepEqual(drawn.map(({ type }) => type), [...BY_POINTER, "step", "step", "text"]);
    assert.deepEqual(drawn.filter(({ type }) => type === "step").map((one) => one.step_number), [1, 2]);
    assert.equal(drawn.at(-1).text, "Look here\nand here");
    await page.locator("[data-tool=select]").click();
    await page.keyboard.press("Escape");
    const shown = await page.locator("#picture").screenshot({ animations: "disabled" });
    const leaves = await exported(page);
    assert.equal(await editor.difference(shown, leaves), 0);
    assert.ok((await editor.difference(plain, leaves)) > 3000);
    await close(page);
});

for (const ratio of [1.25, 1.5, 2]) {
    test(`on a screen of ${ratio} pixels for a unit, what is drawn is where the pointer was, and a region is what was chosen`, async () => {
        const page = await editor.withPicture({ deviceScaleFactor: ratio });
        const sheet = await page.locator("#sheet").boundingBox();
        assert.deepEqual([sheet.width, sheet.height].map((length) => Math.round(length * ratio)), [600, 400], "at 100 %, one pixel of the picture is one of the screen");
        await page.keyboard.press("r");
        await changing(page, () => drag(page, [100 / ratio, 50 / ratio], [300 / ratio, 200 / ratio]));
        const [{ x, y, width, height }] = await marks(page);
        const wanted = [100, 50, 200, 150];
        for (const [at, given] of [x, y, width, height].entries()) assert.ok(Math.abs(given - wanted[at]) <= 2, `${[x, y, width, height]} instead of ${wanted}`);
        // A region of the screen has the pixels that were under the pointer.
        await page.keyboard.press("Control+Shift+s");
        const chooser = page.locator(".chooser");
        await chooser.locator("img").waitFor();
        const frozen = await chooser.boundingBox();
        const by = frozen.width / 1000;
        await page.mouse.move(frozen.x + 100 * by, frozen.y + 100 * by);
        await page.mouse.down();
        await page.mouse.move(frozen.x + 400 * by, frozen.y + 300 * by, { steps: 5 });
        await page.mouse.up();
        await page.locator("#facts", { hasText: "300 × 200" }).waitFor();
        await close(page);
    });
}

test("letters are of the font that is chosen, and change with it", async () => {
    const page = await editor.withPicture();
    await page.keyboard.press("t");
    await page.keyboard.press("Enter");
    await page.keyboard.type("iiii Wide");
    await changing(page, () => page.keyboard.press("Control+Enter"));
    const plain = await exported(page);
    await changing(page, () => page.getByLabel("Font", { exact: true }).selectOption("monospace"));
    assert.equal((await marks(page)).at(-1).font_family, "monospace");
    assert.ok((await editor.difference(plain, await exported(page))) > 100);
    await page.locator("#stage").focus();
    await changing(page, () => page.keyboard.press("Control+z"));
    assert.equal(await editor.difference(plain, await exported(page)), 0);
    await close(page);
});

test("each tool draws by keyboard alone", async () => {
    const page = await editor.withPicture();
    for (const [tool, key] of Object.entries(KEY)) {
        await page.locator("#stage").focus();
        await page.keyboard.press(key);
        if (tool === "text") {
            await page.keyboard.press("Enter");
            await page.keyboard.type("By keys");
            await changing(page, () => page.keyboard.press("Control+Enter"));
        } else await changing(page, () => page.keyboard.press("Enter"));
    }
    assert.deepEqual((await marks(page)).map(({ type }) => type), Object.keys(KEY));
    const before = (await marks(page)).at(-1);
    await page.locator("#stage").focus();
    await page.keyboard.press("v");
    await page.keyboard.press(",");
    await page.keyboard.press(".");
    const chosen = await page.locator("#items [aria-pressed=true]").getAttribute("data-id");
    await changing(page, () => page.keyboard.press("Shift+ArrowRight"));
    await changing(page, () => page.keyboard.press("Alt+ArrowDown"));
    assert.notDeepEqual((await marks(page)).find(({ id }) => id === chosen), before);
    await changing(page, () => page.keyboard.press("Delete"));
    assert.equal((await marks(page)).length, Object.keys(KEY).length - 1);
    await close(page);
});

test("marks are moved, resized, ordered, locked, deleted, undone and done again", async () => {
    const page = await editor.withPicture();
    await page.keyboard.press("r");
    await changing(page, () => drag(page, [50, 50], [150, 130]));
    await changing(page, () => drag(page, [250, 50], [350, 130]));
    await page.keyboard.press("v");
    await changing(page, () => drag(page, [50, 90], [80, 120]));
    const [first, second] = await marks(page);
    assert.deepEqual([first.x, first.y, first.width, first.height], [80, 80, 100, 80]);
    await changing(page, () => drag(page, [180, 160], [230, 200]));
    assert.deepEqual(Object.values(await marks(page).then(([one]) => [one.x, one.y, one.width, one.height])), [80, 80, 150, 120]);
    await changing(page, () => page.keyboard.press("Control+]"));
    assert.deepEqual((await marks(page)).map(({ id }) => id), [second.id, first.id]);
    await changing(page, () => page.keyboard.press("l"));
    await page.keyboard.press("Delete");
    assert.equal((await marks(page)).length, 2, "a locked mark stays");
    await changing(page, () => page.keyboard.press("l"));
    await page.keyboard.press("Control+a");
    assert.equal(await page.locator("#items [aria-pressed=true]").count(), 2);
    await changing(page, () => page.keyboard.press("Delete"));
    assert.equal((await marks(page)).length, 0);
    await changing(page, () => page.keyboard.press("Control+z"));
    assert.equal((await marks(page)).length, 2);
    await changing(page, () => page.keyboard.press("Control+Shift+z"));
    assert.equal((await marks(page)).length, 0);
    await close(page);
});

test("cropping by pointer and by keys, and back", async () => {
    const page = await editor.withPicture();
    await page.keyboard.press("c");
    await drag(page, [100, 80], [300, 200]);
    await changing(page, () => page.keyboard.press("Enter"));
    const id = await shotOf(page);
    assert.deepEqual((await api(page, `shots/${id}/document`)).crop, { x: 100, y: 80, width: 200, height: 120 });
    await page.keyboard.press("Control+1");
    assert.equal(await editor.difference(await page.locator("#picture").screenshot(), await exported(page)), 0);
    await changing(page, () => page.getByRole("button", { name: "Show all of it again" }).click());
    await page.locator("#stage").focus();
    await page.keyboard.press("c");
    for (let times = 0; times < 5; times += 1) await page.keyboard.press("Alt+Shift+ArrowLeft");
    await changing(page, () => page.keyboard.press("Enter"));
    assert.deepEqual((await api(page, `shots/${id}/document`)).crop, { x: 0, y: 0, width: 550, height: 400 });
    await close(page);
});

test("text is read, a word shows its box, and all of it or a selection is copied", async () => {
    const page = await editor.withPicture({ permissions: ["clipboard-read", "clipboard-write"] });
    const id = await shotOf(page);
    await page.getByRole("tab", { name: "Text" }).click();
    await page.getByRole("button", { name: "Read the text" }).click();
    const word = page.locator(".lines .word", { hasText: "Quarterly" });
    await word.waitFor({ timeout: 120_000 });
    await word.click();
    assert.equal(await page.locator("#marks .word.chosen").count(), 1);
    await checkAccess(page, "text");
    const copied = () => page.evaluate(() => navigator.clipboard.readText());
    await page.getByRole("button", { name: "Copy selection" }).click();
    await page.locator(".toast", { hasText: "Nothing is selected" }).waitFor();
    assert.deepEqual((await api(page, `shots/${id}`)).left, []);
    await page.getByRole("button", { name: "Copy all" }).click();
    await page.locator(".toast", { hasText: "Copied the text" }).waitFor();
    assert.equal(await copied(), `Quarterly report\n${PRIVATE}\nNothing else here`);
    // Who redacts it later is told; and a text saves no picture.
    assert.deepEqual((await api(page, `shots/${id}`)).left, [{ to: "clipboard" }]);
    await page.locator(".lines .word", { hasText: "report" }).dblclick();
    await page.getByRole("button", { name: "Copy selection" }).click();
    await page.waitForFunction(async () => (await navigator.clipboard.readText()).trim() === "report");
    await page.getByRole("searchbox").fill("quarterly");
    await page.waitForFunction(() => document.querySelectorAll("#shots li[data-id]").length === 1);
    await close(page);
});

test("redaction is reviewed, covers for good, and cannot be undone", async () => {
    const page = await editor.withPicture();
    const before = await exported(page);
    await page.keyboard.press("x");
    await page.getByRole("button", { name: "Find what is private" }).click();
    const finding = page.getByLabel("E-mail address 1");
    await finding.waitFor({ timeout: 120_000 });
    await finding.uncheck();
    assert.ok(await page.getByRole("button", { name: "Cover for good" }).isDisabled(), "what is dropped is not covered");
    await finding.check();
    await drag(page, [40, 30], [200, 80]);
    await page.getByLabel("Drawn by you 1").waitFor();
    await checkAccess(page, "redact");
    await page.getByRole("button", { name: "Cover 2 for good" }).click();
    await changing(page, () => page.getByRole("dialog").getByRole("button", { name: "Cover for good" }).click());
    assert.ok(await page.locator("#undo").isDisabled());
    const after = await exported(page);
    assert.ok((await editor.difference(before, after)) > 2000);
    const id = await shotOf(page);
    await page.getByRole("tab", { name: "Text" }).click();
    await page.getByRole("button", { name: "Read the text" }).click();
    await page.locator(".lines").waitFor({ timeout: 120_000 });
    assert.ok(!(await page.locator(".lines").textContent()).includes("lovelace"));
    assert.deepEqual((await api(page, "shots?q=lovelace")).map((shot) => shot.screenshot_id).filter((known) => known === id), []);
    await close(page);
});

test("the screen is captured: all of it, a region, a window, after a while", async () => {
    const title = "Report of the day";
    await editor.fotos.window(title);
    const page = await editor.open();
    await page.getByRole("button", { name: "Ways to capture" }).click();
    await checkAccess(page, "the menu");
    await page.locator("#capture-list").getByRole("button", { name: /All screens/ }).click();
    await page.locator("#facts", { hasText: "1000 × 700" }).waitFor();
    await page.keyboard.press("Control+Shift+s");
    const chooser = page.locator(".chooser");
    await chooser.locator("img").waitFor();
    await checkAccess(page, "choosing a region");
    const { x, y, width } = await chooser.boundingBox();
    const by = width / 1000;
    await page.mouse.move(x + 100 * by, y + 100 * by);
    await page.mouse.down();
    await page.mouse.move(x + 400 * by, y + 300 * by, { steps: 5 });
    await page.mouse.up();
    await page.locator("#facts", { hasText: "300 × 200" }).waitFor();
    await page.locator("#stage").focus();
    await page.keyboard.press("Control+Shift+s");
    await chooser.locator("img").waitFor();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    await page.locator("#facts", { hasText: "500 × 350" }).waitFor();
    await page.getByRole("button", { name: "Ways to capture" }).click();
    await page.getByLabel("Wait before capturing").selectOption("3000");
    await page.locator("#capture-list").getByRole("button", { name: /Last region/ }).click();
    await page.getByRole("timer").waitFor();
    await page.waitForFunction(() => document.querySelectorAll("#shots li[data-id]").length >= 4 && document.getElementById("countdown").hidden);
    await page.getByRole("button", { name: "Ways to capture" }).click();
    await page.getByLabel("Wait before capturing").selectOption("0");
    await page.locator("#capture-list").getByRole("button", { name: /Window/ }).click();
    await page.getByRole("dialog").getByRole("button", { name: new RegExp(title) }).click();
    await page.locator("#facts", { hasText: title }).waitFor();
    await close(page);
});

test("what is opened stays, though the one before it answers later", async () => {
    const page = await editor.withPicture();
    const before = await shotOf(page);
    let held;
    const asked = new Promise((resolve) => {
        page.route(`**/shots/${before}/document`, (route) => {
            held = route;
            resolve();
        }, { times: 1 });
    });
    await page.locator(`#shots li[data-id="${before}"] .open`).click();
    await asked;
    await page.locator("#file").setInputFiles(editor.sample);
    await page.waitForFunction((known) => document.getElementById("sheet").dataset.shot !== known, before);
    const opened = await shotOf(page);
    await Promise.all([page.waitForResponse((response) => response.url().endsWith(`/shots/${before}/document`)), held.continue()]);
    // Something the page does after that answer: the list is drawn anew.
    await page.locator("#search").fill("nothing of this kind");
    await page.locator("#shots li.none").waitFor();
    await page.locator("#search").fill("");
    await page.locator("#shots li.shown").waitFor();
    assert.equal(await page.locator("#shots li.shown").getAttribute("data-id"), opened);
    await close(page);
});

test("sharing, pausing, deleting; annotations leave and come back", async () => {
    const page = await editor.withPicture();
    await page.keyboard.press("e");
    await changing(page, () => drag(page, [60, 60], [160, 120]));
    const id = await shotOf(page);
    await page.locator("#share").click();
    await page.locator("#share[aria-pressed=true]").waitFor();
    assert.equal((await api(page, `shots/${id}`)).shared, true);
    await page.getByRole("tab", { name: "Agents" }).click();
    await page.getByRole("switch", { name: "Pause agents" }).check();
    await page.locator("#tab-agents.alert").waitFor();
    assert.equal((await api(page, "agents")).paused, true);
    await checkAccess(page, "agents");
    await page.getByRole("switch", { name: "Pause agents" }).uncheck();
    await page.locator("#tab-agents:not(.alert)").waitFor();
    await page.locator("#save-as").click();
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Annotations as JSON" }).click()]);
    const file = join(editor.fotos.folder, "annotations.json");
    await writeFile(file, await readFile(await download.path()));
    await page.locator("#stage").focus();
    await page.keyboard.press("Control+a");
    await changing(page, () => page.keyboard.press("Delete"));
    await page.locator("#save-as").click();
    await page.getByRole("button", { name: /Import annotations/ }).click();
    await changing(page, () => page.locator("#marks-file").setInputFiles(file));
    assert.deepEqual((await marks(page)).map(({ type }) => type), ["ellipse"]);
    const [saved] = await Promise.all([page.waitForEvent("download"), page.locator("#save").click()]);
    assert.equal(await editor.difference(await readFile(await saved.path()), await exported(page)), 0);
    await page.locator("#shots li.shown .badge.unsaved").waitFor({ state: "detached" });
    await page.locator(`#shots li[data-id="${id}"]`).hover();
    await page.locator(`#shots li[data-id="${id}"] .delete`).click();
    await page.locator(`#shots li[data-id="${id}"]`).waitFor({ state: "detached" });
    await close(page);
});

test("settings are kept, and reset", async () => {
    const page = await editor.open();
    await page.locator("#settings").click();
    await page.locator("#set-ui-theme").selectOption("dark");
    await page.locator("html[data-theme=dark]").waitFor();
    await page.getByLabel("Width of lines, in pixels").fill("7");
    await page.keyboard.press("Tab");
    await page.waitForFunction(async () => (await (await fetch("/fotos/api/settings")).json()).annotation.defaultStrokeWidth === 7);
    await checkAccess(page, "settings");
    await api(page, "agents/pause", { method: "POST", body: '{"paused":true}' });
    await page.getByRole("button", { name: "Reset all settings" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Reset", exact: true }).click();
    await page.locator("html[data-theme=system]").waitFor();
    assert.equal((await api(page, "agents")).paused, true, "a reset lets no agent go on");
    await api(page, "agents/pause", { method: "POST", body: '{"paused":false}' });
    await close(page);
});

for (const [name, options, size] of [["light", { colorScheme: "light" }, ""], ["dark", { colorScheme: "dark" }, ""], ["light, with letters twice as large", { colorScheme: "light" }, "200%"]]) {
    test(`the editor is accessible: ${name}`, async () => {
        const page = await editor.withPicture(options);
        await page.evaluate((percent) => { document.documentElement.style.fontSize = percent; }, size);
        await page.keyboard.press("r");
        await changing(page, () => page.keyboard.press("Enter"));
        for (const tab of ["Marks", "Text", "Redact", "Ask", "Agents"]) {
            await page.getByRole("tab", { name: tab }).click();
            await checkAccess(page, `${tab}, ${name}`);
        }
        await checkWidth(page, name);
        await page.keyboard.press("?");
        await page.getByRole("heading", { name: "Keys" }).waitFor();
        await checkAccess(page, `keys, ${name}`);
        await close(page);
    });
}
