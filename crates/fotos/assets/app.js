// What the page knows, and who is told when it changes.

export const app = {
    state: null, // what the host said at first: settings, abilities of the desktop
    shots: [], // all screenshots, the newest first
    shot: null, // the one that is shown
    document: null, // its annotations, crop and steps
    selection: new Set(), // ids of annotations
    tool: "select",
    words: [], // what was read in the picture, as lines of words
};

const listeners = new Map();

/** Calls `listener` whenever `name` is told. */
export function on(name, listener) {
    listeners.set(name, [...(listeners.get(name) ?? []), listener]);
}

/** Tells everybody who listens to `name`. */
export function tell(name, ...more) {
    for (const listener of listeners.get(name) ?? []) listener(...more);
}

/** The part of the base that is shown. */
export function view() {
    const { shot, document } = app;
    return document?.crop ?? { x: 0, y: 0, width: shot?.width ?? 1, height: shot?.height ?? 1 };
}

/** The annotations that are selected, in drawing order. */
export const selected = () => (app.document?.annotations ?? []).filter(({ id }) => app.selection.has(id));

export function select(ids) {
    app.selection = new Set(ids);
    tell("selection");
}

/** Of the screenshot that is shown, the document knows it before the list does. */
export const isUnsaved = (shot) => shot.unsaved || (shot.screenshot_id === app.shot?.screenshot_id && Boolean(app.document?.unsaved));
export const isLocked = (id) => app.document?.locked.includes(id) ?? false;
