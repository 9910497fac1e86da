// Taking screenshots: which kind, when, of what.

import { get, post, url } from "./api.js";
import { app, on, tell } from "./app.js";
import { regionChooser } from "./region.js";
import { $, attempt, dialog, el, say, toast } from "./ui.js";

const [menu, opener, countdown] = ["capture-list", "capture-menu", "countdown"].map($);

function showMenu(isOpen) {
    menu.hidden = !isOpen;
    // What lies below it can be neither seen whole nor used meanwhile.
    for (const part of ["tools", "style", "stage"]) $(part).inert = isOpen;
    opener.setAttribute("aria-expanded", String(isOpen));
    if (isOpen) menu.querySelector("button").focus();
}

/** Waits as long as the person wants, and counts. False if they left it. */
function wait(milliseconds) {
    if (!milliseconds) return Promise.resolve(true);
    return new Promise((resolve) => {
        let left = Math.ceil(milliseconds / 1000);
        const end = (isDone) => {
            clearInterval(timer);
            removeEventListener("keydown", stop, true);
            countdown.hidden = true;
            resolve(isDone);
        };
        const stop = (event) => {
            if (event.key !== "Escape") return;
            event.stopPropagation();
            end(false);
        };
        const tick = () => {
            if (left === 0) return end(true);
            countdown.textContent = String(left);
            left -= 1;
            return undefined;
        };
        const timer = setInterval(tick, 1000);
        addEventListener("keydown", stop, true);
        countdown.hidden = false;
        tick();
    });
}

export async function capture(kind) {
    showMenu(false);
    const wanted = kind ?? app.state.settings.capture.defaultMode;
    await attempt(async () => {
        if (wanted === "monitor") await chosenMonitor();
        else if (wanted === "window") await chosenWindow();
        else if (await wait(Number($("delay").value))) {
            if (wanted === "region") await region();
            else if (wanted === "repeat") taken(await post("capture/repeat"));
            else taken(await post("capture", { mode: "fullscreen", region: null }));
        }
    });
}

/** Waiting begins as the settings have it; the menu changes it until Fotos ends. */
let known = null;
on("state", () => {
    const { delayMs } = app.state.settings.capture;
    if (delayMs === known) return;
    known = delayMs;
    const [delay, value] = [$("delay"), String(delayMs)];
    if (![...delay.options].some((option) => option.value === value)) delay.append(el("option", { value }, `${delayMs / 1000} seconds`));
    delay.value = value;
});

function taken(shot) {
    tell("arrived", shot);
    tell("taken", shot.screenshot_id);
    say(`Screenshot of ${shot.width} by ${shot.height} pixels`);
}

async function region() {
    const frozen = await post("frozen");
    // The windows above all monitors do the rest.
    if (frozen.overlay) return;
    const host = el("div", { class: "chooser", tabindex: "0", role: "application", "aria-label": "Choose a region: drag, or use the arrow keys, then Enter" });
    let chosen = null;
    const shown = dialog("Choose a region", (close) => {
        queueMicrotask(() => regionChooser(host, {
            src: url("frozen/picture"),
            size: { width: frozen.box.width, height: frozen.box.height },
            windows: frozen.windows,
            done: (box) => {
                chosen = box;
                close();
            },
            cancel: () => close(),
        }));
        return host;
    }, { wide: true });
    host.style.aspectRatio = `${frozen.box.width} / ${frozen.box.height}`;
    await shown;
    if (chosen) taken(await post("frozen/choose", { region: chosen }));
    else await post("frozen/cancel");
}

async function chosenMonitor() {
    const monitors = await get("monitors");
    const index = monitors.length === 1 ? 0 : await dialog("Which screen?", (close) => el("div", { class: "choices" }, ...monitors.map((monitor, at) => el("button", {
        autofocus: at === 0, onclick: () => close(monitor.index),
    }, el("b", {}, monitor.name), el("span", {}, `${monitor.box.width} × ${monitor.box.height}`)))));
    if (index !== undefined && (await wait(Number($("delay").value)))) taken(await post("capture", { mode: "monitor", index }));
}

async function chosenWindow() {
    const windows = (await get("windows")).filter(({ title, state }) => title && state !== "minimised" && state !== "minimized");
    if (!windows.length) return toast("There is no window to choose");
    const number = await dialog("Which window?", (close) => el("div", { class: "choices pictures" }, ...windows.map((window, at) => el("button", {
        autofocus: at === 0, onclick: () => close(window.number),
    }, el("img", { src: url(`windows/picture?number=${window.number}`), alt: "" }), el("b", {}, window.title), el("span", {}, window.class)))), { wide: true });
    if (number !== undefined && (await wait(Number($("delay").value)))) taken(await post("capture", { mode: "window", number }));
    return undefined;
}

$("capture").addEventListener("click", () => capture());
opener.addEventListener("click", () => showMenu(menu.hidden));
document.addEventListener("pointerdown", (event) => {
    if (!menu.hidden && !menu.contains(event.target) && !opener.contains(event.target)) showMenu(false);
});
menu.addEventListener("keydown", (event) => {
    const items = [...menu.querySelectorAll("button, select")];
    const at = items.indexOf(document.activeElement);
    if (event.key === "Escape") {
        showMenu(false);
        opener.focus();
    } else if (event.key === "ArrowDown" && document.activeElement.tagName !== "SELECT") items[(at + 1) % items.length].focus();
    else if (event.key === "ArrowUp" && document.activeElement.tagName !== "SELECT") items.at(at - 1).focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
});
for (const button of document.querySelectorAll("[data-capture]")) button.addEventListener("click", () => capture(button.dataset.capture));
