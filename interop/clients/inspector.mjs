// The command line of the MCP Inspector: `inspector.mjs legacy|auto|modern stdio|http|token`.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { check, finish, given } from './checks.mjs';
import { noise } from './conversation.mjs';

const [era, transport] = process.argv.slice(2);

const CLI = fileURLToPath(new URL('../node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js', import.meta.url));
const VERSION = { legacy: '2025-11-25', auto: '2026-07-28', modern: '2026-07-28' }[era];

const ENTRIES = {
    stdio: () => ({ command: given('INTEROP_SERVER'), args: ['stdio'] }),
    http: () => ({ type: 'streamable-http', url: given('INTEROP_URL') }),
    token: () => ({
        type: 'streamable-http',
        url: given('INTEROP_TOKEN_URL'),
        headers: { Authorization: `Bearer ${given('INTEROP_TOKEN')}` },
    }),
};

const folder = mkdtempSync(join(tmpdir(), 'interop-inspector-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const config = join(folder, 'config.json');
const servers = {
    fixture: { ...ENTRIES[transport](), protocolEra: era },
    deskmate: { command: given('DESKMATE'), args: ['stdio', '--all'], protocolEra: era },
};
writeFileSync(config, JSON.stringify({ mcpServers: servers }));

/** Runs one method: its exit code, and what it wrote. */
function run(server, method, ...more) {
    const args = [CLI, '--cli', '--config', config, '--server', server, '--method', method, ...more, '--format', 'json'];
    const env = { ...process.env, HOME: folder, MCP_INSPECTOR_SECRET_STORE: 'memory' };
    return new Promise((resolve) => {
        execFile(process.execPath, args, { env, maxBuffer: 64_000_000 }, (error, stdout, stderr) =>
            resolve({ code: error ? error.code : 0, stdout, stderr }),
        );
    });
}

/** The result of a method of the fixture that must work. */
async function result(method, ...more) {
    const { code, stdout, stderr } = await run('fixture', method, ...more);
    assert.equal(code, 0, `exit code ${code}: ${stderr}`);
    return JSON.parse(stdout).result;
}

await check(`speaks ${VERSION}`, async () => {
    const greeting = await result('initialize');
    assert.equal(greeting.protocolVersion, VERSION);
    assert.equal(greeting.serverInfo.name, 'fixture');
    const known = await result('tools/call', '--tool-name', 'who_calls');
    assert.equal(known.structuredContent.version, VERSION);
});
await check('lists tools', async () => {
    const { tools } = await result('tools/list');
    const echo = tools.find((tool) => tool.name === 'echo');
    assert.deepEqual(echo.inputSchema.required, ['text']);
});
await check('finds the schemas portable', async () => {
    const { code, stderr } = await run('fixture', 'tools/list', '--strict');
    assert.equal(code, 0, stderr);
});
await check('calls a tool', async () => {
    const { content } = await result('tools/call', '--tool-name', 'echo', '--tool-args-json', '{"text":"Grüße"}');
    assert.equal(content[0].text, 'Grüße');
});
await check('gets structured content', async () => {
    const { structuredContent } = await result('tools/call', '--tool-name', 'add', '--tool-args-json', '{"a":2,"b":3}');
    assert.deepEqual(structuredContent, { sum: 5 });
});
await check('gets a picture byte for byte', async () => {
    const { content } = await result('tools/call', '--tool-name', 'picture', '--tool-args-json', '{"bytes":20011}');
    assert.ok(Buffer.from(content[1].data, 'base64').equals(noise(20_011)));
});
await check('is told that a tool failed', async () => {
    const { code } = await run('fixture', 'tools/call', '--tool-name', 'fail_tool');
    assert.equal(code, 5);
});
await check('lists and reads resources', async () => {
    const { resources } = await result('resources/list');
    assert.deepEqual(resources.map(({ uri }) => uri), ['fixture://readme']);
    const { contents } = await result('resources/read', '--uri', 'fixture://readme');
    assert.equal(contents[0].text, 'Read me');
    const page = await result('resources/read', '--uri', 'fixture://pages/7');
    assert.ok(Buffer.from(page.contents[0].blob, 'base64').equals(noise(7)));
});
await check('gets a prompt', async () => {
    const { messages } = await result('prompts/get', '--prompt-name', 'describe', '--prompt-args', 'page=5', 'tone=short');
    assert.equal(messages[0].content.type, 'image');
    assert.equal(messages[1].content.text, 'Describe this page in short words.');
});
if (transport === 'stdio') {
    await check('finds the schemas of Deskmate portable', async () => {
        const { code, stdout, stderr } = await run('deskmate', 'tools/list', '--strict');
        assert.equal(code, 0, stderr);
        assert.ok(JSON.parse(stdout).result.tools.some(({ name }) => name === 'deskmate_info'));
    });
}
finish();
