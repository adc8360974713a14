import type { INodeParameters } from 'n8n-workflow';
import { byId, make } from './support/fixtures';
import { listed, runOurs, sandbox } from './support/harness';

const node = 'mediaGenWebhook';
const url = 'https://example.com/hook';
const asked = async () => (await sandbox.requests()).filter(({ path }) => path.startsWith('/v1/'));

const creation = (given: Record<string, unknown> = {}) =>
	({
		resource: 'webhook',
		operation: 'create',
		url,
		events: ['voice.created'],
		...given,
	}) as INodeParameters;

const change = (id: string, updateFields: Record<string, unknown>) =>
	({
		resource: 'webhook',
		operation: 'update',
		webhookId: byId(id),
		updateFields,
	}) as INodeParameters;

beforeEach(async () => await sandbox.reset());

describe('the signing secret', () => {
	it('is kept out of the execution', async () => {
		const run = await runOurs({ node, parameters: creation() });
		expect(run.items[0]?.json).toMatchObject({ url, events: ['voice.created'] });
		expect(run.items[0]?.json).not.toHaveProperty('secret');
		expect(JSON.stringify(run.execution)).not.toContain('whsec_');
	});

	it('is in the output when the user wants it', async () => {
		const run = await runOurs({
			node,
			parameters: creation({ options: { includeSigningSecret: true } }),
		});
		expect(run.items[0]?.json.secret).toMatch(/^whsec_/);
	});
});

it('Update sends only what is set, and empties a description', async () => {
	const id = await make.webhook();
	const run = await runOurs({
		node,
		parameters: change(id, { description: '', events: ['agent.failed'] }),
	});
	expect(run.items[0]?.json).toMatchObject({ id, events: ['agent.failed'] });
	expect((await asked()).at(-1)?.body).toEqual({ description: '', events: ['agent.failed'] });
});

it('Get gives a webhook, Get Many lists it, a new one has no deliveries, and Delete removes it', async () => {
	const id = await make.webhook();
	const webhookId = byId(id);
	const own = { resource: 'webhook', webhookId };
	expect(
		(await runOurs({ node, parameters: { ...own, operation: 'get' } })).items[0]?.json,
	).toMatchObject({ id, url });
	const many = await runOurs({ node, parameters: { resource: 'webhook', operation: 'getAll' } });
	expect(many.items.map(({ json }) => json.id)).toEqual([id]);
	const deliveries = await runOurs({
		node,
		parameters: { resource: 'delivery', operation: 'getAll', webhookId },
	});
	expect([deliveries.status, deliveries.items]).toEqual(['success', []]);
	const gone = await runOurs({ node, parameters: { ...own, operation: 'delete' } });
	expect(gone.items[0]?.json).toMatchObject({ id, deleted: true });
});

it('the list in the editor shows the addresses of webhooks', async () => {
	const id = await make.webhook();
	expect(await listed(node, 'searchWebhooks', 'HOOK')).toMatchObject([
		{ value: id, name: expect.stringContaining(url) as string },
	]);
});

it.each<[string, INodeParameters, RegExp]>([
	[
		'an address by http',
		creation({ url: 'http://example.com' }),
		/^URL must be an address that begins with https:\/\//,
	],
	['no address', creation({ url: '={{ "" }}' }), /^URL is empty/],
	['no events', creation({ events: '={{ [] }}' }), /^Events is empty/],
	[
		'an unknown event',
		creation({ events: '={{ ["voice.created", "moon.rises"] }}' }),
		/^Events must be one of .*, got "moon\.rises"/,
	],
	['an update of nothing', change('wh_1', {}), /^Update Fields has nothing to update/],
	['an update to no events', change('wh_1', { events: [] }), /^Events is empty/],
	[
		'an update to an address by http',
		change('wh_1', { url: 'http://example.com' }),
		/^URL must be an address/,
	],
])('%s is refused before anything is sent', async (_, parameters, message) => {
	const run = await runOurs({ node, parameters });
	expect(run.error?.message).toMatch(message);
	expect(await asked()).toEqual([]);
});
