// A magnifying glass beside the pointer: the pixels around it, and the colour of the one below it.

import { el } from "./ui.js";

/** How many pixels it shows across, and how large each is. */
const [ACROSS, LARGE] = [15, 9];
const EDGE = ACROSS * LARGE;

/** A magnifying glass over `image` in `host`. `show` takes a place in pixels of the picture, and one in `host`. */
export function loupe(host, image) {
    const canvas = el("canvas", { width: EDGE, height: EDGE });
    const colour = el("span", {});
    const glass = el("div", { class: "loupe", "aria-hidden": "true", hidden: true }, canvas, colour);
    host.append(glass);
    const context = canvas.getContext("2d", { willReadFrequently: true });
    const hide = () => {
        glass.hidden = true;
    };
    const show = (at, beside) => {
        if (!image.naturalWidth) return hide();
        const [x, y] = [Math.floor(at.x), Math.floor(at.y)];
        context.imageSmoothingEnabled = false;
        context.fillStyle = "#14151a";
        context.fillRect(0, 0, EDGE, EDGE);
        context.drawImage(image, x - (ACROSS - 1) / 2, y - (ACROSS - 1) / 2, ACROSS, ACROSS, 0, 0, EDGE, EDGE);
        const middle = (EDGE - LARGE) / 2;
        const [red, green, blue] = context.getImageData(EDGE / 2, EDGE / 2, 1, 1).data;
        colour.textContent = `#${[red, green, blue].map((part) => part.toString(16).padStart(2, "0")).join("")}`.toUpperCase();
        context.strokeStyle = "#000";
        context.strokeRect(middle - 1.5, middle - 1.5, LARGE + 3, LARGE + 3);
        context.strokeStyle = "#fff";
        context.strokeRect(middle - 0.5, middle - 0.5, LARGE + 1, LARGE + 1);
        glass.hidden = false;
        // On the other side where there is no room.
        const beyond = (place, room, length) => (place + 24 + length > room ? place - 24 - length : place + 24);
        glass.style.left = `${beyond(beside.x, host.clientWidth, glass.offsetWidth)}px`;
        glass.style.top = `${beyond(beside.y, host.clientHeight, glass.offsetHeight)}px`;
        return undefined;
    };
    return { show, hide };
}
