// Waiting for what is to happen, and nothing longer.

import { setTimeout as pause } from "node:timers/promises";

/** Looks until `look` finds something, and returns that. */
export async function until(what, look, seconds = 60) {
    const end = Date.now() + seconds * 1000;
    let trouble = "";
    for (;;) {
        try {
            const found = await look();
            if (found !== null && found !== undefined && found !== false) return found;
        } catch (error) {
            trouble = `: ${error.message}`;
        }
        if (Date.now() > end) throw new Error(`${what} did not happen within ${seconds} s${trouble}`);
        await pause(50);
    }
}
