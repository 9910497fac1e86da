// WebDriver, as much of it as the tests need.

import { request } from "node:http";

const ELEMENT = "element-6066-11e4-a52e-4f735466cecf";
export const KEY = { control: "\uE009", shift: "\uE008", alt: "\uE00A", enter: "\uE007", escape: "\uE00C", tab: "\uE004", delete: "\uE017" };

/** A session with one window. */
export class Driver {
    constructor(port) {
        this.port = port;
    }

    send(method, path, body, seconds = 60) {
        return new Promise((resolve, reject) => {
            const text = body === undefined ? undefined : JSON.stringify(body);
            const headers = text === undefined ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(text) };
            const asked = request({ host: "127.0.0.1", port: this.port, method, path, headers, timeout: seconds * 1000 }, (answer) => {
                const parts = [];
                answer.on("data", (part) => parts.push(part));
                answer.on("end", () => {
                    const told = JSON.parse(Buffer.concat(parts).toString());
                    if (answer.statusCode === 200) resolve(told.value);
                    else reject(new Error(`${method} ${path}: ${told.value?.error}: ${told.value?.message}`));
                });
            });
            asked.on("timeout", () => asked.destroy(new Error(`${method} ${path}: no answer within ${seconds} s`)));
            asked.on("error", reject);
            asked.end(text);
        });
    }

    async open(binary, args) {
        const wanted = { browserName: "wry", "webkitgtk:browserOptions": { binary, args } };
        const { sessionId } = await this.send("POST", "/session", { capabilities: { alwaysMatch: wanted } });
        this.path = `/session/${sessionId}`;
        await this.post("timeouts", { script: 180_000 });
    }

    post(path, body = {}, seconds) {
        return this.send("POST", `${this.path}/${path}`, body, seconds);
    }

    get(path) {
        return this.send("GET", `${this.path}/${path}`);
    }

    /** Runs a function in the page; what it returns is waited for. */
    async run(work, ...args) {
        const script = `const done = arguments[arguments.length - 1]; const given = [...arguments].slice(0, -1);
            Promise.resolve().then(() => (${work})(...given)).then((value) => done({ value: value ?? null }), (error) => done({ error: String(error) }));`;
        const told = await this.post("execute/async", { script, args }, 200);
        if (told.error) throw new Error(told.error);
        return told.value;
    }

    async find(selector) {
        return (await this.post("element", { using: "css selector", value: selector }))[ELEMENT];
    }

    async click(selector) {
        await this.post(`element/${await this.find(selector)}/click`);
    }

    async type(selector, text) {
        await this.post(`element/${await this.find(selector)}/value`, { text });
    }

    /** Presses keys at once: the last one, with those before it held. */
    async press(...keys) {
        const actions = [...keys.map((value) => ({ type: "keyDown", value })), ...keys.toReversed().map((value) => ({ type: "keyUp", value }))];
        await this.post("actions", { actions: [{ type: "key", id: "keys", actions }] });
    }

    /** Drags the pointer over an element, from one place in it to another. */
    async drag(selector, from, to) {
        const { x, y } = await this.run((wanted) => {
            const { left, top } = document.querySelector(wanted).getBoundingClientRect();
            return { x: left, y: top };
        }, selector);
        const at = ([dx, dy]) => ({ type: "pointerMove", duration: 0, x: Math.round(x + dx), y: Math.round(y + dy) });
        const half = [(from[0] + to[0]) / 2, (from[1] + to[1]) / 2];
        const actions = [at(from), { type: "pointerDown", button: 0 }, at(half), at(to), { type: "pointerUp", button: 0 }];
        await this.post("actions", { actions: [{ type: "pointer", id: "mouse", parameters: { pointerType: "mouse" }, actions }] });
    }

    async screenshot() {
        return Buffer.from(await this.get("screenshot"), "base64");
    }
}
