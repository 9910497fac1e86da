// Claude Code, without a login: `claude mcp add`, and what `claude mcp list` then says of us.

import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { check, finish, given, messages, recorded } from './checks.mjs';

const [, transport] = process.argv.slice(2);

/** The package's own command needs its install script; the binary of this machine's package does not. */
const CLAUDE = fileURLToPath(new URL(`../node_modules/@anthropic-ai/claude-code-linux-${process.arch}/claude`, import.meta.url));

const folder = mkdtempSync(join(tmpdir(), 'interop-claude-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const home = join(folder, 'home');
mkdirSync(home);

function claude(...args) {
    const env = {
        PATH: process.env.PATH,
        HOME: home,
        CLAUDE_CONFIG_DIR: join(folder, 'config'),
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    };
    return new Promise((resolve, reject) => {
        execFile(CLAUDE, args, { cwd: home, env }, (error, stdout, stderr) =>
            error ? reject(new Error(`\`claude ${args.join(' ')}\`: ${stderr}${stdout}`)) : resolve(stdout),
        );
    });
}

/** Adds a server and asks for its state, in Claude Code's own words. */
async function state(name, ...how) {
    await claude('mcp', 'add', '--scope', 'user', ...how);
    const line = (await claude('mcp', 'list')).split('\n').find((line) => line.startsWith(`${name}: `));
    assert.ok(line, `\`${name}\` is not listed`);
    return line;
}

const token = (value) => ['--header', `Authorization: Bearer ${value}`];
const EACH = {
    async stdio() {
        await check('`deskmate stdio` is connected', async () => {
            assert.match(await state('deskmate', 'deskmate', '--', given('DESKMATE'), 'stdio'), /✔ Connected$/);
        });
        await check('`deskmate connect claude-code` connects it', async () => {
            const env = { PATH: process.env.PATH, HOME: home, CLAUDE_CONFIG_DIR: join(folder, 'config') };
            execFileSync(given('DESKMATE'), ['connect', 'claude-code', '--name', 'by-connect', '--yes'], { env });
            const line = (await claude('mcp', 'list')).split('\n').find((line) => line.startsWith('by-connect: '));
            assert.match(line ?? 'not listed', /✔ Connected$/);
        });
        const said = join(folder, 'said');
        await check('the fixture is connected', async () => {
            assert.match(await state('fixture', 'fixture', '--', ...recorded(said)), /✔ Connected$/);
        });
        await check('speaks 2026-07-28', async () => {
            const [first] = messages(said);
            assert.equal(first.method, 'server/discover');
            assert.equal(first.params._meta['io.modelcontextprotocol/protocolVersion'], '2026-07-28');
            assert.ok(!messages(said).some(({ method }) => method === 'initialize'));
        });
        await check('a server that is none is not', async () => {
            assert.match(await state('none', 'none', '--', '/bin/false'), /✘ Failed to connect/);
        });
    },
    async http() {
        await check('the fixture is connected', async () => {
            const how = ['--transport', 'http', 'fixture', given('INTEROP_URL')];
            assert.match(await state('fixture', ...how), /\(HTTP\) - ✔ Connected$/);
        });
    },
    async token() {
        await check('the fixture is connected with its token', async () => {
            const how = ['--transport', 'http', 'fixture', given('INTEROP_TOKEN_URL'), ...token(given('INTEROP_TOKEN'))];
            assert.match(await state('fixture', ...how), /\(HTTP\) - ✔ Connected$/);
        });
        await check('another token is refused', async () => {
            const how = ['--transport', 'http', 'wrong', given('INTEROP_TOKEN_URL'), ...token('wrong')];
            assert.match(await state('wrong', ...how), /✘ Failed to connect.*401/);
        });
    },
};
await EACH[transport]();
await check('`claude mcp get` agrees', async () => {
    const name = transport === 'stdio' ? 'deskmate' : 'fixture';
    assert.match(await claude('mcp', 'get', name), /Status: ✔ Connected/);
});
finish();
