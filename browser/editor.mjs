// The editor of Fotos in Chromium: windows with a picture in them, and what a person does there.

import assert from "node:assert/strict";
import { join } from "node:path";
import { DESK, launch, watch } from "./browser.mjs";
import { Fotos } from "./fotos.mjs";

export const PRIVATE = "ada.lovelace@example.org";

export class Editor {
    /** With these variables for the host besides. */
    static async start(variables = {}) {
        const [fotos, browser] = await Promise.all([Fotos.start(variables), launch()]);
        const page = await browser.newPage({ viewport: { width: 600, height: 400 } });
        await page.setContent(`<body style="font:28px 'DejaVu Sans';margin:40px;background:#fff"><p>Quarterly report</p><p>${PRIVATE}</p><p>Nothing else here</p>`);
        const sample = join(fotos.folder, "sample.png");
        await page.screenshot({ path: sample });
        await page.close();
        return Object.assign(new Editor(), { fotos, browser, sample });
    }

    async stop() {
        await this.browser.close();
        await this.fotos.stop();
    }

    /** A window with the pages, and errors it had. */
    async open(options = {}) {
        const context = await this.browser.newContext({ viewport: DESK, acceptDownloads: true, ...options });
        const page = await context.newPage();
        page.problems = watch(page);
        const link = await this.fotos.link();
        page.origin = new URL(link).origin;
        await page.goto(link);
        await page.locator("body[data-ready]").waitFor();
        return page;
    }

    /** The same, with a picture in it at 100 %. */
    async withPicture(options) {
        const page = await this.open(options);
        const before = await shotOf(page);
        await page.locator("#file").setInputFiles(this.sample);
        // Those of earlier tests are there, too.
        await page.waitForFunction((known) => (document.getElementById("sheet").dataset.shot ?? known) !== known, before);
        await page.locator("#stage").focus();
        await page.keyboard.press("Control+1");
        return page;
    }

    /** How many pixels of two PNG files differ; of another size, all do. */
    async difference(one, other) {
        const page = await this.browser.newPage();
        const count = await page.evaluate(async (files) => {
            const [first, second] = await Promise.all(files.map(async (text) => {
                const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
                const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }), { colorSpaceConversion: "none" });
                const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
                context.drawImage(image, 0, 0);
                return context.getImageData(0, 0, image.width, image.height);
            }));
            if (first.width !== second.width || first.height !== second.height) return Infinity;
            let different = 0;
            for (let at = 0; at < first.data.length; at += 4) {
                if ([0, 1, 2].some((part) => first.data[at + part] !== second.data[at + part])) different += 1;
            }
            return different;
        }, [one, other].map((bytes) => bytes.toString("base64")));
        await page.close();
        return count;
    }
}

export async function close(page) {
    assert.deepEqual(page.problems, []);
    await page.context().close();
}

export const shotOf = (page) => page.locator("#sheet").getAttribute("data-shot");
export const api = (page, path, options) => page.evaluate(async ([where, how]) => (await fetch(`/fotos/api/${where}`, how)).json(), [path, options]);
export const marks = async (page) => (await api(page, `shots/${await shotOf(page)}/document`)).annotations;

/** Does something, and waits until the host's picture of it is shown. */
export async function changing(page, work) {
    const before = Number(await page.locator("#sheet").getAttribute("data-revision"));
    await work();
    await page.waitForFunction((revision) => Number(document.getElementById("sheet").dataset.revision) > revision, before);
}

export async function drag(page, from, to) {
    const { x, y } = await page.locator("#sheet").boundingBox();
    await page.mouse.move(x + from[0], y + from[1]);
    await page.mouse.down();
    await page.mouse.move(x + (from[0] + to[0]) / 2, y + (from[1] + to[1]) / 2, { steps: 4 });
    await page.mouse.move(x + to[0], y + to[1], { steps: 4 });
    await page.mouse.up();
}

export async function exported(page) {
    const bytes = await page.evaluate(async (id) => [...new Uint8Array(await (await fetch(`/fotos/api/shots/${id}/export?format=png`)).arrayBuffer())], await shotOf(page));
    return Buffer.from(bytes);
}
