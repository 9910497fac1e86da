// Cook mode: the screen stays on, steps turn by key and swipe, timers run beside each other.

import { left, markTold, startTimer, stopTimer, timers } from "./timers.js";
import { fetchPage, replacePart } from "./swap.js";

let lock = null;

/** What the page says, in its language. */
const said = (name) => document.querySelector("[data-cook]")?.dataset[name] ?? "";

/** The browser lets go of the lock whenever the page is hidden, so it is taken again when it is seen. */
async function stayAwake() {
    const sign = document.getElementById("awake");
    if (!("wakeLock" in navigator)) return;
    try {
        lock = await navigator.wakeLock.request("screen");
        sign.textContent = said("awake");
        lock.addEventListener("release", () => (sign.textContent = ""));
    } catch {
        sign.textContent = "";
    }
}

async function turn(link) {
    if (!link) return;
    // Only steps are turned in place; the last button leads elsewhere.
    if (!link.rel) return location.assign(link.href);
    try {
        const { page } = await fetchPage(link.href);
        if (!replacePart(page, "#step")) throw new Error("no step");
        history.pushState(null, "", link.href);
        document.title = page.title;
        const heading = document.querySelector("#step h1");
        heading.tabIndex = -1;
        heading.focus();
    } catch {
        location.assign(link.href);
    }
}

const link = (rel) => document.querySelector(`#step a[rel=${rel}]`);

function onKey(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest("input, textarea, select")) return;
    if (event.key === "ArrowRight" || event.key === "PageDown") turn(link("next"));
    else if (event.key === "ArrowLeft" || event.key === "PageUp") turn(link("prev"));
    else return;
    event.preventDefault();
}

function swipes(area) {
    let start = null;
    area.addEventListener("touchstart", (event) => (start = event.touches.length === 1 ? event.touches[0] : null), { passive: true });
    area.addEventListener("touchend", (event) => {
        const end = event.changedTouches[0];
        if (!start || !end) return;
        const [across, down] = [end.clientX - start.clientX, end.clientY - start.clientY];
        if (Math.abs(across) > 70 && Math.abs(across) > 2 * Math.abs(down)) turn(link(across < 0 ? "next" : "prev"));
    });
}

/** Three short tones; a browser that allows none stays silent, and the words are there. */
function ring() {
    try {
        const audio = new AudioContext();
        for (const beat of [0, 0.4, 0.8]) {
            const [tone, volume] = [audio.createOscillator(), audio.createGain()];
            tone.frequency.value = 880;
            volume.gain.setValueAtTime(0.2, audio.currentTime + beat);
            volume.gain.exponentialRampToValueAtTime(0.001, audio.currentTime + beat + 0.3);
            tone.connect(volume).connect(audio.destination);
            tone.start(audio.currentTime + beat);
            tone.stop(audio.currentTime + beat + 0.3);
        }
    } catch {
        // Silent.
    }
    navigator.vibrate?.([200, 100, 200]);
}

/** Where the browser allows it, a timer is heard of on other pages and with the screen off, too. */
async function askToNotify() {
    try {
        if ("Notification" in window && Notification.permission === "default") await Notification.requestPermission();
    } catch {
        // It rings on this page all the same.
    }
}

async function notify(label) {
    try {
        if (!("Notification" in window) || Notification.permission !== "granted" || document.visibilityState === "visible") return;
        const worker = await navigator.serviceWorker?.getRegistration();
        worker?.showNotification(said("ended"), { body: label, tag: label, requireInteraction: true });
    } catch {
        // As above.
    }
}

function row(timer) {
    const item = document.createElement("li");
    item.dataset.timer = timer.id;
    const [label, time, stop] = ["span", "strong", "button"].map((name) => document.createElement(name));
    label.textContent = timer.label;
    time.className = "time";
    stop.type = "button";
    stop.className = "small";
    stop.textContent = "×";
    stop.setAttribute("aria-label", `${said("stop")} ${timer.label}`);
    stop.addEventListener("click", () => {
        stopTimer(timer.id);
        draw();
    });
    item.append(time, label, stop);
    return item;
}

/** Rows are kept while their timer runs, so that focus stays where it is. */
function draw() {
    const list = document.getElementById("timers");
    const running = timers();
    for (const item of [...list.children]) {
        if (!running.some((timer) => timer.id === item.dataset.timer)) item.remove();
    }
    for (const timer of running) {
        let item = list.querySelector(`[data-timer="${timer.id}"]`);
        if (!item) list.append((item = row(timer)));
        const done = timer.end <= Date.now();
        item.classList.toggle("done", done);
        item.querySelector(".time").textContent = done ? said("done") : left(timer);
        if (done && !timer.told) {
            markTold(timer.id);
            document.getElementById("timer-news").textContent = `${said("ended")} ${timer.label}`;
            ring();
            notify(timer.label);
        }
    }
}

export function enhanceCooking() {
    const area = document.querySelector("[data-cook]");
    if (!area) return;
    stayAwake();
    document.addEventListener("visibilitychange", () => {
        if (document.visibilityState !== "visible") return;
        if (!lock || lock.released) stayAwake();
        draw();
    });
    document.addEventListener("keydown", onKey);
    swipes(area);
    area.addEventListener("click", (event) => {
        const button = event.target.closest("button[data-timer]");
        if (button) {
            startTimer(button.dataset.label, Number(button.dataset.timer));
            askToNotify();
            document.getElementById("timer-news").textContent = `${said("runs")} ${button.dataset.label}`;
            return draw();
        }
        const anchor = event.target.closest("#step a[rel=next], #step a[rel=prev]");
        if (anchor && !event.ctrlKey && !event.metaKey && !event.button) {
            event.preventDefault();
            turn(anchor);
        }
    });
    window.addEventListener("popstate", () => location.reload());
    window.addEventListener("storage", draw);
    setInterval(draw, 500);
    draw();
}
