// Talking to the host.

const base = `${document.body.dataset.base}/api`;

export const url = (path) => `${base}/${path}`;

async function checked(response) {
    if (response.ok) return response;
    let message = `the host answered with ${response.status}`;
    try {
        message = (await response.json()).error;
    } catch {
        // It was no answer of ours.
    }
    throw Object.assign(new Error(message), { status: response.status });
}

async function send(method, path, body, options = {}) {
    const isBytes = body instanceof Blob;
    const text = body === undefined || isBytes ? body : JSON.stringify(body);
    let response;
    try {
        response = await fetch(url(path), { method, body: text, ...options });
    } catch (error) {
        if (error.name === "AbortError") throw error;
        throw new Error("Fotos does not answer; start it again");
    }
    return checked(response);
}

export const get = async (path) => (await send("GET", path)).json();
export const post = async (path, body, headers) => (await send("POST", path, body, { headers })).json();
export const patch = async (path, body) => (await send("PATCH", path, body)).json();
export const put = async (path, body) => (await send("PUT", path, body)).json();
export const remove = async (path) => (await send("DELETE", path)).json();

/** A picture and where it lies, if the host says so. */
export async function picture(path) {
    const response = await send("GET", path);
    const place = response.headers.get("x-place")?.split(",").map(Number);
    return { blob: await response.blob(), place };
}

/** Long work: `progress` hears what comes in between; returns what it came to. */
export async function long(path, body, progress, signal) {
    const response = await send("POST", path, body, { signal });
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
        const { value, done } = await reader.read();
        rest += value ?? "";
        const lines = rest.split("\n");
        rest = lines.pop();
        for (const line of lines) {
            const said = JSON.parse(line);
            if (said.error !== undefined) throw new Error(said.error);
            if (said.done !== undefined) return said.done;
            progress(said);
        }
        if (done) throw new Error("the work broke off; try again");
    }
}
