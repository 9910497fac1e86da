// What the pages do with script. Everything here also works without it, only with more page loads.

import { enhanceSwaps } from "./swap.js";
import { enhanceRows } from "./rows.js";
import { enhanceCooking } from "./cook.js";

document.documentElement.classList.add("script");
enhanceSwaps();
enhanceRows();
enhanceCooking();
