// The service worker. Pages come from the network as long as there is one; what was looked at is kept for when there is not.
// BASE, VERSION and FILES are set by the server above this line.

const ASSETS = `assets-${VERSION}`;
const PAGES = "pages";
const MOST_PAGES = 300;

/** How often pages were forgotten: what was asked for before is not kept after. */
let forgotten = 0;

self.addEventListener("install", (event) => {
    event.waitUntil(caches.open(ASSETS).then((cache) => cache.addAll(FILES)).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
    const old = async () => {
        for (const name of await caches.keys()) {
            if (name !== ASSETS && name !== PAGES) await caches.delete(name);
        }
        await self.clients.claim();
    };
    event.waitUntil(old());
});

self.addEventListener("message", (event) => {
    if (event.data !== "forget") return;
    forgotten += 1;
    event.waitUntil(caches.delete(PAGES));
});

/** Pages and photos that are worth keeping: recipes, the list, the plan, the shopping list. */
function isKept(url) {
    const path = url.pathname.slice(BASE.length) || "/";
    if (/^\/recipes\/[0-9a-f-]{36}(\/cook|\/photo|\/photos\/[0-9a-f-]{36})?$/.test(path)) return true;
    return ["/", "/shopping", "/plan"].includes(path);
}

async function trim(cache) {
    const keys = await cache.keys();
    for (const key of keys.slice(0, Math.max(0, keys.length - MOST_PAGES))) await cache.delete(key);
}

async function fromNetwork(request, url) {
    const before = forgotten;
    const response = await fetch(request);
    if (response.ok && !response.redirected && isKept(url)) {
        const copy = response.clone();
        caches.open(PAGES).then(async (cache) => {
            if (before !== forgotten) return;
            await cache.delete(request);
            await cache.put(request, copy);
            await trim(cache);
        });
    }
    return response;
}

async function answer(request, url) {
    if (url.pathname.startsWith(`${BASE}/assets/`)) {
        return (await caches.match(request)) ?? fetch(request);
    }
    try {
        return await fromNetwork(request, url);
    } catch (error) {
        const cache = await caches.open(PAGES);
        const kept = (await cache.match(request)) ?? (await cache.match(request, { ignoreSearch: true }));
        if (kept) return kept;
        throw error;
    }
}

self.addEventListener("fetch", (event) => {
    const url = new URL(event.request.url);
    const isOurs = url.origin === location.origin && url.pathname.startsWith(`${BASE}/`) && !url.pathname.startsWith(`${BASE}/api/`);
    if (event.request.method === "GET" && isOurs) event.respondWith(answer(event.request, url));
});

self.addEventListener("notificationclick", (event) => {
    event.notification.close();
    event.waitUntil(self.clients.matchAll({ type: "window" }).then((windows) => windows[0]?.focus()));
});
