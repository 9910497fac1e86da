// The keyboard: everything can be done with it, and `?` says how.

import { post } from "./api.js";
import { app, select, selected } from "./app.js";
import { capture } from "./capture.js";
import { paste } from "./gallery.js";
import { copy, pin, save, saveAs } from "./saving.js";
import { openSettings } from "./settings.js";
import { fit, setZoom, zoomBy } from "./stage.js";
import { TOOLS, applyCrop, beginWords, chooseTool, drawInMiddle, duplicate, holdSpace, leave, lock, nudge, order, removeSelected, step } from "./tools.js";
import { $, attempt, dialog, el, isTyping } from "./ui.js";

const choose = (direction) => {
    const all = app.document?.annotations ?? [];
    if (!all.length) return;
    const at = all.findIndex(({ id }) => app.selection.has(id));
    select([all[(at + direction + all.length) % all.length].id]);
};

/** Keys, what they do, how, and what the desktop must be able to do for it. `Ctrl` is the command key elsewhere. */
const KEYS = [
    ["Ctrl+N", "Take a screenshot", () => capture()],
    ["Ctrl+Shift+S", "Capture a region", () => capture("region")],
    ["Ctrl+Shift+A", "Capture all screens", () => capture("fullscreen")],
    ["Ctrl+O", "Open a picture", () => $("file").click()],
    ["Ctrl+C", "Copy the picture", () => copy()],
    ["Ctrl+V", "Paste a picture", paste, "paste"],
    ["Ctrl+S", "Save", () => save()],
    ["Ctrl+E", "Save as …", saveAs],
    ["P", "Pin on top", pin, "pin"],
    ["Ctrl+Z", "Undo", () => step("undo")],
    ["Ctrl+Shift+Z", "Redo", () => step("redo")],
    ["Ctrl+Y", "Redo", () => step("redo")],
    ["+", "Zoom in", () => zoomBy(1)],
    ["-", "Zoom out", () => zoomBy(-1)],
    ["Ctrl+0", "Fit into the window", fit],
    ["Ctrl+1", "Show at 100 %", () => setZoom(1)],
    [".", "Select the next mark", () => choose(1)],
    [",", "Select the mark before", () => choose(-1)],
    ["Ctrl+A", "Select all marks", () => select(app.document?.annotations.map(({ id }) => id) ?? [])],
    ["Ctrl+D", "Duplicate", duplicate],
    ["Delete", "Delete what is selected", removeSelected],
    ["Backspace", "Delete what is selected", removeSelected],
    ["L", "Lock or unlock", lock],
    ["Ctrl+]", "Forward", () => order("forward")],
    ["Ctrl+[", "Backward", () => order("backward")],
    ["Ctrl+Shift+]", "To the front", () => order("front")],
    ["Ctrl+Shift+[", "To the back", () => order("back")],
    ["Ctrl+F", "Search", () => $("search").focus()],
    ["Ctrl+,", "Settings", openSettings],
    ["Ctrl+Q", "Quit Fotos", () => attempt(() => post("quit")), "quit"],
    ["?", "This list", () => sheet()],
    ...TOOLS.map(([tool, key, title]) => [key, title, () => chooseTool(tool)]),
];
// Said already, with the first key for the same.
const SECOND = ["Backspace", "Ctrl+Y"];
const ON_PICTURE = [
    ["Enter", "Draw in the middle; edit a text; apply the crop"], ["Arrow keys", "Move by one pixel, with Shift by ten"], ["Alt+arrow keys", "Resize"],
    ["Space+drag", "Move the view"], ["Ctrl+wheel", "Zoom"], ["Shift+drag", "Squares, circles, straight arrows"], ["Escape", "Leave"],
];

function sheet() {
    const table = (title, rows) => el("section", {}, el("h3", {}, title), el("dl", { class: "keys" }, ...rows.flatMap(([key, what]) => [el("dt", {}, el("kbd", {}, key)), el("dd", {}, what)])));
    const [tools, others] = [KEYS.slice(-TOOLS.length), KEYS.slice(0, -TOOLS.length).filter(([key, , , ability]) => !SECOND.includes(key) && (!ability || ability === "paste" || app.state.desktop[ability]))];
    dialog("Keys", () => el("div", { class: "sheet-of-keys" }, table("Tools", tools), table("On the picture", ON_PICTURE), table("Everywhere", others)), { wide: true });
}

function nameOf(event) {
    const key = event.key.length === 1 ? event.key.toUpperCase() : event.key;
    const isPlainSign = event.key.length === 1 && !/[A-Z]/i.test(event.key);
    // With Shift, brackets are braces.
    const base = { "{": "[", "}": "]" }[key] ?? key;
    const shift = event.shiftKey && (!isPlainSign || base !== key) ? "Shift+" : "";
    return `${event.ctrlKey || event.metaKey ? "Ctrl+" : ""}${shift}${base === "=" ? "+" : base}`;
}

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

function onPicture(event) {
    if (event.key === "Enter") {
        const [one] = selected();
        if (app.tool === "crop") applyCrop();
        else if (app.tool === "select" && one?.type === "text") beginWords(null, one);
        else drawInMiddle();
    } else if (ARROWS[event.key] && app.shot) {
        const by = event.shiftKey ? 10 : 1;
        nudge(...ARROWS[event.key].map((step) => step * by), event.altKey);
    } else if (event.key === " ") holdSpace(true);
    else return false;
    return true;
}

document.addEventListener("keydown", (event) => {
    if (isTyping(event.target) || $("dialog").open || event.defaultPrevented) return;
    const isText = event.key === "c" && String(getSelection()) !== "";
    if (event.key === "Escape" ? leave() : document.activeElement === $("stage") && onPicture(event)) {
        event.preventDefault();
        return;
    }
    if (isText && event.ctrlKey) return;
    const known = !event.altKey && KEYS.find(([key, , , ability]) => key === nameOf(event) && (!ability || app.state.desktop[ability]));
    if (!known) return;
    event.preventDefault();
    known[2]();
});
document.addEventListener("keyup", (event) => event.key === " " && holdSpace(false));
$("help").addEventListener("click", sheet);
$("undo").addEventListener("click", () => step("undo"));
$("redo").addEventListener("click", () => step("redo"));
