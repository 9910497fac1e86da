// The screenshots at the bottom: look, search, choose, delete.

import { get, post, remove, url } from "./api.js";
import { app, isUnsaved, on, select, tell } from "./app.js";
import { fit, refresh } from "./stage.js";
import { $, attempt, confirm, el, icon, say } from "./ui.js";

const list = $("shots");
let found = null;

const title = (shot) => shot.title ?? (shot.origin === "captured" || !shot.origin ? { fullscreen: "All screens", monitor: "Screen", window: "Window" }[shot.mode] : shot.origin);
export const nameOf = (shot) => title(shot) ?? "Screenshot";

function card(shot) {
    const id = shot.screenshot_id;
    const by = shot.by === "agent" ? "by an agent" : "";
    const notes = [shot.unsaved && "not saved", shot.shared && "shared with agents", by, shot.earlier && "from an earlier time"].filter(Boolean);
    const isShown = app.shot?.screenshot_id === id;
    return el("li", { class: isShown ? "shown" : "", "data-id": id, draggable: "true", ...dragging(shot) },
        el("button", { class: "open", "aria-current": isShown ? "true" : false, "aria-label": `${nameOf(shot)}, ${shot.width} by ${shot.height}${notes.length ? `, ${notes.join(", ")}` : ""}`,
            title: `${nameOf(shot)}: drag it into another program`, onclick: () => show(id) },
        el("img", { src: url(`shots/${id}/thumbnail?edge=200&revision=${shot.revision}`), alt: "", loading: "lazy", draggable: "false" }),
        el("span", { class: "badges", "aria-hidden": "true" },
            shot.by === "agent" && el("span", { class: "badge agent", title: "Taken by an agent" }, icon("agents")),
            shot.shared && el("span", { class: "badge shared", title: "Shared with agents" }, icon("share")),
            shot.unsaved && el("span", { class: "badge unsaved", title: "Not saved" }))),
        el("button", { class: "icon delete", "aria-label": `Delete ${nameOf(shot)}`, title: "Delete", onclick: () => drop(shot) }, icon("trash")));
}

/** Drags it into another program: as a file that the host writes meanwhile, or as a download of the browser. */
function dragging(shot) {
    const id = shot.screenshot_id;
    const isFile = Boolean(app.state.desktop.drag && shot.drag);
    const lend = () => isFile && attempt(() => post(`shots/${id}/lend`));
    return {
        // A little earlier than the drag begins; programs read the file when it ends.
        onpointerdown: ({ button }) => button === 0 && lend(),
        ondragstart: (event) => {
            // Once more: after one drag, WebKit tells of no pointer before the next.
            lend();
            const { dataTransfer: carried, currentTarget: item } = event;
            carried.effectAllowed = "copy";
            if (isFile) carried.setData("text/uri-list", `file://${shot.drag.split("/").map(encodeURIComponent).join("/")}`);
            else carried.setData("DownloadURL", `image/png:Fotos ${shot.timestamp.slice(0, 19).replace("T", " ").replaceAll(":", ".")}.png:${new URL(url(`shots/${id}/export?format=png`), location.href)}`);
            carried.setDragImage(item.querySelector("img"), 20, 20);
            document.body.classList.add("dragging-out");
        },
        ondragend: ({ dataTransfer: carried }) => {
            document.body.classList.remove("dragging-out");
            if (carried.dropEffect !== "none") attempt(() => post(`shots/${id}/exported`, { to: "dragged" }));
        },
    };
}

function draw() {
    const shots = found ?? app.shots;
    const focused = document.activeElement?.closest?.("li[data-id]")?.dataset.id;
    list.replaceChildren(...shots.map(card));
    if (!shots.length) list.append(el("li", { class: "none" }, found ? "Nothing found. Only text that was read is searched." : "No screenshots yet"));
    if (focused) list.querySelector(`li[data-id="${CSS.escape(focused)}"] .open`)?.focus();
}

/** The screenshot that was wanted last. It may not be shown yet: answers of the host come in any order. */
let wanted = null;

/** Shows a screenshot in the middle, unless another one is wanted meanwhile. */
export async function show(id) {
    wanted = id;
    await attempt(async () => {
        const [shot, document] = await Promise.all([get(`shots/${id}`), get(`shots/${id}/document`)]).catch((error) => {
            if (wanted === id) wanted = app.shot?.screenshot_id ?? null;
            throw error;
        });
        if (wanted !== id) return;
        const isOther = app.shot?.screenshot_id !== id;
        Object.assign(app, { shot, document });
        if (isOther) {
            select([]);
            app.words = [];
            tell("shot");
        }
        tell("document");
        if (isOther) fit();
        await refresh();
        if (isOther) fit();
        draw();
    });
}

/** Looks at the screenshot that is wanted again. */
export async function showAgain() {
    if (wanted) await show(wanted);
}

export async function drop(shot) {
    if (isUnsaved(shot) && !(await confirm("Delete it?", "This screenshot is not saved. Deleting it cannot be undone.", "Delete"))) return;
    await attempt(async () => {
        await remove(`shots/${shot.screenshot_id}`);
        say("Deleted");
    });
}

/** Looks at the list again. */
export async function reload() {
    await attempt(async () => {
        app.shots = await get("shots");
        const text = $("search").value.trim();
        found = text ? await get(`shots?q=${encodeURIComponent(text)}`) : null;
        draw();
        tell("shots");
        if (app.shot && !app.shots.some(({ screenshot_id: id }) => id === app.shot.screenshot_id)) {
            const next = app.shots[0];
            if (next) await show(next.screenshot_id);
            else {
                wanted = null;
                Object.assign(app, { shot: null, document: null });
                select([]);
                tell("shot");
                tell("document");
                await refresh();
            }
        }
    });
}

/** The largest file that the host reads, in MiB. */
const LARGEST = 64;

/** Opens a file. */
export async function openFile(file) {
    await attempt(async () => {
        if (file.size > LARGEST * 2 ** 20) throw new Error(`\`${file.name}\` is larger than ${LARGEST} MiB`);
        const shot = await post("shots", file, { "x-name": encodeURIComponent(file.name ?? "Clipboard") });
        tell("arrived", shot);
    });
}

/** Opens the picture in the clipboard of the desktop; a browser hands it to the page itself. */
export async function paste() {
    await attempt(async () => tell("arrived", await post("paste")));
}

let typing = 0;
$("search").addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(reload, 150);
});
$("open").addEventListener("click", () => $("file").click());
$("open-first").addEventListener("click", () => $("file").click());
$("file").addEventListener("change", async () => {
    const [file] = $("file").files;
    if (file) await openFile(file);
    $("file").value = "";
});
document.addEventListener("paste", async (event) => {
    const file = [...(event.clipboardData?.files ?? [])].find(({ type }) => type.startsWith("image/"));
    if (file) {
        event.preventDefault();
        await openFile(file);
    }
});
document.addEventListener("dragover", (event) => event.preventDefault());
document.addEventListener("drop", async (event) => {
    event.preventDefault();
    if (document.body.classList.contains("dragging-out")) return;
    const [file] = event.dataTransfer?.files ?? [];
    if (file) await openFile(file);
});
on("arrived", async (shot) => {
    await reload();
    await show(shot.screenshot_id);
});
