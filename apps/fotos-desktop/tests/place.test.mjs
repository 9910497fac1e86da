// The window comes back where it was.

import assert from "node:assert/strict";
import { test } from "node:test";
import { App } from "./app.mjs";
import { Screen } from "./screen.mjs";
import { until } from "./waiting.mjs";

test("the window is restored where it was, and in its size", async () => {
    const screen = await Screen.start();
    try {
        let app = await App.start(screen);
        const window = await screen.find("^Fotos$");
        await screen.run("xdotool", "windowsize", "--sync", window, "900", "620");
        await screen.run("xdotool", "windowmove", "--sync", window, "180", "110");
        const place = await until("the new place", async () => {
            const now = await screen.place(window);
            return now.width === 900 && now.height === 620 && now.x > 150 && now;
        });
        // It may be gone before WebDriver answers.
        await app.keys("control", "q").catch(() => {});
        await until("the end", async () => !(await app.isRunning()));
        await app.stop();
        app = await App.start(screen);
        const again = await screen.place(await until("the window", () => screen.find("^Fotos$")));
        assert.deepEqual([again.width, again.height], [place.width, place.height]);
        assert.ok(Math.abs(again.x - place.x) <= 30 && Math.abs(again.y - place.y) <= 30, `${JSON.stringify(again)} instead of ${JSON.stringify(place)}`);
        await app.stop();
    } finally {
        await screen.stop();
    }
});
