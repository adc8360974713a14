import type { INodeParameters } from 'n8n-workflow';
import { byId, make } from './support/fixtures';
import { listed, runOurs, sandbox } from './support/harness';

const node = 'mediaGenWebhook';
const url = 'https://example.com/hook';

const creation = (given: Record<string, unknown> = {}) =>
	({
		resource: 'webhook',
		operation: 'create',
		url,
		events: ['voice.created'],
		...given,
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
