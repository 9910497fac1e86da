// The tools: what the pointer and the keys do on the picture.

import { post } from "./api.js";
import { app, isLocked, on, select, selected, tell, view } from "./app.js";
import { FAMILIES, NAMES, bounds, boxBetween, found, moved, newId, overlap, resized, sketch } from "./shapes.js";
import { beginMoving, handles, middle, moveLayer, overlay, pointAt, refresh, scale } from "./stage.js";
import { colour, fontFamily, fontSize, stepColour, stepSize, strokeWidth } from "./style.js";
import { $, attempt, clamp, el, icon, say, svg } from "./ui.js";

/** Name, key and what it is called. */
export const TOOLS = [
    ["select", "V", "Select"], ["arrow", "A", "Arrow"], ["rect", "R", "Rectangle"], ["ellipse", "E", "Ellipse"], ["text", "T", "Text"],
    ["blur", "B", "Blur"], ["step", "N", "Step number"], ["freehand", "F", "Freehand"], ["highlight", "H", "Highlight"], ["crop", "C", "Crop"],
    ["redact", "X", "Redact"],
];

const [stage, sheet, words] = ["stage", "sheet", "words"].map($);
/** What the pointer is doing. */
let gesture = null;
let isSpaceDown = false;
let crop = null;

export function chooseTool(name) {
    finishWords();
    app.tool = name;
    stage.dataset.tool = name;
    for (const button of $("tools").querySelectorAll("button")) button.setAttribute("aria-pressed", String(button.dataset.tool === name));
    setCrop(name === "crop" && app.shot ? { ...view() } : null);
    if (name !== "select" && name !== "crop" && name !== "redact") select([]);
    say(`Tool: ${TOOLS.find(([tool]) => tool === name)[2]}`);
    tell("tool");
}

/** Where another group of tools begins. */
const GROUPS = ["arrow", "text", "crop"];

$("tools").append(...TOOLS.flatMap(([tool, key, title]) => [GROUPS.includes(tool) && el("hr", { "aria-hidden": "true" }), el("button", {
    class: "icon", "data-tool": tool, "aria-pressed": String(tool === "select"), "aria-label": title, title: `${title} (${key})`, "aria-keyshortcuts": key,
    onclick: () => chooseTool(tool),
}, icon(tool), el("kbd", { "aria-hidden": "true" }, key))]).filter(Boolean));
stage.dataset.tool = "select";

const shown = () => app.shot?.screenshot_id;

/** Changes the document of the screenshot that is shown, or of one that was when this began; the host says what became of it. */
export async function edit(change, shot = shown()) {
    if (!shot) return;
    await attempt(async () => {
        const state = await post(`shots/${shot}/edit`, { edit: change });
        if (shown() !== shot) return;
        app.document = state;
        tell("document");
    });
    await refresh();
}

export async function step(direction) {
    const shot = shown();
    if (!shot || !app.document[direction]) return;
    await attempt(async () => {
        const state = await post(`shots/${shot}/${direction}`);
        if (shown() !== shot) return;
        app.document = state;
        tell("document");
        say(direction === "undo" ? "Undone" : "Done again");
    });
    await refresh();
}

async function add(annotation, shot = shown()) {
    await edit({ edit: "add", annotations: [annotation] }, shot);
    if (shown() !== shot) return;
    select([annotation.id]);
    say(`${NAMES[annotation.type]} added`);
}

const round = (value) => Math.round(value * 100) / 100;
const roundBox = ({ x, y, width, height }) => ({ x: round(x), y: round(y), width: round(width), height: round(height) });
const wholeBox = (box) => {
    const [x, y] = [Math.floor(box.x), Math.floor(box.y)];
    return { x, y, width: Math.ceil(box.x + box.width) - x, height: Math.ceil(box.y + box.height) - y };
};

function blank(type) {
    return { id: newId(), type, color: type === "step" ? stepColour() : colour(type), stroke_width: strokeWidth() };
}

/** What a drag from one place to another draws. */
function drawn(type, from, to, path) {
    const points = (list) => list.map(({ x, y }) => ({ x: round(x), y: round(y) }));
    if (type === "arrow") return { ...blank(type), points: points([from, to]) };
    if (type === "freehand") return { ...blank(type), points: points(path) };
    const box = roundBox(boxBetween(from, to));
    // A straight drag is a box, too: the host draws none without a width or a height.
    return { ...blank(type), ...box, width: Math.max(1, box.width), height: Math.max(1, box.height) };
}

