// The screenshots of Fotos in docs/, of the real window: node pictures.mjs FOLDER

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Agent } from "./agent.mjs";
import { App } from "./app.mjs";
import { Screen } from "./screen.mjs";
import { until } from "./waiting.mjs";

const folder = process.argv[2];
const screen = await Screen.start({ size: "1440x960" });

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

const shoot = async (app, name) => {
    await app.run(() => Promise.all([...document.querySelectorAll("img")].filter((image) => image.src && image.offsetWidth).map((image) => image.decode().catch(() => undefined))).then(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(null))))));
    await writeFile(join(folder, `fotos-${name}.png`), await app.driver.screenshot());
};
const calm = (app) => app.run(() => document.getElementById("toasts").replaceChildren());
const theme = (app, name) => app.run((wanted) => fetch("/fotos/api/settings", { method: "PATCH", body: JSON.stringify({ ui: { theme: wanted }, capture: { copyToClipboardAfterCapture: false } }) }).then(() => null), name)
    .then(() => until("the colours", () => app.run((wanted) => document.documentElement.dataset.theme === wanted, name)));

let app;
let agent;
try {
    await screen.window("Build log", "#1e2530", { x: 760, y: 90 });
    await screen.window("Report of the day", "#7a3048", { x: 120, y: 420 });
    app = await App.start(screen);
    await theme(app, "light");
    await shoot(app, "welcome");
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
    await app.run(() => document.getElementById("settings").click());
    await until("the settings", () => app.run(() => Boolean(document.getElementById("set-ui-theme"))));
    await shoot(app, "settings");
    await app.run(() => document.getElementById("dialog").close());
    await theme(app, "light");
    await app.openFile(file);
    await app.keys("x");
    await app.run(() => [...document.querySelectorAll("#private button")].find((one) => one.textContent === "Find what is private").click());
    await until("what is private", () => app.run(() => document.querySelectorAll("#private label").length >= 3), 240);
    await calm(app);
    await shoot(app, "redact");
    await app.run(() => {
        document.getElementById("capture-menu").click();
        document.querySelector("#capture-list [data-capture=window]").click();
    });
    await until("the picker", () => app.run(() => document.querySelectorAll("#dialog .choices img").length >= 2));
    await shoot(app, "picker");
    await app.run(() => document.getElementById("dialog").close());
    agent = await Agent.start(screen);
    for (const mode of ["fullscreen", "window"]) {
        const { result } = await agent.call("take_screenshot", mode === "window" ? { mode, window_title: "Build log" } : { mode });
        if (!result || result.isError) throw new Error(JSON.stringify(result));
    }
    await agent.call("list_screenshots");
    await app.run(() => document.getElementById("tab-agents").click());
    await until("the calls", () => app.run(() => document.querySelectorAll("#agents .calls li").length >= 3));
    await calm(app);
    await shoot(app, "agents");
} finally {
    await agent?.stop();
    await app?.stop();
    await screen.stop();
}
