// Redacting: what was found, what the person drops or adds, and covering it for good.

import { long, post } from "./api.js";
import { app, on } from "./app.js";
import { showPanel, working } from "./panels.js";
import { overlay } from "./stage.js";
import { $, attempt, confirm, dialog, el, say, svg, toast } from "./ui.js";

const KINDS = { email: "E-mail address", phone: "Telephone number", ssn: "Social security number", credit_card: "Card number", api_key: "Key or token", ip_address: "Internet address", drawn: "Drawn by you" };

let findings = [];
let chosen = -1;
const find = el("button", { class: "primary", onclick: review }, "Find what is private");
const list = el("ul", { class: "findings", "aria-label": "Findings" });
const apply = el("button", { class: "primary danger", onclick: commit }, "Cover for good");
const busy = el("div");
const note = el("p", { class: "none" }, "The search is not exhaustive: look yourself, and draw what it missed with the tool X. Covering cannot be undone.");

$("private").append(el("h2", {}, "Redact"), el("p", { class: "actions" }, find), busy, list, note, el("p", { class: "actions" }, apply));

async function review() {
    if (!app.shot) return;
    const id = app.shot.screenshot_id;
    const { box, progress, signal } = working("Looking for private things …");
    busy.replaceChildren(box);
    find.disabled = true;
    const done = await attempt(() => long(`shots/${id}/review`, undefined, progress, signal));
    find.disabled = false;
    busy.replaceChildren();
    if (!done || app.shot?.screenshot_id !== id) return;
    const drawn = findings.filter(({ kind }) => kind === "drawn");
    findings = [...done.found.map(({ kind, box: place }) => ({ kind, box: place, on: true })), ...drawn];
    say(done.found.length ? `${done.found.length} private things were found` : "Nothing private was found");
    if (!done.found.length) toast("Nothing private was found. The search is not exhaustive.");
    draw();
}

function draw() {
    list.replaceChildren(...findings.map((finding, at) => el("li", { class: at === chosen ? "chosen" : "" },
        el("label", {}, el("input", { type: "checkbox", checked: finding.on, onfocus: () => choose(at), onchange: (event) => {
            finding.on = event.target.checked;
            draw();
        } }), ` ${KINDS[finding.kind] ?? finding.kind} ${findings.slice(0, at + 1).filter(({ kind }) => kind === finding.kind).length}`))));
    const count = findings.filter(({ on: isOn }) => isOn).length;
    apply.disabled = count === 0;
    apply.textContent = count ? `Cover ${count} for good` : "Cover for good";
    drawBoxes();
}

function drawBoxes() {
    overlay("findings", app.tool === "redact" || !$("private").hidden
        ? findings.map((finding, at) => svg("rect", { ...finding.box, class: `finding ${finding.on ? "" : "off"} ${at === chosen ? "chosen" : ""}`, "vector-effect": "non-scaling-stroke" })) : []);
}

function choose(at) {
    chosen = at;
    for (const [index, row] of [...list.children].entries()) row.classList.toggle("chosen", index === at);
    drawBoxes();
}

async function commit() {
    // An agent may bring up another screenshot while the person is asked: what they saw is covered, and nothing else.
    const id = app.shot.screenshot_id;
    const boxes = findings.filter(({ on: isOn }) => isOn).map(({ box }) => box);
    const isSure = await confirm("Cover for good?", `${boxes.length} ${boxes.length === 1 ? "place is" : "places are"} covered in the picture itself. This cannot be undone: steps back, copies made of it and text that was read go, too.`, "Cover for good");
    if (!isSure) return;
    const done = await attempt(() => post(`shots/${id}/redact`, { boxes }));
    if (!done) return;
    if (app.shot?.screenshot_id === id) forget();
    say(`${done.covered} covered`);
    const where = ({ to, path, client, provider }) => ({
        clipboard: "the clipboard", dragged: "a program it was dragged to", file: `the file ${path}`, agent: `the agent ${client}`, model: `the model of ${provider}`, screenshot: "the screenshot it was made of",
    })[to];
    if (done.left.length) {
        await dialog("Some copies are out of reach", (close) => el("div", {},
            el("p", {}, "It is covered here. Copies from before went to:"), el("ul", {}, ...done.left.map((left) => el("li", {}, where(left)))),
            el("p", { class: "actions" }, el("button", { class: "primary", autofocus: true, onclick: () => close() }, "Understood"))));
    } else toast(`${done.covered} covered for good`);
}

on("private-box", (box) => {
    if (box.width < 2 || box.height < 2) return;
    findings.push({ kind: "drawn", box, on: true });
    chosen = findings.length - 1;
    showPanel("private");
    draw();
    say("Box added. Arrow keys move it, Alt and arrow keys resize it.");
});
on("nudge-private", (changed) => {
    const finding = findings[chosen];
    if (!finding) return;
    const { x, y, width, height } = changed(finding.box);
    finding.box = { x: Math.round(x), y: Math.round(y), width: Math.max(1, Math.round(width)), height: Math.max(1, Math.round(height)) };
    draw();
});
function forget() {
    findings = [];
    chosen = -1;
    draw();
}

on("shot", forget);
on("tool", () => {
    if (app.tool === "redact") showPanel("private");
    draw();
});
on("document", () => {
    find.disabled = !app.shot;
    draw();
});
