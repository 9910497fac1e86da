// A relay in front of our server that writes down what went through it. Browsers do not tell a page, nor whoever
// drives them, how a request ended that the page may not know about.

import { createServer, request } from 'node:http';

export class Relay {
    #log = [];
    #waiting = [];
    #server;

    /** Listens on a port of its own and hands everything to `target`, headers as they came. */
    static async to(target) {
        const relay = new Relay();
        relay.#server = createServer((incoming, outgoing) => {
            const { method, url: path, headers } = incoming;
            const onward = request({ host: target.hostname, port: target.port, method, path, headers }, (answer) => {
                outgoing.writeHead(answer.statusCode, answer.rawHeaders);
                answer.pipe(outgoing);
                if (path === target.pathname) relay.#note(`${method} ${answer.statusCode}`);
            });
            onward.on('error', () => outgoing.destroy());
            outgoing.on('close', () => onward.destroy());
            incoming.pipe(onward);
        });
        await new Promise((resolve) => relay.#server.listen(0, '127.0.0.1', resolve));
        return relay;
    }

    get port() {
        return this.#server.address().port;
    }

    #note(line) {
        this.#log.push(line);
        for (const look of this.#waiting) look();
    }

    clear() {
        this.#log = [];
    }

    /** What went through since the last `clear`, as soon as there are `count`. */
    async answers(count) {
        await new Promise((resolve) => {
            const look = () => this.#log.length >= count && resolve();
            this.#waiting.push(look);
            look();
        });
        this.#waiting = [];
        return [...this.#log];
    }

    close() {
        this.#server.close();
        this.#server.closeAllConnections();
    }
}
