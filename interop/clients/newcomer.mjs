// Somebody who has just got Deskmate: an empty home, one command, and an official client that starts what was written.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

import { check, finish, given } from './checks.mjs';

const home = realpathSync(mkdtempSync(join(tmpdir(), 'interop-newcomer-')));
process.on('exit', () => rmSync(home, { recursive: true, force: true }));
mkdirSync(join(home, 'Pictures'));
const env = { HOME: home, PATH: '/usr/bin:/bin' };
const began = Date.now();
const client = new Client({ name: 'newcomer', version: '0' }, { versionNegotiation: { mode: 'auto' } });
const text = ({ content }) => content.map((block) => block.text ?? '').join('\n');

await check('one command connects', async () => {
    const args = ['connect', 'claude-code', '--yes', '--folder', join(home, 'Pictures')];
    const said = execFileSync(given('DESKMATE'), args, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
    assert.match(said, /Claude Code: connected/);
});
await check('the client starts what was written', async () => {
    const { command, args } = JSON.parse(readFileSync(join(home, '.claude.json'), 'utf8')).mcpServers.deskmate;
    await client.connect(new StdioClientTransport({ command, args, env, stderr: 'inherit' }));
    assert.equal(client.getNegotiatedProtocolVersion(), '2026-07-28');
});
await check('calls `deskmate_info`', async () => {
    const answer = await client.callTool({ name: 'deskmate_info', arguments: {} });
    assert.ok(!answer.isError);
    assert.match(text(answer), /recipe-vault/);
});
await check('calls `create_recipe`', async () => {
    const recipe = { title: 'Soup' };
    const answer = await client.callTool({ name: 'create_recipe', arguments: recipe });
    assert.ok(!answer.isError, text(answer));
});
await check('calls `list_recipes`', async () => {
    const answer = await client.callTool({ name: 'list_recipes', arguments: {} });
    assert.match(text(answer), /Soup/);
});
console.log(`  from nothing to three tools: ${Date.now() - began} ms`);
await client.close();
finish();
