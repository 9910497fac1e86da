// Choosing a region of a frozen screen, by pointer or by keys.

import { boxBetween } from "./shapes.js";
import { clamp, el } from "./ui.js";

/**
 * Shows a picture in `host` and lets a part of it be chosen. `size` is the picture's size in its own pixels; places are in them, also
 * outside of this part: a drag may end on another monitor.
 */
export function regionChooser(host, { src, size, done, cancel }) {
    const image = el("img", { src, alt: "", draggable: "false" });
    const box = el("div", { class: "region", hidden: true });
    const label = el("output", { class: "measure", hidden: true });
    const hint = el("p", { class: "hint" }, "Drag over a region, or use the arrow keys. Enter takes it, Escape leaves.");
    host.replaceChildren(image, box, label, hint);
    let [from, region] = [null, null];
    const scale = () => host.clientWidth / size.width;

    const place = (event) => {
        const around = host.getBoundingClientRect();
        return { x: (event.clientX - around.left) / scale(), y: (event.clientY - around.top) / scale() };
    };
    const show = () => {
        box.hidden = label.hidden = !region;
        hint.hidden = Boolean(region);
        if (!region) return;
        const css = (value) => `${value * scale()}px`;
        Object.assign(box.style, { left: css(region.x), top: css(region.y), width: css(region.width), height: css(region.height) });
        label.textContent = `${Math.round(region.width)} × ${Math.round(region.height)}`;
        // It stays inside, however small or close to the edge the region is.
        label.style.left = `${clamp(region.x * scale(), 4, Math.max(4, host.clientWidth - 110))}px`;
        label.style.top = `${region.y * scale() > 34 ? region.y * scale() - 32 : clamp((region.y + region.height) * scale() + 6, 4, host.clientHeight - 32)}px`;
    };
    const whole = () => {
        const [x, y] = [Math.round(region.x), Math.round(region.y)];
        return { x, y, width: Math.max(1, Math.round(region.x + region.width) - x), height: Math.max(1, Math.round(region.y + region.height) - y) };
    };
    const finish = () => region && done(whole());

    host.addEventListener("pointerdown", (event) => {
        if (event.button !== 0) return cancel();
        host.setPointerCapture(event.pointerId);
        from = place(event);
        region = null;
        show();
        return undefined;
    });
    host.addEventListener("pointermove", (event) => {
        if (!from) return;
        region = boxBetween(from, place(event));
        show();
    });
    host.addEventListener("pointerup", (event) => {
        if (!from) return;
        region = boxBetween(from, place(event));
        from = null;
        if (region.width * scale() < 3 || region.height * scale() < 3) {
            region = null;
            show();
        } else finish();
    });
    const keys = (event) => {
        const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
        if (event.key === "Escape") cancel();
        else if (event.key === "Enter") finish();
        else if (steps[event.key]) {
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
