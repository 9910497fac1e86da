// Every page of the cookbook, as a person sees it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { PHONE, checkAccess, checkWidth, signIn, watch } from "./browser.mjs";
import { book, browser, cake, family, made, open, photo } from "./lovelaces.mjs";
import { recipes } from "./recipes.mjs";

test("the sign-in pages are accessible, and nothing is shown before", async () => {
    const page = await (await browser.newContext({ viewport: PHONE })).newPage();
    await page.goto(cake());
    assert.match(page.url(), /\/sign-in\?back=/);
    await checkAccess(page, "sign in");
    await page.getByLabel("E-mail address").fill("ada@example.org");
    await page.getByLabel("Family password", { exact: false }).fill("not the password");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("alert").waitFor();
    await page.context().close();
});

test("a sign-in link works once", async () => {
    const link = await book.invite("ada@example.org");
    const page = await (await browser.newContext()).newPage();
    await signIn(page, link);
    const other = await (await browser.newContext()).newPage();
    await other.goto(link);
    await other.getByRole("button", { name: "Open the cookbook" }).click();
    await other.getByText("used already").waitFor();
});

test("the family password signs in, and back to where one wanted to go", async () => {
    const owner = await open();
    await owner.goto(`${book.url}/family`);
    await owner.getByLabel("A new family password").fill("apple cake on sundays");
    await owner.getByRole("button", { name: "Set the password" }).click();
    await owner.getByText("The password is set").waitFor();
    const page = await (await browser.newContext()).newPage();
    await page.goto(cake());
    await page.getByLabel("E-mail address").fill("Ada@example.org");
    await page.getByLabel("Family password", { exact: false }).fill("apple cake on sundays");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: recipes[0].title }).waitFor();
});

test("letters lead to titles, whatever marks these have", async () => {
    const family = await book.family("The Wirths", "vreni@example.org");
    await book.fill(family, ["Lentil soup", "Öpfelchüechli", "Älplermagronen", "“Basler” Leckerli"].map((title) => ({ title })));
    let page = await open({}, "vreni@example.org");
    assert.equal(await page.locator(".letters").count(), 0, "few recipes need no letters");
    await page.context().close();
    await book.fill(family, Array.from({ length: 100 }, (_, number) => ({ title: `Zopf ${String(number).padStart(3, "0")}` })));
    page = await open({}, "vreni@example.org");
    const titles = () => page.locator(".card h2").allTextContents();
    assert.deepEqual((await titles()).slice(0, 4), ["Älplermagronen", "“Basler” Leckerli", "Lentil soup", "Öpfelchüechli"]);
    await page.getByRole("link", { name: "L", exact: true }).click();
    await page.getByRole("link", { name: "To the beginning" }).waitFor();
    assert.deepEqual((await titles()).slice(0, 2), ["Lentil soup", "Öpfelchüechli"]);
    await page.context().close();
});

test("searching as one types", async () => {
    const page = await open();
    await page.getByLabel("Search recipes").pressSequentially("lentil");
    await page.locator(".card").getByText("Red lentil soup").waitFor();
    await page.waitForFunction(() => document.querySelectorAll(".card").length === 1);
});

