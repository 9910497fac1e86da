// The panels on the right: marks, text, questions, agents.

import { get, long, post } from "./api.js";
import { app, isLocked, on, select, view } from "./app.js";
import { NAMES } from "./shapes.js";
import { overlay } from "./stage.js";
import { beginWords, duplicate, edit, lock, order, removeSelected } from "./tools.js";
import { $, attempt, clamp, el, icon, say, svg, toast } from "./ui.js";

// --- tabs -------------------------------------------------------------------------------------------------------

const tabs = [...document.querySelectorAll("[role=tab]")];

export function showPanel(name) {
    for (const tab of tabs) {
        const isShown = tab.id === `tab-${name}`;
        tab.setAttribute("aria-selected", String(isShown));
        tab.tabIndex = isShown ? 0 : -1;
        $(tab.getAttribute("aria-controls")).hidden = !isShown;
    }
    if (name === "agents") loadAgents();
    if (name !== "read") overlay("words");
    else drawWords();
}

for (const [at, tab] of tabs.entries()) {
    tab.addEventListener("click", () => showPanel(tab.id.slice(4)));
    tab.addEventListener("keydown", ({ key }) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
        if (!step) return;
        const next = tabs[(at + step + tabs.length) % tabs.length];
        next.focus();
        showPanel(next.id.slice(4));
    });
}

/** A bar that shows how far long work is, and a button that ends it. */
export function working(text) {
    const controller = new AbortController();
    const bar = el("progress", { "aria-label": text });
    const box = el("div", { class: "working" }, el("p", {}, text), bar, el("button", { onclick: () => controller.abort() }, "Cancel"));
    const progress = ({ progress: told }) => {
        if (told?.of) Object.assign(bar, { max: told.of, value: told.done });
    };
    return { box, progress, signal: controller.signal };
}

// --- marks ------------------------------------------------------------------------------------------------------

function drawItems() {
    const panel = $("items");
    const annotations = [...(app.document?.annotations ?? [])].reverse();
    const row = (one) => {
        const name = one.type === "text" ? `Text: ${one.text.slice(0, 40)}` : one.type === "step" ? `Step ${one.step_number}` : NAMES[one.type];
        const isChosen = app.selection.has(one.id);
        return el("li", {}, el("button", { "aria-pressed": String(isChosen), "data-id": one.id, onclick: (event) => {
            if (event.shiftKey) select(isChosen ? [...app.selection].filter((id) => id !== one.id) : [...app.selection, one.id]);
            else select([one.id]);
        } }, icon(one.type), el("span", {}, name), isLocked(one.id) && el("span", { class: "locked" }, icon("lock"), el("span", { class: "hidden" }, "locked"))));
    };
    const focused = document.activeElement?.dataset?.id;
    const does = (text, title, action, extra = {}) => el("button", { title, onclick: action, disabled: app.selection.size === 0, ...extra }, text);
    const chosen = app.document?.annotations.find(({ id }) => app.selection.has(id));
    const parts = [
        el("h2", {}, "Marks"),
        annotations.length ? el("ul", { class: "items" }, ...annotations.map(row)) : el("p", { class: "none" }, app.shot ? "Nothing is drawn yet. Choose a tool, then drag; or press Enter to put it in the middle." : "Take a screenshot or open a picture first."),
        annotations.length > 0 && el("div", { class: "actions wrap", role: "group", "aria-label": "Selected marks" },
            does("Front", "To the front (Ctrl+Shift+])", () => order("front")), does("Forward", "Forward (Ctrl+])", () => order("forward")),
            does("Backward", "Backward (Ctrl+[)", () => order("backward")), does("Back", "To the back (Ctrl+Shift+[)", () => order("back")),
            does("Duplicate", "Duplicate (Ctrl+D)", duplicate), does(chosen && isLocked(chosen.id) ? "Unlock" : "Lock", "Lock or unlock (L)", lock),
            does("Edit text", "Edit the text (Enter)", () => beginWords(null, chosen), { disabled: chosen?.type !== "text" || isLocked(chosen.id) }),
            does("Delete", "Delete (Del)", removeSelected, { class: "danger" })),
        ...(app.document?.crop ? [el("p", { class: "actions" }, el("button", { onclick: () => edit({ edit: "crop", region: null }) }, "Show all of it again"))] : []),
    ];
    panel.replaceChildren(...parts.filter(Boolean));
    if (focused) panel.querySelector(`[data-id="${CSS.escape(focused)}"]`)?.focus();
}
for (const event of ["document", "selection"]) on(event, drawItems);

