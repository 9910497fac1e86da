// The real application: started by WebKit's WebDriver, which lets a test act in its window.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { Driver, KEY } from "./webdriver.mjs";
import { until } from "./waiting.mjs";

async function freePort() {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address();
    server.close();
    await once(server, "close");
    return port;
}

export class App {
    /** Starts it, and waits until its page is there. */
    static async start(screen, args = []) {
        const port = await freePort();
        const driver = spawn("WebKitWebDriver", [`--port=${port}`], { env: { ...screen.env, TAURI_WEBVIEW_AUTOMATION: "true" }, stdio: process.env.FOTOS_TEST_NOISE ? ["ignore", "inherit", "inherit"] : "ignore" });
        const app = Object.assign(new App(), { screen, process: driver, driver: new Driver(port) });
        await until("WebDriver", () => app.driver.send("GET", "/status"));
        await app.driver.open(process.env.FOTOS_DESKTOP, args);
        app.pid = await until("the application on the bus", () => app.owner());
        await until("the page", () => app.driver.run(() => document.body.dataset.ready === "yes"));
        return app;
    }

    /** Ends it, as the system does: nobody is asked about what is not saved. */
    async stop() {
        if (await this.isRunning()) process.kill(this.pid);
        await until("the end", async () => !(await this.isRunning()));
        if (this.process.exitCode === null && this.process.signalCode === null) {
            this.process.kill();
            await once(this.process, "exit");
        }
    }

    /** The process of the application, if there is one. */
    async owner() {
        try {
            const told = await this.screen.run("dbus-send", "--session", "--print-reply", "--dest=org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus.GetConnectionUnixProcessID", "string:io.github.charly.fotos.SingleInstance");
            return Number(told.match(/uint32 (\d+)/)[1]);
        } catch {
            // Nobody has the name.
            return null;
        }
    }

    /** Whether the application itself is there. */
    async isRunning() {
        return (await this.owner()) !== null;
    }

    run(work, ...args) {
        return this.driver.run(work, ...args);
    }

    api(path, options) {
        return this.run(async (where, how) => {
            const response = await fetch(`/fotos/api/${where}`, how ?? undefined);
            return response.json();
        }, path, options ?? null);
    }

    shots() {
        return this.api("shots");
    }

    shown() {
        return this.run(() => document.getElementById("sheet").dataset.shot ?? null);
    }

    /** Does something, and waits until another screenshot is shown than before; returns what is said of it. */
    async taking(work) {
        const before = await this.shown();
        await work();
        const id = await until("a new screenshot", async () => {
            const now = await this.shown();
            return now !== before && now;
        });
        return this.api(`shots/${id}`);
    }

    /** Does something, and waits until the host's picture of it is shown. */
    async changing(work) {
        const revision = () => this.run(() => Number(document.getElementById("sheet").dataset.revision));
        const before = await revision();
        await work();
        await until("a change", async () => (await revision()) > before);
    }

    /** The marks on the screenshot that is shown. */
    async marks() {
        return (await this.api(`shots/${await this.shown()}/document`)).annotations;
    }

    /** Colours of a picture at some places, as `#rrggbb`; `source` is an address, or base64 of a PNG file. */
    async colours(source, places) {
        return this.run(async (from, wanted) => {
            const blob = from.startsWith("/") ? await (await fetch(from)).blob() : new Blob([Uint8Array.from(atob(from), (letter) => letter.charCodeAt(0))], { type: "image/png" });
            const image = await createImageBitmap(blob);
            const canvas = document.createElement("canvas");
            Object.assign(canvas, { width: image.width, height: image.height });
            const context = canvas.getContext("2d");
            context.drawImage(image, 0, 0);
            return wanted.map(([x, y]) => `#${[...context.getImageData(x, y, 1, 1).data].slice(0, 3).map((part) => part.toString(16).padStart(2, "0")).join("")}`);
        }, source, places);
    }

    /** How many pixels of two PNG files, as base64, differ. */
    async difference(one, other) {
        return this.run(async (...files) => {
            const [first, second] = await Promise.all(files.map(async (text) => {
                const image = await createImageBitmap(new Blob([Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))], { type: "image/png" }));
                const canvas = document.createElement("canvas");
                Object.assign(canvas, { width: image.width, height: image.height });
                const context = canvas.getContext("2d");
                context.drawImage(image, 0, 0);
                return context.getImageData(0, 0, image.width, image.height);
            }));
            if (first.width !== second.width || first.height !== second.height) return -1;
            let different = 0;
            for (let at = 0; at < first.data.length; at += 4) if ([0, 1, 2].some((part) => first.data[at + part] !== second.data[at + part])) different += 1;
            return different;
        }, one, other);
    }

    /** The screenshot that is shown, as it leaves: base64 of a PNG file. */
    async exported() {
        return this.file(`/fotos/api/shots/${await this.shown()}/export?format=png`);
    }

    /** What is at an address, as base64. */
    file(address) {
        return this.run(async (where) => {
            const bytes = new Uint8Array(await (await fetch(where)).arrayBuffer());
            let text = "";
            for (const byte of bytes) text += String.fromCharCode(byte);
            return btoa(text);
        }, address);
    }

    /** Chooses a way to capture in the menu. */
    async capture(kind) {
        await this.run((wanted) => {
            document.getElementById("capture-menu").click();
            document.querySelector(`#capture-list [data-capture=${wanted}]`).click();
        }, kind);
    }

    async messages() {
        return this.run(() => [...document.querySelectorAll("#toasts .toast")].map((one) => one.textContent));
    }

    /** Keys for the page, with the picture focused. */
    async keys(...keys) {
        // After a capture the window comes back, and after a dialog the keyboard does, a little later than the page goes on.
        await this.screen.run("xdotool", "windowactivate", "--sync", await until("the window", () => this.screen.find("^Fotos$")));
        await this.run(() => document.getElementById("stage").focus());
        await this.driver.press(...keys.map((key) => KEY[key] ?? key));
    }

    /** A picture with something private in it, drawn by the page; returns where it is. */
    async sample() {
        const text = await this.run(() => {
            const canvas = document.createElement("canvas");
            Object.assign(canvas, { width: 640, height: 300 });
            const context = canvas.getContext("2d");
            context.fillStyle = "#fff";
            context.fillRect(0, 0, 640, 300);
            context.fillStyle = "#111";
            context.font = "28px 'DejaVu Sans', sans-serif";
            ["Order 4711", "Mail: ada.lovelace@example.org", "Nothing else here"].forEach((line, at) => context.fillText(line, 40, 70 + at * 70));
            return canvas.toDataURL("image/png").split(",")[1];
        });
        const path = join(this.screen.folder, "order.png");
        await writeFile(path, Buffer.from(text, "base64"));
        return path;
    }

    /** Puts a file into the page as the person does with the file chooser. */
    async openFile(path) {
        return this.taking(() => this.driver.type("#file", path));
    }
}
