// A pinned picture is looked at. The menu of the pointer would copy or save it, and nobody would take note that it left.

addEventListener("contextmenu", (event) => event.preventDefault());