// --- text -------------------------------------------------------------------------------------------------------

let chosenWord = null;
const readButton = el("button", { class: "primary", onclick: readText }, "Read the text");
const textBody = el("div", { class: "read" });

async function readText() {
    if (!app.shot) return;
    const id = app.shot.screenshot_id;
    const { box, progress, signal } = working("Reading …");
    textBody.replaceChildren(box);
    readButton.disabled = true;
    const done = await attempt(() => long(`shots/${id}/text`, undefined, progress, signal));
    readButton.disabled = false;
    textBody.replaceChildren();
    if (!done || app.shot?.screenshot_id !== id) return;
    app.words = done.lines;
    say(`${done.lines.flat().length} words were read`);
    showText();
}

const allText = () => app.words.map((line) => line.map(({ text }) => text).join(" ")).join("\n");

function showText() {
    chosenWord = null;
    drawWords();
    if (!app.words.length) return textBody.replaceChildren();
    const shown = new Map();
    const lines = app.words.map((line) => el("p", {}, ...line.flatMap((word, at) => {
        const part = el("span", { class: "word", onclick: () => choose(word, part) }, word.text);
        shown.set(part, word);
        return [at ? " " : "", part];
    })));
    const body = el("div", { class: "lines", tabindex: "0", role: "region", "aria-label": "Text of the picture: arrow keys choose a word, with Shift several", onkeydown: (event) => chooseByKey(event, shown) }, ...lines);
    textBody.replaceChildren(
        el("p", { class: "actions" }, el("button", { onclick: () => copyText(allText()) }, "Copy all"),
            el("button", { onclick: () => copyText(String(getSelection())) }, "Copy selection")), body);
    return undefined;
}

function choose(word, shown) {
    chosenWord = word;
    for (const other of textBody.querySelectorAll(".chosen")) other.classList.remove("chosen");
    shown.classList.add("chosen");
    drawWords();
}

/** Arrow keys choose the next word or the one before, and select it; with Shift, the selection grows to there. */
function chooseByKey(event, shown) {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const isAll = event.key === "a" && (event.ctrlKey || event.metaKey);
    if (!step && !isAll) return;
    event.preventDefault();
    event.stopPropagation();
    const selection = getSelection();
    if (isAll) return selection.selectAllChildren(event.currentTarget);
    const parts = [...shown.keys()];
    const at = parts.findIndex((part) => shown.get(part) === chosenWord);
    const next = parts[at < 0 ? 0 : clamp(at + step, 0, parts.length - 1)];
    if (event.shiftKey && selection.containsNode(textBody, true)) selection.extend(next, step > 0 ? next.childNodes.length : 0);
    else selection.selectAllChildren(next);
    choose(shown.get(next), next);
    next.scrollIntoView({ block: "nearest" });
    say(next.textContent);
    return undefined;
}

function drawWords() {
    if ($("read").hidden || !app.words.length) return overlay("words");
    const { x, y } = view();
    return overlay("words", app.words.flat().map((word) => svg("rect", {
        x: word.box.x + x, y: word.box.y + y, width: word.box.width, height: word.box.height,
        class: word === chosenWord ? "word chosen" : "word", "vector-effect": "non-scaling-stroke",
    })));
}

async function copyText(text) {
    if (!text) return toast("Nothing is selected");
    const id = app.shot.screenshot_id;
    return attempt(async () => {
        await navigator.clipboard.writeText(text);
        await noteCopied(id);
        toast("Copied the text");
    });
}

/** Who redacts the picture later is told that its text is out of reach. */
const noteCopied = (id = app.shot.screenshot_id) => post(`shots/${id}/exported`, { to: "text" });
// With Ctrl+C, or from the menu of the pointer.
document.addEventListener("copy", () => {
    if (getSelection().containsNode(textBody, true) && String(getSelection())) attempt(() => noteCopied());
});
// Where it goes by dragging, nobody would know.
textBody.addEventListener("dragstart", (event) => event.preventDefault());

$("read").append(el("h2", {}, "Text"), el("p", { class: "actions" }, readButton), textBody);
on("shot", showText);
// What is drawn or cropped changes the picture: its text has to be read again.
let readAt = null;
on("document", () => {
    if (readAt !== app.document?.revision && app.words.length) {
        app.words = [];
        showText();
    }
    readAt = app.document?.revision;
    readButton.disabled = !app.shot;
});

// --- asking a model ---------------------------------------------------------------------------------------------

