// The window: start, capture, draw, redact, copy, save, settings.

import assert from "node:assert/strict";
import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { App } from "./app.mjs";
import { Screen } from "./screen.mjs";
import { until } from "./waiting.mjs";

const ROOT = "#336699";
const RED = "#b02040";
const GREEN = "#20a050";
let [screen, app] = [];

before(async () => {
    screen = await Screen.start({ size: "1400x900" });
    await screen.window("Quarterly numbers", RED, { x: 900, y: 500 });
    app = await App.start(screen);
});

after(async () => {
    await app?.stop();
    await screen?.stop();
});

const picture = (shot) => `/fotos/api/shots/${shot.screenshot_id}/picture`;

test("the window is there, and only its own link lets anybody in", async () => {
    const { desktop, application } = await app.api("state");
    assert.ok(application);
    assert.deepEqual([desktop.copy, desktop.paste, desktop.save, desktop.pin, desktop.overlay, desktop.quit], [true, true, true, true, true, true]);
    assert.equal(desktop.shortcut, "Ctrl+Shift+S");
    const { origin, cookie, invoke } = await app.run(() => ({ origin: location.origin, cookie: document.cookie, invoke: Boolean(window.__TAURI__) }));
    assert.match(origin, /^http:\/\/127\.0\.0\.1:\d+$/);
    assert.equal(cookie, "", "scripts cannot read the cookie");
    assert.equal(invoke, false);
    for (const path of ["/fotos", "/fotos/api/state", "/fotos/api/events", "/"]) assert.equal((await fetch(origin + path)).status, 401, path);
    assert.ok(await screen.find("^Fotos$"));
});

test("what lets the window in is on no disk: a program that may read the person's files could act as the person", async () => {
    const [cookie] = await app.driver.get("cookie");
    assert.match(cookie.name, /^fotos-\d+$/);
    assert.ok(cookie.httpOnly && cookie.value.length > 30);
    const { origin } = await app.run(() => ({ origin: location.origin }));
    // It is the one that counts.
    assert.equal((await fetch(`${origin}/fotos/api/state`, { headers: { cookie: `${cookie.name}=${cookie.value}` } })).status, 200);
    await assert.rejects(screen.run("grep", "--recursive", "--text", "--files-with-matches", "--fixed-strings", cookie.value, screen.folder), { code: 1 });
});

test("the window goes nowhere else", async () => {
    const before_ = await app.run(() => location.href);
    await app.run(() => {
        location.href = "http://127.0.0.1:1/elsewhere";
        return new Promise((resolve) => setTimeout(resolve, 300));
    });
    assert.equal(await app.run(() => location.href), before_);
    // A command of the program itself is nothing that a page may call.
    const refused = await app.run(() => window.__TAURI_INTERNALS__.invoke("plugin:window|close", { label: "main" }).then(() => "done", (error) => `refused: ${error}`));
    assert.match(refused, /refused/);
});

test("one click connects the AI apps of this person", async () => {
    const file = join(screen.folder, ".cursor/mcp.json");
    await mkdir(join(screen.folder, ".cursor"));
    await writeFile(file, "{}\n");
    await app.driver.click("#connect");
    await until("the entry", async () => JSON.parse(await readFile(file, "utf8")).mcpServers?.fotos);
    await until("what was done", () => app.run(() => document.getElementById("connected").textContent.includes("Cursor")));
});

test("all screens are captured, without our own window, and copied", async () => {
    const shot = await app.taking(() => app.capture("fullscreen"));
    assert.deepEqual([shot.width, shot.height, shot.mode], [1400, 900, "fullscreen"]);
    const place = await screen.place(await screen.find("^Fotos$"));
    const middle = [place.x + place.width / 2, place.y + place.height / 2].map(Math.round);
    assert.deepEqual(await app.colours(picture(shot), [[5, 5], middle]), [ROOT, ROOT]);
    const copied = await until("the picture in the clipboard", async () => (await screen.bytes("xclip", "-selection", "clipboard", "-t", "image/png", "-o")).toString("base64"));
    assert.equal(await app.difference(copied, await app.exported()), 0, "the clipboard holds what was promised");
});

