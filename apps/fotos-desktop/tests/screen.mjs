// A desktop for a test: an X server, a window manager and a message bus, each of its own.

import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { until } from "./waiting.mjs";

const output = promisify(execFile);

/** Where X servers without a graphics card are told what they have. */
const DUMMY = `
Section "ServerFlags"
    Option "AutoAddDevices" "false"
EndSection
Section "Device"
    Identifier "card"
    Driver "dummy"
    VideoRam 256000
EndSection
Section "Monitor"
    Identifier "monitor"
    HorizSync 5.0-1000.0
    VertRefresh 5.0-200.0
    Modeline "1024x768" 65.00 1024 1048 1184 1344 768 771 777 806 -hsync -vsync
EndSection
Section "Screen"
    Identifier "screen"
    Device "card"
    Monitor "monitor"
    DefaultDepth 24
    SubSection "Display"
        Depth 24
        Modes "1024x768"
        Virtual 2048 768
    EndSubSection
EndSection
`;

export class Screen {
    /**
     * One monitor of this size; or two of 1024 by 768, side by side. `scale` is how many pixels programs take for a unit, and `dpi`
     * how large letters are (96 is usual): a desktop makes fractions of the two. `keyring` is a keychain that is open.
     */
    static async start({ size = "1400x900", monitors = 1, scale = 1, dpi = null, tray = false, keyring = false } = {}) {
        const folder = await mkdtemp(join(tmpdir(), "fotos-"));
        const runtime = join(folder, "run");
        await mkdir(runtime, { mode: 0o700 });
        const screen = Object.assign(new Screen(), { folder, programs: [] });
        const number = monitors === 1 ? await screen.#xvfb(size) : await screen.#xorg();
        const bus = screen.#start("dbus-daemon", ["--session", "--nofork", "--print-address"], { PATH: process.env.PATH, XDG_RUNTIME_DIR: runtime }, ["ignore", "pipe", "ignore"]);
        const [address] = await once(createInterface({ input: bus.stdout }), "line");
        screen.env = {
            PATH: process.env.PATH, LANG: "C.UTF-8", HOME: folder, DESKMATE_HOME: join(folder, "home"), XDG_RUNTIME_DIR: runtime, XDG_CONFIG_HOME: join(folder, "config"), XDG_DATA_HOME: join(folder, "data"),
            XDG_CACHE_HOME: join(folder, "cache"), DISPLAY: `:${number}`, DBUS_SESSION_BUS_ADDRESS: address, GDK_BACKEND: "x11", NO_AT_BRIDGE: "1", LIBGL_ALWAYS_SOFTWARE: "1", FOTOS_NOTIFY: "off",
            GDK_SCALE: String(scale),
        };
        if (monitors === 2) await screen.#joinMonitors();
        screen.program("openbox", ["--sm-disable"]);
        await until("a window manager", async () => /window id/.test(await screen.run("xprop", "-root", "_NET_SUPPORTING_WM_CHECK")));
        await screen.run("xsetroot", "-solid", "#336699");
        if (dpi) {
            const resources = join(folder, "resources");
            await writeFile(resources, `Xft.dpi: ${dpi}\n`);
            await screen.run("xrdb", "-nocpp", "-load", resources);
        }
        if (keyring) {
            const keychain = screen.#start("gnome-keyring-daemon", ["--foreground", "--unlock", "--components=secrets"], screen.env, ["pipe", "ignore", "ignore"]);
            keychain.stdin.end("\n");
            await until("a keychain", async () => (await screen.run("dbus-send", "--session", "--print-reply", "--dest=org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus.NameHasOwner", "string:org.freedesktop.secrets")).includes("true"));
        }
        if (tray) {
            screen.program("trayer", ["--edge", "top", "--align", "right", "--widthtype", "pixel", "--width", "60", "--heighttype", "pixel", "--height", "24"]);
            await until("a tray", async () => (await screen.run("xdotool", "search", "--class", "trayer")).trim());
        }
        return screen;
    }

