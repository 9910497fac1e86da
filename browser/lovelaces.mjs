// The family that most tests are about: their book, and windows in which they are signed in. Whoever imports this has them
// before its first test.

import { after, before } from "node:test";
import { Book } from "./book.mjs";
import { DESK, launch, signIn } from "./browser.mjs";
import { recipes } from "./recipes.mjs";

export let [book, browser, family, made] = [];

before(async () => {
    [book, browser] = await Promise.all([Book.start(), launch()]);
    family = await book.family("The Lovelaces", "ada@example.org");
    made = await book.fill(family, recipes);
    await book.api("POST", "/shopping-lists/Shopping/items", { items: [{ name: "salt" }] }, { "X-Family-Id": family });
});

after(async () => {
    await browser.close();
    await book.stop();
});

/** A signed-in window. */
export async function open(options = {}, email = "ada@example.org") {
    const context = await browser.newContext({ viewport: DESK, ...options });
    const page = await context.newPage();
    await signIn(page, await book.invite(email));
    return page;
}

/** A picture of some size, drawn by the browser that is there anyway. */
export async function photo(page) {
    return page.screenshot({ clip: { x: 0, y: 0, width: 300, height: 200 } });
}

export const cake = () => `${book.url}/recipes/${made[0].id}`;