for (const javaScriptEnabled of [true, false]) {
    const how = javaScriptEnabled ? "with script" : "without script";

    test(`servings and units, ${how}`, async () => {
        const page = await open({ javaScriptEnabled });
        await page.goto(cake());
        await page.getByText("125 g").waitFor();
        await page.getByRole("link", { name: "One serving more" }).click();
        await page.getByText("141 g").waitFor();
        await page.getByRole("link", { name: "US", exact: true }).click();
        await page.getByText("5 oz").waitFor();
        await page.getByText("355 °F").first().waitFor();
    });

    test(`writing and changing a recipe, ${how}`, async () => {
        const page = await open({ javaScriptEnabled });
        await page.goto(`${book.url}/recipes/new`);
        await page.getByLabel("Title").fill(`Pancakes ${how}`);
        await page.getByLabel("Ingredients, one on each line").fill("1½ cups flour\nFor the top:\n2 eggs, beaten");
        await page.getByLabel("Steps, with an empty line").fill("Whisk.\n\nFry for 3 minutes.");
        await page.getByLabel("Add photos").setInputFiles({ name: "p.png", mimeType: "image/png", buffer: await photo(page) });
        await page.getByLabel("Servings").fill("lots");
        await page.getByLabel("Prepare").fill("soon");
        await page.getByRole("button", { name: "Save" }).click();
        await page.locator("#servings-error").getByText("Expected a whole number in the range 1-1000").waitFor();
        await page.locator("#prep-error").waitFor();
        await page.getByLabel("Servings").fill("3");
        await page.getByLabel("Prepare").fill("5");
        await page.getByLabel("Add photos").setInputFiles({ name: "p.png", mimeType: "image/png", buffer: await photo(page) });
        await page.getByRole("button", { name: "Save" }).click();
        await page.getByRole("heading", { name: `Pancakes ${how}` }).waitFor();
        assert.deepEqual(await page.locator(".lines .what").allTextContents(), ["flour", "eggs, beaten"]);
        await page.getByText("1½ cup").waitFor();
        await page.getByText("For the top").waitFor();
        assert.equal(await page.locator(".opening img").count(), 1);
        await page.getByRole("link", { name: "Edit" }).click();
        await page.getByRole("button", { name: "Save" }).click();
        await page.getByText("Saved.").waitFor();
        const id = page.url().match(/[0-9a-f-]{36}/)[0];
        assert.equal((await book.api("GET", `/recipes/${id}`)).version, 2, "saved as it was opened");
    });

    test(`shopping, ${how}`, async () => {
        const page = await open({ javaScriptEnabled });
        await page.goto(`${book.url}/shopping`);
        await page.getByLabel("What to buy").fill(`2 kg sugar ${how}`);
        await page.getByRole("button", { name: "Add" }).click();
        await page.getByText("2 kg", { exact: true }).first().waitFor();
        await page.getByRole("button", { name: `In the basket: sugar ${how}` }).click();
        await page.getByRole("button", { name: `Put back: sugar ${how}` }).waitFor();
        await page.getByRole("button", { name: "Clear the basket" }).click();
        await page.getByRole("button", { name: `sugar ${how}` }).first().waitFor({ state: "detached" });
    });
}

test("what to buy is typed one thing after the other", async () => {
    const page = await open();
    await page.goto(`${book.url}/shopping`);
    await page.getByLabel("What to buy").click();
    for (const name of ["star anise", "cardamom"]) {
        await page.keyboard.type(name);
        await page.keyboard.press("Enter");
        await page.getByRole("button", { name: `In the basket: ${name}` }).waitFor();
    }
});

const jsonLd = (...names) => JSON.stringify(names.map((name) => ({
    "@context": "https://schema.org", "@type": "Recipe", name, description: `All about ${name}.`, recipeYield: "4",
    recipeIngredient: ["250 g flour", "1 ½ cups milk", "3 eggs, beaten"], recipeInstructions: ["Whisk.", "Fry until golden."],
})));

for (const javaScriptEnabled of [true, false]) {
    const how = javaScriptEnabled ? "with script" : "without script";

    test(`a pasted recipe is looked at and kept, ${how}`, async () => {
        const page = await open({ javaScriptEnabled, viewport: PHONE });
        const errors = watch(page);
        const title = `Pasted crêpes ${how}`;
        await page.goto(book.url);
        await page.getByRole("link", { name: "Import" }).click();
        await page.getByLabel("The text").fill("Just words");
        await page.getByRole("button", { name: "Look at the text" }).click();
        await page.getByRole("alert").getByText("No recipe was found").waitFor();
        assert.equal(await page.getByLabel("The text").inputValue(), "Just words");
        await page.getByLabel("The text").fill(jsonLd(title));
        await page.getByRole("button", { name: "Look at the text" }).click();
        await page.getByRole("heading", { name: "One recipe was found" }).waitFor();
        await page.getByRole("cell", { name: "1½ cup" }).waitFor();
        if (javaScriptEnabled) {
            await checkAccess(page, "preview");
            await checkWidth(page, "preview");
        }
        await page.getByRole("button", { name: "Put it into the cookbook" }).click();
        await page.getByText("It is in your cookbook.").waitFor();
        await page.getByRole("heading", { name: title }).waitFor();
        assert.deepEqual(errors, []);
    });

    test(`a file with several, some of them known, ${how}`, async () => {
        const page = await open({ javaScriptEnabled });
        const file = (...names) => ({ name: "recipes.json", mimeType: "application/json", buffer: Buffer.from(jsonLd(...names)) });
        await page.goto(`${book.url}/import`);
        await page.getByLabel("The file").setInputFiles(file(recipes[1].title, `Waffles ${how}`, `Blini ${how}`));
        await page.getByRole("button", { name: "Look at the file" }).click();
        await page.getByRole("heading", { name: "3 recipes were found" }).waitFor();
        await page.getByText("You have one of this title").waitFor();
        if (javaScriptEnabled) await checkAccess(page, "preview of several");
        await page.getByLabel(`Blini ${how}`).uncheck();
        await page.getByLabel("Keep both").check();
        await page.getByRole("button", { name: "Put them into the cookbook" }).click();
        await page.getByRole("heading", { name: "2 recipes came in" }).waitFor();
        if (javaScriptEnabled) await checkAccess(page, "imported");
        await page.getByRole("link", { name: `Waffles ${how}` }).click();
        await page.getByRole("heading", { name: `Waffles ${how}` }).waitFor();
        await page.goto(`${book.url}/?q=Blini`);
        assert.equal(await page.getByRole("link", { name: `Blini ${how}` }).count(), 0);
    });
}

