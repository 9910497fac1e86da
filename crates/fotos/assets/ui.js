// Small parts of every page: elements, messages, dialogs.

export const $ = (id) => document.getElementById(id);

/** An element with attributes and children. A function as an attribute listens: `onclick`. */
export function el(name, attributes = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
        if (typeof value === "function") made.addEventListener(key.slice(2), value);
        else if (key === "class") made.className = value;
        else if (value === true) made.setAttribute(key, "");
        else if (value !== false && value !== null && value !== undefined) made.setAttribute(key, value);
    }
    made.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
    return made;
}

const SVG = "http://www.w3.org/2000/svg";

export function svg(name, attributes = {}, ...children) {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
}

export const icon = (name) => svg("svg", { "aria-hidden": "true" }, svg("use", { href: `#i-${name}` }));

/** Says something in the status line, which screen readers hear. */
export function say(text) {
    $("status").textContent = text;
}

/** A message that goes away by itself; an error stays until it is closed. */
export function toast(text, kind = "info") {
    const close = el("button", { class: "icon", "aria-label": "Close the message", onclick: () => made.remove() }, icon("close"));
    const made = el("div", { class: `toast ${kind}` }, el("p", {}, text), close);
    $("toasts").append(made);
    placeToasts();
    if (kind !== "error") setTimeout(() => made.remove(), 5000);
}

/** Messages are in the dialog while there is one: what is below it can be neither seen nor used. */
function placeToasts() {
    const place = $("dialog").open ? $("dialog") : document.body;
    if ($("toasts").parentElement !== place) place.append($("toasts"));
}

/** Runs something, and shows what goes wrong. */
export async function attempt(work) {
    try {
        return await work();
    } catch (error) {
        if (error.name !== "AbortError") toast(sentence(error.message), "error");
        return undefined;
    }
}

export const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** Shows a dialog; the promise has what `close` was called with. */
export function dialog(title, build, { wide = false } = {}) {
    const box = $("dialog");
    if (box.open) box.close();
    return new Promise((resolve) => {
        let result;
        const close = (value) => {
            result = value;
            box.close();
        };
        box.className = wide ? "wide" : "";
        const head = el("div", { class: "head" }, el("h2", { id: "dialog-title", tabindex: "-1" }, title),
            el("button", { class: "icon", "aria-label": "Close", onclick: () => close() }, icon("close")));
        document.body.append($("toasts"));
        box.replaceChildren(head, build(close));
        // A dialog in the place of another one hears that one close, too.
        const closed = () => {
            if (box.open) return;
            placeToasts();
            box.removeEventListener("close", closed);
            resolve(result);
        };
        box.addEventListener("close", closed);
        box.showModal();
        placeToasts();
        // Not the button that closes it, which comes first.
        (box.querySelector("[autofocus]") ?? box.querySelector("h2")).focus();
    });
}

/** A question with two answers. */
export const confirm = (title, text, yes, no = "Cancel") => dialog(title, (close) => el("div", {},
    el("p", {}, text),
    el("p", { class: "actions" },
        el("button", { onclick: () => close(false) }, no),
        el("button", { class: "primary", autofocus: true, onclick: () => close(true) }, yes))));

/** Numbers from the person, kept within bounds. */
export const clamp = (value, least, most) => Math.min(most, Math.max(least, value));

/** Whether keys go into a field now. */
export function isTyping(target) {
    return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}

/** What this browser remembers for the person. */
export const memory = {
    read(name, fallback) {
        try {
            return JSON.parse(localStorage.getItem(`fotos.${name}`)) ?? fallback;
        } catch {
            return fallback;
        }
    },
    write(name, value) {
        try {
            localStorage.setItem(`fotos.${name}`, JSON.stringify(value));
        } catch {
            // It is only comfort.
        }
    },
};