test("a region is chosen on the frozen screen by pointer, and taken again", async () => {
    const shot = await app.taking(async () => {
        await app.capture("region");
        await until("the frozen screen", () => screen.find("Choose a region"));
        assert.equal(await screen.find("^Fotos$"), null, "the window is out of the way");
        const [overlay] = [await screen.find("Choose a region")];
        assert.deepEqual(await screen.place(overlay), { x: 0, y: 0, width: 1400, height: 900 });
        await until("the frozen picture", () => app.api("frozen").then(({ box }) => box));
        await until("a page that hears the pointer", async () => {
            await screen.drag({ x: 880, y: 480 }, { x: 1080, y: 630 });
            return !(await screen.find("Choose a region"));
        });
    });
    assert.deepEqual([shot.width, shot.height], [200, 150]);
    const [inside] = await app.colours(picture(shot), [[150, 100]]);
    assert.equal(inside, RED);
    assert.ok(await until("the window again", () => screen.find("^Fotos$")));
    const again = await app.taking(() => app.capture("repeat"));
    assert.deepEqual([again.width, again.height], [200, 150]);
});

test("a click on the frozen screen takes the window below the pointer", async () => {
    const place = await screen.place(await screen.find("Quarterly numbers"));
    const middle = { x: place.x + 60, y: place.y + 40 };
    const shot = await app.taking(async () => {
        await screen.key("ctrl+shift+s");
        await until("the frozen screen", () => screen.find("Choose a region"));
        await until("a page that hears the pointer", async () => {
            await screen.drag(middle, middle);
            return !(await screen.find("Choose a region"));
        });
    });
    assert.ok(Math.abs(shot.width - place.width) <= 8 && shot.height >= place.height && shot.height <= place.height + 40, `${shot.width} × ${shot.height}`);
    assert.equal((await app.colours(picture(shot), [[Math.round(shot.width / 2), Math.round(shot.height / 2)]]))[0], RED);
});

test("the shortcut freezes the screen from anywhere, keys choose, Escape leaves", async () => {
    const known = (await app.shots()).length;
    await screen.key("ctrl+shift+s");
    await until("the frozen screen", () => screen.find("Choose a region"));
    await until("Escape to be heard", async () => {
        await screen.key("Escape");
        return !(await screen.find("Choose a region"));
    });
    await until("the window again", () => screen.find("^Fotos$"));
    assert.equal((await app.shots()).length, known);
    const shot = await app.taking(async () => {
        await screen.key("ctrl+shift+s");
        await until("the frozen screen", () => screen.find("Choose a region"));
        await until("keys to be heard", async () => {
            await screen.key("Right", "Return");
            return !(await screen.find("Choose a region"));
        });
    });
    assert.deepEqual([shot.width, shot.height], [700, 450]);
});

test("while a region is chosen, no other key takes a picture, and the window comes back", async () => {
    const known = (await app.shots()).length;
    await screen.key("ctrl+shift+s");
    await until("the frozen screen", () => screen.find("Choose a region"));
    await screen.key("ctrl+shift+a");
    await screen.key("ctrl+shift+s");
    await until("Escape to be heard", async () => {
        await screen.key("Escape");
        return !(await screen.find("Choose a region"));
    });
    await until("the window again", () => screen.find("^Fotos$"), 10);
    assert.equal((await app.shots()).length, known);
});

test("a key that is pressed twice freezes the screen once", async () => {
    const shot = await app.taking(async () => {
        await screen.key("ctrl+shift+s", "ctrl+shift+s");
        await until("the frozen screen", () => screen.find("Choose a region"));
        await until("a page that hears the pointer", async () => {
            await screen.drag({ x: 20, y: 20 }, { x: 1380, y: 400 });
            return !(await screen.find("Choose a region"));
        });
    });
    // Neither shade nor hint of another frozen screen is in it.
    const places = Array.from({ length: 40 }, (_, at) => [20 + at * 33, 20 + (at * 97) % 340]);
    assert.deepEqual([...new Set(await app.colours(picture(shot), places))], [ROOT]);
});

