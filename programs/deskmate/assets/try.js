// Calls a tool from its form, over the same MCP endpoint that apps use.

const VERSION = "2026-07-28";
const META = "io.modelcontextprotocol/";
let next = 1;

/** The arguments in a form. What is left empty is left out. */
const read = (form) => {
    const given = {};
    for (const field of form.elements) {
        if (!field.name) continue;
        if (field.dataset.kind === "switch") {
            if (field.checked) given[field.name] = true;
        } else if (field.value.trim() !== "") {
            const parse = { number: Number, json: JSON.parse, text: String }[field.dataset.kind];
            try {
                given[field.name] = parse(field.value);
            } catch (error) {
                throw new Error(`${field.name} is not JSON: ${error.message}`);
            }
        }
    }
    return given;
};

/** The answer in a stream of events, or in a body of JSON. */
const answerOf = async (response, id) => {
    const text = await response.text();
    if (!(response.headers.get("content-type") ?? "").startsWith("text/event-stream")) return JSON.parse(text);
    const messages = text.split(/\r?\n\r?\n/).map((event) => event.split(/\r?\n/).filter((line) => line.startsWith("data:")).map((line) => line.slice(5)).join("\n"));
    return messages.filter((data) => data.trim() !== "").map((data) => JSON.parse(data)).find((message) => message.id === id);
};

const call = async (endpoint, name, given) => {
    const id = next++;
    const meta = {
        [`${META}protocolVersion`]: VERSION,
        [`${META}clientInfo`]: { name: "dashboard", title: "this page", version: "1" },
        [`${META}clientCapabilities`]: {},
    };
    const response = await fetch(endpoint, {
        method: "POST",
        credentials: "same-origin",
        headers: {
            "Content-Type": "application/json",
            Accept: "application/json, text/event-stream",
            "MCP-Protocol-Version": VERSION,
            "Mcp-Method": "tools/call",
            "Mcp-Name": name,
        },
        body: JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: given, _meta: meta } }),
    });
    const answer = await answerOf(response, id);
    if (!answer) throw new Error("no answer came");
    if (answer.error) throw new Error(answer.error.message);
    return answer.result;
};

const element = (kind, properties) => Object.assign(document.createElement(kind), properties);

/** Text and pictures of a result. */
const show = (result) => (result.content ?? []).map((block) => {
    if (block.type === "image") {
        return element("img", { src: `data:${block.mimeType};base64,${block.data}`, alt: "The picture in the answer" });
    }
    const pre = element("pre", { tabIndex: 0 });
    pre.textContent = block.text ?? block.resource?.text ?? block.uri ?? JSON.stringify(block, null, 2);
    return pre;
});

for (const form of document.querySelectorAll("form[data-tool]")) {
    form.hidden = false;
    const result = form.querySelector(".result");
    const button = form.querySelector("button");
    form.addEventListener("submit", async (event) => {
        event.preventDefault();
        button.disabled = true;
        result.replaceChildren(element("p", { textContent: "Working…" }));
        try {
            const answer = await call(form.dataset.endpoint, form.dataset.tool, read(form));
            const shown = show(answer);
            const failed = element("p", { className: "bad", textContent: "It failed:" });
            result.replaceChildren(...(answer.isError ? [failed] : []), ...shown);
        } catch (error) {
            result.replaceChildren(element("p", { className: "bad", textContent: `It failed: ${error.message}` }));
        } finally {
            button.disabled = false;
        }
    });
}
