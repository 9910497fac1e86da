// The settings.

import { get, patch, post, put, remove } from "./api.js";
import { app, tell } from "./app.js";
import { $, attempt, confirm, dialog, el, sentence, toast } from "./ui.js";

/** Section, then for each setting: its name, what it is called, and what it may be. */
const SETTINGS = [
    ["capture", "Capture", [
        ["defaultMode", "The button takes", [["region", "a region"], ["fullscreen", "all screens"], ["monitor", "one screen"], ["window", "a window"]]],
        ["delayMs", "Wait before capturing, in milliseconds", [0, 60_000]],
        ["includeMouseCursor", "The pointer is in the picture", "check"],
        ["copyToClipboardAfterCapture", "Copy each new screenshot", "check"],
        ["saveDirectory", "Files go to", "text"],
        ["defaultFormat", "Kind of files", [["png", "PNG"], ["jpg", "JPEG"], ["webp", "WebP"]]],
        ["jpegQuality", "Quality of JPEG files", [1, 100]],
        ["webpQuality", "Quality of WebP files; 100 is exact", [1, 100]],
    ]],
    ["privacy", "Privacy", [["excludedWindows", "Windows nobody is to see: part of the title, one in each line", "lines"]]],
    ["annotation", "Annotation", [
        ["defaultStrokeColor", "Colour of lines", "colour"], ["defaultStrokeWidth", "Width of lines, in pixels", [1, 100]], ["defaultFontSize", "Size of letters, in pixels", [6, 400]], ["defaultFontFamily", "Letters", [["sans-serif", "Sans"], ["serif", "Serif"], ["monospace", "Mono"]]],
        ["stepNumberColor", "Colour of steps", "colour"], ["stepNumberSize", "Size of steps, in pixels", [8, 400]],
    ]],
    ["ai", "AI", [
        ["defaultLlmProvider", "Ask, unless said otherwise", () => app.state.settings.ai.endpoints.map(({ id, name, model }) => [id, model ? `${name}: ${model}` : name])],
        ["ocrLanguage", "Language of the text, such as eng, deu or jpn", "text"], ["redactBeforeSending", "Cover what is private before a model gets a picture", "check"],
    ]],
    ["ui", "Interface", [["theme", "Colours", [["system", "as the system"], ["light", "light"], ["dark", "dark"]]], ["showAiPanel", "Show the panel", "check"], ["showStatusBar", "Show the status line", "check"]]],
    ["agents", "Agents", [["shareNew", "Share every new screenshot of mine with agents", "check"]]],
    ["history", "History", [["keep", "Keep screenshots when Fotos ends", [["off", "no"], ["days", "for some days"], ["forever", "until I delete them"]]], ["days", "For how many days", [1, 3650]]]],
];

function field(section, [name, title, wanted]) {
    const kind = typeof wanted === "function" ? wanted() : wanted;
    const now = app.state.settings[section][name];
    const change = async (value) => {
        const done = await attempt(async () => {
            try {
                return await patch("settings", { [section]: { [name]: value } });
            } catch ({ message }) {
                // As it is called here, and not in the file.
                throw new Error(message.replace(`\`${section}.${name}\` cannot be set`, title));
            }
        });
        if (done) use(done);
        else restore(app.state.settings[section][name]);
    };
    const id = `set-${section}-${name}`;
    let input;
    /** What was refused does not stay in the field, as if it were set. */
    const restore = (value) => {
        if (kind === "check") input.checked = value;
        else input.value = kind === "lines" ? value.join("\n") : kind === "colour" ? value.slice(0, 7).toLowerCase() : value;
    };
    if (kind === "check") {
        input = el("input", { id, type: "checkbox", checked: now, onchange: () => change(input.checked) });
        return el("label", { class: "check" }, input, ` ${title}`);
    }
    if (kind === "lines") input = el("textarea", { id, rows: 3, onchange: () => change(input.value.split("\n").map((line) => line.trim()).filter(Boolean)) }, now.join("\n"));
    else if (kind === "text") input = el("input", { id, value: now, onchange: () => change(input.value.trim()) });
    else if (kind === "colour") input = el("input", { id, type: "color", value: now.slice(0, 7).toLowerCase(), onchange: () => change(input.value.toUpperCase()) });
    else if (typeof kind[0] === "number") input = el("input", { id, type: "number", min: kind[0], max: kind[1], value: now, onchange: () => change(Number(input.value)) });
    else input = el("select", { id, onchange: () => change(input.value) }, ...kind.map(([value, text]) => el("option", { value, selected: value === now }, text)));
    return el("label", { class: "field" }, title, input);
}

