// Agents and the window: what they take appears in it, the person pauses them, and the window comes and goes under them.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { after, before, test } from "node:test";
import { Agent } from "./agent.mjs";
import { App } from "./app.mjs";
import { Screen } from "./screen.mjs";
import { until } from "./waiting.mjs";

let [screen, app, agent] = [];

before(async () => {
    screen = await Screen.start({ tray: true });
    agent = await Agent.start(screen);
});

after(async () => {
    await agent?.stop();
    await app?.stop();
    await screen?.stop();
});

const textOf = (answer) => JSON.stringify(answer);

/** Starts the program a second time, and waits for its end. */
async function second(...args) {
    const started = spawn(process.env.FOTOS_DESKTOP, args, { env: screen.env, stdio: "inherit" });
    const [code] = await once(started, "exit");
    return code;
}

test("main app unavailable: a bridged call says how to start the window", async () => {
    const { error } = await agent.call("take_screenshot", { mode: "fullscreen" });
    assert.equal(error.code, -32000);
    assert.match(error.message, /fotos-desktop/);
});

test("the window is started later, and the same agent is served by it", async () => {
    app = await App.start(screen);
    const { result } = await until("the bridge", async () => {
        const answer = await agent.call("take_screenshot", { mode: "fullscreen" });
        return !answer.error && answer;
    });
    assert.ok(!result.isError, textOf(result));
    const [shot] = await until("the agent's screenshot in the window", async () => {
        const shots = await app.shots();
        return shots.length === 1 && shots;
    });
    assert.equal(shot.by, "agent");
    // The person may have something in the window that is not shared.
    const place = await screen.place(await screen.find("^Fotos$"));
    const middle = [place.x + place.width / 2, place.y + place.height / 2].map(Math.round);
    assert.deepEqual(await app.colours(`/fotos/api/shots/${shot.screenshot_id}/picture`, [middle, [5, 890]]), ["#000000", "#336699"]);
    await until("its picture", async () => (await app.shown()) === shot.screenshot_id);
    await until("a message", async () => (await app.messages()).some((text) => text.includes("An agent took a screenshot")));
    assert.ok(await app.run(() => Boolean(document.querySelector("#shots .badge.agent"))));
});

test("annotations of an agent are undone by the person", async () => {
    const [shot] = await app.shots();
    const { result } = await agent.call("annotate_screenshot", { screenshot_id: shot.screenshot_id, annotations: [{ type: "rect", x: 10, y: 10, width: 80, height: 50 }] });
    assert.ok(!result.isError, textOf(result));
    const drawn = await until("the picture with the mark", async () => (await app.shots()).find(({ annotations }) => annotations === 1));
    // The page hears of it a little later than the host knows it.
    await until("it in the row", () => app.run((id) => {
        const open = document.querySelector(`#shots li[data-id="${id}"] .open`);
        open?.click();
        return Boolean(open);
    }, drawn.screenshot_id));
    await until("it in the window", async () => (await app.shown()) === drawn.screenshot_id);
    await app.changing(() => app.keys("control", "z"));
    assert.equal((await app.marks()).length, 0);
});

test("the person sees each call, and one switch pauses agents", async () => {
    await app.driver.click("#tab-agents");
    const calls = await until("the calls", () => app.run(() => {
        const all = [...document.querySelectorAll("#agents .calls li b")].map((one) => one.textContent);
        return all.length > 0 && all;
    }));
    assert.ok(calls.includes("take_screenshot"));
    await app.driver.click("#pause");
    await until("the pause", async () => (await app.api("agents")).paused);
    const known = (await app.shots()).length;
    const refused = await agent.call("take_screenshot", { mode: "fullscreen" });
    assert.match(textOf(refused), /paused/i);
    assert.equal((await app.shots()).length, known);
    await app.driver.click("#pause");
    await until("agents to go on", async () => !(await app.api("agents")).paused);
    assert.ok(!(await agent.call("take_screenshot", { mode: "fullscreen" })).error);
});

