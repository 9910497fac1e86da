// The picture: zoom, pan, what the host drew, and handles above it.

import { picture } from "./api.js";
import { app, isLocked, on, select, selected, tell, view } from "./app.js";
import { bounds } from "./shapes.js";
import { $, attempt, clamp, svg } from "./ui.js";

const [stage, sheet, image, moving, marks] = ["stage", "sheet", "picture", "moving", "marks"].map($);

/** Room around the picture, in CSS pixels. */
const MARGIN = 24;

let zoom = 1;
let isFitted = true;
let loading = 0;
/** More to draw above the picture: boxes of other panels. */
const layers = new Map();

/** CSS pixels for one pixel of the picture. At 100 % it is one pixel of the screen. */
export const scale = () => zoom / devicePixelRatio;
export const zoomLevel = () => zoom;

/** Where a pointer is, in pixels of the base. */
export function pointAt(event) {
    const place = sheet.getBoundingClientRect();
    const { x, y } = view();
    return { x: x + (event.clientX - place.left) / scale(), y: y + (event.clientY - place.top) / scale() };
}

/** The middle of what is seen, in pixels of the base. */
export function middle() {
    const [seen, place, part] = [stage.getBoundingClientRect(), sheet.getBoundingClientRect(), view()];
    const centre = (from, to, least, most) => (Math.max(from, least) + Math.min(to, most)) / 2;
    return {
        x: part.x + (centre(place.left, place.right, seen.left, seen.right) - place.left) / scale(),
        y: part.y + (centre(place.top, place.bottom, seen.top, seen.bottom) - place.top) / scale(),
    };
}

function layOut() {
    const { width, height, x, y } = view();
    sheet.style.width = `${width * scale()}px`;
    sheet.style.height = `${height * scale()}px`;
    sheet.classList.toggle("sharp", zoom >= 1);
    marks.setAttribute("viewBox", `${x} ${y} ${width} ${height}`);
    // On whole pixels of the screen: between two, every line would be smeared.
    const around = stage.getBoundingClientRect();
    const begin = (edge, room, length) => {
        const at = edge + Math.max(MARGIN, (room - length * scale()) / 2);
        return `${Math.round(at * devicePixelRatio) / devicePixelRatio - edge}px`;
    };
    sheet.style.marginLeft = begin(around.left, stage.clientWidth, width);
    sheet.style.marginTop = begin(around.top, stage.clientHeight, height);
    $("zoom-level").textContent = `${Math.round(zoom * 100)} %`;
    drawMarks();
}

/** Zooms to a level, and keeps what is at `at` (in the window) where it is. */
export function setZoom(level, at) {
    const next = clamp(level, 0.1, 10);
    const place = sheet.getBoundingClientRect();
    const seen = stage.getBoundingClientRect();
    const { clientX, clientY } = at ?? { clientX: seen.left + seen.width / 2, clientY: seen.top + seen.height / 2 };
    const [fromLeft, fromTop] = [(clientX - place.left) / scale(), (clientY - place.top) / scale()];
    zoom = next;
    isFitted = false;
    layOut();
    const now = sheet.getBoundingClientRect();
    stage.scrollLeft += now.left + fromLeft * scale() - clientX;
    stage.scrollTop += now.top + fromTop * scale() - clientY;
}

/** Fits the picture into the window; it is not made larger than it is. */
export function fit() {
    const { width, height } = view();
    const room = 2 * MARGIN;
    const most = Math.min((stage.clientWidth - room) / width, (stage.clientHeight - room) / height) * devicePixelRatio;
    zoom = clamp(Math.min(1, most), 0.1, 10);
    isFitted = true;
    layOut();
}

const STEPS = [0.1, 0.25, 0.33, 0.5, 0.67, 0.75, 1, 1.5, 2, 3, 4, 6, 8, 10];

export function zoomBy(direction) {
    const next = direction > 0 ? STEPS.find((step) => step > zoom + 0.001) : STEPS.findLast((step) => step < zoom - 0.001);
    setZoom(next ?? zoom);
}

