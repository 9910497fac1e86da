// What both TypeScript clients say to the fixture server, and what they must hear.
//
// A `peer` is one of the clients, connected: it hides what their interfaces call differently.

import assert from 'node:assert/strict';

import { check } from './checks.mjs';

export async function converse(peer, expected) {
    await greeting(peer, expected);
    await tools(peer);
    await resources(peer);
    await prompts(peer);
    await questions(peer);
    await news(peer);
    await cancelling(peer);
}

async function greeting(peer, expected) {
    await check(`speaks ${expected.version}`, async () => {
        assert.equal(peer.version(), expected.version);
        assert.equal(peer.era(), expected.era);
        const known = await peer.call('who_calls', {});
        assert.deepEqual(known.structuredContent, { version: expected.version, form: true });
    });
    await check('is told who the server is', async () => {
        assert.equal(peer.client.getServerVersion().name, 'fixture');
        assert.equal(peer.client.getServerVersion().version, '1.2.3');
        assert.equal(peer.client.getInstructions(), 'Call anything.');
        const { tools, resources, prompts, completions } = peer.client.getServerCapabilities();
        assert.ok(tools && resources && prompts && completions);
    });
}

async function tools(peer) {
    await check('lists tools with their schemas', async () => {
        const { tools } = await peer.client.listTools();
        const echo = tools.find((tool) => tool.name === 'echo');
        assert.equal(echo.title, 'Echo');
        assert.equal(echo.annotations.readOnlyHint, true);
        assert.equal(echo.inputSchema.type, 'object');
        assert.deepEqual(echo.inputSchema.required, ['text']);
        assert.equal(echo.inputSchema.properties.text.type, 'string');
        assert.equal(echo.inputSchema.additionalProperties, false);
        assert.equal(new Set(tools.map((tool) => tool.name)).size, tools.length);
        assert.ok(['add', 'count', 'never', 'picture', 'erase'].every((name) => tools.some((t) => t.name === name)));
    });
    await check('calls a tool', async () => {
        const text = 'Grüße, 世界 🦀 "\\\u2028\n';
        const result = await peer.call('echo', { text });
        assert.deepEqual(result.content, [{ type: 'text', text }]);
        assert.ok(!result.isError);
    });
    await check('hears of progress', async () => {
        const heard = [];
        const result = await peer.call('count', { steps: 6 }, { onprogress: (progress) => heard.push(progress) });
        assert.equal(result.content[0].text, 'counted to 6');
        // A client may complain of progress that came in the same read as the answer; it does so before its next turn.
        await new Promise(setImmediate);
        const told = [...heard, ...peer.complaints.late];
        assert.deepEqual(told.map(({ progress }) => progress), [1, 2, 3, 4, 5, 6]);
        assert.ok(told.every(({ total, message }) => total === 6 && message === 'counting'));
    });
    await check('gets structured content that fits the schema', async () => {
        const result = await peer.call('add', { a: 2, b: -5 });
        assert.deepEqual(result.structuredContent, { sum: -3 });
        assert.deepEqual(JSON.parse(result.content[0].text), { sum: -3 });
    });
    await check('gets a picture byte for byte', async () => {
        const result = await peer.call('picture', { bytes: 100_003 });
        const picture = result.content.find((block) => block.type === 'image');
        assert.equal(picture.mimeType, 'image/png');
        assert.ok(Buffer.from(picture.data, 'base64').equals(noise(100_003)));
        assert.equal(result.structuredContent, undefined);
    });
    await check('is told what is wrong with arguments', async () => {
        const result = await peer.call('add', { a: 'two', b: 1 });
        assert.equal(result.isError, true);
        assert.match(result.content[0].text, /`a`/);
        const more = await peer.call('echo', { text: 'x', txet: 'y' });
        assert.equal(more.isError, true);
        assert.match(more.content[0].text, /txet/);
    });
    await check('is told that a tool failed', async () => {
        const result = await peer.call('fail_tool', {});
        assert.equal(result.isError, true);
        assert.match(result.content[0].text, /No such file/);
    });
    await check('is told that a tool is unknown', async () => {
        await assert.rejects(peer.call('ecko', {}), (error) => error.code === -32602 && /ecko/.test(error.message));
    });
    await check('makes many calls at once', async () => {
        const answers = await Promise.all(
            Array.from({ length: 50 }, (_, i) => peer.call('echo', { text: `call ${i}` })),
        );
        assert.deepEqual(answers.map((answer) => answer.content[0].text), answers.map((_, i) => `call ${i}`));
    });
}

