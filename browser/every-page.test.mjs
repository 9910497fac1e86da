// Every page, with axe, in both widths, both colour schemes and both languages, and without script. The gate sees each page
// once in each width, with scheme and language alternating; `browser/run --all` sees it in every combination.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Book } from "./book.mjs";
import { DESK, PHONE, checkAccess, checkWidth, launch, signIn, watch } from "./browser.mjs";
import { recipes } from "./recipes.mjs";

let [book, browser, state, paths] = [];

before(async () => {
    [book, browser] = await Promise.all([Book.start(), launch()]);
    const family = await book.family("The Lovelaces", "ada@example.org");
    const scope = { "X-Family-Id": family };
    // Words that do not fit on a phone.
    const long = { title: "Donaudampfschifffahrtsgesellschaftskapitänsbrötchen", description: "x".repeat(300), tags: ["k".repeat(50)],
        ingredients: [{ name: "Donaudampfschifffahrtsgesellschaftskapitänsbrötchen", quantity: 3 }], steps: [{ instruction: "z".repeat(300) }] };
    const made = await book.fill(family, [...recipes, long, { title: "Thrown away" }]);
    const today = new Date().toISOString().slice(0, 10);
    await book.api("POST", "/plan", { meals: [{ day: today, recipe_id: made[1].id }, { day: today, slot: "lunch", text: "Leftovers" }] }, scope);
    await book.api("POST", "/shopping-lists/Shopping/items", { items: [{ name: "salt" }, { name: "milk", quantity: 1, unit: "l" }, { name: long.title }] }, scope);
    await book.api("DELETE", `/recipes/${made.at(-1).id}`, undefined, scope);
    const context = await browser.newContext({ viewport: DESK });
    const page = await context.newPage();
    await signIn(page, await book.invite("ada@example.org"));
    state = await context.storageState();
    const shot = await page.screenshot({ clip: { x: 0, y: 0, width: 300, height: 200 } });
    for (const query of ["", "", "?step=1"]) await book.api("POST", `/recipes/${made[0].id}/photos${query}`, shot, scope);
    await context.close();
    const share = await book.api("POST", `/recipes/${made[0].id}/share`, {}, scope);
    const cake = `/recipes/${made[0].id}`;
    paths = ["/", "/?q=lentil", "/?tag=cake", "/?q=zzzzzz", "/recipes/new", cake, `${cake}?servings=12&units=us`, `/recipes/${made[4].id}`, `/recipes/${made.at(-2).id}`, `/recipes/${made.at(-2).id}/cook`,
        `${cake}/edit`, `${cake}/photos`, `/recipes/${made[1].id}/photos`, `${cake}/cook?step=2`, `${cake}/cook?step=5`, "/import", "/plan",
        `/plan?day=${today}`, "/shopping", "/shopping?list=Empty", "/family", "/trash", "/nothing-here", share.path, "/sign-in", "/sign-in/x"];
});

after(async () => {
    await browser.close();
    await book.stop();
});

/** What a page looks like after something was sent: a form that came back, an import that waits. */
const sent = [
    ["a form that came back", "/recipes/new", async (page) => {
        await page.locator("#servings").fill("lots");
        await page.locator(".sticky button.primary").click();
        await page.locator("#servings-error").waitFor();
    }],
    ["an import that waits", "/import", async (page) => {
        await page.locator("#text").fill("Flat bread\n\nIngredients\n500 g flour\n3 dl water\n\nMethod\nKnead. Bake for 10 minutes.");
        await page.locator("form:has(#text) button").click();
        await page.locator(".found h2").waitFor();
    }],
    ["an import that is done", "/import", async (page) => {
        await page.locator("#text").fill(JSON.stringify(["Broth", "Stock"].map((name) => ({ "@type": "Recipe", name, recipeIngredient: ["1 onion"] }))));
        await page.locator("form:has(#text) button").click();
        await page.locator('form[action$="/import/keep"] button.primary').click();
        await page.locator("li a", { hasText: "Stock" }).waitFor();
    }],
    ["a link to sign in with", "/family", async (page) => {
        await page.locator('form[action$="/family/link"] button').first().click();
        await page.locator("code.secret").waitFor();
    }],
    ["a link to share", () => paths[5], async (page) => {
        await page.locator('form[action$="/share"] button').click();
        await page.locator("a.secret").waitFor();
    }],
    ["a new key", "/family", async (page) => {
        await page.locator('form[action$="/family/keys"] input[name=label]').fill("Laptop");
        await page.locator('form[action$="/family/keys"] button').click();
        await page.locator("code.secret").waitFor();
    }],
];

const looks = [
    { colorScheme: "light", locale: "en-GB" },
    { colorScheme: "dark", locale: "de-CH" },
    { colorScheme: "dark", locale: "en-GB" },
    { colorScheme: "light", locale: "de-CH" },
];

/** A signed-in window; without script nothing of ours runs, and axe still does. */
async function open(look, hasScript) {
    const context = await browser.newContext({ ...look, storageState: state, serviceWorkers: "block" });
    if (!hasScript) await context.route(/\/assets\/.*\.js$/, (route) => route.abort());
    const page = await context.newPage();
    return { page, errors: hasScript ? watch(page) : [] };
}

async function look(page, where, { locale }) {
    assert.equal(await page.locator("h1").count(), 1, where);
    assert.equal(await page.locator("html").getAttribute("lang"), locale.slice(0, 2), where);
    await checkWidth(page, where);
    await checkAccess(page, where);
}

const widths = [["on a desk", DESK, 0], ["on a phone", PHONE, 1]];
const kinds = process.env.ALL_WINDOWS ? [[true, looks], [false, looks]] : [[true, looks.slice(0, 2)]];

for (const [name, viewport, offset] of widths) {
    for (const [hasScript, wanted] of process.env.ALL_WINDOWS || viewport === DESK ? kinds : [...kinds, [false, looks.slice(0, 2)]]) {
        test(`every page is accessible and fits ${name}, ${hasScript ? "with" : "without"} script`, async () => {
            const windows = await Promise.all(wanted.map(async (look) => ({ look, ...(await open({ ...look, viewport }, hasScript)) })));
            const steps = [...paths.map((path) => [path, path, async () => {}]), ...sent];
            for (const [number, [what, at, act]] of steps.entries()) {
                const chosen = process.env.ALL_WINDOWS ? windows : [windows[(number + offset) % windows.length]];
                for (const { page, look: wants } of chosen) {
                    await page.goto(book.url + (typeof at === "function" ? at() : at));
                    await act(page);
                    await look(page, `${what} ${name}, ${wants.colorScheme}, ${wants.locale}`, wants);
                }
            }
            for (const { page, errors } of windows) {
                assert.deepEqual(errors, []);
                await page.context().close();
            }
        });
    }
}

test("nothing needs a script to be read or sent", async () => {
    const context = await browser.newContext({ viewport: PHONE, javaScriptEnabled: false, storageState: state });
    const page = await context.newPage();
    for (const path of paths) {
        await page.goto(book.url + path);
        assert.equal(await page.locator("h1").count(), 1, path);
    }
    await context.close();
});
