// Timers by the moment they end, kept in this browser: they go on over page loads, sleep and restarts.

const KEY = "recipe-vault.timers";
const MOST = 12;

/** The timers there are: { id, label, end }, the next to end first. */
export function timers() {
    try {
        const kept = JSON.parse(localStorage.getItem(KEY) ?? "[]");
        const usable = kept.filter((timer) => Number.isFinite(timer?.end) && typeof timer.label === "string");
        return usable.sort((one, other) => one.end - other.end);
    } catch {
        return [];
    }
}

function keep(list) {
    try {
        localStorage.setItem(KEY, JSON.stringify(list.slice(0, MOST)));
    } catch {
        // Without storage the timers of this page are lost with it.
    }
}

export function startTimer(label, minutes, now = Date.now()) {
    const id = `${now}-${Math.random().toString(36).slice(2, 8)}`;
    keep([...timers(), { id, label, end: now + minutes * 60_000 }]);
}

export function stopTimer(id) {
    keep(timers().filter((timer) => timer.id !== id));
}

/** Marks a timer as told, so that it rings once. */
export function markTold(id) {
    keep(timers().map((timer) => (timer.id === id ? { ...timer, told: true } : timer)));
}

/** What is left, as 1:05:09 or 4:30; nothing is left below zero. */
export function left(timer, now = Date.now()) {
    const seconds = Math.max(0, Math.ceil((timer.end - now) / 1000));
    const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
    const two = (number) => String(number).padStart(2, "0");
    return hours ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}