    async #xvfb(size) {
        const server = this.#start("Xvfb", ["-displayfd", "1", "-screen", "0", `${size}x24`, "-nolisten", "tcp", "-noreset"], { PATH: process.env.PATH }, ["ignore", "pipe", "ignore"]);
        const [line] = await once(createInterface({ input: server.stdout }), "line");
        return line.trim();
    }

    async #xorg() {
        const config = join(this.folder, "xorg.conf");
        await writeFile(config, DUMMY);
        const server = this.#start("Xorg", ["-displayfd", "1", "-config", config, "-logfile", join(this.folder, "xorg.log"), "-noreset", "-nolisten", "tcp", "-sharevts", "-novtswitch"], { PATH: process.env.PATH }, ["ignore", "pipe", "ignore"]);
        const [line] = await once(createInterface({ input: server.stdout }), "line");
        return line.trim();
    }

    /** The dummy driver has more outputs than it shows. */
    async #joinMonitors() {
        await this.run("xrandr", "--addmode", "DUMMY1", "1024x768");
        await this.run("xrandr", "--output", "DUMMY0", "--mode", "1024x768", "--pos", "0x0", "--primary");
        await this.run("xrandr", "--output", "DUMMY1", "--mode", "1024x768", "--pos", "1024x0");
        await until("two monitors", async () => (await this.run("xrandr", "--listmonitors")).includes("Monitors: 2"));
    }

    #start(name, args, env, stdio) {
        const program = spawn(name, args, { env, stdio });
        this.programs.push(program);
        return program;
    }

    /** Starts a program that stays until the end. */
    program(name, args, env = {}) {
        return this.#start(name, args, { ...this.env, ...env }, process.env.FOTOS_TEST_NOISE ? ["ignore", "inherit", "inherit"] : "ignore");
    }

    /** The same, for one that is listened to. */
    listener(name, args) {
        return this.#start(name, args, this.env, ["ignore", "pipe", "inherit"]);
    }

    /** What a program says that ends by itself. */
    async run(name, ...args) {
        return (await output(name, args, { env: this.env, encoding: "utf8", timeout: 60_000 })).stdout;
    }

    /** The same, as bytes. */
    async bytes(name, ...args) {
        return (await output(name, args, { env: this.env, encoding: "buffer", maxBuffer: 1 << 28, timeout: 60_000 })).stdout;
    }

    /** A window in one colour, at this place on the screen. */
    async window(title, colour, place) {
        this.program("xterm", ["-T", title, "-bg", colour, "-fg", colour, "-cr", colour, "-geometry", `40x12+${place.x}+${place.y}`, "-e", "sleep", "3600"]);
        return until(`the window ${title}`, () => this.find(title));
    }

    /** The number of the visible window with this title, or nothing. */
    async find(title) {
        try {
            return (await this.run("xdotool", "search", "--onlyvisible", "--name", title)).trim().split("\n").at(-1) || null;
        } catch {
            return null;
        }
    }

    /** Where a window is. */
    async place(window) {
        const told = await this.run("xwininfo", "-id", window);
        const number = (name) => Number(told.match(new RegExp(`${name}:\\s+(-?\\d+)`))[1]);
        return { x: number("Absolute upper-left X"), y: number("Absolute upper-left Y"), width: number("Width"), height: number("Height") };
    }

    /** How many menus are open: windows of their own kind. */
    async menus() {
        const all = (await this.run("xdotool", "search", "--onlyvisible", "--class", "fotos").catch(() => "")).trim().split("\n").filter(Boolean);
        const kinds = await Promise.all(all.map((one) => this.run("xprop", "-id", one, "_NET_WM_WINDOW_TYPE").catch(() => "")));
        return kinds.filter((kind) => /MENU/.test(kind)).length;
    }

    /** Drags the real pointer. */
    async drag(from, to) {
        const half = { x: Math.round((from.x + to.x) / 2), y: Math.round((from.y + to.y) / 2) };
        const steps = [["mousemove", from.x, from.y], ["mousedown", 1], ["mousemove", half.x, half.y], ["mousemove", to.x, to.y], ["mouseup", 1]];
        for (const step of steps) await this.run("xdotool", ...step.map(String));
    }

    async key(...keys) {
        await this.run("xdotool", "key", "--clearmodifiers", ...keys);
    }

    async stop() {
        for (const program of this.programs.reverse()) {
            if (program.exitCode !== null || program.signalCode !== null) continue;
            program.kill();
            await once(program, "exit");
        }
        await rm(this.folder, { recursive: true, maxRetries: 5, retryDelay: 100 });
    }
}