const TEMPLATES = [
    ["Describe it", "Describe what this screenshot shows."], ["Explain the error", "Explain the error in this screenshot, and say how to fix it."],
    ["Text as code", "Write down the code in this screenshot, exactly, as one block."], ["Accessibility", "Which accessibility problems does this user interface have? Be specific."],
    ["Bug report", "Write a bug report for what this screenshot shows: what was expected, what happened, steps to reproduce."],
];
const provider = el("select", { "aria-label": "Model" });
const prompt = el("textarea", { rows: 4, "aria-label": "Question", placeholder: "What do you want to know?" });
const redactFirst = el("input", { type: "checkbox" });
const answer = el("div", { class: "answer", "aria-live": "polite" });
const askButton = el("button", { class: "primary", onclick: ask }, "Ask");

async function ask() {
    const question = prompt.value.trim();
    if (!app.shot || !question) return toast("Write a question first");
    const id = app.shot.screenshot_id;
    const { box, signal } = working("Waiting for the answer …");
    const said = el("p", { class: "said" });
    answer.replaceChildren(said, box);
    let attemptNumber = 1;
    const heard = ({ text, attempt: now }) => {
        if (now !== attemptNumber) said.textContent = "";
        attemptNumber = now;
        said.append(text ?? "");
    };
    askButton.disabled = true;
    const done = await attempt(() => long(`shots/${id}/ask`, { prompt: question, provider: provider.value, redact: redactFirst.checked }, heard, signal));
    askButton.disabled = false;
    box.remove();
    if (app.shot?.screenshot_id !== id) return undefined;
    if (!done) return answer.append(el("p", { class: "none" }, signal.aborted ? "Cancelled." : "No answer."));
    said.textContent = done.text;
    const covered = done.covered === null ? "" : ` ${done.covered} private things were covered first.`;
    return answer.append(el("p", { class: "none" }, `${done.model}: ${done.input_tokens ?? "?"} tokens in, ${done.output_tokens ?? "?"} out.${covered}`));
}

$("ask").append(el("h2", {}, "Ask"), el("label", { class: "field" }, "Model", provider),
    el("div", { class: "actions wrap", role: "group", "aria-label": "Templates" }, ...TEMPLATES.map(([name, text]) => el("button", { onclick: () => {
        prompt.value = text;
        prompt.focus();
    } }, name))),
    prompt, el("label", { class: "check" }, redactFirst, " Cover what is private first"), el("p", { class: "actions" }, askButton), answer);
on("state", () => {
    const { endpoints, defaultLlmProvider, redactBeforeSending } = app.state.settings.ai;
    provider.replaceChildren(...endpoints.map(({ id, name, model }) => el("option", { value: id, selected: id === defaultLlmProvider }, model ? `${name}: ${model}` : name)));
    redactFirst.checked = redactBeforeSending;
    redactFirst.disabled = redactBeforeSending;
});
on("shot", () => answer.replaceChildren());

// --- agents -----------------------------------------------------------------------------------------------------

const OUTCOMES = { running: "under way", done: "done", failed: "failed", paused: "not done: paused", refused: "refused", cancelled: "given up" };
const pauseSwitch = el("input", { type: "checkbox", role: "switch", id: "pause", onchange: () => attempt(async () => {
    await post("agents/pause", { paused: pauseSwitch.checked });
    say(pauseSwitch.checked ? "Agents are paused" : "Agents may go on");
}) });
const calls = el("ul", { class: "calls" });

export async function loadAgents() {
    await attempt(async () => {
        const told = await get("agents");
        pauseSwitch.checked = told.paused;
        document.body.classList.toggle("paused", told.paused);
        $("tab-agents").classList.toggle("alert", told.paused);
        calls.replaceChildren(...told.calls.map((call) => el("li", { class: call.outcome },
            el("b", {}, call.tool), el("span", {}, OUTCOMES[call.outcome] ?? call.outcome),
            el("small", {}, `${call.client}${call.pid ? `, process ${call.pid}` : ""}`), el("time", { datetime: call.time }, new Date(call.time).toLocaleTimeString()))));
        if (!told.calls.length) calls.append(el("li", { class: "none" }, "No agent has asked for anything yet."));
    });
}

$("agents").append(el("h2", {}, "Agents"),
    el("label", { class: "switch" }, pauseSwitch, el("span", {}, "Pause agents")),
    el("p", { class: "none" }, "Agents see what they took and what you share. While they are paused, every call is refused and says so."), calls);
