// Two monitors: the frozen screen is on both, and a region is right on either and across.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { App } from "./app.mjs";
import { Screen } from "./screen.mjs";
import { until } from "./waiting.mjs";

let [screen, app] = [];
const [LEFT, RIGHT] = ["#b02040", "#20a050"];

before(async () => {
    screen = await Screen.start({ monitors: 2 });
    await screen.window("On the left", LEFT, { x: 600, y: 300 });
    await screen.window("On the right", RIGHT, { x: 1300, y: 300 });
    app = await App.start(screen);
});

after(async () => {
    await app?.stop();
    await screen?.stop();
});

/** The windows of the frozen screen, from left to right. */
async function overlays() {
    const all = (await screen.run("xdotool", "search", "--onlyvisible", "--name", "Choose a region").catch(() => "")).trim().split("\n").filter(Boolean);
    const places = await Promise.all(all.map((one) => screen.place(one)));
    return places.sort((one, other) => one.x - other.x);
}

async function region(from, to) {
    return app.taking(async () => {
        await screen.key("ctrl+shift+s");
        await until("the frozen screen on both monitors", async () => (await overlays()).length === 2);
        assert.deepEqual(await overlays(), [{ x: 0, y: 0, width: 1024, height: 768 }, { x: 1024, y: 0, width: 1024, height: 768 }]);
        await until("a page that hears the pointer", async () => {
            await screen.drag(from, to);
            return (await overlays()).length === 0;
        });
    });
}

const colour = async (shot, x, y) => (await app.colours(`/fotos/api/shots/${shot.screenshot_id}/picture`, [[x, y]]))[0];

test("a region on the left monitor, on the right one, and across both", async () => {
    const left = await region({ x: 610, y: 330 }, { x: 710, y: 400 });
    assert.deepEqual([left.width, left.height, await colour(left, 50, 35)], [100, 70, LEFT]);
    const right = await region({ x: 1310, y: 330 }, { x: 1430, y: 410 });
    assert.deepEqual([right.width, right.height, await colour(right, 60, 40)], [120, 80, RIGHT]);
    const across = await region({ x: 700, y: 350 }, { x: 1400, y: 430 });
    assert.deepEqual([across.width, across.height, await colour(across, 20, 40), await colour(across, 660, 40)], [700, 80, LEFT, RIGHT]);
});

test("Escape on one monitor leaves both", async () => {
    await screen.run("xdotool", "mousemove", "1500", "600");
    await screen.key("ctrl+shift+s");
    await until("the frozen screen on both monitors", async () => (await overlays()).length === 2);
    await until("Escape to be heard", async () => {
        await screen.key("Escape");
        return (await overlays()).length === 0;
    });
});

test("one screen is chosen from the list", async () => {
    const shot = await app.taking(async () => {
        await app.capture("monitor");
        await until("the list", () => app.run(() => document.querySelectorAll("#dialog .choices button").length === 2));
        await app.run(() => document.querySelectorAll("#dialog .choices button")[1].click());
    });
    assert.deepEqual([shot.mode, shot.width, shot.height], ["monitor", 1024, 768]);
    assert.equal(await colour(shot, 1350 - 1024, 350), RIGHT);
});
