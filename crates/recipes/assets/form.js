// Forms: what is typed survives a lost connection, photos are made smaller before they are sent, text fields grow.

const PHOTO_EDGE = 2048;

/** A photo as large as a page needs it; the file itself where the browser cannot read it. */
async function smaller(file) {
    try {
        const picture = await createImageBitmap(file, { imageOrientation: "from-image" });
        const factor = Math.min(1, PHOTO_EDGE / Math.max(picture.width, picture.height));
        if (factor === 1 && file.size < 1_000_000) return file;
        const canvas = document.createElement("canvas");
        [canvas.width, canvas.height] = [Math.round(picture.width * factor), Math.round(picture.height * factor)];
        canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
        const blob = await new Promise((done) => canvas.toBlob(done, "image/jpeg", 0.85));
        return blob ? new File([blob], "photo.jpg", { type: "image/jpeg" }) : file;
    } catch {
        return file;
    }
}

async function onPhoto(event) {
    const input = event.target.closest?.("input[data-photo]");
    if (!input?.files?.length) return;
    const button = input.form?.querySelector("button:not([type=button])");
    if (button) button.disabled = true;
    try {
        const files = new DataTransfer();
        for (const file of input.files) files.items.add(await smaller(file));
        input.files = files.files;
    } finally {
        if (button) button.disabled = false;
    }
}

/** A field as high as what is in it. */
function grow(field) {
    field.style.height = "auto";
    field.style.height = `${field.scrollHeight + 2}px`;
}

const keyOf = (form) => `recipe-vault.draft.${new URL(form.action).pathname}`;
const isText = (field) => field.name && !["hidden", "file", "password"].includes(field.type) && field.tagName !== "BUTTON";

function keepDraft(form) {
    const fields = Object.fromEntries([...form.elements].filter(isText).map((field) => [field.name, field.value]));
    try {
        localStorage.setItem(keyOf(form), JSON.stringify({ version: form.dataset.draft, at: Date.now(), fields }));
    } catch {
        // Without storage the form is as forgetful as any other.
    }
}

/** Puts back what was typed and not saved, if the recipe is still the one it was typed for. */
function restoreDraft(form) {
    const drop = () => localStorage.removeItem(keyOf(form));
    try {
        const draft = JSON.parse(localStorage.getItem(keyOf(form)) ?? "null");
        // A form that came back with complaints holds what was typed.
        if (!draft || document.querySelector(".complaint")) return;
        const isOld = Date.now() - draft.at > 7 * 86_400_000;
        if (draft.version !== form.dataset.draft || isOld) return drop();
        let changed = false;
        for (const field of [...form.elements].filter(isText)) {
            const kept = draft.fields[field.name];
            if (typeof kept !== "string" || kept === field.value) continue;
            field.value = kept;
            changed = true;
        }
        const notice = form.querySelector("[data-draft-notice]");
        if (!changed || !notice) return;
        notice.hidden = false;
        notice.querySelector("[data-draft-drop]").addEventListener("click", () => {
            drop();
            location.reload();
        });
    } catch {
        drop();
    }
}

/** A page that says "saved" ends the draft it was made from. */
function forgetSaved() {
    if (!/[?&]done=(saved|no-photo)/.test(location.search)) return;
    const base = document.body.dataset.base ?? "";
    localStorage.removeItem(`recipe-vault.draft.${location.pathname}`);
    localStorage.removeItem(`recipe-vault.draft.${base}/recipes`);
}

function onEnter(event) {
    const field = event.target.closest?.("textarea[data-enter]");
    if (!field || event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    field.form.requestSubmit();
}

export function enhanceForms() {
    document.addEventListener("change", onPhoto);
    document.addEventListener("keydown", onEnter);
    forgetSaved();
    for (const form of document.querySelectorAll("form[data-draft]")) {
        restoreDraft(form);
        form.addEventListener("input", () => keepDraft(form));
    }
    for (const field of document.querySelectorAll("textarea[data-grow]")) {
        grow(field);
        field.addEventListener("input", () => grow(field));
    }
    const zone = document.querySelector("input[data-zone]");
    if (zone) zone.value = Intl.DateTimeFormat().resolvedOptions().timeZone ?? "";
}