export function use(settings) {
    app.state.settings = settings;
    const { theme, showAiPanel, showStatusBar } = settings.ui;
    document.documentElement.dataset.theme = theme;
    document.querySelector(".panel").hidden = !showAiPanel;
    $("status-bar").classList.toggle("off", !showStatusBar);
    tell("state");
}

function keyRow(info) {
    const row = el("li", { class: "key" });
    const shown = ({ present, last_four: last }) => (present ? `••••••••${last ?? ""}` : "no key");
    const input = el("input", { type: "password", autocomplete: "off", "aria-label": `Key of ${info.name}`, placeholder: shown(info) });
    const said = el("output", {});
    const act = (work) => async () => {
        said.textContent = "…";
        try {
            said.textContent = await work();
        } catch (error) {
            said.textContent = sentence(error.message);
        }
        input.value = "";
    };
    row.append(el("b", {}, info.name), input,
        el("button", { onclick: act(async () => {
            input.placeholder = shown(await put(`keys/${info.provider}`, { key: input.value }));
            return "Saved";
        }) }, "Save"),
        el("button", { onclick: act(async () => `Works: ${(await post(`keys/${info.provider}/test`)).model}`) }, "Test"),
        el("button", { onclick: act(async () => {
            const { deleted } = await remove(`keys/${info.provider}`);
            // There may be another one, in the environment.
            const now = (await get("keys")).find(({ provider }) => provider === info.provider);
            input.placeholder = shown(now);
            if (!deleted) return now.present ? "This key comes from the environment: remove it there" : "There was none";
            return now.present ? "Deleted; the one in the environment is used now" : "Deleted";
        }) }, "Delete"), said);
    if (info.trouble) said.textContent = sentence(info.trouble);
    return row;
}

/** What belongs together. No `fieldset`: WebKit draws its legend across the border, wherever the style puts it. */
const group = (name, title, ...parts) => el("section", { role: "group", "aria-labelledby": `group-${name}` }, el("h3", { id: `group-${name}` }, title), ...parts);

export async function openSettings() {
    if (!app.state.application) return toast("Settings belong to the Fotos application; here they come from the environment");
    const keys = el("ul", { class: "api-keys" }, el("li", {}, "Looking …"));
    attempt(async () => keys.replaceChildren(...(await get("keys")).map(keyRow)));
    const problems = app.state.problems.map(({ setting, message }) => el("li", {}, setting ? `${setting}: ${message}` : message));
    return dialog("Settings", () => el("div", { class: "settings" },
        ...(problems.length ? [el("ul", { class: "problems" }, ...problems)] : []),
        ...SETTINGS.map(([section, title, fields]) => group(section, title, ...fields.map((one) => field(section, one)))),
        group("keys", "API keys", el("p", { class: "none" }, "Keys are kept in your vault or keychain, never among the settings."), keys),
        el("p", { class: "actions" }, el("button", { class: "danger", onclick: async () => {
            if (!(await confirm("Reset all settings?", "Everything is as it was at first. Keys and screenshots stay.", "Reset"))) return;
            await attempt(async () => use(await post("settings/reset")));
        } }, "Reset all settings"), el("span", { class: "none" }, `Fotos ${app.state.version}`))), { wide: true });
}

$("settings").addEventListener("click", openSettings);
