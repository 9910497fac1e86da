// The screenshots of Fotos in docs/, of the real window: node pictures.mjs FOLDER [MORE]; MORE gets every other state, to look at.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Agent } from "./agent.mjs";
import { App } from "./app.mjs";
import { Screen } from "./screen.mjs";
import { until } from "./waiting.mjs";

const [folder, more] = process.argv.slice(2);
const screen = await Screen.start({ size: "1440x960" });

const LOG = ["   Compiling northwind-api v0.9.2", "   Compiling northwind-web v0.9.2", "    Finished `release` profile in 41.80s", "     Running tests/invoices.rs", "", "running 18 tests", "test invoice::totals ........... ok", "test invoice::due_date ......... ok", "test invoice::sends_mail ....... FAILED", "", "thread panicked at src/mail.rs:88:", "  no sender for ada@example.org"];
const REPORT = ["Report of the day", "", "Orders        128   +12 %", "Returns         4    -1", "New customers  19", "", "Open questions", " - who owns the invoice mail?", " - is 14 days still right?"];

/** A terminal with some lines in it. */
async function terminal(title, lines, { back, front, at }) {
    const text = lines.map((line) => `${line}\n`).join("");
    screen.program("xterm", ["-T", title, "-bg", back, "-fg", front, "-cr", back, "-fa", "DejaVu Sans Mono", "-fs", "12", "-geometry", `46x15+${at.x}+${at.y}`, "-e", "sh", "-c", `printf '%s' "$0"; exec sleep 3600`, text]);
    await until(`the window ${title}`, () => screen.find(title));
}

/** Something to take a picture of: an order with private things in it. */
async function sample(app) {
    const text = await app.run(() => {
        const canvas = document.createElement("canvas");
        Object.assign(canvas, { width: 820, height: 520 });
        const context = canvas.getContext("2d");
        const box = (colour, x, y, width, height, radius) => {
            context.fillStyle = colour;
            context.beginPath();
            context.roundRect(x, y, width, height, radius);
            context.fill();
        };
        const write = (words, x, y, size, colour) => {
            context.fillStyle = colour;
            context.font = `${size}px "DejaVu Sans", sans-serif`;
            context.fillText(words, x, y);
        };
        box("#f4f6fb", 0, 0, 820, 520, 0);
        box("#233058", 0, 0, 820, 64, 0);
        write("Northwind · Order 4711", 28, 40, 22, "#fff");
        box("#dfe4f0", 28, 92, 764, 404, 12);
        box("#fff", 29, 93, 762, 402, 11);
        ["Customer: Ada Lovelace", "Mail: ada.lovelace@example.org", "Phone: +1 415 555 0132", "Card: 4111 1111 1111 1111"].forEach((line, at) => write(line, 60, 150 + at * 42, 18, "#1d2433"));
        box("#2a6df4", 60, 340, 200, 44, 8);
        write("Send the invoice", 80, 368, 18, "#fff");
        write("Total 1,240.00 EUR · due in 14 days", 60, 450, 16, "#5a6478");
        return canvas.toDataURL("image/png").split(",")[1];
    });
    const path = join(screen.folder, "Northwind order.png");
    await writeFile(path, Buffer.from(text, "base64"));
    return path;
}

const MARKS = [
    { type: "rect", x: 48, y: 328, width: 224, height: 68, color: "#E5484D", stroke_width: 4 },
    { type: "arrow", points: [{ x: 470, y: 410 }, { x: 284, y: 368 }], color: "#E5484D", stroke_width: 5 },
    { type: "text", x: 482, y: 398, text: "This button does nothing", color: "#E5484D", font_size: 22 },
    { type: "step", x: 40, y: 144, step_number: 1, color: "#4A45D9", font_size: 26 },
    { type: "highlight", x: 152, y: 130, width: 134, height: 28, color: "#FFD43B" },
    { type: "blur", x: 112, y: 254, width: 226, height: 30 },
];

const settled = (app) => app.run(() => Promise.all([...document.querySelectorAll("img")].filter((image) => image.src && image.offsetWidth).map((image) => image.decode().catch(() => undefined))).then(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(null))))));
const shoot = async (app, name) => {
    await settled(app);
    await writeFile(join(folder, `fotos-${name}.png`), await app.driver.screenshot());
};
/** The same, for what is no picture of the documents. */
const also = async (app, name) => {
    if (!more) return;
    await settled(app);
    await writeFile(join(more, `${name}.png`), await app.driver.screenshot());
};
/** The screen itself, as a person sees it: nothing is left out. */
async function wholeScreen() {
    const eye = await Agent.start(screen, "standalone", { env: { FOTOS_EXCLUDE: "none" } });
    const { result } = await eye.call("take_screenshot", { mode: "fullscreen", max_edge: 0 });
    await eye.stop();
    return Buffer.from(result.content.find(({ type }) => type === "image").data, "base64");
}
const calm = (app) => app.run(() => document.getElementById("toasts").replaceChildren());
const press = (app, id) => app.run((wanted) => document.getElementById(wanted).click(), id);
const leave = (app) => app.run(() => document.getElementById("dialog").close());
const theme = (app, name) => app.run((wanted) => fetch("/fotos/api/settings", { method: "PATCH", body: JSON.stringify({ ui: { theme: wanted }, capture: { copyToClipboardAfterCapture: false } }) }).then(() => null), name)
    .then(() => until("the colours", () => app.run((wanted) => document.documentElement.dataset.theme === wanted, name)));
