// An agent: `fotos-mcp` that relays to the window, spoken to as a client does.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

export class Agent {
    static async start(screen, mode = "bridge", { name = "window-test", env = {} } = {}) {
        const process_ = spawn(process.env.FOTOS_MCP, ["--mode", mode], { env: { ...screen.env, ...env }, stdio: ["pipe", "pipe", "inherit"] });
        const agent = Object.assign(new Agent(), { process: process_, waiting: new Map(), next: 0 });
        createInterface({ input: process_.stdout }).on("line", (line) => {
            const told = JSON.parse(line);
            agent.waiting.get(told.id)?.(told);
        });
        await agent.ask("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name, version: "1" } });
        agent.#write({ method: "notifications/initialized" });
        return agent;
    }

    #write(message) {
        this.process.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    }

    /** The whole answer: `result` or `error`. */
    ask(method, params) {
        this.next += 1;
        const id = this.next;
        return new Promise((resolve) => {
            this.waiting.set(id, resolve);
            this.#write({ id, method, params });
        });
    }

    call(name, args = {}) {
        return this.ask("tools/call", { name, arguments: args });
    }

    async stop() {
        this.process.stdin.end();
        if (this.process.exitCode === null) await once(this.process, "exit");
    }
}