async function resources(peer) {
    await check('lists and reads a resource', async () => {
        const { resources } = await peer.client.listResources();
        assert.deepEqual(resources.map(({ uri, name, mimeType }) => [uri, name, mimeType]), [
            ['fixture://readme', 'readme', 'text/plain'],
        ]);
        const { contents } = await peer.client.readResource({ uri: 'fixture://readme' });
        assert.equal(contents.length, 1);
        assert.equal(contents[0].text, 'Read me');
    });
    await check('reads through a template', async () => {
        const { resourceTemplates } = await peer.client.listResourceTemplates();
        assert.deepEqual(resourceTemplates.map((template) => template.uriTemplate), ['fixture://pages/{number}']);
        const { contents } = await peer.client.readResource({ uri: 'fixture://pages/707' });
        assert.equal(contents[0].uri, 'fixture://pages/707');
        assert.ok(Buffer.from(contents[0].blob, 'base64').equals(noise(707)));
    });
    await check('is told that a resource is missing', async () => {
        await assert.rejects(peer.client.readResource({ uri: 'fixture://pages/13' }), peer.isMissing);
    });
    await check('completes what is typed', async () => {
        const page = await peer.client.complete({
            ref: { type: 'ref/resource', uri: 'fixture://pages/{number}' },
            argument: { name: 'number', value: '99' },
        });
        assert.equal(page.completion.values.length, 11);
        const tone = await peer.client.complete({
            ref: { type: 'ref/prompt', name: 'describe' },
            argument: { name: 'tone', value: 'p' },
        });
        assert.deepEqual(tone.completion.values, ['plain', 'poetic']);
    });
}

async function prompts(peer) {
    await check('lists prompts and gets one with a picture', async () => {
        const { prompts } = await peer.client.listPrompts();
        assert.deepEqual(prompts.map(({ name }) => name), ['describe']);
        assert.deepEqual(prompts[0].arguments.map(({ name, required }) => [name, required ?? false]), [
            ['page', true],
            ['tone', false],
        ]);
        const { messages } = await peer.client.getPrompt({ name: 'describe', arguments: { page: '33', tone: 'short' } });
        assert.equal(messages[0].content.type, 'image');
        assert.ok(Buffer.from(messages[0].content.data, 'base64').equals(noise(33)));
        assert.equal(messages[1].content.text, 'Describe this page in short words.');
    });
}

async function questions(peer) {
    await check('answers a question of a tool', async () => {
        peer.answerWith({ action: 'accept', content: { reason: 'it is blurred' } });
        const result = await peer.call('erase', { what: 'a photo' });
        assert.equal(result.content[0].text, 'erased a photo: it is blurred');
        const asked = peer.asked();
        assert.equal(asked.message, 'Why erase a photo?');
        assert.equal(asked.requestedSchema.properties.reason.type, 'string');
    });
    await check('answers two questions, one after the other', async () => {
        peer.answerWith({ action: 'accept', content: { reason: 'so' } });
        const result = await peer.call('ask_twice', {});
        assert.match(result.content[0].text, /^so and so/);
    });
    await check('declines a question of a tool', async () => {
        peer.answerWith({ action: 'decline' });
        const result = await peer.call('erase', { what: 'a photo' });
        assert.equal(result.isError, true);
        assert.match(result.content[0].text, /the person said no/);
    });
}

async function news(peer) {
    await check('hears that a resource and the tools changed', async () => {
        await peer.listen(['fixture://readme', 'fixture://started', 'fixture://dropped']);
        const readme = peer.news.until((item) => item.uri === 'fixture://readme');
        const tools = peer.news.until((item) => item.method === 'notifications/tools/list_changed');
        let heard = false;
        const both = Promise.all([readme, tools]).then(() => (heard = true));
        // A client of the handshake revisions opens its stream when it gets to it, without telling us.
        while (!heard) {
            await peer.call('touch', {});
            await Promise.race([both, new Promise((resolve) => setTimeout(resolve, 100))]);
        }
    });
}

async function cancelling(peer) {
    await check('cancels a call, which really ends', async () => {
        peer.news.clear();
        const controller = new AbortController();
        const call = peer.call('never', {}, { signal: controller.signal, timeout: 120_000 });
        const refused = assert.rejects(call);
        await peer.news.until((item) => item.uri === 'fixture://started');
        const meanwhile = await peer.call('echo', { text: 'meanwhile' });
        assert.equal(meanwhile.content[0].text, 'meanwhile');
        assert.ok(!peer.news.all.some((item) => item.uri === 'fixture://dropped'));
        controller.abort('enough');
        await refused;
        await peer.news.until((item) => item.uri === 'fixture://dropped');
    });
    await check('is still served after that', async () => {
        const result = await peer.call('echo', { text: 'still there' });
        assert.equal(result.content[0].text, 'still there');
    });
}

/** The bytes the fixture makes its pictures of. */
export function noise(length) {
    const mask = (1n << 64n) - 1n;
    let state = 0x2545f4914f6cdd1dn;
    return Buffer.from(
        Array.from({ length }, () => {
            state ^= (state << 13n) & mask;
            state ^= state >> 7n;
            state ^= (state << 17n) & mask;
            return Number(state & 0xffn);
        }),
    );
}