test("an address at home is not fetched, and a preview is good for one person and once", async () => {
    const page = await open();
    await page.goto(`${book.url}/import`);
    await page.getByLabel("Its address").fill("http://127.0.0.1:9/");
    await page.getByRole("button", { name: "Look at the page" }).click();
    await page.getByRole("alert").waitFor();
    assert.equal(await page.getByLabel("Its address").inputValue(), "http://127.0.0.1:9/");
    await checkAccess(page, "import with a complaint");
    await page.getByLabel("The text").fill(jsonLd("Once only"));
    await page.getByRole("button", { name: "Look at the text" }).click();
    const preview = await page.locator("input[name=preview]").inputValue();
    await page.getByRole("button", { name: "Put it into the cookbook" }).click();
    await page.getByText("It is in your cookbook.").waitFor();
    const cookies = (await page.context().cookies()).map(({ name, value }) => `${name}=${value}`).join("; ");
    const form = await page.locator("input[name=form]").first().inputValue();
    const again = await fetch(`${book.url}/import/keep`, { method: "POST", headers: { Cookie: cookies }, body: new URLSearchParams({ form, preview, take: "0" }) });
    assert.equal(again.status, 410);
});

test("a recipe and the whole cookbook are taken along, and put back", async () => {
    const page = await open();
    const download = async (name) => {
        const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name }).click()]);
        return { name: file.suggestedFilename(), path: await file.path() };
    };
    await page.goto(cake());
    assert.equal((await download("Cooklang file")).name, `${recipes[0].title}.cook`);
    assert.equal((await download("schema.org file")).name, `${recipes[0].title}.jsonld`);
    await page.goto(`${book.url}/family`);
    const archive = await download("Download everything");
    assert.equal(archive.name, "cookbook.zip");
    await page.getByLabel("A backup to put back").setInputFiles({ name: "x.zip", mimeType: "application/zip", buffer: Buffer.from("PK") });
    await page.getByRole("button", { name: "Put it back" }).click();
    await page.getByRole("heading", { name: "That does not fit" }).waitFor();
    await page.goto(`${book.url}/family`);
    await page.getByLabel("A backup to put back").setInputFiles(archive.path);
    await page.getByLabel("Become as they were").check();
    await page.getByRole("button", { name: "Put it back" }).click();
    await page.getByText("The backup is back").waitFor();
});

test("two who change one recipe see both versions", async () => {
    const [one, other] = [await open(), await open()];
    for (const page of [one, other]) await page.goto(`${book.url}/recipes/${made[2].id}/edit`);
    await one.getByLabel("What is it?").fill("Theirs");
    await one.getByRole("button", { name: "Save" }).click();
    await one.getByText("Saved.").waitFor();
    await other.getByLabel("What is it?").fill("Mine");
    await other.getByRole("button", { name: "Save" }).click();
    await other.getByText("Somebody else changed this recipe").waitFor();
    await other.getByLabel("What the others saved").getByText("Theirs").waitFor();
    assert.equal(await other.getByLabel("What is it?").inputValue(), "Mine");
    await checkAccess(other, "conflict");
    await other.getByRole("button", { name: "Save" }).click();
    await other.getByText("Mine").waitFor();
});

test("cook mode turns steps by key and keeps timers by their end", async () => {
    const page = await open({ viewport: PHONE });
    await page.clock.install();
    await page.goto(`${cake()}/cook?step=2`);
    await page.getByRole("button", { name: /Start a timer for 8 min/ }).click();
    await page.locator("#timers .time").getByText("8:00").waitFor();
    await page.keyboard.press("ArrowRight");
    await page.getByRole("heading", { name: "Step 3 of 5" }).waitFor();
    await page.getByRole("button", { name: /Start a timer for 3 min/ }).click();
    await page.clock.fastForward("04:00");
    await page.locator("#timers .done").getByText("Done").waitFor();
    await page.getByRole("status").getByText("The timer is done. Step 3").waitFor();
    await page.reload();
    assert.equal(await page.locator("#timers li").count(), 2);
    await page.getByRole("button", { name: /Stop the timer of Step 3/ }).click();
    await page.getByRole("button", { name: /Stop the timer of Step 3/ }).waitFor({ state: "detached" });
    assert.equal(await page.locator("#timers li").count(), 1);
});

