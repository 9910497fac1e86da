// The screenshots of Fotos in docs/: node fotos-pictures.mjs FOLDER

import { join } from "node:path";
import { launch } from "./browser.mjs";
import { Fotos } from "./fotos.mjs";

const folder = process.argv[2];
const SIZE = { width: 1280, height: 820 };
const [fotos, browser] = await Promise.all([Fotos.start(), launch()]);

/** Something to take a picture of: an invoice with private things in it. */
async function sample() {
    const page = await browser.newPage({ viewport: { width: 820, height: 520 } });
    await page.setContent(`<body style="margin:0;font:18px 'DejaVu Sans';background:#f4f6fb;color:#1d2433">
        <div style="background:#233058;color:#fff;padding:18px 28px;font-size:22px">Northwind · Order 4711</div>
        <div style="margin:28px;padding:24px;background:#fff;border-radius:10px;box-shadow:0 2px 8px #0002">
        <p>Customer: Ada Lovelace</p><p>Mail: ada.lovelace@example.org</p><p>Phone: +1 415 555 0132</p><p>Card: 4111 1111 1111 1111</p>
        <p style="margin-top:28px"><span style="background:#2a6df4;color:#fff;padding:10px 22px;border-radius:8px">Send the invoice</span></p></div>`);
    const path = join(fotos.folder, "order.png");
    await page.screenshot({ path });
    await page.close();
    return path;
}

async function open(colorScheme, file) {
    const page = await (await browser.newContext({ viewport: SIZE, colorScheme })).newPage();
    page.setDefaultTimeout(120_000);
    await page.goto(await fotos.link());
    await page.locator("body[data-ready]").waitFor();
    if (file) {
        const before = await page.locator("#sheet").getAttribute("data-shot");
        await page.locator("#file").setInputFiles(file);
        await page.waitForFunction((known) => (document.getElementById("sheet").dataset.shot ?? known) !== known, before);
    }
    return page;
}

const shoot = (page, name) => page.screenshot({ path: join(folder, `fotos-${name}.png`) });

async function draw(page) {
    const id = await page.locator("#sheet").getAttribute("data-shot");
    const annotations = [
        { type: "rect", x: 44, y: 278, width: 210, height: 58, color: "#E5484D", stroke_width: 4 },
        { type: "arrow", points: [{ x: 462, y: 352 }, { x: 264, y: 314 }], color: "#E5484D", stroke_width: 5 },
        { type: "text", x: 474, y: 340, text: "This button does nothing", color: "#E5484D", font_size: 24 },
        { type: "step", x: 34, y: 142, step_number: 1, color: "#4A45D9", font_size: 30 },
        { type: "highlight", x: 148, y: 128, width: 126, height: 30, color: "#FFD43B" },
        { type: "blur", x: 102, y: 243, width: 210, height: 32 },
    ];
    await page.evaluate(([shot, marks]) => fetch(`/fotos/api/shots/${shot}/edit`, { method: "POST", body: JSON.stringify({ edit: { edit: "add", annotations: marks } }) }), [id, annotations]);
    await page.waitForFunction(() => Number(document.getElementById("sheet").dataset.revision) > 0);
}

try {
    const file = await sample();
    const first = await open("light");
    await shoot(first, "welcome");
    await first.context().close();
    const light = await open("light", file);
    await draw(light);
    await light.locator("#items [data-id]").nth(5).click();
    await light.locator("#shots img").evaluateAll((images) => Promise.all(images.map((image) => image.decode())));
    await shoot(light, "light");
    await light.context().close();
    const dark = await open("dark", file);
    await draw(dark);
    await dark.getByRole("tab", { name: "Agents" }).click();
    await shoot(dark, "dark");
    await dark.locator("#stage").focus();
    await dark.locator("#settings").click();
    await dark.locator("#set-ui-theme").waitFor();
    await shoot(dark, "settings");
    await dark.context().close();
    const review = await open("light", file);
    await review.locator("#stage").focus();
    await review.keyboard.press("x");
    await review.getByRole("button", { name: "Find what is private" }).click();
    await review.getByLabel("E-mail address 1").waitFor();
    await shoot(review, "redact");
    await review.context().close();
    await fotos.window("Report of the day");
    const picker = await open("light");
    await picker.waitForFunction(async () => (await (await fetch("/fotos/api/windows")).json()).some(({ title }) => title === "Report of the day"), null, { polling: 500 });
    await picker.getByRole("button", { name: "Ways to capture" }).click();
    await picker.locator("#capture-list").getByRole("button", { name: /Window/ }).click();
    await picker.getByRole("dialog").locator("img").first().waitFor();
    await shoot(picker, "picker");
    await picker.context().close();
} finally {
    await browser.close();
    await fotos.stop();
}
