// What a page can try. Each function runs in the page and returns what its script could see of an answer:
// `nothing`, or the text. None of them can use anything of this file.

/** A call with an effect, in the revision that needs no session. */
export const CALL = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: {
        name: 'tally',
        arguments: {},
        _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientInfo': { name: 'page', version: '0' },
            'io.modelcontextprotocol/clientCapabilities': {},
        },
    },
};

export const HEADERS = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': 'tally',
};

export const ATTACKS = {
    /** With a preflight, unless the page is of the same origin. */
    json: ({ url, call, headers }) =>
        fetch(url, { method: 'POST', headers, body: JSON.stringify(call) }).then(
            (response) => response.text(),
            () => 'nothing',
        ),
    'json with cookies': ({ url, call, headers }) =>
        fetch(url, { method: 'POST', headers, body: JSON.stringify(call), credentials: 'include' }).then(
            (response) => response.text(),
            () => 'nothing',
        ),
    /** Without a preflight: the request is sent, and only the answer is kept from the page. */
    simple: ({ url, call }) =>
        fetch(url, { method: 'POST', headers: { 'content-type': 'text/plain' }, body: JSON.stringify(call) }).then(
            (response) => response.text(),
            () => 'nothing',
        ),
    'simple without cors': ({ url, call }) =>
        fetch(url, { method: 'POST', mode: 'no-cors', body: JSON.stringify(call) }).then(
            async (response) => (await response.text()) || 'nothing',
            () => 'nothing',
        ),
    initialize: ({ url }) =>
        fetch(url, {
            method: 'POST',
            headers: { 'content-type': 'text/plain' },
            body: JSON.stringify({
                jsonrpc: '2.0',
                id: 1,
                method: 'initialize',
                params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'page', version: '0' } },
            }),
        }).then(
            (response) => `session ${response.headers.get('mcp-session-id')}`,
            () => 'nothing',
        ),
    beacon: async ({ url, call }) => {
        navigator.sendBeacon(url, JSON.stringify(call));
        // The beacon itself tells nobody how it went: a request on the same way, after it, does.
        await fetch(url, { method: 'POST', mode: 'no-cors', body: '' }).catch(() => {});
        return 'nothing';
    },
    get: ({ url }) =>
        fetch(url, { headers: { accept: 'text/event-stream' } }).then(
            (response) => response.text(),
            () => 'nothing',
        ),
    'get without cors': ({ url }) =>
        fetch(url, { mode: 'no-cors' }).then(
            async (response) => (await response.text()) || 'nothing',
            () => 'nothing',
        ),
    delete: ({ url }) =>
        fetch(url, { method: 'DELETE', headers: { 'mcp-session-id': 'x' } }).then(
            (response) => response.text(),
            () => 'nothing',
        ),
    events: ({ url }) =>
        new Promise((resolve) => {
            const source = new EventSource(url);
            source.onopen = () => resolve('an open stream');
            source.onmessage = ({ data }) => resolve(data);
            source.onerror = () => {
                source.close();
                resolve('nothing');
            };
        }),
    websocket: ({ url }) =>
        new Promise((resolve) => {
            const socket = new WebSocket(url.replace('http:', 'ws:'));
            socket.onopen = () => resolve('an open socket');
            socket.onerror = () => resolve('nothing');
        }),
    /** The body of a `text/plain` form is `name=value`, which can be made to be JSON. */
    form: ({ url, call }) =>
        new Promise((resolve) => {
            const frame = document.createElement('iframe');
            frame.name = 'answer';
            const form = document.createElement('form');
            Object.assign(form, { method: 'post', action: url, enctype: 'text/plain', target: 'answer' });
            const [name, value] = JSON.stringify({ ...call, rest: '|' }).split('|');
            form.append(Object.assign(document.createElement('input'), { type: 'hidden', name, value }));
            document.body.append(frame, form);
            frame.onload = () => {
                try {
                    resolve(frame.contentDocument.body.textContent || 'nothing');
                } catch {
                    // A document of another origin: it cannot be read.
                    resolve('nothing');
                }
            };
            form.submit();
        }),
    'script tag': ({ url }) =>
        new Promise((resolve) => {
            const script = Object.assign(document.createElement('script'), { src: url });
            script.onload = () => resolve('a script');
            script.onerror = () => resolve('nothing');
            document.body.append(script);
        }),
    'image tag': ({ url }) =>
        new Promise((resolve) => {
            const image = Object.assign(document.createElement('img'), { src: url });
            image.onload = () => resolve('an image');
            image.onerror = () => resolve('nothing');
            document.body.append(image);
        }),
    /** A page in a sandbox is of no origin at all. */
    'without an origin': ({ url, call, headers }) =>
        new Promise((resolve) => {
            addEventListener('message', ({ data }) => resolve(data), { once: true });
            const frame = document.createElement('iframe');
            frame.sandbox = 'allow-scripts';
            const options = JSON.stringify({ method: 'POST', headers, body: JSON.stringify(call) });
            frame.srcdoc = `<script>
                fetch(${JSON.stringify(url)}, ${options}).then((response) => response.text(), () => 'nothing')
                    .then((text) => parent.postMessage(text, '*'));
            </script>`;
            document.body.append(frame);
        }),
};
