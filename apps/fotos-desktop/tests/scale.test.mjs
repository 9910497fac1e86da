// Twice as many pixels as units: what is chosen on the frozen screen is what is captured, pixel by pixel.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { App } from "./app.mjs";
import { Screen } from "./screen.mjs";
import { until } from "./waiting.mjs";

let [screen, app] = [];
const [ROOT, RED] = ["#336699", "#b02040"];

before(async () => {
    screen = await Screen.start({ size: "2400x1600", scale: 2 });
    await screen.window("Quarterly numbers", RED, { x: 1500, y: 900 });
    app = await App.start(screen);
});

after(async () => {
    await app?.stop();
    await screen?.stop();
});

const picture = (shot) => `/fotos/api/shots/${shot.screenshot_id}/picture`;

async function choosing(work) {
    return app.taking(async () => {
        await screen.key("ctrl+shift+s");
        const overlay = await until("the frozen screen", () => screen.find("Choose a region"));
        assert.deepEqual(await screen.place(overlay), { x: 0, y: 0, width: 2400, height: 1600 });
        await until("a page that hears the pointer", async () => {
            await work();
            return !(await screen.find("Choose a region"));
        });
    });
}

test("a region has the pixels of the screen, not half of them", async () => {
    assert.equal(await app.run(() => devicePixelRatio), 2);
    const place = await screen.place(await screen.find("Quarterly numbers"));
    // Its upper left corner is forty pixels into the region, in both directions.
    const shot = await choosing(() => screen.drag({ x: place.x - 40, y: place.y - 40 }, { x: place.x + 160, y: place.y + 60 }));
    assert.deepEqual([shot.width, shot.height], [200, 100]);
    assert.deepEqual(await app.colours(picture(shot), [[41, 41], [199, 99]]), [RED, RED]);
    assert.notEqual((await app.colours(picture(shot), [[38, 80]]))[0], RED);
    const again = await app.taking(() => app.capture("repeat"));
    assert.deepEqual([again.width, again.height], [200, 100]);
    // Of the window, and not of its title, whose colour says which window has the keyboard.
    assert.deepEqual(await app.colours(picture(again), [[41, 41], [199, 99]]), [RED, RED]);
    assert.equal(await app.difference(await app.exported(), await app.file(picture(again))), 0);
});

test("a click takes the window below it, whole", async () => {
    const place = await screen.place(await screen.find("Quarterly numbers"));
    const shot = await choosing(() => screen.drag({ x: place.x + 100, y: place.y + 60 }, { x: place.x + 100, y: place.y + 60 }));
    assert.ok(shot.width >= place.width && shot.width <= place.width + 8, `${shot.width} of ${place.width}`);
    assert.equal((await app.colours(picture(shot), [[Math.round(shot.width / 2), Math.round(shot.height / 2)]]))[0], RED);
});

test("all of the screen, at 100 % on the canvas: one pixel of the picture is one of the screen", async () => {
    const shot = await app.taking(() => app.capture("fullscreen"));
    assert.deepEqual([shot.width, shot.height], [2400, 1600]);
    assert.equal((await app.colours(picture(shot), [[5, 5]]))[0], ROOT);
    await app.keys("control", "1");
    const width = await app.run(() => document.getElementById("sheet").getBoundingClientRect().width);
    assert.equal(width, 1200);
});
