// Checks, one line each, and the count that decides how a script ends.

import { readFileSync } from 'node:fs';

/** How long a check may take: far more than any of them needs. */
const PATIENCE_MS = 60_000;

let passed = 0;
let failed = 0;

/** Runs one check; what it throws is why it failed. */
export async function check(name, body) {
    let timer;
    const late = new Promise((_, reject) => {
        timer = setTimeout(() => reject(new Error(`nothing after ${PATIENCE_MS} ms`)), PATIENCE_MS);
    });
    try {
        await Promise.race([body(), late]);
        passed += 1;
        console.log(`  ok      ${name}`);
    } catch (error) {
        failed += 1;
        const reason = error instanceof Error ? error.message : String(error);
        console.log(`  FAILED  ${name}: ${reason.replaceAll('\n', '\n          ')}`);
    } finally {
        clearTimeout(timer);
    }
}

/** Says how it went, and ends. */
export function finish() {
    console.log(`${passed} passed, ${failed} failed`);
    process.exit(failed === 0 && passed > 0 ? 0 : 1);
}

/** What `run` hands to every script. */
export function given(name) {
    const value = process.env[name];
    if (!value) throw new Error(`\`${name}\` is not set; start the scripts with \`interop/run\``);
    return value;
}

/** The command that starts the fixture on stdio and writes down what it is sent. */
export function recorded(file) {
    return ['sh', '-c', 'tee "$0" | "$1" stdio', file, given('INTEROP_SERVER')];
}

/** The messages in such a file. */
export function messages(file) {
    return readFileSync(file, 'utf8').trim().split('\n').map((line) => JSON.parse(line));
}

/** Notifications, in the order they came, and a way to wait for one. */
export class News {
    #heard = [];
    #waiting = new Set();

    add(item) {
        this.#heard.push(item);
        for (const look of this.#waiting) look();
    }

    /** Forgets what came before. */
    clear() {
        this.#heard = [];
    }

    get all() {
        return [...this.#heard];
    }

    /** Resolves when one fits, for as long as the check around it has patience. */
    until(fits) {
        return new Promise((resolve) => {
            const look = () => {
                const found = this.#heard.find(fits);
                if (found === undefined) return;
                this.#waiting.delete(look);
                resolve(found);
            };
            this.#waiting.add(look);
            look();
        });
    }
}

/** What a client finds fault with, without failing. */
export class Complaints {
    #heard = [];
    #late = [];

    /**
     * Both TypeScript clients forget a call's token as soon as its answer is read, and look at progress only after that:
     * what came in the same read as the answer is a complaint to them. Those are kept apart, for the check to count.
     */
    static #forgotten = /^Received a progress notification for an unknown token: (.*)$/s;

    add(error) {
        const forgotten = Complaints.#forgotten.exec(error.message);
        if (forgotten === null) this.#heard.push(error.message);
        else this.#late.push(JSON.parse(forgotten[1]).params);
    }

    get all() {
        return [...this.#heard];
    }

    /** Progress that came together with the answer, in order. */
    get late() {
        return [...this.#late];
    }
}
