// Pictures that leave: copy, save, save as, pin, share, and annotations as JSON.

import { post, url } from "./api.js";
import { app, isUnsaved, on, tell } from "./app.js";
import { edit } from "./tools.js";
import { $, attempt, clamp, dialog, el, say, toast } from "./ui.js";

const id = () => app.shot?.screenshot_id;

/** Copies a screenshot: the one that is shown, unless another one is named. */
export async function copy(shot = id()) {
    if (!shot) return;
    await attempt(async () => {
        if (app.state.desktop.copy) await post(`shots/${shot}/copy`);
        else {
            const png = fetch(url(`shots/${shot}/export?format=png`)).then((response) => response.blob());
            await navigator.clipboard.write([new ClipboardItem({ "image/png": png })]);
            await post(`shots/${shot}/exported`, { to: "clipboard" });
        }
        toast("Copied");
        say("Copied");
    });
}

/** Saves a screenshot: the one that is shown, unless another one is named. */
export async function save(options = {}, shot = id()) {
    if (!shot) return;
    await attempt(async () => {
        const format = options.format ?? app.state.settings.capture.defaultFormat;
        const quality = options.quality ?? usualQuality(format);
        if (app.state.desktop.save) {
            const { path } = await post(`shots/${shot}/save`, { format, quality, ask: options.ask ?? false });
            if (path) toast(`Saved as ${path}`);
            return;
        }
        download(url(`shots/${shot}/export?format=${format}&quality=${quality}`));
        await post(`shots/${shot}/exported`, { to: "file" });
        say("Saved");
    });
}

function download(href, name) {
    const link = el("a", { href, download: name ?? true, hidden: true });
    document.body.append(link);
    link.click();
    link.remove();
}

const usualQuality = (format) => app.state.settings.capture[format === "webp" ? "webpQuality" : "jpegQuality"];

export async function saveAs() {
    // An agent may bring up another screenshot while the person is asked.
    const [shot, document] = [id(), app.document];
    if (!shot) return;
    const format = el("select", { autofocus: true }, ...[["png", "PNG"], ["webp", "WebP"], ["jpg", "JPEG"]].map(([value, text]) => el("option", { value, selected: value === app.state.settings.capture.defaultFormat }, text)));
    const quality = el("input", { type: "range", min: 1, max: 100 });
    const level = el("span", { "aria-hidden": "true" });
    const said = el("p", { class: "none" });
    const show = () => {
        const isExact = format.value === "png" || (format.value === "webp" && quality.value === "100");
        quality.disabled = format.value === "png";
        level.textContent = format.value === "png" ? "exact" : quality.value === "100" && isExact ? "100, exact" : quality.value;
        said.textContent = isExact ? "Every pixel stays as it is." : "Smaller, with slight blemishes around letters.";
    };
    const choose = () => {
        quality.value = format.value === "png" ? 100 : usualQuality(format.value);
        show();
    };
    format.addEventListener("change", choose);
    quality.addEventListener("input", show);
    choose();
    const wanted = await dialog("Save as", (close) => el("form", { onsubmit: (event) => {
        event.preventDefault();
        close({ format: format.value, quality: clamp(Number(quality.value) || 90, 1, 100), ask: true });
    } },
    el("label", { class: "field" }, "Format", format),
    el("label", { class: "field" }, el("span", { class: "row" }, "Quality", level), quality),
    said,
    el("p", { class: "actions" },
        el("button", { type: "button", onclick: () => close("export") }, "Annotations as JSON"),
        el("button", { type: "button", onclick: () => close("import") }, "Import annotations …"),
        el("button", { class: "primary" }, "Save"))));
    if (wanted === "export") await exportMarks(shot, document);
    else if (wanted === "import") importMarks(shot);
    else if (wanted) await save(wanted, shot);
}

async function exportMarks(shot, { annotations }) {
    if (app.state.desktop.save) return save({ format: "json", ask: true }, shot);
    const text = JSON.stringify({ annotations }, null, 2);
    const href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
    download(href, "annotations.json");
    setTimeout(() => URL.revokeObjectURL(href), 10_000);
    return undefined;
}

function importMarks(shot) {
    const input = el("input", { type: "file", accept: "application/json,.json", hidden: true, id: "marks-file" });
    input.addEventListener("change", () => attempt(async () => {
        const [file] = input.files;
        input.remove();
        if (!file) return;
        let annotations;
        try {
            ({ annotations } = JSON.parse(await file.text()));
        } catch {
            throw new Error("this is no JSON file");
        }
        if (!Array.isArray(annotations)) throw new Error("there are no annotations in this file");
        await edit({ edit: "replace", annotations }, shot);
    }));
    document.body.append(input);
    input.click();
}

export async function share() {
    if (!id()) return;
    await attempt(async () => {
        const now = await post(`shots/${id()}/share`, { shared: !app.shot.shared });
        if (now.screenshot_id === id()) app.shot = now;
        tell("document");
        say(now.shared ? "Agents see this screenshot" : "Agents do not see this screenshot");
    });
}

export const pin = () => id() && attempt(() => post(`shots/${id()}/pin`));

for (const [name, action] of Object.entries({ copy: () => copy(), save: () => save(), "save-as": saveAs, share, pin })) $(name).addEventListener("click", action);

on("document", () => {
    const { shot } = app;
    for (const name of ["copy", "save", "save-as", "share", "pin"]) $(name).disabled = !shot;
    $("pin").hidden = !app.state?.desktop.pin;
    const isOpen = Boolean(shot?.shared || shot?.by === "agent");
    $("share").setAttribute("aria-pressed", String(isOpen));
    $("share").title = shot?.by === "agent" ? "An agent took this screenshot and sees it" : "Let agents see this screenshot";
    if (shot?.by === "agent") $("share").disabled = true;
});

addEventListener("beforeunload", (event) => {
    if (app.shots.some((shot) => shot.by === "person" && isUnsaved(shot))) event.preventDefault();
});
