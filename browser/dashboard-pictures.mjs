// The screenshots of the dashboard in docs/: node dashboard-pictures.mjs FOLDER

import { join } from "node:path";
import { Desk, Display } from "./desk.mjs";
import { DESK, PHONE, launch } from "./browser.mjs";

const folder = process.argv[2];
const [display, browser] = await Promise.all([Display.start(), launch()]);
const desk = await Desk.start([], { DISPLAY: display.name });
try {
    const shoot = async (name, viewport, colorScheme, before = async () => {}) => {
        const context = await browser.newContext({ viewport, colorScheme, deviceScaleFactor: 1 });
        const page = await context.newPage();
        await page.goto(desk.url);
        await before(page);
        await page.screenshot({ path: join(folder, `${name}.png`) });
        await context.close();
    };
    const tool = async (page, server, name, fill = async () => {}) => {
        const article = page.locator(`#server-${server}`);
        await article.locator("details > summary", { hasText: "Its tools" }).click();
        const one = article.locator("details.tool", { has: page.locator("code", { hasText: new RegExp(`^${name}$`) }) });
        await one.locator("summary").click();
        await fill(one);
        await one.getByRole("button").click();
        await one.locator(".result pre, .result img").first().waitFor();
        return one;
    };
    await shoot("dashboard", DESK, "light");
    await shoot("dashboard-try", DESK, "light", async (page) => {
        const one = await tool(page, "recipe-vault", "create_recipe", (form) => form.getByLabel("title").fill("Sunday pancakes"));
        await one.evaluate((element) => element.scrollIntoView({ behavior: "instant" }));
        await page.evaluate(() => scrollBy({ top: -80, behavior: "instant" }));
    });
    await shoot("dashboard-calls", DESK, "dark", async (page) => {
        await tool(page, "fotos", "take_screenshot");
        await page.locator("#calls tr", { hasText: "take_screenshot" }).waitFor();
        await page.waitForFunction(() => document.querySelector("#screenshots img")?.naturalWidth > 0 || (document.querySelector("#screenshots")?.scrollIntoView(), false));
        await page.evaluate(() => document.querySelector("#calls").scrollIntoView({ behavior: "instant" }));
    });
    await shoot("dashboard-phone", PHONE, "light", async (page) => {
        await page.evaluate(() => document.querySelector("#readiness").scrollIntoView({ behavior: "instant" }));
    });
} finally {
    await browser.close();
    await desk.stop();
    await display.stop();
}
