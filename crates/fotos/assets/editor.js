// The editor: puts the parts together, and hears what happens.

import { get, post, url } from "./api.js";
import { app, on, tell } from "./app.js";
import "./capture.js";
import { capture } from "./capture.js";
import { nameOf, reload, show, showAgain } from "./gallery.js";
import "./keys.js";
import { loadAgents } from "./panels.js";
import "./redact.js";
import { copy } from "./saving.js";
import { use } from "./settings.js";
import { fit } from "./stage.js";
import { change } from "./tools.js";
import { $, attempt, isTyping, say, toast } from "./ui.js";

on("document", () => {
    const { shot, document } = app;
    $("undo").disabled = !document?.undo;
    $("redo").disabled = !document?.redo;
    const part = document?.crop ?? shot;
    $("facts").textContent = shot ? `${nameOf(shot)} · ${part.width} × ${part.height}${document.unsaved ? " · not saved" : ""}` : "";
    if (shot?.warning) $("status").textContent = shot.warning;
});
on("change", change);
on("fit", fit);
on("taken", (id) => app.state.settings.capture.copyToClipboardAfterCapture && app.state.desktop.copy && copy(id));

const waiting = new Set();
let timer = 0;

/** Looks at everything that changed, once for many events. */
function later(event) {
    waiting.add(JSON.stringify(event));
    clearTimeout(timer);
    timer = setTimeout(async () => {
        const events = [...waiting].map((text) => JSON.parse(text));
        waiting.clear();
        const isOurs = ({ id }) => id === app.shot?.screenshot_id;
        if (events.some(({ event: kind }) => kind === "settings")) await attempt(async () => use(await get("settings")));
        if (events.some(({ event: kind }) => kind === "history")) await attempt(async () => showTrouble((await get("state")).historyTrouble));
        if (events.some(({ event: kind }) => kind === "agents" || kind === "missed")) await loadAgents();
        if (events.some(({ event: kind }) => !["agents", "settings", "history"].includes(kind))) await reload();
        if (events.some((one) => (one.event === "changed" && isOurs(one)) || one.event === "missed")) await showAgain();
        for (const { event: kind, id } of events) {
            const isByAgent = app.shots.find(({ screenshot_id: known }) => known === id)?.by === "agent";
            if (kind === "opened" || kind === "taken") await show(id);
            if (kind === "taken") tell("taken", id);
            if (kind === "added" && isByAgent) {
                toast("An agent took a screenshot");
                if (!app.shot) await show(id);
            }
        }
    }, 60);
}

// The menu of the pointer would copy or save a picture, and nobody would take note that it left.
document.addEventListener("contextmenu", (event) => {
    const isText = isTyping(event.target) || (event.target.closest(".panel") && String(getSelection()));
    if (!isText) event.preventDefault();
});

/** Why screenshots are not kept for the next start, although the person wants that. */
function showTrouble(trouble) {
    if (trouble) toast(`Not kept for the next start: ${trouble}`, "error");
    else say("Screenshots are kept for the next start again");
}

function listen() {
    const events = new EventSource(url("events"));
    events.addEventListener("message", ({ data }) => later(JSON.parse(data)));
    events.addEventListener("open", () => later({ event: "missed" }));
}

function welcome() {
    const { connect, shortcut } = app.state.desktop;
    if (shortcut) document.querySelector(".ways [data-capture=region] span").textContent = `${shortcut}, from anywhere`;
    $("connect").hidden = !connect;
    $("connect").addEventListener("click", () => attempt(async () => {
        $("connected").textContent = "Connecting …";
        try {
            $("connected").textContent = (await post("connect")).said;
        } catch (error) {
            $("connected").textContent = "";
            throw error;
        }
    }));
}

await attempt(async () => {
    app.state = await get("state");
    app.shots = app.state.shots;
    use(app.state.settings);
    welcome();
    for (const { setting, message } of app.state.problems) toast(`Settings: ${setting ? `${setting}: ` : ""}${message}`, "error");
    if (app.state.historyTrouble) showTrouble(app.state.historyTrouble);
    tell("document");
    await reload();
    if (app.shots[0]) await show(app.shots[0].screenshot_id);
    listen();
    await loadAgents();
    // Whoever starts a capture from outside asks for it here.
    const wanted = new URLSearchParams(location.search).get("capture");
    if (wanted) await capture(wanted);
    document.body.dataset.ready = "yes";
});
