// Rows of the recipe form: the buttons send the form, and only the form comes back; Alt with an arrow moves a row.

import { fetchPage, replacePart } from "./swap.js";

/** The field of a row that the cursor goes to. */
function focusRow(editor) {
    const row = editor?.querySelector(`[data-row="${editor.dataset.focus}"]`);
    row?.querySelector("input:not([type=hidden]), textarea")?.focus();
}

async function rearrange(form, button) {
    const body = new URLSearchParams(new FormData(form));
    body.set("do", button.value);
    const { page } = await fetchPage(form.action, { method: "POST", body });
    const selector = form.dataset.rows;
    if (!replacePart(page, selector)) throw new Error("no form came back");
    focusRow(document.querySelector(selector));
}

function onSubmit(event) {
    const form = event.target.closest("form[data-rows]");
    const button = event.submitter;
    if (!form || !button || button.value === "save") return;
    event.preventDefault();
    rearrange(form, button).catch(() => {
        const action = document.createElement("input");
        Object.assign(action, { type: "hidden", name: "do", value: button.value });
        form.append(action);
        form.submit();
    });
}

function onKey(event) {
    const row = event.target.closest?.("[data-row]");
    if (!row || !event.altKey || !["ArrowUp", "ArrowDown"].includes(event.key)) return;
    event.preventDefault();
    const [list, at] = row.dataset.row.split("-");
    const button = row.querySelector(`button[value="${list}-${event.key === "ArrowUp" ? "up" : "down"}-${at}"]`);
    button?.click();
}

export function enhanceRows() {
    document.addEventListener("submit", onSubmit);
    document.addEventListener("keydown", onKey);
    focusRow(document.querySelector("[data-focus]"));
}