test("two families side by side know nothing of each other", async () => {
    await book.family("The Babbages", "bob@example.org");
    const [ada, bob] = [await open(), await open({}, "bob@example.org")];
    await bob.goto(`${book.url}/`);
    await bob.getByText("The first page is empty").waitFor();
    for (const path of ["", "/edit", "/cook", "/photo"]) {
        assert.equal((await bob.goto(cake() + path)).status(), 404, path);
    }
    assert.equal((await ada.goto(cake())).status(), 200);
});

test("a form of another site does nothing", async () => {
    const page = await open();
    const cookies = await page.context().cookies();
    const header = cookies.map(({ name, value }) => `${name}=${value}`).join("; ");
    const answer = await fetch(`${cake()}/delete`, { method: "POST", headers: { Cookie: header }, body: new URLSearchParams({ form: "guess" }) });
    assert.equal(answer.status, 403);
    assert.equal((await page.goto(cake())).status(), 200);
});

test("a shared recipe is read without signing in", async () => {
    const page = await open();
    await page.goto(cake());
    await page.getByRole("button", { name: "Share" }).click();
    const link = await page.locator("a.secret").getAttribute("href");
    const guest = await (await browser.newContext({ viewport: PHONE })).newPage();
    await guest.goto(link);
    await guest.getByRole("heading", { name: recipes[0].title }).waitFor();
    await checkAccess(guest, "shared recipe");
    assert.equal(await guest.getByRole("button").count(), 0);
});

test("a meal is planned and shopped for", async () => {
    const page = await open();
    await page.goto(`${book.url}/plan`);
    await page.getByRole("link", { name: /Add a meal: Wednesday/ }).click();
    await page.getByLabel("A recipe, or what there is instead").fill("red lentil soup");
    await page.getByLabel("Servings").fill("8");
    await page.getByRole("button", { name: "Put it on the plan" }).click();
    await page.locator(".week").getByRole("link", { name: "Red lentil soup" }).waitFor();
    await page.getByRole("button", { name: "Fill the shopping list" }).click();
    await page.getByText("is on your shopping list").waitFor();
    await page.getByRole("button", { name: "Fill the shopping list" }).click();
    await page.getByText("was put on your shopping list before").waitFor();
    await page.goto(`${book.url}/shopping`);
    await page.getByText("500 g").waitFor();
    await page.getByRole("heading", { name: "Fruit and vegetables" }).waitFor();
});

test("a key is shown once", async () => {
    const page = await open();
    await page.goto(`${book.url}/family`);
    await page.getByLabel("What is it for?").fill("Laptop");
    await page.getByRole("button", { name: "Make a key" }).click();
    const key = await page.locator("code.secret").textContent();
    const list = await fetch(`${book.url}/api/recipes`, { headers: { "X-API-Key": key } });
    assert.equal(list.status, 200);
    await page.goto(`${book.url}/family`);
    assert.equal(await page.getByText(key).count(), 0);
    await page.getByRole("button", { name: "Revoke Laptop" }).click();
    await page.getByText("Saved.").waitFor();
    assert.equal((await fetch(`${book.url}/api/recipes`, { headers: { "X-API-Key": key } })).status, 401);
});

test("the first recipe is on the first screen of a phone", async () => {
    const page = await open({ viewport: PHONE });
    for (const path of ["/", "/?tag=cake"]) {
        await page.goto(book.url + path);
        const { y } = await page.locator(".card").first().boundingBox();
        assert.ok(y < 600, `${path}: the first card begins at ${y}`);
    }
    await page.context().close();
});

for (const javaScriptEnabled of [true, false]) {
    const how = javaScriptEnabled ? "with script" : "without script";

    test(`tags, favourites and orders narrow the list together, ${how}`, async () => {
        const page = await open({ javaScriptEnabled });
        const titles = () => page.locator(".card h2").allTextContents();
        await page.goto(`${book.url}/recipes/${made[1].id}`);
        const heart = page.getByRole("button", { name: "Favourite" });
        if ((await heart.getAttribute("aria-pressed")) === "false") await heart.click();
        await page.locator("button[aria-pressed=true]").waitFor();
        await page.goto(book.url);
        await page.getByRole("link", { name: "Favourites" }).click();
        assert.deepEqual(await titles(), ["Red lentil soup"]);
        await page.goto(book.url);
        await page.getByRole("link", { name: /^cake/ }).click();
        await page.getByRole("link", { name: /^summer/ }).click();
        assert.deepEqual(await titles(), ["Cherry clafoutis"]);
        await page.goto(`${book.url}/?sort=rating`);
        assert.match((await titles())[0], /Cherry clafoutis|Grandmother/);
        await page.goto(book.url);
        await page.locator(".sort summary").click();
        await page.getByRole("link", { name: "Quickest first" }).click();
        await page.waitForURL(/sort=time/);
        await page.context().close();
    });
}
