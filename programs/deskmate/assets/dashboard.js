// Keeps the live parts fresh, copies text, and shows times in the zone of the reader.

const localTimes = (within) => {
    for (const time of within.querySelectorAll("time[datetime]")) {
        const when = new Date(time.dateTime);
        if (Number.isNaN(when.getTime())) continue;
        time.textContent = when.toLocaleTimeString([], { hour12: false });
        time.title = when.toLocaleString();
    }
};

/** Puts a fragment of ours in place of what is there, unless nothing changed or somebody is in it. */
const refresh = async (part) => {
    if (document.hidden || part.contains(document.activeElement)) return;
    try {
        const response = await fetch(part.dataset.live, { credentials: "same-origin" });
        if (!response.ok) return;
        const text = await response.text();
        if (part.dataset.last === text) return;
        part.dataset.last = text;
        part.innerHTML = text;
        localTimes(part);
    } catch {
        // The server is away; the next look may find it.
    }
};

for (const part of document.querySelectorAll("[data-live]")) {
    // What is not in the page from the start, since it takes a server to answer.
    if ("now" in part.dataset) refresh(part);
    setInterval(() => refresh(part), Number(part.dataset.every) * 1000);
}
document.addEventListener("visibilitychange", () => {
    for (const part of document.querySelectorAll("[data-live]")) refresh(part);
});
localTimes(document);

for (const button of document.querySelectorAll(".copier")) {
    const source = button.parentElement.querySelector("code, q");
    button.hidden = false;
    button.setAttribute("aria-label", `Copy: ${source.textContent.slice(0, 60)}`);
    button.addEventListener("click", async () => {
        try {
            await navigator.clipboard.writeText(source.textContent);
            button.textContent = "Copied";
        } catch {
            // Without permission, the text is at least selected.
            getSelection().selectAllChildren(source);
            button.textContent = "Selected";
        }
        setTimeout(() => { button.textContent = "Copy"; }, 2000);
    });
}

for (const form of document.querySelectorAll("form[data-into]")) {
    form.addEventListener("submit", async (event) => {
        event.preventDefault();
        const into = document.getElementById(form.dataset.into);
        const body = new URLSearchParams(new FormData(form));
        try {
            const response = await fetch(form.action, { method: "POST", body, credentials: "same-origin" });
            into.innerHTML = await response.text();
        } catch (error) {
            into.textContent = `No answer: ${error.message}`;
        }
        form.reset();
    });
}