test("closed, the window rests in the tray; a second start brings it up", async () => {
    const window = await screen.find("^Fotos$");
    await screen.run("xdotool", "windowactivate", "--sync", window);
    await screen.key("alt+F4");
    await until("the window to go", async () => !(await screen.find("^Fotos$")));
    assert.ok(await app.isRunning(), "agents are still served");
    assert.ok(!(await agent.call("list_screenshots")).error);
    assert.equal(await second(), 0);
    await until("the window", () => screen.find("^Fotos$"));
});

/** Clicks the icon in the tray, and chooses the entry that so many steps down lead to. */
async function fromTray(steps) {
    // The tray is wider than its icons.
    const icon = await screen.place(await until("the icon", async () => (await screen.run("xdotool", "search", "--class", "tray-icon tray app")).trim().split("\n").at(-1)));
    await screen.run("xdotool", "mousemove", String(Math.round(icon.x + icon.width / 2)), String(Math.round(icon.y + icon.height / 2)), "click", "1");
    await until("the menu", async () => (await screen.menus()) > 0);
    await screen.key(...Array(steps).fill("Down"), "Return");
    await until("the menu to go", async () => (await screen.menus()) === 0);
}

test("the tray: a region, the window, and the switch that pauses agents, each by clicks", async () => {
    await fromTray(1);
    await until("the frozen screen", () => screen.find("Choose a region"));
    await until("Escape to be heard", async () => {
        await screen.key("Escape");
        return !(await screen.find("Choose a region"));
    });
    await screen.run("xdotool", "windowactivate", "--sync", await until("the window", () => screen.find("^Fotos$")));
    await screen.key("alt+F4");
    await until("the window to go", async () => !(await screen.find("^Fotos$")));
    await fromTray(3);
    await until("the window", () => screen.find("^Fotos$"));
    await fromTray(4);
    await until("the pause", async () => (await app.api("agents")).paused);
    assert.match(textOf(await agent.call("list_screenshots")), /paused/i);
    await fromTray(4);
    await until("agents to go on", async () => !(await app.api("agents")).paused);
});

test("a second start chooses a region, and opens a file", async () => {
    assert.equal(await second("--region"), 0);
    await until("the frozen screen", () => screen.find("Choose a region"));
    await until("Escape to be heard", async () => {
        await screen.key("Escape");
        return !(await screen.find("Choose a region"));
    });
    const file = await app.sample();
    const shot = await app.taking(() => second(file));
    assert.equal(shot.title, "order.png");
});

test("an agent brings the window up", async () => {
    assert.ok(!(await agent.call("take_screenshot", { mode: "fullscreen" })).error);
    const [{ screenshot_id: id }] = await app.shots();
    await screen.run("xdotool", "windowactivate", "--sync", await screen.find("^Fotos$"));
    await screen.key("alt+F4");
    await until("the window to go", async () => !(await screen.find("^Fotos$")));
    assert.ok(!(await agent.call("open_in_fotos", { screenshot_id: id })).error);
    await until("the window", () => screen.find("^Fotos$"));
    await until("the picture", async () => (await app.shown()) === id);
});

test("what is not saved is asked about at the end; then the bridge says that the window is gone", async () => {
    await app.taking(() => app.capture("fullscreen"));
    await app.keys("e");
    await app.changing(() => app.keys("enter"));
    await app.keys("control", "q");
    const question = await until("the question", () => screen.find("Quit Fotos"));
    await screen.run("xdotool", "windowactivate", "--sync", question);
    await screen.key("Escape");
    await until("the question to go", async () => !(await screen.find("Quit Fotos")));
    assert.ok(await app.isRunning());
    await app.keys("control", "q");
    const again = await until("the question", () => screen.find("Quit Fotos"));
    await screen.run("xdotool", "windowactivate", "--sync", again);
    await screen.key("alt+q");
    await screen.key("Return");
    await until("the end", async () => !(await app.isRunning()));
    await app.stop();
    const { error } = await agent.call("take_screenshot", { mode: "fullscreen" });
    assert.equal(error.code, -32000);
    app = await App.start(screen);
    await until("the bridge again", async () => !(await agent.call("take_screenshot", { mode: "fullscreen" })).error);
});
