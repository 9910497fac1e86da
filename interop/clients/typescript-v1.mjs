// The official TypeScript client, v1: `typescript-v1.mjs legacy stdio|http`.

import assert from 'node:assert/strict';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
    ElicitRequestSchema,
    ResourceUpdatedNotificationSchema,
    ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';

import { Complaints, News, check, finish, given } from './checks.mjs';
import { converse } from './conversation.mjs';

const [, transportName] = process.argv.slice(2);

const TRANSPORTS = {
    stdio: () => new StdioClientTransport({ command: given('INTEROP_SERVER'), args: ['stdio'], stderr: 'inherit' }),
    http: () => new StreamableHTTPClientTransport(new URL(given('INTEROP_URL'))),
};

const news = new News();
const asked = [];
const complaints = new Complaints();
let answer;

const client = new Client({ name: 'interop', version: '0' }, { capabilities: { elicitation: {} } });
client.setRequestHandler(ElicitRequestSchema, (request) => {
    asked.push(request.params);
    return answer;
});
client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => news.add({ uri: params.uri }));
client.setNotificationHandler(ToolListChangedNotificationSchema, ({ method }) => news.add({ method }));
client.onerror = (error) => complaints.add(error);

// This client keeps the agreed revision to its transport.
let version;
const transport = TRANSPORTS[transportName]();
const tell = transport.setProtocolVersion?.bind(transport);
transport.setProtocolVersion = (agreed) => {
    version = agreed;
    tell?.(agreed);
};
await client.connect(transport);

await converse(
    {
        client,
        news,
        complaints,
        era: () => 'legacy',
        version: () => version,
        call: (name, args, options) => client.callTool({ name, arguments: args }, undefined, options),
        answerWith: (given) => (answer = given),
        asked: () => asked.at(-1),
        isMissing: (error) => error.code === -32002,
        async listen(uris) {
            for (const uri of uris) await client.subscribeResource({ uri });
        },
    },
    { era: 'legacy', version: '2025-11-25' },
);

await check('pings', () => client.ping());
if (transportName === 'http') {
    await check('ends its session', async () => {
        assert.ok(transport.sessionId);
        await transport.terminateSession();
        assert.equal(transport.sessionId, undefined);
    });
}
await check('closes, with nothing to complain about', async () => {
    await client.close();
    assert.deepEqual(complaints.all, []);
});
finish();
