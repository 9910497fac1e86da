// The bundles of `deskmate bundle`, checked and unpacked by the official tool, and started as their manifests say; and the entry
// for the registry, checked against the registry's schema.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

import { check, finish, given } from './checks.mjs';

const home = realpathSync(mkdtempSync(join(tmpdir(), 'interop-bundle-')));
process.on('exit', () => rmSync(home, { recursive: true, force: true }));
const env = { HOME: home, PATH: process.env.PATH };
const run = (command, args) => execFileSync(command, args, { env, cwd: home, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

await check('makes a bundle for each server and one for all', async () => {
    run(given('DESKMATE'), ['bundle', '--each', '--out', 'made']);
    const files = readdirSync(join(home, 'made')).sort();
    assert.deepEqual(files, ['MetaTagGenie.mcpb', 'authy.mcpb', 'deskmate.mcpb', 'fotos.mcpb', 'recipe-vault.mcpb', 'zai-mcp-server.mcpb']);
});
for (const file of readdirSync(join(home, 'made'))) {
    const folder = join(home, file.replace('.mcpb', ''));
    await check(`${file}: the official tool unpacks and validates it`, async () => {
        run('mcpb', ['unpack', join(home, 'made', file), folder]);
        run('mcpb', ['validate', join(folder, 'manifest.json')]);
    });
    await check(`${file}: starts as its manifest says`, async () => {
        const { server, tools } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
        assert.equal(statSync(join(folder, server.entry_point)).mode & 0o111, 0o111);
        const command = server.mcp_config.command.replace('${__dirname}', folder);
        const client = new Client({ name: 'bundle', version: '0' }, { versionNegotiation: { mode: 'auto' } });
        // What the person left empty.
        const empty = Object.fromEntries(Object.keys(server.mcp_config.env ?? {}).map((name) => [name, '']));
        await client.connect(new StdioClientTransport({ command, args: server.mcp_config.args, env: { ...env, ...empty }, stderr: 'inherit' }));
        const listed = await client.listTools();
        assert.deepEqual(listed.tools.map((tool) => tool.name), tools.map((tool) => tool.name));
        await client.close();
    });
}

// Skillsaw brings the registry's schema of each date, and the rules that a publisher meets besides.
const SKILLSAW = fileURLToPath(new URL('../.venv/bin/skillsaw', import.meta.url));
const complaints = (folder) => {
    try {
        return run(SKILLSAW, ['lint', folder]).match(/Repo type: mcp-registry/) ? '' : 'nothing was looked at';
    } catch (error) {
        return error.stdout;
    }
};
for (const server of ['all', 'recipes']) {
    const folder = join(home, `registry-${server}`);
    await check(`${server}: \`server.json\` keeps to the registry's schema`, async () => {
        const which = server === 'all' ? [] : [server];
        run(given('DESKMATE'), ['bundle', ...which, '--out', folder, '--url', 'https://example.org/mcp', '--name', 'io.github.ada/deskmate']);
        for (const file of readdirSync(folder)) if (file.endsWith('.mcpb')) rmSync(join(folder, file));
        assert.equal(complaints(folder), '');
    });
}
await check('what the schema refuses is refused', async () => {
    const entry = JSON.parse(readFileSync(join(home, 'registry-all', 'server.json'), 'utf8'));
    entry.packages[0].fileSha256 = 'none';
    mkdirSync(join(home, 'registry-bad'));
    writeFileSync(join(home, 'registry-bad', 'server.json'), JSON.stringify(entry));
    assert.match(complaints(join(home, 'registry-bad')), /does not conform to MCP Registry 2025-12-11.*fileSha256/s);
});
finish();