/** Shows a picture of the host in an image, and forgets the one before. */
async function show(target, path, isCurrent = () => true) {
    const { blob, place } = await picture(path);
    if (!isCurrent()) return null;
    const before = target.src;
    target.src = URL.createObjectURL(blob);
    await target.decode().catch(() => {});
    if (before.startsWith("blob:")) URL.revokeObjectURL(before);
    return place ?? [];
}

/** Has the picture look as the document says now. */
export async function refresh() {
    const { shot, document } = app;
    sheet.hidden = !shot;
    $("empty").hidden = Boolean(shot);
    $("style").hidden = !shot;
    if (!shot) {
        image.removeAttribute("src");
        return;
    }
    const turn = ++loading;
    const { revision } = document;
    await attempt(async () => {
        if (!(await show(image, `shots/${shot.screenshot_id}/picture?revision=${revision}`, () => turn === loading))) return;
        endMoving();
        layOut();
        sheet.dataset.revision = revision;
        sheet.dataset.shot = shot.screenshot_id;
        tell("shown");
    });
}

/** Takes annotations off the picture, to move them above it. */
export async function beginMoving(ids) {
    const shot = app.shot.screenshot_id;
    const turn = ++loading;
    const names = encodeURIComponent(JSON.stringify(ids));
    const isCurrent = () => turn === loading;
    await attempt(async () => {
        const place = await show(moving, `shots/${shot}/layer?ids=${names}`, isCurrent);
        if (!place || !(await show(image, `shots/${shot}/picture?hide=${names}`, isCurrent))) return;
        const { x, y, width, height } = view();
        moving.style.left = `${((place[0] - x) / width) * 100}%`;
        moving.style.top = `${((place[1] - y) / height) * 100}%`;
        moving.style.width = `${(place[2] / width) * 100}%`;
        moving.style.height = `${(place[3] / height) * 100}%`;
        moving.hidden = false;
    });
}

export function moveLayer(dx, dy) {
    moving.style.transform = `translate(${dx * scale()}px, ${dy * scale()}px)`;
}

function endMoving() {
    if (moving.hidden) return;
    URL.revokeObjectURL(moving.src);
    moving.removeAttribute("src");
    moving.hidden = true;
    moving.style.transform = "";
}

export const CORNERS = [["nw", 0, 0], ["n", 0.5, 0], ["ne", 1, 0], ["e", 1, 0.5], ["se", 1, 1], ["s", 0.5, 1], ["sw", 0, 1], ["w", 0, 0.5]];

/** A box with handles. */
export function handles(box) {
    const edge = 10 / scale();
    const frame = svg("rect", { ...box, class: "outline", "vector-effect": "non-scaling-stroke" });
    const grips = CORNERS.map(([name, across, down]) => svg("rect", {
        x: box.x + box.width * across - edge / 2, y: box.y + box.height * down - edge / 2, width: edge, height: edge,
        class: `grip ${name}`, "data-grip": name, "vector-effect": "non-scaling-stroke",
    }));
    return [frame, ...grips];
}

/** Puts something above the picture, in pixels of the base, or takes it away. */
export function overlay(name, shapes = []) {
    if (shapes.length) layers.set(name, shapes);
    else layers.delete(name);
    drawMarks();
}

export function drawMarks() {
    const chosen = selected();
    const outlines = chosen.length === 1 && !isLocked(chosen[0].id) ? handles(bounds(chosen[0]))
        : chosen.map((one) => svg("rect", { ...bounds(one), class: "outline", "vector-effect": "non-scaling-stroke" }));
    marks.replaceChildren(...outlines, ...[...layers.values()].flat());
}

on("selection", drawMarks);
on("document", () => {
    const known = new Set(app.document?.annotations.map(({ id }) => id));
    if ([...app.selection].some((id) => !known.has(id))) select([...app.selection].filter((id) => known.has(id)));
    else drawMarks();
});
new ResizeObserver(() => app.shot && (isFitted ? fit() : layOut())).observe(stage);

stage.addEventListener("wheel", (event) => {
    if (!app.shot || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    setZoom(zoom * Math.exp(-event.deltaY / 300), event);
}, { passive: false });
$("zoom-in").addEventListener("click", () => zoomBy(1));
$("zoom-out").addEventListener("click", () => zoomBy(-1));
$("zoom-level").addEventListener("click", () => setZoom(1));
$("zoom-fit").addEventListener("click", fit);
