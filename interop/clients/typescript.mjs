// The official TypeScript client, v2: `typescript.mjs legacy|auto|modern stdio|http|token`.

import assert from 'node:assert/strict';

import { Client, ResourceNotFoundError, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

import { Complaints, News, check, finish, given } from './checks.mjs';
import { converse } from './conversation.mjs';

const [mode, transportName] = process.argv.slice(2);

const MODES = {
    legacy: { negotiation: 'legacy', era: 'legacy', version: '2025-11-25' },
    auto: { negotiation: 'auto', era: 'modern', version: '2026-07-28' },
    modern: { negotiation: { pin: '2026-07-28' }, era: 'modern', version: '2026-07-28' },
};

const TRANSPORTS = {
    stdio: () => new StdioClientTransport({ command: given('INTEROP_SERVER'), args: ['stdio'], stderr: 'inherit' }),
    http: () => new StreamableHTTPClientTransport(new URL(given('INTEROP_URL'))),
    token: () =>
        new StreamableHTTPClientTransport(new URL(given('INTEROP_TOKEN_URL')), {
            requestInit: { headers: { Authorization: `Bearer ${given('INTEROP_TOKEN')}` } },
        }),
};

const { negotiation, era, version } = MODES[mode];
const news = new News();
const asked = [];
const complaints = new Complaints();
let answer;

const client = new Client(
    { name: 'interop', version: '0' },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: negotiation } },
);
client.setRequestHandler('elicitation/create', (request) => {
    asked.push(request.params);
    return answer;
});
client.setNotificationHandler('notifications/resources/updated', ({ params }) => news.add({ uri: params.uri }));
client.setNotificationHandler('notifications/tools/list_changed', ({ method }) => news.add({ method }));
client.onerror = (error) => complaints.add(error);

const transport = TRANSPORTS[transportName]();
await client.connect(transport);

let subscription;
await converse(
    {
        client,
        news,
        complaints,
        era: () => client.getProtocolEra(),
        version: () => client.getNegotiatedProtocolVersion(),
        call: (name, args, options) => client.callTool({ name, arguments: args }, options),
        answerWith: (given) => (answer = given),
        asked: () => asked.at(-1),
        isMissing: (error) => error instanceof ResourceNotFoundError && error.uri === 'fixture://pages/13',
        async listen(uris) {
            if (era === 'modern') {
                const filter = { toolsListChanged: true, resourceSubscriptions: uris };
                subscription = await client.listen(filter);
                const { toolsListChanged, resourceSubscriptions } = subscription.honoredFilter;
                assert.equal(toolsListChanged, true);
                assert.deepEqual(new Set(resourceSubscriptions), new Set(uris));
            } else {
                for (const uri of uris) await client.subscribeResource({ uri });
            }
        },
    },
    { era, version },
);

if (era === 'modern') {
    await check('ends a subscription', async () => {
        await subscription.close();
        assert.equal(await subscription.closed, 'local');
        assert.equal((await client.callTool({ name: 'echo', arguments: { text: 'on' } })).content[0].text, 'on');
    });
    await check('discovers again', async () => {
        const { supportedVersions } = await client.discover();
        assert.ok(supportedVersions.includes('2026-07-28'));
    });
} else {
    await check('pings', () => client.ping());
    if (transportName !== 'stdio') {
        await check('ends its session', async () => {
            assert.ok(transport.sessionId);
            await transport.terminateSession();
            assert.equal(transport.sessionId, undefined);
        });
    }
}
await check('closes, with nothing to complain about', async () => {
    await client.close();
    assert.deepEqual(complaints.all, []);
});
finish();
