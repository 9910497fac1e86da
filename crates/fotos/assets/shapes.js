// The geometry of annotations. How they look is the host's; here is only where they are.

import { svg } from "./ui.js";

export const NAMES = {
    arrow: "Arrow", rect: "Rectangle", ellipse: "Ellipse", text: "Text", blur: "Blur", step: "Step", freehand: "Freehand", highlight: "Highlight",
};

const measuring = document.createElement("canvas").getContext("2d");

/** What the host draws letters with, as near as the page comes to it. */
export const FAMILIES = { "sans-serif": '"DejaVu Sans", sans-serif', serif: '"DejaVu Serif", serif', monospace: '"DejaVu Sans Mono", monospace' };

function textSize({ text, font_size: size = 16, font_family: family = "sans-serif", width }) {
    measuring.font = `${size}px ${FAMILIES[family]}`;
    const lines = text.split("\n");
    const widest = Math.max(...lines.map((line) => measuring.measureText(line).width), size / 2);
    return { width: width ?? widest, height: lines.length * size * 1.25 };
}

/** The box around an annotation. */
export function bounds(annotation) {
    const { type, x, y, width, height, points, font_size: size = 24 } = annotation;
    if (points) {
        const [xs, ys] = [points.map((point) => point.x), points.map((point) => point.y)];
        const [left, top] = [Math.min(...xs), Math.min(...ys)];
        return { x: left, y: top, width: Math.max(...xs) - left, height: Math.max(...ys) - top };
    }
    if (type === "step") return { x: x - size / 2, y: y - size / 2, width: size, height: size };
    if (type === "text") return { x, y, ...textSize(annotation) };
    return { x, y, width, height };
}

/** The same annotation, elsewhere. */
export function moved(annotation, dx, dy) {
    const { points, x, y } = annotation;
    if (points) return { ...annotation, points: points.map((point) => ({ x: point.x + dx, y: point.y + dy })) };
    return { ...annotation, x: x + dx, y: y + dy };
}

/** The same annotation, filling another box. */
export function resized(annotation, to) {
    const from = bounds(annotation);
    const { type, points, font_size: size = 24 } = annotation;
    if (points) {
        const along = (value, start, length, newStart, newLength) => newStart + (length ? ((value - start) / length) * newLength : newLength / 2);
        return { ...annotation, points: points.map((point) => ({
            x: along(point.x, from.x, from.width, to.x, to.width), y: along(point.y, from.y, from.height, to.y, to.height),
        })) };
    }
    if (type === "step") {
        const edge = Math.min(1000, Math.max(8, to.width, to.height));
        return { ...annotation, x: to.x + to.width / 2, y: to.y + to.height / 2, font_size: edge };
    }
    if (type === "text") {
        const factor = to.height / from.height;
        return { ...annotation, x: to.x, y: to.y, font_size: Math.min(1000, Math.max(6, size * factor)) };
    }
    return { ...annotation, x: to.x, y: to.y, width: Math.max(1, to.width), height: Math.max(1, to.height) };
}

const isInside = (box, point, by) => point.x >= box.x - by && point.x <= box.x + box.width + by && point.y >= box.y - by && point.y <= box.y + box.height + by;

function distance(point, from, to) {
    const [dx, dy] = [to.x - from.x, to.y - from.y];
    const length = dx * dx + dy * dy;
    const along = length ? Math.min(1, Math.max(0, ((point.x - from.x) * dx + (point.y - from.y) * dy) / length)) : 0;
    return Math.hypot(point.x - from.x - along * dx, point.y - from.y - along * dy);
}

/** Whether a click there means this annotation: on its line, or in it if it is filled. */
function isOn(annotation, point, by) {
    const box = bounds(annotation);
    const reach = by + annotation.stroke_width / 2;
    if (annotation.points) {
        return annotation.points.slice(1).some((to, at) => distance(point, annotation.points[at], to) <= reach);
    }
    if (annotation.type === "rect" || annotation.type === "ellipse") {
        const inner = { x: box.x + reach, y: box.y + reach, width: box.width - 2 * reach, height: box.height - 2 * reach };
        return isInside(box, point, reach) && !(inner.width > 0 && inner.height > 0 && isInside(inner, point, 0));
    }
    return isInside(box, point, by);
}

/** The uppermost annotation there; one whose line is hit goes before one that only lies around. */
export function found(annotations, point, by) {
    const above = [...annotations].reverse();
    return above.find((one) => isOn(one, point, by)) ?? above.find((one) => isInside(bounds(one), point, 0));
}

export function boxBetween(from, to) {
    return { x: Math.min(from.x, to.x), y: Math.min(from.y, to.y), width: Math.abs(to.x - from.x), height: Math.abs(to.y - from.y) };
}

export const overlap = (one, other) => one.x < other.x + other.width && other.x < one.x + one.width && one.y < other.y + other.height && other.y < one.y + one.height;

/** What is under the pointer while it is drawn, until the host has drawn it. */
export function sketch({ type, x, y, width, height, points, color, stroke_width: stroke }) {
    const line = { fill: "none", stroke: color, "stroke-width": stroke, "stroke-linecap": "round", "stroke-linejoin": "round" };
    if (points) return svg("polyline", { ...line, points: points.map((point) => `${point.x},${point.y}`).join(" ") });
    if (type === "ellipse") return svg("ellipse", { ...line, cx: x + width / 2, cy: y + height / 2, rx: width / 2, ry: height / 2 });
    if (type === "highlight") return svg("rect", { x, y, width, height, fill: color, opacity: 0.4 });
    if (type === "blur") return svg("rect", { x, y, width, height, class: "veil" });
    return svg("rect", { ...line, x, y, width, height });
}

export function newId() {
    return [...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
