// Several photos of a dish, and one for each step.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Book } from "./book.mjs";
import { DESK, PHONE, launch, signIn } from "./browser.mjs";
import { recipes } from "./recipes.mjs";

let [book, browser, family] = [];

before(async () => {
    [book, browser] = await Promise.all([Book.start(), launch()]);
    family = await book.family("The Lovelaces", "ada@example.org");
});

after(async () => {
    await browser.close();
    await book.stop();
});

async function open(options) {
    const page = await (await browser.newContext({ viewport: PHONE, ...options })).newPage();
    await signIn(page, await book.invite("ada@example.org"));
    return page;
}

/** A picture of this colour, drawn by the browser that is there anyway. */
async function picture(name, colour) {
    const page = await (await browser.newContext({ viewport: DESK })).newPage();
    await page.setContent(`<body style="background:${colour}">`);
    const buffer = await page.screenshot({ clip: { x: 0, y: 0, width: 300, height: 200 } });
    await page.context().close();
    return { name: `${name}.png`, mimeType: "image/png", buffer };
}

for (const javaScriptEnabled of [true, false]) {
    const how = javaScriptEnabled ? "with script" : "without script";

    test(`photos are added, moved, shown and removed, ${how}`, async () => {
        const [cake] = await book.fill(family, [{ ...recipes[0], title: `Cake ${how}` }]);
        const page = await open({ javaScriptEnabled });
        await page.goto(`${book.url}/recipes/${cake.id}`);
        await page.getByRole("link", { name: "Photos" }).click();
        await page.getByText("There are no photos yet.").waitFor();
        await page.getByLabel("Photos, together").setInputFiles([await picture("one", "red"), await picture("two", "blue")]);
        await page.getByRole("button", { name: "Add photos" }).click();
        await page.getByText("Saved.").waitFor();
        assert.equal(await page.locator(".album img").count(), 2);
        await page.getByLabel("Photos, together").setInputFiles(await picture("step", "green"));
        await page.getByLabel("What they show").selectOption("1");
        await page.getByRole("button", { name: "Add photos" }).click();
        await page.locator(".album li").nth(2).waitFor();
        const kept = await book.api("GET", `/recipes/${cake.id}`);
        assert.deepEqual(kept.photos.map(({ step }) => step ?? null), [null, null, 1]);
        await page.getByLabel("What it shows").nth(1).selectOption("cover");
        await page.getByRole("button", { name: "Save (Photo 2)" }).click();
        await page.getByText("Saved.").waitFor();
        assert.equal((await book.api("GET", `/recipes/${cake.id}`)).photo_id, kept.photos[1].id);
        await page.getByRole("link", { name: `Cake ${how}` }).click();
        assert.equal(await page.locator(".gallery img").count(), 1);
        assert.match(await page.locator(".steps li").nth(1).locator("img").getAttribute("src"), new RegExp(kept.photos[2].id));
        await page.goto(`${book.url}/recipes/${cake.id}/cook?step=2`);
        const wide = await page.locator(".shot img").evaluate((image) => image.complete || new Promise((done) => (image.onload = done))).then(() =>
            page.locator(".shot img").boundingBox(), () => page.locator(".shot img").boundingBox());
        assert.ok(wide.width > 100 && wide.width <= 390, JSON.stringify(wide));
        await page.goto(`${book.url}/recipes/${cake.id}/photos`);
        await page.getByRole("button", { name: "Remove (Photo 1)" }).click();
        await page.getByText("Saved.").waitFor();
        assert.equal(await page.locator(".album img").count(), 2);
        const { path } = await book.api("POST", `/recipes/${cake.id}/share`, {});
        const guest = await (await browser.newContext({ viewport: PHONE })).newPage();
        await guest.goto(book.url + path);
        for (const image of await guest.locator(".recipe img").all()) {
            await image.evaluate((image) => ((image.loading = "eager"), image.decode()));
        }
        assert.equal(await guest.locator(".recipe img").count(), 2);
    });
}

test("a file that is no picture is left out, and what was written is saved", async () => {
    const page = await open({});
    await page.goto(`${book.url}/recipes/new`);
    await page.getByLabel("Title").fill("Without a picture");
    await page.getByLabel("Add photos").setInputFiles([{ name: "a.png", mimeType: "image/png", buffer: Buffer.from("no picture") }, await picture("b", "red")]);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("The photo could not be used").waitFor();
    assert.equal(await page.locator(".opening img").count(), 1);
});