const nextStep = () => Math.max(0, ...(app.document?.annotations ?? []).map((one) => one.step_number ?? 0)) + 1;
const newStep = ({ x, y }) => ({ ...blank("step"), x: round(x), y: round(y), font_size: stepSize(), step_number: nextStep() });

/** Draws with the keyboard: something of usual size in the middle of what is seen. */
export async function drawInMiddle() {
    const at = middle();
    const { width, height } = view();
    const [w, h] = [clamp(width / 4, 8, 240), clamp(height / 4, 8, 140)];
    const [from, to] = [{ x: at.x - w / 2, y: at.y - h / 2 }, { x: at.x + w / 2, y: at.y + h / 2 }];
    if (app.tool === "step") await add(newStep(at));
    else if (app.tool === "text") beginWords(at);
    else if (app.tool === "redact") tell("private-box", wholeBox(boxBetween(from, to)));
    else if (app.tool === "crop") await applyCrop();
    else if (app.tool === "freehand") {
        const wave = Array.from({ length: 13 }, (_, at) => ({ x: from.x + (w / 12) * at, y: (from.y + to.y) / 2 + Math.sin(at) * h / 4 }));
        await add(drawn("freehand", from, to, wave));
    } else if (app.tool !== "select") await add(drawn(app.tool, from, to));
}

// --- words ------------------------------------------------------------------------------------------------------

/** What is written, and in which screenshot: an agent may bring up another one meanwhile. */
let written = null;
let writtenIn = null;

/** Opens the editor of words, for new ones or for those that are there. */
export function beginWords(at, old) {
    finishWords();
    const size = old?.font_size ?? fontSize();
    writtenIn = shown();
    written = old ?? { ...blank("text"), x: round(at.x), y: round(at.y), font_size: size, font_family: fontFamily() };
    const part = view();
    words.value = old?.text ?? "";
    words.style.left = `${(written.x - part.x) * scale()}px`;
    words.style.top = `${(written.y - part.y) * scale()}px`;
    words.style.fontSize = `${size * scale()}px`;
    words.style.color = written.color.slice(0, 7);
    words.style.fontFamily = FAMILIES[written.font_family ?? "sans-serif"];
    words.hidden = false;
    grow();
    words.focus();
}

function grow() {
    words.style.width = "auto";
    words.style.height = "auto";
    words.cols = Math.max(8, ...words.value.split("\n").map((line) => line.length + 1));
    words.rows = words.value.split("\n").length;
}

async function finishWords() {
    if (!written) return;
    const [annotation, text, isNew, shot] = [written, words.value.trimEnd(), written.text === undefined, writtenIn];
    written = null;
    words.hidden = true;
    if (isNew && text) await add({ ...annotation, text }, shot);
    else if (!isNew && !text) await edit({ edit: "remove", ids: [annotation.id] }, shot);
    else if (!isNew && text !== annotation.text) await edit({ edit: "change", annotations: [{ ...annotation, text }] }, shot);
}

words.addEventListener("input", grow);
words.addEventListener("blur", finishWords);
words.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.key === "Escape" || (event.key === "Enter" && (event.ctrlKey || event.metaKey))) {
        event.preventDefault();
        stage.focus();
    }
});

// --- crop -------------------------------------------------------------------------------------------------------

function setCrop(box) {
    crop = box;
    if (!box) return overlay("crop");
    const part = view();
    const path = `M${part.x} ${part.y}h${part.width}v${part.height}h${-part.width}zM${box.x} ${box.y}v${box.height}h${box.width}v${-box.height}z`;
    overlay("crop", [svg("path", { d: path, class: "shade" }), ...handles(box)]);
    say(`Crop ${Math.round(box.width)} × ${Math.round(box.height)}. Enter applies it, Escape leaves it.`);
    return undefined;
}

export async function applyCrop() {
    if (!crop) return;
    const box = wholeBox(crop);
    chooseTool("select");
    await edit({ edit: "crop", region: box });
    tell("fit");
}

// --- changing what is there -------------------------------------------------------------------------------------

const free = () => selected().filter(({ id }) => !isLocked(id));

