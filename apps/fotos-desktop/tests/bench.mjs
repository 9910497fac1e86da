// What the window costs, beside Flameshot on the same display: node bench.mjs; prints tables in Markdown.

import { spawn } from "node:child_process";
import { readFile, readdir } from "node:fs/promises";
import { App } from "./app.mjs";
import { Screen } from "./screen.mjs";
import { until } from "./waiting.mjs";

const ROUNDS = 5;
const median = (values) => values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)];

/** Processes that belong to this one: it, and everything it started. */
async function family(pid) {
    const parents = new Map();
    for (const name of await readdir("/proc")) {
        if (!/^\d+$/.test(name)) continue;
        try {
            const stat = await readFile(`/proc/${name}/stat`, "utf8");
            parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]));
        } catch {
            // It ended meanwhile.
        }
    }
    const found = [pid];
    for (const one of found) for (const [child, parent] of parents) if (parent === one) found.push(child);
    return found;
}

/** Megabytes of these processes: what each has alone, and its share of what others have, too. */
async function memory(pids) {
    const each = await Promise.all(pids.map(async (pid) => Number((await readFile(`/proc/${pid}/smaps_rollup`, "utf8")).match(/^Pss:\s+(\d+)/m)[1])));
    return each.reduce((sum, one) => sum + one, 0) / 1024;
}

/** The process that has a name on the bus. */
async function ownerOf(screen, name) {
    const told = await screen.run("dbus-send", "--session", "--print-reply", "--dest=org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus.GetConnectionUnixProcessID", `string:${name}`);
    return Number(told.match(/uint32 (\d+)/)[1]);
}

async function fotos(size) {
    const [starts, captures, regions] = [[], [], []];
    let idle = 0;
    const screen = await Screen.start({ size });
    try {
        for (let round = 0; round < ROUNDS; round += 1) {
            const began = Date.now();
            const app = await App.start(screen);
            starts.push(await until("the first frame", () => app.run(() => {
                const [paint] = performance.getEntriesByName("first-contentful-paint");
                return paint && performance.timeOrigin + paint.startTime;
            })) - began);
            if (round === 0) {
                // The page is there; what it loaded is let go of.
                await app.run(() => new Promise((resolve) => setTimeout(resolve, 3000)));
                idle = await memory(await family(await ownerOf(screen, "io.github.charly.fotos.SingleInstance")));
            }
            await app.run(() => fetch("/fotos/api/settings", { method: "PATCH", body: JSON.stringify({ capture: { copyToClipboardAfterCapture: false } }) }).then(() => null));
            captures.push(await app.run(() => new Promise((resolve) => {
                const sheet = document.getElementById("sheet");
                const begin = performance.now();
                new MutationObserver((_, observer) => {
                    observer.disconnect();
                    requestAnimationFrame(() => resolve(performance.now() - begin));
                }).observe(sheet, { attributes: true, attributeFilter: ["data-shot"] });
                document.querySelector("[data-capture=fullscreen]").click();
            })));
            // At rest: the shortcut, until the frozen screen is there.
            const asked = Date.now();
            await screen.key("ctrl+shift+s");
            await until("the frozen screen", () => screen.find("Choose a region"));
            regions.push(Date.now() - asked);
            await until("Escape to be heard", async () => {
                await screen.key("Escape");
                return !(await screen.find("Choose a region"));
            });
            await app.stop();
        }
    } finally {
        await screen.stop();
    }
    return { start: median(starts), capture: median(captures), region: median(regions), idle };
}

async function flameshot(size) {
    const screen = await Screen.start({ size });
    try {
        const shown = [];
        const began = Date.now();
        const daemon = spawn("flameshot", [], { env: screen.env, stdio: "ignore" });
        await until("its service", () => ownerOf(screen, "org.flameshot.Flameshot"));
        const start = Date.now() - began;
        const idle = await memory([daemon.pid]);
        // Its window has a class, and no title that `xdotool` finds.
        const frozen = () => screen.run("xdotool", "search", "--onlyvisible", "--class", "flameshot").then((found) => found.trim() || null, () => null);
        for (let round = 0; round < ROUNDS; round += 1) {
            const asked = Date.now();
            const gui = spawn("flameshot", ["gui"], { env: screen.env, stdio: "ignore" });
            await until("its window", frozen);
            shown.push(Date.now() - asked);
            await until("Escape to be heard", async () => {
                await screen.key("Escape");
                return !(await frozen());
            });
            gui.kill();
        }
        daemon.kill();
        return { start, region: median(shown), idle };
    } finally {
        await screen.stop();
    }
}

const rows = [];
for (const [name, size] of [["1920x1080", "1920x1080"], ["3840x2160", "3840x2160"]]) {
    const [ours, theirs] = [await fotos(size), await flameshot(size)];
    rows.push([name, ours, theirs]);
}
const ms = (value) => `${Math.round(value)} ms`;
console.log("The window, on Xvfb with openbox; Flameshot from Debian's package in the same run.\n");
console.log("| | screen | Fotos | Flameshot |\n|---|---|--:|--:|");
for (const [name, ours, theirs] of rows) {
    console.log(`| start to the first frame; Flameshot: to its service | ${name} | ${ms(ours.start)} | ${ms(theirs.start)} |`);
    console.log(`| capture to the canvas | ${name} | ${ms(ours.capture)} | |`);
    console.log(`| from the shortcut to the frozen screen | ${name} | ${ms(ours.region)} | ${ms(theirs.region)} |`);
    console.log(`| memory, idle | ${name} | ${Math.round(ours.idle)} MB | ${Math.round(theirs.idle)} MB |`);
}
