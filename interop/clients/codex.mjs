// Codex, without a login: `codex mcp add` and `list`, and what its app server says of us once it has connected.
//
// `codex mcp list` shows the configuration and connects to nobody. The app server, which its editor extensions talk
// to, does: it starts each server and lists what it found there.

import assert from 'node:assert/strict';
import { execFile, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { check, finish, given, messages, recorded } from './checks.mjs';

const [, transport] = process.argv.slice(2);

const CODEX = fileURLToPath(new URL('../node_modules/@openai/codex/bin/codex.js', import.meta.url));

const folder = mkdtempSync(join(tmpdir(), 'interop-codex-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const home = join(folder, 'home');
const codexHome = join(folder, 'codex');
mkdirSync(home);
mkdirSync(codexHome);
const env = { PATH: process.env.PATH, HOME: home, CODEX_HOME: codexHome, FIXTURE_TOKEN: process.env.INTEROP_TOKEN, WRONG: 'no' };

function codex(...args) {
    return new Promise((resolve, reject) => {
        execFile(process.execPath, [CODEX, ...args], { cwd: home, env }, (error, stdout, stderr) =>
            error ? reject(new Error(`\`codex ${args.join(' ')}\`: ${stderr}${stdout}`)) : resolve(stdout),
        );
    });
}

/** What the app server knows of each server, by name. */
async function connected() {
    const server = spawn(process.execPath, [CODEX, 'app-server'], { cwd: home, env, stdio: ['pipe', 'pipe', 'ignore'] });
    const ended = new Promise((resolve) => server.once('exit', resolve));
    const send = (message) => server.stdin.write(`${JSON.stringify(message)}\n`);
    const info = { name: 'interop', title: 'Interop', version: '0' };
    send({ id: 1, method: 'initialize', params: { clientInfo: info, capabilities: { experimentalApi: true } } });
    try {
        for await (const line of createInterface({ input: server.stdout })) {
            const { id, result, error } = JSON.parse(line);
            if (error) throw new Error(JSON.stringify(error));
            if (id === 1) {
                send({ method: 'initialized' });
                send({ id: 2, method: 'mcpServerStatus/list', params: {} });
            } else if (id === 2) {
                return Object.fromEntries(result.data.map((status) => [status.name, status]));
            }
        }
        throw new Error('the app server ended without an answer');
    } finally {
        server.stdin.end();
        server.kill();
        await ended;
    }
}

function assertFixture(status) {
    assert.equal(status.toolsError, null);
    assert.equal(status.serverInfo.name, 'fixture');
    assert.ok('echo' in status.tools && 'picture' in status.tools);
    assert.deepEqual(status.resources.map(({ uri }) => uri), ['fixture://readme']);
    assert.deepEqual(status.resourceTemplates.map(({ uriTemplate }) => uriTemplate), ['fixture://pages/{number}']);
}

const said = join(folder, 'said');
const SERVERS = {
    stdio: () => ({
        deskmate: ['--', given('DESKMATE'), 'stdio'],
        fixture: ['--', ...recorded(said)],
        none: ['--', '/bin/false'],
    }),
    http: () => ({ fixture: ['--url', given('INTEROP_URL')] }),
    token: () => ({
        fixture: ['--url', given('INTEROP_TOKEN_URL'), '--bearer-token-env-var', 'FIXTURE_TOKEN'],
        wrong: ['--url', given('INTEROP_TOKEN_URL'), '--bearer-token-env-var', 'WRONG'],
    }),
};
const servers = SERVERS[transport]();

await check('adds and lists', async () => {
    for (const [name, how] of Object.entries(servers)) await codex('mcp', 'add', name, ...how);
    if (transport === 'stdio') {
        execFileSync(given('DESKMATE'), ['connect', 'codex', '--name', 'by-connect', '--yes'], { env });
        servers['by-connect'] = [];
    }
    const listed = JSON.parse(await codex('mcp', 'list', '--json'));
    assert.deepEqual(listed.map(({ name }) => name).sort(), Object.keys(servers).sort());
    assert.ok(listed.every(({ enabled }) => enabled));
});
const found = {};
await check('looks at each', async () => Object.assign(found, await connected()));
await check('the fixture is connected', async () => assertFixture(found.fixture));
if (transport === 'stdio') {
    await check('speaks 2025-06-18', async () => {
        const [first] = messages(said);
        assert.equal(first.method, 'initialize');
        assert.equal(first.params.protocolVersion, '2025-06-18');
    });
    await check('`deskmate stdio` is connected', async () => {
        assert.equal(found.deskmate.toolsError, null);
        assert.equal(found.deskmate.serverInfo.name, 'deskmate');
        assert.ok('deskmate_info' in found.deskmate.tools);
    });
    await check('`deskmate connect codex` connects it', async () => {
        assert.equal(found['by-connect'].toolsError, null);
        assert.ok('deskmate_info' in found['by-connect'].tools);
    });
    await check('a server that is none is not', async () => assert.match(found.none.toolsError, /startup failed/));
}
if (transport === 'token') {
    await check('another token is refused', async () => assert.ok(found.wrong.toolsError));
}
finish();
