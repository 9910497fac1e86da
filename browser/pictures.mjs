// The screenshots of docs/: node pictures.mjs FOLDER

import { join } from "node:path";
import { Book } from "./book.mjs";
import { DESK, PHONE, launch, signIn } from "./browser.mjs";
import { recipes } from "./recipes.mjs";

const folder = process.argv[2];

/** Something like a photo, which is nobody's: a plate on a table. */
const plate = (table, dish, pieces) => `<body style="margin:0;height:100vh;display:grid;place-items:center;background:${table}">
    <div style="width:440px;height:440px;border-radius:50%;background:#fdfbf7;box-shadow:0 30px 60px #0005;display:grid;place-items:center">
    <div style="width:330px;height:330px;border-radius:50%;background:${dish};display:grid;grid-template-columns:repeat(3,1fr);padding:34px;gap:10px">
    ${Array.from({ length: 9 }, () => `<div style="border-radius:60% 40% 55% 45%;background:${pieces}"></div>`).join("")}</div></div></body>`;
const drawings = [
    ["", plate("linear-gradient(#8a5a3b, #5f3a24)", "#d99a4e", "linear-gradient(#f6d98b, #e2a84f)")],
    ["", plate("linear-gradient(#cfd8d2, #9fb0a6)", "#e3b76a", "linear-gradient(#f3cf7a, #c9863b)")],
    ["?step=1", plate("linear-gradient(#e9dfcf, #cbb99d)", "#f7e7b8", "linear-gradient(#fff6d6, #f1d68c)")],
    ["?step=3", plate("linear-gradient(#7b8a6a, #4e5c40)", "#e8c486", "linear-gradient(#e8f0b0, #b6c96a)")],
];
const [book, browser] = await Promise.all([Book.start(), launch()]);
try {
    const family = await book.family("The Lovelaces", "ada@example.org");
    const made = await book.fill(family, recipes);
    const today = new Date().toISOString().slice(0, 10);
    const scope = { "X-Family-Id": family };
    await book.api("POST", "/plan", { meals: [{ day: today, recipe_id: made[1].id, servings: 4 }, { day: today, slot: "lunch", text: "Leftovers" }] }, scope);
    const items = [["apples", 4], ["flour", 700, "g"], ["milk", 1, "l"], ["lemons", 2]].map(([name, quantity, unit]) => ({ name, quantity, unit }));
    await book.api("POST", "/shopping-lists/Shopping/items", { items }, scope);
    const easel = await (await browser.newContext({ viewport: { width: 900, height: 600 } })).newPage();
    for (const [query, drawing] of drawings) {
        await easel.setContent(drawing);
        await book.api("POST", `/recipes/${made[0].id}/photos${query}`, await easel.screenshot({ type: "jpeg", quality: 85 }), scope);
    }
    const shoot = async (name, path, size, colorScheme, before = async () => {}, locale = "en-GB") => {
        const context = await browser.newContext({ viewport: size, colorScheme, locale, deviceScaleFactor: 1 });
        const page = await context.newPage();
        await signIn(page, await book.invite("ada@example.org"));
        await page.goto(book.url + path, { waitUntil: "networkidle" });
        await before(page);
        // What is made when somebody first looks, such as small photos, is to be seen.
        await page.waitForLoadState("networkidle");
        await page.screenshot({ path: join(folder, `cookbook-${name}.png`) });
        await context.close();
    };
    const cake = `/recipes/${made[0].id}`;
    await shoot("list", "/", DESK, "light");
    await shoot("recipe", cake, DESK, "light");
    await shoot("cook", `${cake}/cook?step=2&servings=12`, PHONE, "dark", async (page) => {
        await page.getByRole("button", { name: /Start a timer/ }).click();
    });
    await shoot("phone", cake, PHONE, "light");
    await shoot("edit", `${cake}/edit`, DESK, "light");
    await shoot("plan", "/plan", DESK, "light");
    await shoot("shopping", "/shopping", PHONE, "light");
    await shoot("import", "/import", DESK, "light");
    await shoot("preview", "/import", PHONE, "dark", async (page) => {
        await page.getByLabel("The text").fill(JSON.stringify({
            "@type": "Recipe", name: "Red lentil soup", description: "With tomatoes, for cold days.", recipeYield: "6", prepTime: "PT15M",
            cookTime: "PT30M", recipeIngredient: ["300 g red lentils", "1 tin of tomatoes", "2 carrots, diced", "1 ½ l stock"],
            recipeInstructions: ["Fry the carrots.", "Add everything else and simmer until soft."],
        }));
        await page.getByRole("button", { name: "Look at the text" }).click();
        await page.getByRole("heading", { name: "One recipe was found" }).waitFor();
    });
    await shoot("dark", "/", DESK, "dark");
    await shoot("german", "/", PHONE, "light", undefined, "de-CH");
    await shoot("photos", `${cake}/photos`, PHONE, "light");
    await shoot("family", "/family", DESK, "light");
} finally {
    await browser.close();
    await book.stop();
}