export const change = async (annotations) => annotations.length && edit({ edit: "change", annotations });
export const removeSelected = async () => {
    const ids = free().map(({ id }) => id);
    if (ids.length) await edit({ edit: "remove", ids });
    if (ids.length) say(`${ids.length} removed`);
};
export const order = async (to) => app.selection.size && edit({ edit: "order", ids: [...app.selection], to });
export const lock = async () => {
    const ids = [...app.selection];
    if (ids.length) await edit({ edit: "lock", ids, locked: !ids.every(isLocked) });
};
export const duplicate = async () => {
    const copies = selected().map((one) => ({ ...moved(one, 16, 16), id: newId() }));
    if (!copies.length) return;
    await edit({ edit: "add", annotations: copies });
    select(copies.map(({ id }) => id));
};

/** Moves or resizes with the arrow keys: the crop, a private box, or what is selected. */
export async function nudge(dx, dy, isResize) {
    const changed = (box) => (isResize ? { ...box, width: Math.max(1, box.width + dx), height: Math.max(1, box.height + dy) } : { ...box, x: box.x + dx, y: box.y + dy });
    if (crop) return setCrop(within(changed(crop)));
    if (app.tool === "redact") return tell("nudge-private", changed);
    const shapes = free().map((one) => (isResize ? resized(one, changed(bounds(one))) : moved(one, dx, dy)));
    return change(shapes);
}

function within(box) {
    const part = view();
    const x = clamp(box.x, part.x, part.x + part.width - 1);
    const y = clamp(box.y, part.y, part.y + part.height - 1);
    return { x, y, width: clamp(box.width, 1, part.x + part.width - x), height: clamp(box.height, 1, part.y + part.height - y) };
}

/** The box that a handle was dragged to. */
function dragged(box, grip, point, isSquare) {
    let [left, top, right, bottom] = [box.x, box.y, box.x + box.width, box.y + box.height];
    if (grip.includes("w")) left = point.x;
    if (grip.includes("e")) right = point.x;
    if (grip.includes("n")) top = point.y;
    if (grip.includes("s")) bottom = point.y;
    if (isSquare && grip.length === 2) {
        const edge = Math.max(Math.abs(right - left), Math.abs(bottom - top));
        if (grip.includes("e")) right = left + edge;
        else left = right - edge;
        if (grip.includes("s")) bottom = top + edge;
        else top = bottom - edge;
    }
    return boxBetween({ x: left, y: top }, { x: right, y: bottom });
}

// --- the pointer ------------------------------------------------------------------------------------------------

function begin(event) {
    const at = pointAt(event);
    const grip = event.target.dataset?.grip;
    if (isSpaceDown || event.button === 1) return { kind: "pan", x: event.clientX, y: event.clientY, left: stage.scrollLeft, top: stage.scrollTop };
    if (event.button !== 0) return null;
    if (app.tool === "crop") return grip && crop ? { kind: "crop", grip, box: crop } : { kind: "crop", from: at };
    if (grip) return { kind: "resize", grip, one: free()[0], box: bounds(free()[0]) };
    if (app.tool === "redact") return { kind: "private", from: at };
    if (app.tool === "text") {
        const old = found((app.document?.annotations ?? []).filter(({ type, id }) => type === "text" && !isLocked(id)), at, 2 / scale());
        beginWords(at, old);
        return null;
    }
    if (app.tool === "step") {
        add(newStep(at));
        return null;
    }
    if (app.tool !== "select") return { kind: "draw", from: at, path: [at] };
    const hit = found(app.document?.annotations ?? [], at, 5 / scale());
    if (!hit) {
        if (!event.shiftKey) select([]);
        return { kind: "marquee", from: at, before: new Set(app.selection) };
    }
    if (event.shiftKey) {
        const next = new Set(app.selection);
        if (!next.delete(hit.id)) next.add(hit.id);
        select(next);
        return null;
    }
    if (!app.selection.has(hit.id)) select([hit.id]);
    return { kind: "move", from: at, ids: free().map(({ id }) => id) };
}

stage.addEventListener("pointerdown", (event) => {
    if (!app.shot || event.target === words || !sheet.contains(event.target) && app.tool !== "select") return;
    if (written) {
        finishWords();
        if (app.tool === "text") {
            event.preventDefault();
            return;
        }
    }
    // Else the stage would take the focus from the words that are about to be written.
    if (app.tool === "text") event.preventDefault();
    else stage.focus({ preventScroll: true });
    gesture = begin(event);
    if (gesture) {
        event.preventDefault();
        stage.setPointerCapture(event.pointerId);
    }
});

