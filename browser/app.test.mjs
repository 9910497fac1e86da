// The cookbook as an app: without a connection, with photos of a phone, and what was typed and deleted.

import assert from "node:assert/strict";
import { test } from "node:test";
import { PHONE, signIn } from "./browser.mjs";
import { book, cake, family, made, open, photo } from "./lovelaces.mjs";
import { recipes } from "./recipes.mjs";

test("typing errors are forgiven", async () => {
    const page = await open();
    await page.goto(`${book.url}/?q=lentl`);
    assert.deepEqual(await page.locator(".card h2").allTextContents(), ["Red lentil soup"]);
    await page.context().close();
});

test("what was typed survives, until it is saved", async () => {
    const page = await open();
    await page.goto(`${book.url}/recipes/new`);
    await page.getByLabel("Title").fill("Half a thought");
    await page.goto(book.url);
    await page.goto(`${book.url}/recipes/new`);
    await page.getByText("What you typed last time is back.").waitFor();
    assert.equal(await page.getByLabel("Title").inputValue(), "Half a thought");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved.").waitFor();
    await page.goto(`${book.url}/recipes/new`);
    assert.equal(await page.getByLabel("Title").inputValue(), "");
    await page.context().close();
});

test("a large photo is made smaller before it is sent", async () => {
    const page = await open();
    await page.goto(`${book.url}/recipes/${made[3].id}/edit`);
    const big = Buffer.from(await page.evaluate(async () => {
        const canvas = Object.assign(document.createElement("canvas"), { width: 4000, height: 3000 });
        canvas.getContext("2d").fillRect(0, 0, 2000, 3000);
        const blob = await new Promise((done) => canvas.toBlob(done, "image/png"));
        return [...new Uint8Array(await blob.arrayBuffer())];
    }));
    await page.getByLabel("Add photos").setInputFiles({ name: "big.png", mimeType: "image/png", buffer: big });
    await page.waitForFunction(() => document.querySelector("#photo").files[0]?.name === "photo.jpg");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved.").waitFor();
    const [width, height] = await page.locator(".opening img").evaluate(async (image) => {
        await image.decode();
        return [image.naturalWidth, image.naturalHeight];
    });
    assert.deepEqual([width, height], [2048, 1536]);
    await page.goto(book.url);
    const small = await page.locator(`.card img[src*="${made[3].id}"]`).evaluate(async (image) => {
        image.loading = "eager";
        await image.decode();
        return image.naturalWidth;
    });
    assert.equal(small, 720);
    await page.context().close();
});

test("a deleted recipe is in the trash and comes back", async () => {
    const [recipe] = await book.fill(family, [{ title: "Thrown away" }]);
    const page = await open();
    await page.goto(`${book.url}/recipes/${recipe.id}`);
    await page.getByText("Delete", { exact: true }).click();
    await page.getByRole("button", { name: "Put the recipe into the trash" }).click();
    await page.getByText("in the trash for 30 days").waitFor();
    await page.getByRole("link", { name: "Trash" }).click();
    await page.getByRole("button", { name: "Bring back Thrown away" }).click();
    await page.getByRole("heading", { name: "Thrown away" }).waitFor();
    await page.context().close();
});

/** Looks at the cake, from when on pages come through the service worker. It takes over a page that is there when it starts, and
 * the next one; one that is on its way just then stays without it. */
async function throughWorker(page) {
    await page.goto(cake());
    await page.evaluate(() => navigator.serviceWorker.ready);
    await page.goto(cake(), { waitUntil: "networkidle" });
    await page.waitForFunction(() => navigator.serviceWorker.controller);
}

