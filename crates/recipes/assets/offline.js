// Without a connection: a service worker shows what was looked at, and ticks of the shopping list wait to be sent.

const QUEUE = "recipe-vault.unsent";

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
    keep([...unsent(), { action: form.action, body: body.toString() }]);
    const item = button?.closest("li");
    if (!item) return;
    const isTicked = button.name === "check";
    if (button.name === "remove") return item.remove();
    item.classList.toggle("waiting", isTicked);
    item.querySelector(".box").textContent = isTicked ? "✓" : "";
}

/** Sends what waits, in order. What the server does not take any more is dropped: the list is another by now. */
async function send() {
    const list = unsent();
    const token = document.querySelector("input[name=form]")?.value;
    if (!list.length || !token || !navigator.onLine) return;
    let sent = 0;
    for (const { action, body } of list) {
        const fields = new URLSearchParams(body);
        fields.set("form", token);
        try {
            await fetch(action, { method: "POST", body: fields, credentials: "same-origin" });
        } catch {
            break;
        }
        sent += 1;
    }
    keep(unsent().slice(sent));
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
        navigator.serviceWorker.controller?.postMessage("forget");
        return;
    }
    navigator.serviceWorker.register(`${base}/worker.js`, { scope: `${base}/` }).catch(() => {});
}
