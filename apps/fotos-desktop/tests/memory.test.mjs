// What the person covered for good is not left in the memory of the application.

import assert from "node:assert/strict";
import { open, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { App } from "./app.mjs";
import { Screen } from "./screen.mjs";

let [screen, app] = [];

before(async () => {
    screen = await Screen.start();
    app = await App.start(screen);
});

after(async () => {
    await app?.stop();
    await screen?.stop();
});

/** Whether any of these stands in the memory of a process. */
async function isInMemory(pid, pieces) {
    const [maps, memory] = [await readFile(`/proc/${pid}/maps`, "utf8"), await open(`/proc/${pid}/mem`)];
    try {
        for (const [, from, to] of maps.matchAll(/^([0-9a-f]+)-([0-9a-f]+) rw/gm)) {
            const [start, end] = [parseInt(from, 16), parseInt(to, 16)];
            // Room that WebKit reserves for scripts, and hardly uses: pictures of the host are in smaller ranges.
            if (end - start > 2 ** 30) continue;
            const bytes = Buffer.alloc(end - start);
            try {
                await memory.read(bytes, 0, bytes.length, start);
            } catch {
                // Some ranges are there and cannot be read.
                continue;
            }
            if (pieces.some((piece) => bytes.includes(piece))) return true;
        }
        return false;
    } finally {
        await memory.close();
    }
}

test("nothing of what the person covered stays in the application", async () => {
    const { png, pixels } = await app.run(() => {
        const canvas = document.createElement("canvas");
        Object.assign(canvas, { width: 300, height: 200 });
        const context = canvas.getContext("2d");
        const noise = context.createImageData(300, 200);
        crypto.getRandomValues(noise.data.subarray(0, 60_000));
        for (let at = 60_000; at < noise.data.length; at += 1) noise.data[at] = noise.data[(at * 7) % 60_000];
        for (let at = 3; at < noise.data.length; at += 4) noise.data[at] = 255;
        context.putImageData(noise, 0, 0);
        const rgb = [...noise.data.subarray(20_000, 20_064)].filter((_, at) => at % 4 !== 3);
        return { png: canvas.toDataURL("image/png").split(",")[1], pixels: rgb };
    });
    const file = join(screen.folder, "noise.png");
    await writeFile(file, Buffer.from(png, "base64"));
    await app.openFile(file);
    const shown = Buffer.from(await app.exported(), "base64");
    const middle = Math.floor(shown.length / 2);
    const pieces = [Buffer.from(pixels), shown.subarray(middle, middle + 48), shown.subarray(2_000, 2_048)];
    assert.ok(await isInMemory(app.pid, pieces), "it is there until it is covered");
    await app.run((shot) => fetch(`/fotos/api/shots/${shot}/redact`, { method: "POST", body: JSON.stringify({ boxes: [{ x: 0, y: 0, width: 300, height: 200 }] }) }).then(() => null), await app.shown());
    assert.ok(!(await isInMemory(app.pid, pieces)));
});
