// Choosing a region of a frozen screen: by dragging, by a click on a window, or by keys.

import { loupe } from "./loupe.js";
import { boxBetween, overlap } from "./shapes.js";
import { clamp, el } from "./ui.js";

/**
 * Shows a picture in `host` and lets a part of it be chosen. `size` is the picture's size in its own pixels; places are in them, also
 * outside of this part: a drag may end on another monitor. `windows` are boxes that one click takes, the uppermost first.
 */
export function regionChooser(host, { src, size, windows = [], done, cancel }) {
    const image = el("img", { src, alt: "", draggable: "false" });
    const box = el("div", { class: "region", hidden: true });
    const label = el("output", { class: "measure", hidden: true });
    const ways = windows.length ? "Drag over a region, click a window, or use the arrow keys." : "Drag over a region, or use the arrow keys.";
    const hint = el("p", { class: "hint" }, `${ways} Enter takes it, Escape leaves.`);
    host.replaceChildren(image, box, label, hint);
    const glass = loupe(host, image);
    let [from, region, below] = [null, null, null];
    const scale = () => host.clientWidth / size.width;

    const place = (event) => {
        const around = host.getBoundingClientRect();
        return { x: (event.clientX - around.left) / scale(), y: (event.clientY - around.top) / scale() };
    };
    const magnify = (event) => {
        const around = host.getBoundingClientRect();
        glass.show(place(event), { x: event.clientX - around.left, y: event.clientY - around.top });
    };
    const show = () => {
        const shown = region ?? below;
        box.hidden = label.hidden = !shown;
        box.classList.toggle("window", !region);
        hint.hidden = Boolean(region);
        if (!shown) return;
        const css = (value) => `${value * scale()}px`;
        Object.assign(box.style, { left: css(shown.x), top: css(shown.y), width: css(shown.width), height: css(shown.height) });
        label.textContent = `${Math.round(shown.width)} × ${Math.round(shown.height)}`;
        // It stays inside, however small or close to the edge the region is.
        label.style.left = `${clamp(shown.x * scale(), 4, Math.max(4, host.clientWidth - 110))}px`;
        label.style.top = `${shown.y * scale() > 34 ? shown.y * scale() - 32 : clamp((shown.y + shown.height) * scale() + 6, 4, host.clientHeight - 32)}px`;
        // Nor does it lie below the hint.
        const [said, measured] = [hint, label].map((one) => one.getBoundingClientRect());
        if (!hint.hidden && overlap(said, measured)) label.style.top = `${said.bottom - host.getBoundingClientRect().top + 6}px`;
    };
    const whole = (chosen) => {
        const [x, y] = [Math.round(chosen.x), Math.round(chosen.y)];
        return { x, y, width: Math.max(1, Math.round(chosen.x + chosen.width) - x), height: Math.max(1, Math.round(chosen.y + chosen.height) - y) };
    };
    const finish = () => region && done(whole(region));
    const isIn = (one, at) => at.x >= one.x && at.x < one.x + one.width && at.y >= one.y && at.y < one.y + one.height;

    host.addEventListener("pointerdown", (event) => {
        if (event.button !== 0) return cancel();
        host.setPointerCapture(event.pointerId);
        from = place(event);
        below = windows.find((one) => isIn(one, from)) ?? null;
        region = null;
        show();
        return undefined;
    });
    host.addEventListener("pointermove", (event) => {
        magnify(event);
        if (from) {
            const next = boxBetween(from, place(event));
            region = isTiny(next) ? null : next;
        } else if (!region) below = windows.find((one) => isIn(one, place(event))) ?? null;
        show();
    });
    host.addEventListener("pointerup", (event) => {
        if (!from) return;
        const drawn = boxBetween(from, place(event));
        from = null;
        region = isTiny(drawn) ? below : drawn;
        if (region) finish();
        else show();
    });
    host.addEventListener("pointerleave", () => {
        glass.hide();
        if (from || region) return;
        below = null;
        show();
    });
    const isTiny = (one) => one.width * scale() < 3 || one.height * scale() < 3;
    const keys = (event) => {
        const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
        if (event.key === "Escape") cancel();
        else if (event.key === "Enter") finish();
        else if (steps[event.key]) {
            glass.hide();
            region ??= { x: size.width / 4, y: size.height / 4, width: size.width / 2, height: size.height / 2 };
            const [dx, dy] = steps[event.key].map((step) => step * (event.ctrlKey ? 100 : 10));
            if (event.shiftKey) region = { ...region, width: Math.max(1, region.width + dx), height: Math.max(1, region.height + dy) };
            else region = { ...region, x: clamp(region.x + dx, 0, size.width - region.width), y: clamp(region.y + dy, 0, size.height - region.height) };
            show();
        } else return;
        event.preventDefault();
        event.stopPropagation();
    };
    host.addEventListener("keydown", keys);
    host.addEventListener("contextmenu", (event) => event.preventDefault());
    host.focus();
}
