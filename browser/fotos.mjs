// Fotos for a test file: a display, and the example host of the crate `fotos` with its pages.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** A display of its own; the server chooses the number. */
async function display() {
    const server = spawn("Xvfb", ["-displayfd", "3", "-screen", "0", "1000x700x24", "-nolisten", "tcp"], { stdio: ["ignore", "ignore", "ignore", "pipe"] });
    const [number] = await once(createInterface({ input: server.stdio[3] }), "line");
    return { server, name: `:${number.trim()}` };
}

export class Fotos {
    /** With these variables for the host besides. */
    static async start(variables = {}) {
        const folder = await mkdtemp(join(tmpdir(), "deskmate-fotos-"));
        const runtime = join(folder, "run");
        await mkdir(runtime, { mode: 0o700 });
        const screen = await display();
        const env = { PATH: process.env.PATH, HOME: folder, DESKMATE_HOME: join(folder, "home"), XDG_RUNTIME_DIR: runtime, DISPLAY: screen.name, ...variables };
        const host = spawn(process.env.FOTOS_HOST, [], { env, stdio: ["pipe", "pipe", "inherit"] });
        const lines = createInterface({ input: host.stdout })[Symbol.asyncIterator]();
        const { value } = await lines.next();
        if (value !== "ready") throw new Error(`the host said: ${value}`);
        const fotos = Object.assign(new Fotos(), { folder, screen, env, host, lines, programs: [] });
        return fotos;
    }

    /** Has the person do something outside of the pages. */
    async order(order) {
        this.host.stdin.write(`${JSON.stringify(order)}\n`);
        const answer = JSON.parse((await this.lines.next()).value);
        if (answer?.error) throw new Error(answer.error);
        return answer;
    }

    /** A link that lets a browser in, once. */
    link() {
        return this.order("pages");
    }

    /** A window on the display, with this title. */
    async window(title) {
        const program = spawn("zenity", ["--info", "--no-wrap", `--title=${title}`, "--text=Seen through a window"], { env: { ...this.env, GDK_BACKEND: "x11" }, stdio: "ignore" });
        this.programs.push(program);
        return program;
    }

    async stop() {
        for (const program of [...this.programs, this.host, this.screen.server]) {
            if (program.exitCode !== null || program.signalCode !== null) continue;
            program.kill();
            await once(program, "exit");
        }
        await rm(this.folder, { recursive: true });
    }
}
