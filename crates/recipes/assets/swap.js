// Takes the part of a page that changes from the page that a link or form leads to, and leaves the rest alone.

import { queue } from "./offline.js";

/** Fetches a page of ours and gives its document, and where it came from in the end. */
export async function fetchPage(url, options = {}) {
    const response = await fetch(url, { ...options, credentials: "same-origin" });
    const kind = response.headers.get("content-type") ?? "";
    if (!kind.startsWith("text/html")) throw new Error(`not a page: ${url}`);
    const html = await response.text();
    return { page: new DOMParser().parseFromString(html, "text/html"), url: response.url };
}

/** Puts the element of that page in the place of ours. Says whether both were there. */
export function replacePart(page, selector) {
    const [ours, theirs] = [document.querySelector(selector), page.querySelector(selector)];
    if (!ours || !theirs) return false;
    ours.replaceWith(document.adoptNode(theirs));
    return true;
}

/** How to find an element again after its surroundings were replaced. */
function mark(element) {
    return element?.getAttribute("aria-label") ?? element?.textContent?.trim();
}

function followLink(event) {
    const link = event.target.closest("a[data-swap]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    const selector = link.dataset.swap;
    const wanted = mark(link);
    const ticked = [...document.querySelectorAll(`${selector} input:checked`)].map((box) => box.closest("li").textContent);
    fetchPage(link.href).then(({ page }) => {
        if (!replacePart(page, selector)) throw new Error("no such part");
        history.replaceState(null, "", link.href);
        const again = [...document.querySelectorAll(`${selector} a[data-swap]`)].find((other) => mark(other) === wanted);
        again?.focus();
        keepTicks(selector, ticked);
        keepCookLink();
    }).catch(() => location.assign(link.href));
}

/** Other amounts, same lines: what was ticked stays ticked. */
function keepTicks(selector, ticked) {
    const name = (text) => text.replace(/^[\s\d.,½¼¾⅓⅔⅛⅜⅝⅞–-]+\S*\s/u, "");
    const names = new Set(ticked.map(name));
    for (const box of document.querySelectorAll(`${selector} input[type=checkbox]`)) {
        if (names.has(name(box.closest("li").textContent))) box.checked = true;
    }
}

/** Cook mode takes the servings and units that are shown. */
function keepCookLink() {
    const link = document.querySelector('a[href*="/cook?"]');
    if (link) link.search = location.search;
}

function searchAsYouType(form) {
    let [timer, latest] = [0, 0];
    const search = async () => {
        const turn = ++latest;
        const url = `${form.action}?${new URLSearchParams(new FormData(form))}`;
        try {
            const { page } = await fetchPage(url);
            // An answer that was overtaken by a later one is dropped.
            if (turn === latest && replacePart(page, form.dataset.live)) history.replaceState(null, "", url);
        } catch {
            // The button still works.
        }
    };
    form.addEventListener("input", () => {
        clearTimeout(timer);
        timer = setTimeout(search, 150);
    });
    form.addEventListener("submit", (event) => {
        event.preventDefault();
        clearTimeout(timer);
        search();
    });
}

function sendInPlace(event) {
    const form = event.target.closest("form[data-post]");
    if (!form) return;
    event.preventDefault();
    const body = new URLSearchParams(new FormData(form));
    const button = event.submitter;
    if (button?.name) body.set(button.name, button.value);
    const selector = form.dataset.post;
    const field = form.querySelector("input:not([type=hidden]), textarea")?.id;
    fetchPage(form.action, { method: "POST", body }).then(({ page, url }) => {
        if (!replacePart(page, selector)) return location.assign(url);
        const next = field && document.getElementById(field);
        (next ?? document.querySelector(`${selector} .tick`))?.focus();
    }).catch((error) => {
        // A fetch that failed never arrived; what did arrive may have gone wrong.
        if ("queue" in form.dataset && error instanceof TypeError) return queue(form, body, button);
        form.submit();
    });
}

export function enhanceSwaps() {
    document.addEventListener("click", followLink);
    document.addEventListener("submit", sendInPlace);
    document.querySelectorAll("form[data-live]").forEach(searchAsYouType);
}
