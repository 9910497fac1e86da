// Web pages of other origins, in a real Chromium, against our endpoint: none may get an answer or have an effect.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { chromium } from 'playwright-core';

import { check, finish, given } from '../clients/checks.mjs';
import { ATTACKS, CALL, HEADERS } from './attacks.mjs';
import { Relay } from './relay.mjs';

const server = new URL(given('INTEROP_URL'));
const relay = await Relay.to(server);
const target = new URL(server);
target.port = relay.port;

const profile = mkdtempSync(join(tmpdir(), 'interop-chromium-'));
process.on('exit', () => rmSync(profile, { recursive: true, force: true }));

// The attacker's own server: an empty page to run scripts in.
const attacker = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end('<!doctype html><title>attacker</title><body></body>');
});
await new Promise((resolve) => attacker.listen(0, '127.0.0.1', resolve));
const attackerPort = attacker.address().port;

const browser = await chromium.launchPersistentContext(profile, {
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    headless: true,
    args: [
        '--headless',
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--host-resolver-rules=MAP evil.example 127.0.0.1',
        // The browser's own guard of local servers is new and not everywhere: ours must do without.
        '--disable-features=LocalNetworkAccessChecks,PrivateNetworkAccessSendPreflights',
    ],
});

/** An ordinary client: what a page tries, without a page. */
async function tally() {
    const response = await fetch(server, { method: 'POST', headers: HEADERS, body: JSON.stringify(CALL) });
    assert.equal(response.status, 200);
    return (await response.json()).result.structuredContent.effects;
}

/** A page at `address`, served by the attacker or, if it is of our own port, made up by the browser. */
async function open(address) {
    const page = await browser.newPage();
    const url = new URL(address);
    if (url.port === target.port) {
        await page.route(address, (route) => route.fulfill({ contentType: 'text/html', body: '<!doctype html><body></body>' }));
    }
    await page.goto(address);
    return page;
}

/** Runs one attack in a page: what its script could see, and how our server answered the requests it made. */
async function attack(address, name, at, count) {
    const page = await open(address);
    relay.clear();
    try {
        const saw = await page.evaluate(ATTACKS[name], { url: at.href, call: CALL, headers: HEADERS });
        return { saw, answers: await relay.answers(count) };
    } finally {
        await page.close();
    }
}

let effects = await tally();
/** After an attack, an ordinary client finds one effect more: its own. */
async function assertNothingHappened() {
    const now = await tally();
    const since = now - effects - 1;
    effects = now;
    assert.equal(since, 0, `${since} effects of the page`);
}

await check('control: a page of our own origin gets an answer, so the attack would work', async () => {
    const own = new URL('/page', target);
    const { saw, answers } = await attack(own.href, 'json', target, 1);
    assert.deepEqual(answers, ['POST 200']);
    assert.match(saw, /structuredContent/);
    const now = await tally();
    assert.equal(now - effects, 2, 'the call of the page had no effect');
    effects = now;
});

const FOREIGN = {
    'another port': `http://127.0.0.1:${attackerPort}/`,
    'another name of this machine': `http://localhost:${attackerPort}/`,
    'another site': `http://evil.example:${attackerPort}/`,
};
/** How each attack from another origin is answered: browsers ask first, except for what old pages could always do. */
const ANSWERS = {
    json: ['OPTIONS 403'],
    'json with cookies': ['OPTIONS 403'],
    simple: ['POST 403'],
    'simple without cors': ['POST 403'],
    initialize: ['POST 403'],
    beacon: ['POST 403', 'POST 403'],
    get: ['GET 403'],
    // A plain GET carries no origin, and is answered to nobody.
    'get without cors': ['GET 405'],
    delete: ['OPTIONS 403'],
    events: ['GET 403'],
    websocket: ['GET 403'],
    form: ['POST 403'],
    'script tag': ['GET 405'],
    'image tag': ['GET 405'],
    'without an origin': ['OPTIONS 403'],
};
for (const [whose, address] of Object.entries(FOREIGN)) {
    for (const name of Object.keys(ATTACKS)) {
        await check(`${whose}: ${name}`, async () => {
            const { saw, answers } = await attack(address, name, target, ANSWERS[name].length);
            assert.equal(saw, 'nothing');
            assert.deepEqual(answers, ANSWERS[name]);
            await assertNothingHappened();
        });
    }
}

// The name of the attacker's page now points to us: its script is of the same origin, and only the name is wrong.
const rebound = new URL(target);
rebound.hostname = 'evil.example';
await check('rebound name: the endpoint itself is refused', async () => {
    const page = await browser.newPage();
    const response = await page.goto(rebound.href);
    assert.equal(response.status(), 403);
    await page.close();
});
const REBOUND = {
    json: 'POST 403',
    simple: 'POST 403',
    'simple without cors': 'POST 403',
    initialize: 'POST 403',
    get: 'GET 403',
    'get without cors': 'GET 403',
    delete: 'DELETE 403',
    events: 'GET 403',
    form: 'POST 403',
};
for (const [name, answer] of Object.entries(REBOUND)) {
    await check(`rebound name: ${name}`, async () => {
        const { saw, answers } = await attack(new URL('/page', rebound).href, name, rebound, 1);
        assert.match(saw, /^(nothing|session null|Forbidden: this server does not go by that name.\n)$/);
        assert.deepEqual(answers, [answer]);
        await assertNothingHappened();
    });
}

await browser.close();
attacker.close();
relay.close();
finish();
