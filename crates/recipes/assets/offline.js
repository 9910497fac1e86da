// Without a connection: a service worker shows what was looked at, and ticks of the shopping list wait to be sent.

const OURS = "recipe-vault.";
const QUEUE = `${OURS}unsent`;
const READER = `${OURS}reader`;
const PAGES = "pages";

/** Takes away what was kept in this browser: drafts, timers, ticks that wait, and the pages that were looked at. */
function forget() {
    for (const key of Object.keys(localStorage)) {
        if (key.startsWith(OURS)) localStorage.removeItem(key);
    }
    forgetPages();
}

function forgetPages() {
    navigator.serviceWorker?.controller?.postMessage("forget");
    // There may be a worker that does not control this page.
    if ("caches" in window) caches.delete(PAGES).catch(() => {});
}

/** What one person left in this browser is not for the next, nor for another family. Runs before anything is put back. */
export function separateReaders() {
    const { reader } = document.body.dataset;
    try {
        if (reader && localStorage.getItem(READER) !== reader) {
            if (localStorage.getItem(READER) !== null) forget();
            localStorage.setItem(READER, reader);
        }
    } catch {
        // Without storage nothing was left.
    }
    for (const form of document.querySelectorAll("form[data-sign-out]")) form.addEventListener("submit", forget);
}

function unsent() {
    try {
        return JSON.parse(localStorage.getItem(QUEUE) ?? "[]");
    } catch {
        return [];
    }
}

function keep(list) {
    try {
        localStorage.setItem(QUEUE, JSON.stringify(list.slice(-200)));
    } catch {
        // Then it is lost with the page.
    }
    const news = document.getElementById("unsent");
    if (news) news.textContent = list.length ? news.dataset.text : "";
}

/** Notes a change of the shopping list that could not be sent, and shows it as if it had been. */
export function queue(form, body, button) {
    body.delete("form");
    const id = `${Date.now()} ${Math.random()}`;
    keep([...unsent(), { id, action: form.action, body: body.toString() }]);
    const item = button?.closest("li");
    if (!item) return;
    const isTicked = button.name === "check";
    if (button.name === "remove") return item.remove();
    item.classList.toggle("waiting", isTicked);
    item.querySelector(".box").textContent = isTicked ? "✓" : "";
}

/** Whether the server has seen it. It has not if it is busy, or if nobody is signed in any more. */
async function isSent({ action, body }, token) {
    const fields = new URLSearchParams(body);
    fields.set("form", token);
    try {
        const { status, url } = await fetch(action, { method: "POST", body: fields, credentials: "same-origin" });
        return status < 500 && status !== 429 && !new URL(url).pathname.endsWith("/sign-in");
    } catch {
        return false;
    }
}

let isSending = false;

/** Sends what waits, in order. What the server does not take any more is dropped: the list is another by now. */
async function send() {
    const token = document.querySelector("input[name=form]")?.value;
    if (isSending || !token || !document.body.dataset.reader || !navigator.onLine) return;
    isSending = true;
    let [next, sent] = [null, 0];
    while ((next = unsent()[0]) && (await isSent(next, token))) {
        // Another window may have sent it, too, or noted more.
        keep(unsent().filter(({ id }) => id !== next.id));
        sent += 1;
    }
    isSending = false;
    if (sent && document.querySelector("form[data-queue]")) location.reload();
}

export function enhanceOffline() {
    const base = document.body.dataset.base ?? "";
    keep(unsent());
    window.addEventListener("online", send);
    send();
    if (!("serviceWorker" in navigator)) return;
    if ("signedOut" in document.body.dataset) {
        // Whoever signs out leaves nothing behind.
        forgetPages();
        return;
    }
    navigator.serviceWorker.register(`${base}/worker.js`, { scope: `${base}/` }).catch(() => {});
}