test("a monitor, a window from the picker, and a picture after a while", async () => {
    const monitor = await app.taking(() => app.capture("monitor"));
    assert.deepEqual([monitor.mode, monitor.width, monitor.height], ["monitor", 1400, 900]);
    const shot = await app.taking(async () => {
        await app.capture("window");
        const titles = await until("the picker", () => app.run(() => {
            const all = [...document.querySelectorAll("#dialog .choices button b")].map((one) => one.textContent);
            return all.length > 0 && all;
        }));
        assert.deepEqual(titles, ["Quarterly numbers"], "our own window is not in the list");
        await until("its picture", () => app.run(() => document.querySelector("#dialog .choices img").naturalWidth > 0));
        await app.run(() => document.querySelector("#dialog .choices button").click());
    });
    assert.equal(shot.mode, "window");
    assert.equal((await app.colours(picture(shot), [[Math.round(shot.width / 2), Math.round(shot.height / 2)]]))[0], RED);
    await app.taking(async () => {
        await app.run(() => {
            document.getElementById("delay").value = "3000";
        });
        await app.capture("fullscreen");
        await until("a countdown", () => app.run(() => !document.getElementById("countdown").hidden));
    });
    await app.run(() => {
        document.getElementById("delay").value = "0";
    });
});

test("of two windows with the same title, the one that was chosen is captured", async () => {
    const other = screen.program("xterm", ["-T", "Quarterly numbers", "-bg", GREEN, "-fg", GREEN, "-cr", GREEN, "-geometry", "40x12+60+60", "-e", "sleep", "3600"]);
    const known = () => app.api("windows").then((all) => all.filter(({ title }) => title === "Quarterly numbers").length);
    await until("both windows", async () => (await known()) === 2);
    const colours = [];
    for (const at of [0, 1]) {
        const shot = await app.taking(async () => {
            await app.capture("window");
            await until("the picker", () => app.run(() => document.querySelectorAll("#dialog .choices button").length === 2));
            await app.run((chosen) => document.querySelectorAll("#dialog .choices button")[chosen].click(), at);
        });
        colours.push((await app.colours(picture(shot), [[Math.round(shot.width / 2), Math.round(shot.height / 2)]]))[0]);
    }
    assert.deepEqual(colours.toSorted(), [GREEN, RED].toSorted());
    other.kill();
    await until("the other one to go", async () => (await known()) === 1);
});

test("marks are drawn by pointer and keys, and undone; what leaves is what was shown", async () => {
    await app.openFile(await app.sample());
    await app.keys("control", "1");
    await app.keys("r");
    await app.changing(() => app.driver.drag("#sheet", [60, 60], [220, 160]));
    await app.keys("a");
    await app.changing(() => app.keys("enter"));
    await app.keys("t");
    await app.keys("enter");
    await app.driver.type("#words", "Look here");
    await app.changing(() => app.driver.press("\uE009", "\uE007"));
    assert.deepEqual((await app.marks()).map(({ type }) => type), ["rect", "arrow", "text"]);
    await app.changing(() => app.keys("control", "z"));
    assert.deepEqual((await app.marks()).map(({ type }) => type), ["rect", "arrow"]);
    await app.changing(() => app.keys("control", "shift", "z"));
    assert.equal((await app.marks()).length, 3);
    const [edge] = await app.colours(`data:image/png;base64,${await app.exported()}`.split(",")[1], [[60, 100]]);
    const shown = await app.run(async () => {
        const image = document.getElementById("picture");
        await image.decode();
        const canvas = document.createElement("canvas");
        Object.assign(canvas, { width: image.naturalWidth, height: image.naturalHeight });
        canvas.getContext("2d").drawImage(image, 0, 0);
        return canvas.toDataURL("image/png").split(",")[1];
    });
    assert.equal(edge, "#ff0000");
    assert.equal(await app.difference(shown, await app.exported()), 0);
});

