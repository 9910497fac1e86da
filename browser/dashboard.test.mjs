// The dashboard at `/` of `deskmate serve`.

import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Desk, Display } from "./desk.mjs";
import { DESK, PHONE, checkAccess, checkWidth, launch, watch } from "./browser.mjs";

let desk, display, browser;
before(async () => {
    [display, browser] = await Promise.all([Display.start(), launch()]);
    desk = await Desk.start([], { DISPLAY: display.name });
});
after(async () => {
    await browser?.close();
    await desk?.stop();
    await display?.stop();
});

const windows = [[PHONE, "light"], [DESK, "dark"], [PHONE, "dark"], [DESK, "light"]];

/** A page in a window of its own, and what goes wrong in it. */
async function open(size, colorScheme, options = {}) {
    const context = await browser.newContext({ viewport: size, colorScheme, ...options });
    const page = await context.newPage();
    return { context, page, errors: watch(page) };
}

for (const [size, scheme] of process.env.ALL_WINDOWS ? windows : windows.slice(0, 2)) {
    test(`can be read and used at ${size.width} pixels, ${scheme}`, async () => {
        const { context, page, errors } = await open(size, scheme);
        await page.goto(desk.link);
        await page.getByRole("heading", { name: "Connect your AI app" }).waitFor();
        await checkWidth(page, "as it opens");
        await checkAccess(page, "as it opens");
        for (const summary of await page.locator("summary").all()) {
            if (await summary.isVisible()) await summary.click();
        }
        for (const summary of await page.locator(".tool > summary").all()) await summary.click();
        await checkWidth(page, "with everything open");
        await checkAccess(page, "with everything open");
        assert.deepEqual(errors, []);
        await context.close();
    });
}

test("says how to connect, stdio first, with links for the apps that take them", async () => {
    const { context, page } = await open(DESK, "light", { permissions: ["clipboard-read", "clipboard-write"] });
    await page.goto(desk.url);
    const headings = await page.locator("h2").allTextContents();
    assert.equal(headings[0], "Connect your AI app");
    await page.locator("#connect .copier").first().click();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), "deskmate connect");
    await page.locator("summary", { hasText: "Cursor" }).first().click();
    assert.match(await page.getByRole("link", { name: "Add to Cursor" }).getAttribute("href"), /^cursor:\/\//);
    assert.match(await page.locator("details[open] pre").nth(1).textContent(), /"args": \[\s*"stdio"/);
    await context.close();
});

test("shows what is missing, and without a reload what changes", async () => {
    const { context, page } = await open(DESK, "light");
    await page.goto(desk.url);
    const row = (name) => page.locator(".checks li", { has: page.locator("strong", { hasText: new RegExp(`^${name}$`) }) });
    assert.match(await row("vault").textContent(), /not set up[\s\S]*authy init/);
    assert.match(await row("screen").textContent(), /works/);
    assert.match(await row("folders").textContent(), /not set up/);
    await mkdir(join(desk.folder, ".local/share/deskmate"), { recursive: true, mode: 0o700 });
    await writeFile(join(desk.folder, ".local/share/deskmate/folders"), `${desk.folder}\n`);
    await row("folders").locator(".mark.ok").waitFor({ timeout: 60_000 });
    await context.close();
});

test("tries a tool, and shows the call with who asked", async () => {
    const { context, page, errors } = await open(DESK, "light");
    await page.goto(desk.url);
    const server = page.locator("#server-recipe-vault");
    await server.locator("details > summary", { hasText: "Its tools" }).click();
    const tool = server.locator("details.tool", { has: page.locator("code", { hasText: /^create_recipe$/ }) });
    await tool.locator("summary").click();
    await tool.getByLabel("title").fill("Soup <b>of the day</b>");
    await tool.getByLabel("servings").fill("4");
    await tool.getByRole("button").click();
    await tool.locator(".result pre").waitFor();
    assert.match(await tool.locator(".result").textContent(), /Soup <b>of the day<\/b>/);
    await page.locator("#calls tr", { hasText: "create_recipe" }).waitFor();
    assert.match(await page.locator("#calls tr", { hasText: "create_recipe" }).textContent(), /this page[\s\S]*done/);
    // A wrong call says what is wrong, in the tool's words.
    await tool.getByLabel("title").fill("Soup <b>of the day</b>");
    await tool.getByRole("button").click();
    await tool.locator(".result .bad").waitFor();
    await page.locator("#calls .mark.bad").waitFor();
    assert.deepEqual(errors, []);
    await context.close();
});