const bothThemes = async (app, name) => {
    await also(app, `${name}-light`);
    await theme(app, "dark");
    await also(app, `${name}-dark`);
    await theme(app, "light");
};

let app;
let agent;
try {
    await screen.run("xsetroot", "-solid", "#2c4a6e");
    await terminal("Build log", LOG, { back: "#1e2530", front: "#d5dbe6", at: { x: 860, y: 60 } });
    await terminal("Report of the day", REPORT, { back: "#fbfaf6", front: "#2b2b33", at: { x: 110, y: 470 } });
    app = await App.start(screen);
    await theme(app, "light");
    await shoot(app, "welcome");
    await bothThemes(app, "welcome");
    const file = await sample(app);
    await app.openFile(file);
    const shown = await app.shown();
    await app.changing(() => app.run((id, marks) => fetch(`/fotos/api/shots/${id}/edit`, { method: "POST", body: JSON.stringify({ edit: { edit: "add", annotations: marks } }) }).then(() => null), shown, MARKS));
    await app.run(() => document.querySelectorAll("#items [data-id]")[4].click());
    await calm(app);
    await shoot(app, "light");
    await theme(app, "dark");
    await app.run(() => document.querySelectorAll("#items [data-id]")[4].click());
    await calm(app);
    await shoot(app, "dark");
    await press(app, "settings");
    await until("the settings", () => app.run(() => document.querySelectorAll(".api-keys .key").length > 0));
    await shoot(app, "settings");
    await theme(app, "light");
    await also(app, "settings-light");
    await leave(app);
    await press(app, "save-as");
    await bothThemes(app, "save-as");
    await leave(app);
    await press(app, "help");
    await bothThemes(app, "keys");
    await leave(app);
    await press(app, "capture-menu");
    await bothThemes(app, "capture-menu");
    await app.run(() => document.querySelector("#capture-list button").dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true })));
    await press(app, "tab-ask");
    await bothThemes(app, "ask");
    if (more) {
        await press(app, "tab-read");
        await app.run(() => document.querySelector("#read button").click());
        await until("the text", () => app.run(() => document.querySelectorAll(".lines .word").length > 5), 240);
        await app.run(() => document.querySelectorAll(".lines .word")[3].click());
        await bothThemes(app, "text");
        const window = await screen.find("^Fotos$");
        await screen.run("xdotool", "windowsize", "--sync", window, "640", "560");
        await press(app, "tab-items");
        await bothThemes(app, "small");
        await screen.run("xdotool", "windowsize", "--sync", window, "1280", "860");
        await until("its size", () => app.run(() => innerWidth > 1200));
    }
    await press(app, "tab-items");
    await app.openFile(file);
    await app.keys("x");
    await app.run(() => [...document.querySelectorAll("#private button")].find((one) => one.textContent === "Find what is private").click());
    await until("what is private", () => app.run(() => document.querySelectorAll("#private label").length >= 3), 240);
    await calm(app);
    await app.run(() => document.activeElement.blur());
    await shoot(app, "redact");
    await app.keys("v");
    await press(app, "tab-items");
    await app.run(() => {
        document.getElementById("capture-menu").click();
        document.querySelector("#capture-list [data-capture=window]").click();
    });
    await until("the picker", () => app.run(() => {
        const all = [...document.querySelectorAll("#dialog .choices img")];
        return all.length >= 2 && all.every((image) => image.naturalWidth > 0);
    }));
    await shoot(app, "picker");
    await leave(app);
    await app.run(() => document.querySelectorAll("#shots .open")[1].click());
    await until("the marks", async () => (await app.shown()) === shown);
    agent = await Agent.start(screen, "bridge", { name: "Claude Code" });
    for (const title of ["Report of the day", "Build log"]) {
        const { result } = await agent.call("take_screenshot", { mode: "window", window_title: title });
        if (!result || result.isError) throw new Error(JSON.stringify(result));
    }
    await agent.call("list_screenshots");
    await press(app, "tab-agents");
    await until("the calls", () => app.run(() => document.querySelectorAll("#agents .calls li").length >= 3));
    await calm(app);
    await app.run(() => document.activeElement.blur());
    await shoot(app, "agents");
    await bothThemes(app, "agents");
    // The frozen screen: a window below the pointer, then a region.
    await screen.key("ctrl+shift+s");
    await until("the frozen screen", () => screen.find("Choose a region"));
    const place = await screen.place(await screen.find("Build log"));
    const point = { x: place.x + 150, y: place.y + 140 };
    const isMarked = async (x, y) => {
        await screen.run("xdotool", "mousemove", String(x - 1), String(y), "mousemove", String(x), String(y));
        return true;
    };
    await until("the pointer", () => isMarked(point.x, point.y));
    await screen.run("sleep", "1");
    await until("the pointer", () => isMarked(point.x + 2, point.y + 2));
    await screen.run("sleep", "0.5");
    if (more) await writeFile(join(more, "overlay-window.png"), await wholeScreen());
    await screen.run("xdotool", "mousemove", "840", "180", "mousedown", "1", "mousemove", "1000", "240", "mousemove", "1290", "330");
    await screen.run("sleep", "0.5");
    await writeFile(join(folder, "fotos-region.png"), await wholeScreen());
    await screen.run("xdotool", "mouseup", "1");
} finally {
    await agent?.stop();
    await app?.stop();
    await screen.stop();
}
