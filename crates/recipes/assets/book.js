// What the pages do with script. Everything here also works without it, only with more page loads.

import { enhanceSwaps } from "./swap.js";
import { enhanceForms } from "./form.js";
import { enhanceCooking } from "./cook.js";
import { enhanceOffline, separateReaders } from "./offline.js";

document.documentElement.classList.add("script");
separateReaders();
enhanceSwaps();
enhanceForms();
enhanceCooking();
enhanceOffline();
