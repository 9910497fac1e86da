// The screenshots of docs/: node pictures.mjs FOLDER

import { join } from "node:path";
import { Book } from "./book.mjs";
import { DESK, PHONE, launch, signIn } from "./browser.mjs";
import { recipes } from "./recipes.mjs";

const folder = process.argv[2];
const [book, browser] = await Promise.all([Book.start(), launch()]);
try {
    const family = await book.family("The Lovelaces", "ada@example.org");
    const made = await book.fill(family, recipes);
    const today = new Date().toISOString().slice(0, 10);
    const scope = { "X-Family-Id": family };
    await book.api("POST", "/plan", { meals: [{ day: today, recipe_id: made[1].id, servings: 4 }, { day: today, slot: "lunch", text: "Leftovers" }] }, scope);
    const items = [["apples", 4], ["flour", 700, "g"], ["milk", 1, "l"], ["lemons", 2]].map(([name, quantity, unit]) => ({ name, quantity, unit }));
    await book.api("POST", "/shopping-lists/Shopping/items", { items }, scope);
    const shoot = async (name, path, size, colorScheme, before = async () => {}) => {
        const context = await browser.newContext({ viewport: size, colorScheme, deviceScaleFactor: 1 });
        const page = await context.newPage();
        await signIn(page, await book.invite("ada@example.org"));
        await page.goto(book.url + path);
        await before(page);
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
    await shoot("family", "/family", DESK, "light");
} finally {
    await browser.close();
    await book.stop();
}
