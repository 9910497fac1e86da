// A cookbook of its own: a server on a free port and an empty database, and ways to fill it.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const KEY = "the-bootstrap-key";

export class Book {
    static async start() {
        const folder = await mkdtemp(join(tmpdir(), "deskmate-browser-"));
        const database = `sqlite://${join(folder, "recipes.db")}`;
        const env = { PATH: process.env.PATH, HOME: folder, API_KEY: KEY, DATABASE_URL: database };
        const server = spawn(process.env.RECIPE_VAULT, ["serve", "--port", "0"], { env, stdio: ["ignore", "pipe", "inherit"] });
        const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]();
        const url = (await lines.next()).value.match(/http:\/\/[^/]+/)[0];
        const home = (await lines.next()).value.match(/http:\/\/\S+\/home\/\S+/)[0];
        return Object.assign(new Book(), { folder, env, server, url, home });
    }

    async stop() {
        this.server.kill();
        await once(this.server, "exit");
        await rm(this.folder, { recursive: true });
    }

    async api(method, path, body, headers = {}) {
        const isBytes = body instanceof Uint8Array;
        const response = await fetch(`${this.url}/api${path}`, {
            method,
            headers: { "X-API-Key": KEY, ...(body && !isBytes ? { "Content-Type": "application/json" } : {}), ...headers },
            body: body && !isBytes ? JSON.stringify(body) : body,
        });
        if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
        return response.status === 204 ? null : response.json();
    }

    /** A family with one owner. */
    async family(name, email) {
        const family = await this.api("POST", "/families", { name });
        await this.api("PUT", `/families/${family.id}/members/${email}`, { role: "owner" });
        return family.id;
    }

    /** The address of a link that signs a member in once. */
    async invite(email) {
        const command = spawn(process.env.RECIPE_VAULT, ["invite", email, "--url", this.url], { env: this.env });
        const [line] = await once(createInterface({ input: command.stdout }), "line");
        return line.trim();
    }

    /** Puts recipes into a family's book. */
    async fill(family, recipes) {
        const made = [];
        for (const recipe of recipes) made.push(await this.api("POST", "/recipes", recipe, { "X-Family-Id": family }));
        return made;
    }
}