test("lists recipes, and shows what people and clients wrote as text", async () => {
    const { context, page, errors } = await open(DESK, "light");
    const attack = `<img src=x onerror="document.title='run'"><script>document.title='run'</script>`;
    const asked = [];
    page.on("request", (request) => asked.push(request.url()));
    const call = (name, args, client) => fetch(`${desk.url}/mcp`, {
        method: "POST",
        headers: { "Content-Type": "application/json", Accept: "application/json, text/event-stream",
            "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": name },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args, _meta: {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { name: client, version: "1" },
            "io.modelcontextprotocol/clientCapabilities": {} } } }),
    });
    const made = await call("create_recipe", { title: `Pie ${attack}`, description: attack }, "<img src=x>");
    assert.equal(made.status, 200);
    await page.goto(desk.url);
    const recipe = page.locator("#cookbook li", { hasText: `Pie ${attack}` });
    await recipe.waitFor();
    await page.locator("#calls td", { hasText: "<img src=x>" }).first().waitFor();
    assert.match(await recipe.getByRole("link").getAttribute("href"), /^\/cookbook\/recipes\/[0-9a-f-]+$/);
    assert.equal(await page.title(), "Deskmate");
    assert.ok(!asked.some((url) => url.endsWith("/x")), "nothing was loaded");
    await checkAccess(page, "with recipes");
    assert.deepEqual(errors, []);
    await context.close();
});

test("takes a screenshot and shows it", async () => {
    const { context, page, errors } = await open(DESK, "light");
    await page.goto(desk.url);
    const server = page.locator("#server-fotos");
    await server.locator("details > summary", { hasText: "Its tools" }).click();
    const tool = server.locator("details.tool", { has: page.locator("code", { hasText: /^take_screenshot$/ }) });
    await tool.locator("summary").click();
    await tool.getByRole("button").click();
    await tool.locator(".result img").waitFor();
    const shown = page.locator("#screenshots img").first();
    await shown.waitFor();
    await shown.scrollIntoViewIfNeeded();
    await page.waitForFunction(() => document.querySelector("#screenshots img")?.naturalWidth === 800);
    assert.deepEqual(errors, []);
    await context.close();
});

test("can be worked with the keyboard alone", async () => {
    const { context, page } = await open(DESK, "light");
    await page.goto(desk.url);
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "Skip to the content");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    assert.match(await page.evaluate(() => document.activeElement.className), /copier/);
    await page.locator("#server-info summary").first().focus();
    await page.keyboard.press("Enter");
    assert.ok(await page.locator("#server-info details").first().evaluate((details) => details.open));
    await context.close();
});

test("can be read without script", async () => {
    const { context, page } = await open(DESK, "light", { javaScriptEnabled: false });
    await page.goto(desk.url);
    assert.match(await page.locator("#readiness").textContent(), /state folder/);
    assert.equal(await page.locator(".copier:visible").count(), 0, "no button that does nothing");
    await page.getByLabel("Token").fill("nonsense");
    await page.getByRole("button", { name: "Show names" }).click();
    assert.match(await page.textContent("body"), /The vault was not opened/);
    await context.close();
});

test("lets a browser in by a link that works once, where a token is needed", async () => {
    const closed = await Desk.start(["--token", "a-s3cret-of-some-length", "--only", "info"]);
    const { context, page } = await open(DESK, "light");
    assert.equal((await page.goto(closed.url)).status(), 401);
    assert.equal((await page.goto(closed.link)).status(), 200);
    assert.ok(!page.url().includes("once="), page.url());
    await page.locator("#server-info summary", { hasText: "Its tools" }).click();
    await page.locator(".tool summary").click();
    await page.locator(".tool button").click();
    await page.locator(".result pre").waitFor();
    const other = await open(DESK, "light");
    assert.equal((await other.page.goto(closed.link)).status(), 401, "it worked once");
    await other.context.close();
    await context.close();
    await closed.stop();
});
