// One person on their own machine needs no set-up.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Book } from "./book.mjs";
import { checkAccess, launch } from "./browser.mjs";

test("the first visit takes the cookbook, and later ones go on", async () => {
    const [book, browser] = await Promise.all([Book.start(), launch()]);
    try {
        const page = await (await browser.newContext()).newPage();
        await page.goto(book.home);
        await checkAccess(page, "first visit");
        await page.getByRole("button", { name: "This is my cookbook" }).click();
        await page.getByText("The first page is empty").waitFor();
        const again = await (await browser.newContext()).newPage();
        await again.goto(book.home);
        await again.getByRole("button", { name: "Go on as me@home" }).click();
        await again.getByRole("heading", { name: "Recipes" }).waitFor();
        // Whoever did not see what the server printed is at the other end of a tunnel, for all we know.
        const stranger = await fetch(`${book.url}/sign-in`);
        assert.doesNotMatch(await stranger.text(), /Go on as/);
        // Behind a proxy nobody is at home.
        const through = await fetch(`${book.url}/sign-in`, { headers: { "X-Forwarded-For": "203.0.113.7" } });
        assert.match(await through.text(), /Family password/);
    } finally {
        await browser.close();
        await book.stop();
    }
});
