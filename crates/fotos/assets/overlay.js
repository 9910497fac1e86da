// A region of the frozen screen, on one monitor; there is a window like this on each.

import { get, post, url } from "./api.js";
import { regionChooser } from "./region.js";

const host = document.getElementById("region");
const [x, y, width, height] = ["x", "y", "width", "height"].map((name) => Number(new URLSearchParams(location.search).get(name)));
const { box: frozen, windows } = await get("frozen");
// Places are told from the upper left corner of all monitors.
const offset = { x: x - frozen.x, y: y - frozen.y };
const part = new URLSearchParams({ x: offset.x, y: offset.y, width, height });
regionChooser(host, {
    src: url(`frozen/picture?${part}`),
    size: { width, height },
    windows: windows.map((place) => ({ ...place, x: place.x - offset.x, y: place.y - offset.y })),
    done: (region) => post("frozen/choose", { region: { ...region, x: region.x + offset.x, y: region.y + offset.y } }),
    cancel: () => post("frozen/cancel"),
});
addEventListener("keydown", (event) => event.key === "Escape" && post("frozen/cancel"));