test("redaction is reviewed, covers for good, and cannot be undone", async () => {
    const shot = await app.openFile(await app.sample());
    assert.equal(shot.title, "order.png");
    const before_ = await app.exported();
    await app.keys("x");
    await app.run(() => [...document.querySelectorAll("#private button")].find((one) => one.textContent === "Find what is private").click());
    await until("what is private", () => app.run(() => [...document.querySelectorAll("#private label")].some((one) => one.textContent.includes("E-mail"))), 180);
    await app.run(() => [...document.querySelectorAll("#private button")].find((one) => /^Cover/.test(one.textContent)).click());
    await app.changing(() => until("the question", () => app.run(() => {
        const yes = [...document.querySelectorAll("#dialog button")].find((one) => one.textContent === "Cover for good");
        yes?.click();
        return Boolean(yes);
    })));
    assert.ok((await app.difference(before_, await app.exported())) > 1000);
    assert.ok(await app.run(() => document.getElementById("undo").disabled));
});

test("a picture is pasted, and pinned on top", async () => {
    const file = await app.sample();
    const owner = screen.program("xclip", ["-selection", "clipboard", "-t", "image/png", "-i", file]);
    assert.ok(owner.pid);
    await until("the clipboard", async () => (await screen.bytes("xclip", "-selection", "clipboard", "-t", "image/png", "-o")).equals(await readFile(file)));
    const shot = await app.taking(() => app.keys("control", "v"));
    assert.equal(shot.title, "Clipboard");
    assert.equal(await app.difference((await readFile(file)).toString("base64"), await app.exported()), 0);
    await app.keys("p");
    const pin = await until("the pin", () => screen.find("Pinned"));
    assert.match(await screen.run("xprop", "-id", pin, "_NET_WM_STATE"), /ABOVE/);
    await app.run((id) => fetch(`/fotos/api/shots/${id}`, { method: "DELETE" }).then(() => null), shot.screenshot_id);
    await until("the pin to go with its picture", async () => !(await screen.find("Pinned")));
    await until("another picture", async () => (await app.shown()) !== shot.screenshot_id);
});

test("it is saved: at once, and where the person says", async () => {
    await app.taking(() => app.capture("fullscreen"));
    await app.keys("control", "s");
    const folder = join(screen.folder, "Pictures/Fotos");
    const [name] = await until("a file", async () => {
        const all = await readdir(folder);
        // The name is taken first; the picture comes in one step.
        return all.length === 1 && all[0].endsWith(".png") && (await readFile(join(folder, all[0]))).length > 0 && all;
    });
    assert.equal(await app.difference((await readFile(join(folder, name))).toString("base64"), await app.exported()), 0);
    const chosen = join(screen.folder, "chosen.png");
    await app.keys("control", "e");
    await app.run(() => [...document.querySelectorAll("#dialog button")].find((one) => one.textContent === "Save").click());
    const dialog = await until("the dialog of the desktop", () => screen.find("^Save as$"));
    await screen.run("xdotool", "windowactivate", "--sync", dialog);
    await screen.key("ctrl+a");
    await screen.run("xdotool", "type", "--clearmodifiers", chosen);
    await screen.key("Return");
    const saved = await until("the file", async () => (await readFile(chosen)).toString("base64") || null);
    assert.equal(await app.difference(saved, await app.exported()), 0);
    await until("the page to know", async () => !(await app.api(`shots/${await app.shown()}`)).unsaved);
});

test("settings are kept in the person's file", async () => {
    await app.driver.click("#settings");
    await until("the settings", () => app.run(() => Boolean(document.getElementById("set-ui-theme"))));
    await app.run(() => {
        const theme = document.getElementById("set-ui-theme");
        theme.value = "dark";
        theme.dispatchEvent(new Event("change"));
    });
    await until("the dark window", () => app.run(() => document.documentElement.dataset.theme === "dark"));
    const kept = await until("the file", async () => JSON.parse(await readFile(join(screen.folder, "home/fotos/settings.json"), "utf8")));
    assert.equal(kept.ui.theme, "dark");
    await app.run(() => document.getElementById("dialog").close());
});