test("a recipe that was looked at is there without a connection, and ticks wait for one", async () => {
    const page = await open({ viewport: PHONE });
    await throughWorker(page);
    await book.api("POST", "/shopping-lists/Shopping/items", { items: [{ name: "cloves" }] }, { "X-Family-Id": family });
    for (const url of [cake(), `${book.url}/shopping`]) await page.goto(url, { waitUntil: "networkidle" });
    await page.context().setOffline(true);
    await page.goto(cake());
    await page.getByRole("heading", { name: recipes[0].title }).waitFor();
    await page.goto(`${book.url}/shopping`);
    await page.getByRole("button", { name: "In the basket: cloves" }).click();
    await page.locator("li.waiting").waitFor();
    await page.getByText("it is sent as soon as there is one").waitFor();
    await page.context().setOffline(false);
    await page.getByRole("button", { name: "Put back: cloves" }).waitFor();
    await page.context().close();
});

test("a tick waits for the person who made it, if they are signed out meanwhile", async () => {
    const page = await open({ viewport: PHONE });
    await book.api("POST", "/shopping-lists/Shopping/items", { items: [{ name: "mace" }, { name: "anise" }] }, { "X-Family-Id": family });
    await page.goto(`${book.url}/shopping`, { waitUntil: "networkidle" });
    await page.context().setOffline(true);
    for (const name of ["mace", "anise"]) await page.getByRole("button", { name: `In the basket: ${name}` }).click();
    await page.locator("li.waiting").nth(1).waitFor();
    await page.context().clearCookies();
    const answered = page.waitForResponse((response) => response.url().endsWith("/sign-in") || response.url().includes("/sign-in?"));
    await page.context().setOffline(false);
    await answered;
    await signIn(page, await book.invite("ada@example.org"));
    await page.waitForFunction(() => (localStorage.getItem("recipe-vault.unsent") ?? "[]") === "[]");
    await page.goto(`${book.url}/shopping`);
    for (const name of ["mace", "anise"]) await page.getByRole("button", { name: `Put back: ${name}` }).waitFor();
    await page.context().close();
});

test("who signs out leaves nothing behind, and the next person finds nothing", async () => {
    const page = await open({ viewport: PHONE });
    await throughWorker(page);
    await page.goto(`${book.url}/recipes/new`);
    await page.getByLabel("Title").fill("A secret sauce");
    await page.goto(cake(), { waitUntil: "networkidle" });
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.locator("body[data-signed-out]").waitFor();
    await page.waitForFunction(async () => !(await caches.has("pages")));
    assert.doesNotMatch(await page.evaluate(() => JSON.stringify({ ...localStorage })), /draft|sauce/);
    await page.context().setOffline(true);
    await assert.rejects(page.goto(cake()), /ERR_/);
    await page.context().setOffline(false);
    // A session that ended by itself: the same person finds the draft, another one does not.
    await signIn(page, await book.invite("ada@example.org"));
    await page.goto(`${book.url}/recipes/new`);
    assert.equal(await page.getByLabel("Title").inputValue(), "");
    await page.getByLabel("Title").fill("A secret sauce");
    await page.goto(cake(), { waitUntil: "networkidle" });
    await page.context().clearCookies();
    await signIn(page, await book.invite("ada@example.org"));
    await page.goto(`${book.url}/recipes/new`);
    assert.equal(await page.getByLabel("Title").inputValue(), "A secret sauce");
    await page.context().clearCookies();
    await book.family("The Byrons", "george@example.org");
    await signIn(page, await book.invite("george@example.org"));
    await page.goto(`${book.url}/recipes/new`);
    assert.equal(await page.getByLabel("Title").inputValue(), "");
    await page.waitForFunction(async () => !(await (await caches.open("pages")).keys()).some(({ url }) => /recipes\/[0-9a-f]/.test(url)));
    await page.context().close();
});

test("an app can be made of it, and it takes what others share", async () => {
    const page = await open();
    await page.goto(book.url);
    const manifest = await (await fetch(await page.locator("link[rel=manifest]").evaluate((link) => link.href))).json();
    assert.equal(manifest.display, "standalone");
    for (const { src } of manifest.icons) assert.equal((await fetch(new URL(src, book.url))).status, 200, src);
    const shared = new URLSearchParams({ title: "Soup", shared: "Look at https://example.org/soup" });
    await page.goto(`${book.url}/import?${shared}`);
    assert.equal(await page.getByLabel("Its address").inputValue(), "https://example.org/soup");
    await page.context().close();
});