stage.addEventListener("pointermove", (event) => {
    if (!gesture) return;
    const at = pointAt(event);
    const { kind, from } = gesture;
    if (kind === "pan") {
        stage.scrollLeft = gesture.left - (event.clientX - gesture.x);
        stage.scrollTop = gesture.top - (event.clientY - gesture.y);
    } else if (kind === "draw") {
        gesture.to = event.shiftKey && app.tool !== "freehand" ? straight(from, at, app.tool) : at;
        const last = gesture.path.at(-1);
        if (Math.hypot(at.x - last.x, at.y - last.y) * scale() >= 2 && gesture.path.length < 9000) gesture.path.push(at);
        overlay("drawing", [sketch(drawn(app.tool, from, gesture.to, gesture.path))]);
    } else if (kind === "move") {
        [gesture.dx, gesture.dy] = [at.x - from.x, at.y - from.y];
        if (!gesture.isMoving && Math.hypot(gesture.dx, gesture.dy) * scale() > 3 && gesture.ids.length) {
            gesture.isMoving = true;
            beginMoving(gesture.ids);
        }
        if (gesture.isMoving) moveLayer(gesture.dx, gesture.dy);
    } else if (kind === "resize") {
        gesture.to = dragged(gesture.box, gesture.grip, at, event.shiftKey);
        overlay("drawing", [svg("rect", { ...gesture.to, class: "outline moving", "vector-effect": "non-scaling-stroke" })]);
    } else if (kind === "crop") {
        setCrop(within(gesture.grip ? dragged(gesture.box, gesture.grip, at, event.shiftKey) : boxBetween(from, at)));
    } else {
        gesture.to = at;
        overlay("drawing", [svg("rect", { ...boxBetween(from, at), class: kind === "private" ? "finding" : "marquee", "vector-effect": "non-scaling-stroke" })]);
    }
});

/** With Shift: squares, circles, and arrows in steps of 45 degrees. */
function straight(from, to, tool) {
    const [dx, dy] = [to.x - from.x, to.y - from.y];
    if (tool === "arrow") {
        const angle = Math.round(Math.atan2(dy, dx) / (Math.PI / 4)) * (Math.PI / 4);
        const length = Math.hypot(dx, dy);
        return { x: from.x + Math.cos(angle) * length, y: from.y + Math.sin(angle) * length };
    }
    const edge = Math.max(Math.abs(dx), Math.abs(dy));
    return { x: from.x + Math.sign(dx) * edge, y: from.y + Math.sign(dy) * edge };
}

stage.addEventListener("pointerup", async () => {
    const done = gesture;
    gesture = null;
    if (!done) return;
    const { kind, from, to } = done;
    if (kind === "draw" && to && Math.hypot(to.x - from.x, to.y - from.y) * scale() > 3) await add(drawn(app.tool, from, to, done.path));
    else if (kind === "move" && done.isMoving) {
        await change(free().map((one) => moved(one, round(done.dx), round(done.dy))));
    } else if (kind === "resize" && to) await change([resized(done.one, roundBox(to))]);
    else if (kind === "private" && to) tell("private-box", wholeBox(boxBetween(from, to)));
    else if (kind === "marquee" && to) {
        const box = boxBetween(from, to);
        const inside = app.document.annotations.filter((one) => overlap(bounds(one), box)).map(({ id }) => id);
        select([...done.before, ...inside]);
    }
    overlay("drawing");
});

stage.addEventListener("dblclick", (event) => {
    if (!app.document || app.tool !== "select") return;
    const hit = found(app.document.annotations, pointAt(event), 5 / scale());
    if (hit?.type === "text" && !isLocked(hit.id)) beginWords(null, hit);
});

/** Leaves what is begun; true if there was anything. */
export function leave() {
    if (gesture || crop || app.selection.size || app.tool !== "select") {
        drop();
        if (app.selection.size && app.tool === "select") select([]);
        else {
            chooseTool("select");
        }
        refresh();
        return true;
    }
    return false;
}

export function holdSpace(isDown) {
    isSpaceDown = isDown;
    stage.classList.toggle("panning", isDown);
}

/** What the pointer began is left: another screenshot came up, or the desktop took the pointer away. */
function drop() {
    gesture = null;
    overlay("drawing");
}

stage.addEventListener("pointercancel", drop);
on("shot", () => {
    drop();
    chooseTool(app.tool === "crop" ? "select" : app.tool);
});
