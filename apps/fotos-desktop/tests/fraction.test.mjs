// A desktop at 150 %, which on X11 is larger letters, or twice the pixels with smaller letters. WebKit tells where the pointer is in
// whole units, and a unit is one and a half pixels here: what is chosen is captured to a pixel at each edge, and leaves as it is shown.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { App } from "./app.mjs";
import { Screen } from "./screen.mjs";
import { until } from "./waiting.mjs";

const [ROOT, RED] = ["#336699", "#b02040"];

for (const [name, size] of [["letters of 144 dpi", { scale: 1, dpi: 144 }], ["two pixels for a unit, and letters of 144 dpi for both", { scale: 2, dpi: 72 }]]) {
    describe(name, () => {
        let [screen, app] = [];

        before(async () => {
            screen = await Screen.start({ size: "1800x1200", ...size });
            await screen.window("Quarterly numbers", RED, { x: 1100, y: 700 });
            app = await App.start(screen);
        });

        after(async () => {
            await app?.stop();
            await screen?.stop();
        });

        test("a region has the pixels that were below the pointer, and they leave as they are shown", async () => {
            const place = await screen.place(await screen.find("Quarterly numbers"));
            const shot = await app.taking(async () => {
                await screen.key("ctrl+shift+s");
                const overlay = await until("the frozen screen", () => screen.find("Choose a region"));
                assert.deepEqual(await screen.place(overlay), { x: 0, y: 0, width: 1800, height: 1200 });
                await until("a page that hears the pointer", async () => {
                    await screen.drag({ x: place.x - 40, y: place.y - 40 }, { x: place.x + 160, y: place.y + 60 });
                    return !(await screen.find("Choose a region"));
                });
            });
            for (const [given, wanted] of [[shot.width, 200], [shot.height, 100]]) assert.ok(Math.abs(given - wanted) <= 2, `${given} instead of ${wanted} pixels`);
            const exported = await app.exported();
            assert.deepEqual(await app.colours(exported, [[43, 43], [shot.width - 1, shot.height - 1]]), [RED, RED]);
            assert.notEqual((await app.colours(exported, [[36, 80]]))[0], RED);
            assert.equal(await app.difference(exported, await app.file(`/fotos/api/shots/${shot.screenshot_id}/picture`)), 0);
        });

        test("at 100 % on the canvas, one pixel of the picture is one of the screen", async () => {
            const shot = await app.taking(() => app.capture("fullscreen"));
            assert.deepEqual([shot.width, shot.height], [1800, 1200]);
            assert.equal((await app.colours(await app.exported(), [[5, 5]]))[0], ROOT);
            await app.keys("control", "1");
            const width = await app.run(() => document.getElementById("sheet").getBoundingClientRect().width * devicePixelRatio);
            assert.equal(width, 1800);
        });

        test("nothing of the window is cut off", async () => {
            const { across, wide } = await app.run(() => ({ across: document.documentElement.scrollWidth, wide: innerWidth }));
            // Half a unit is rounded up.
            assert.ok(across <= wide + 1, `${across} units in a window of ${wide}`);
        });
    });
}
