// `deskmate serve` on a free port, in a home of its own.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

export class Desk {
    /** With these arguments and variables besides. */
    static async start(args = [], variables = {}) {
        const folder = await mkdtemp(join(tmpdir(), "deskmate-desk-"));
        await mkdir(join(folder, ".cursor"));
        await writeFile(join(folder, ".cursor/mcp.json"), "{}");
        const env = { PATH: process.env.PATH, HOME: folder, FOTOS_NOTIFY: "off", ...variables };
        // A program of its own: pages name it, and pictures of them go to docs/.
        const program = join(folder, "deskmate");
        await copyFile(process.env.DESKMATE, program);
        const server = spawn(program, ["serve", "--port", "0", ...args], { env, stdio: ["ignore", "pipe", "inherit"] });
        const said = [];
        for await (const line of createInterface({ input: server.stdout })) {
            said.push(line);
            if (line.includes("Ctrl-C")) break;
        }
        const text = said.join("\n");
        const url = text.match(/MCP at (http:\/\/[^/]+)/)[1];
        const link = text.match(/Open (http:\/\/\S+)/)[1];
        return Object.assign(new Desk(), { folder, env, server, url, link });
    }

    async stop() {
        this.server.kill();
        await once(this.server, "exit");
        await rm(this.folder, { recursive: true });
    }
}

/** An X display with nothing on it but its colour; `name` is for `DISPLAY`. */
export class Display {
    static async start() {
        const server = spawn("Xvfb", ["-displayfd", "1", "-screen", "0", "800x600x24", "-nolisten", "tcp", "-noreset"], { stdio: ["ignore", "pipe", "ignore"] });
        const [line] = await once(createInterface({ input: server.stdout }), "line");
        return Object.assign(new Display(), { server, name: `:${line.trim()}` });
    }

    async stop() {
        this.server.kill();
        await once(this.server, "exit");
    }
}
