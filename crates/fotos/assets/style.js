// Colours, widths and sizes: for what is drawn next, and for what is selected.

import { app, isLocked, on, selected, tell } from "./app.js";
import { $, clamp, el, memory } from "./ui.js";

const SWATCHES = [["#E5484D", "Red"], ["#F76B15", "Orange"], ["#FFD43B", "Yellow"], ["#30A46C", "Green"], ["#0090FF", "Blue"], ["#8E4EC6", "Purple"], ["#111111", "Black"], ["#FFFFFF", "White"]];

const FONTS = [["sans-serif", "Sans"], ["serif", "Serif"], ["monospace", "Mono"]];

const style = { colour: null, opacity: 100, width: null, size: null, font: null };

const settings = () => app.state?.settings.annotation ?? {};
const withOpacity = (rgb, percent) => (percent >= 100 ? rgb : rgb + Math.round(percent * 2.55).toString(16).padStart(2, "0").toUpperCase());

export function colour(type) {
    const fallback = type === "highlight" ? "#FFD43B" : settings().defaultStrokeColor ?? "#FF0000";
    return withOpacity((style.colour ?? fallback).slice(0, 7), style.opacity);
}

export const stepColour = () => withOpacity((style.colour ?? settings().stepNumberColor ?? "#FF0000").slice(0, 7), style.opacity);
export const strokeWidth = () => style.width ?? settings().defaultStrokeWidth ?? 2;
export const fontSize = () => style.size ?? settings().defaultFontSize ?? 16;
/** The settings may have the name of any font in them; there are three kinds here. */
export const fontFamily = () => [style.font, settings().defaultFontFamily].find((family) => FONTS.some(([known]) => known === family)) ?? "sans-serif";
export const stepSize = () => settings().stepNumberSize ?? 24;

const swatch = (value, title) => {
    const button = el("button", { class: "swatch", title, "aria-label": title, "aria-pressed": "false", "data-colour": value, onclick: () => setColour(value) });
    button.style.setProperty("--colour", value);
    return button;
};

const picker = el("input", { type: "color", "aria-label": "Another colour", title: "Another colour", value: "#ff0000", onchange: () => setColour(picker.value.toUpperCase()) });
const opacity = el("input", { type: "range", min: 10, max: 100, step: 5, value: 100, "aria-label": "Opacity", onchange: () => setOpacity(Number(opacity.value)) });
const width = el("input", { type: "number", min: 1, max: 100, value: 2, "aria-label": "Width of lines", onchange: () => setWidth(Number(width.value)) });
const size = el("input", { type: "number", min: 6, max: 400, value: 16, "aria-label": "Size of letters and steps", onchange: () => setSize(Number(size.value)) });
const font = el("select", { "aria-label": "Font", onchange: () => setFont(font.value) }, ...FONTS.map(([value, text]) => el("option", { value }, text)));
const recent = el("span", { class: "recent", role: "group", "aria-label": "Recent colours" });

$("style").append(
    el("span", { class: "swatches", role: "group", "aria-label": "Colours" }, ...SWATCHES.map(([value, title]) => swatch(value, title))),
    picker, recent,
    el("label", {}, "Opacity ", opacity), el("label", {}, "Line ", width), el("label", {}, "Letters ", size), font,
);

function showRecent() {
    recent.replaceChildren(...memory.read("colours", []).map((value) => swatch(value, `Recent ${value}`)));
}

function setColour(value) {
    style.colour = value;
    if (!SWATCHES.some(([known]) => known === value)) {
        memory.write("colours", [value, ...memory.read("colours", []).filter((known) => known !== value)].slice(0, 8));
        showRecent();
    }
    mark();
    restyle((one) => ({ ...one, color: withOpacity(value, style.opacity) }));
}

function setOpacity(percent) {
    style.opacity = clamp(percent, 10, 100);
    restyle((one) => ({ ...one, color: withOpacity(one.color.slice(0, 7), style.opacity) }));
}

function setWidth(pixels) {
    style.width = clamp(pixels || 1, 1, 100);
    restyle((one) => ({ ...one, stroke_width: style.width }));
}

function setSize(pixels) {
    style.size = clamp(pixels || 6, 6, 400);
    restyle((one) => (one.type === "text" || one.type === "step" ? { ...one, font_size: style.size } : one));
}

function setFont(family) {
    style.font = family;
    restyle((one) => (one.type === "text" ? { ...one, font_family: family } : one));
}

function restyle(change) {
    const before = selected().filter(({ id }) => !isLocked(id));
    const after = before.map(change);
    if (JSON.stringify(before) !== JSON.stringify(after)) tell("change", after);
}

function mark() {
    const now = (selected()[0]?.color ?? colour(app.tool)).slice(0, 7).toUpperCase();
    for (const button of $("style").querySelectorAll(".swatch")) button.setAttribute("aria-pressed", String(button.dataset.colour === now));
    picker.value = now.toLowerCase();
}

function show() {
    const one = selected()[0];
    width.value = one?.stroke_width ?? strokeWidth();
    size.value = Math.round(one?.font_size ?? fontSize());
    opacity.value = one ? (one.color.length > 7 ? Math.round(parseInt(one.color.slice(7), 16) / 2.55) : 100) : style.opacity;
    font.value = one?.type === "text" ? one.font_family ?? "sans-serif" : fontFamily();
    mark();
}

showRecent();
for (const event of ["selection", "tool", "state", "document"]) on(event, show);
