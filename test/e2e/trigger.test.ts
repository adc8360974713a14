/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { setTimeout as sleep } from 'node:timers/promises';
import { credentialData } from '../../lab/n8n/credential';
import type { SavedWorkflow } from '../../lab/n8n/rest';
import { runNode } from '../../lab/n8n/runNode';
import { EVENTS } from '../../src/contract';
import { triggerName } from './support/eventInstance';
import { rest as withoutHttps } from './support/harness';
import { changeableCredential } from './support/keyChange';
import { createParameters } from './support/media';
import { signedHeaders } from './support/signed';
import { TriggerInstance } from './support/triggerInstance';
import { until } from './support/until';

jest.setTimeout(240_000);

const CREATED = ['generation.completed'];

let instance: TriggerInstance;

beforeAll(async () => {
	instance = await TriggerInstance.start({
		N8N_LOG_LEVEL: 'debug',
		// n8n sets up an isolate for every delivery otherwise, which takes longer than all the rest.
		N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true',
	});
});

afterAll(async () => await instance?.stop());

const publish = async (workflow: SavedWorkflow) => await instance.rest.workflows.publish(workflow);
const unpublish = async ({ id }: SavedWorkflow) => await instance.rest.workflows.unpublish(id);

const anImage = (prompt = 'A lighthouse') => ({ mode: 'image', model: 'studio/image-1', prompt });

/** Makes the service emit each of the eight kinds once. */
async function makeAllKinds(): Promise<void> {
	const call = instance.api.bind(instance);
	await call('POST', '/generations', anImage());
	await call('POST', '/generations', anImage('[fail]'));
	await call('POST', '/personas', { source: 'describe', name: 'Ada', description: 'An engineer' });
	await call('POST', '/personas', { source: 'describe', name: 'Bob', description: '[fail]' });
	await call('POST', '/voices', { kind: 'design', name: 'Vera', description: 'Warm' });
	const run = await call('POST', '/agents/runs', {
		brief: 'A film',
		auto_approve: true,
		max_credits: 100,
	});
	const id = String(run.id);
	for (let tries = 0; tries < 100; tries += 1) {
		if ((await call('GET', `/agents/runs/${id}`)).status === 'awaiting_review') break;
		await sleep(100);
	}
	await call('POST', `/agents/runs/${id}/review`, { decision: 'assemble' });
	await call('POST', '/agents/runs', { brief: '[fail]', auto_approve: true, max_credits: 100 });
}

const WEBHOOKS = ['listWebhooks', 'createWebhook', 'getWebhook', 'deleteWebhook'];

/** Service seconds of ten minutes. */
const TEN_MINUTES = 36_000;

/** How long it takes, in seconds, and the message of the error if it fails. */
async function timed(task: Promise<unknown>): Promise<{ seconds: number; failure: string }> {
	const before = Date.now();
	const failure = await task.then(
		() => '',
		(error: Error) => error.message,
	);
	return { seconds: (Date.now() - before) / 1_000, failure };
}

afterEach(async () => {
	instance.faults([]);
	const left = await instance.webhooks();
	for (const { id } of left) await instance.api('DELETE', `/webhooks/${String(id)}`);
	// Whatever a workflow has registered is gone with it.
	expect(left).toEqual([]);
});

describe('a published workflow', () => {
	it('is started by all eight kinds', async () => {
		const workflow = await instance.ourTrigger({ events: [...EVENTS] });
		await publish(workflow);
		expect(await instance.webhooks()).toMatchObject([
			{ url: instance.urlOf(workflow), events: EVENTS },
		]);
		await makeAllKinds();
		const first = await instance.items(workflow, 8);
		expect(first.map(({ event }) => event).sort()).toEqual([...EVENTS].sort());
		expect(first[0]).toMatchObject({
			eventId: expect.stringMatching(/^evt_/),
			resourceId: expect.any(String),
			timestamp: expect.any(String),
			deliveredAt: expect.any(String),
			payload: { object: 'event' },
		});
		await unpublish(workflow);
		expect(await instance.webhooks()).toEqual([]);
	});

	it('loses nothing that is delivered while n8n is down, and what the deliveries miss the polling trigger finds', async () => {
		const byEvent = await instance.ourTrigger({
			events: ['generation.completed', 'generation.failed'],
		});
		const byPolling = await instance.pollingTrigger({
			statuses: ['completed', 'failed'],
			downloadOutputs: false,
		});
		await instance.api('POST', '/generations', anImage('History'));
		await sleep(500);
		await instance.rest.workflows.publish(byEvent);
		await instance.rest.workflows.publish(byPolling);
		await instance.down();
		instance.faults([{ kind: 'delivery_lose', times: 10 }]);
		const made: string[] = [];
		for (let count = 0; count < 40; count += 1) {
			const { id } = await instance.api(
				'POST',
				'/generations',
				anImage(count % 10 ? 'A hill' : '[fail]'),
			);
			made.push(String(id));
		}
		await sleep(1_000);
		await instance.up();
		const events = await instance.items(byEvent, 30);
		const ids = events.map(({ resourceId }) => String(resourceId));
		expect(new Set(ids).size).toBe(ids.length);
		expect(ids).toHaveLength(30);
		const found = await instance.items(byPolling, 40);
		expect(found.map(({ id }) => String(id)).sort()).toEqual([...made].sort());
		await instance.rest.workflows.unpublish(byEvent.id);
		await instance.rest.workflows.unpublish(byPolling.id);
	});
});

describe('the polling trigger', () => {
	it('shows a sample in the editor, and finds by itself what finishes while n8n runs', async () => {
		const { id: old } = await instance.api('POST', '/generations', anImage('History'));
		await sleep(500);
		const workflow = await instance.pollingTrigger({ statuses: ['completed'] });
		const execution = await instance.rest.workflows.run(workflow.id, triggerName);
		await instance.rest.executions.wait(execution);
		const sample = instance.of(workflow);
		expect(sample.map(({ id }) => id)).toContain(old);
		expect(sample.length).toBeLessThanOrEqual(3);
		expect(sample[0]?.binary).toEqual(['data']);

		await publish(workflow);
		const { id } = await instance.api('POST', '/generations', anImage('News'));
		const items = await instance.items(workflow, sample.length + 1);
		expect(items.slice(sample.length).map((item) => item.id)).toEqual([id]);
		await unpublish(workflow);
	});
});

describe('Listen for test event', () => {
	it('works beside the live webhook, for one event, and leaves nothing behind', async () => {
		const workflow = await instance.ourTrigger({ events: CREATED });
		await publish(workflow);
		await instance.rest.workflows.listen(workflow.id, triggerName);
		const url = instance.urlOf(workflow, 'webhook-test');
		await until(() => instance.registered(url).length === 1);
		const forged = await instance.call(url, { headers: signedHeaders('whsec_wrong', '{}') }, '{}');
		expect(forged.status).toBe(401);
		await instance.api('POST', '/generations', anImage());
		const [one, other, ...more] = await instance.items(workflow, 2);
		expect([one?.event, other?.event, more]).toEqual([CREATED[0], CREATED[0], []]);
		await until(() => instance.registered(url).length === 0);
		expect(instance.registered(url)).toEqual([]);
		expect(instance.registered(instance.urlOf(workflow))).toHaveLength(1);
		await unpublish(workflow);
	});
});

describe('the options', () => {
	it('read and download in the execution, while the service has its answer at once', async () => {
		const workflow = await instance.ourTrigger({
			events: ['generation.completed'],
			options: { fetchResource: true, downloadOutputs: true },
		});
		await publish(workflow);
		instance.faults([{ kind: 'slow', operations: ['getGeneration'], seconds: 360 }]);
		const { id } = await instance.api('POST', '/generations', {
			...anImage(),
			parameters: { count: 2 },
		});
		const [item] = await instance.items(workflow, 1);
		expect(item).toMatchObject({
			resource: { id, status: 'completed' },
			binary: ['data', 'data_1'],
		});
		const [{ id: webhook } = {}] = await instance.webhooks();
		const { data } = await instance.api('GET', `/webhooks/${String(webhook)}/deliveries`);
		const [delivery] = data as Array<{ duration_ms: number; status: string }>;
		expect(delivery?.status).toBe('succeeded');
		expect(delivery?.duration_ms).toBeLessThan(5_000);
		await unpublish(workflow);
	});
});

describe('activation', () => {
	it('leaves one webhook when answers to its registration are lost', async () => {
		instance.faults([{ kind: 'lost_after', operations: ['createWebhook'], times: 2 }]);
		const workflow = await instance.ourTrigger({ events: CREATED });
		await publish(workflow);
		expect(instance.registered(instance.urlOf(workflow))).toHaveLength(1);
		await instance.api('POST', '/generations', anImage());
		expect(await instance.items(workflow, 1)).toHaveLength(1);
		await unpublish(workflow);
	});

	it('that cannot work says why: no https address, a scope that the key lacks', async () => {
		const { keys, baseUrl } = instance.sandbox;
		const { key: apiKey = '', scopes } = keys[1] ?? {};
		const declared = credentialData({ apiKey, baseUrl, scopes });
		const saved = await instance.rest.credentials.create('mediaGenApi', 'Read only', declared);
		const refused = await instance.ourTrigger({ events: CREATED }, { mediaGenApi: saved });
		const { nodes, ...workflow } = await instance.ourTrigger({ events: CREATED });
		const elsewhere = await withoutHttps.credentials.create('mediaGenApi', 'Elsewhere', declared);
		const plain = await withoutHttps.workflows.create({
			...workflow,
			nodes: nodes.map((node) => ({
				...node,
				credentials: { mediaGenApi: { id: elsewhere.id, name: elsewhere.name } },
			})),
		});
		// Side by side: n8n tries each for fifteen seconds.
		await Promise.all([
			expect(publish(refused)).rejects.toThrow('webhooks:write'),
			expect(withoutHttps.workflows.publish(plain)).rejects.toThrow(
				/MediaGen Polling Trigger.*WEBHOOK_URL=https.*https addresses only.*http:\/\//,
			),
		]);
	});

	it('and its end come in time with our words while the service hangs, and both work after that', async () => {
		const words = /The service did not respond/;
		const workflow = await instance.ourTrigger({ events: CREATED });
		const url = instance.urlOf(workflow);
		await publish(workflow);
		const id = instance.registered(url)[0]?.id ?? '';
		instance.faults([{ operations: WEBHOOKS, kind: 'slow', seconds: TEN_MINUTES }]);
		const left = await timed(unpublish(workflow));
		expect(left.seconds).toBeLessThan(20);
		const isToldOf = (line: string) => line.includes(`The webhook ${id} was left at the service`);
		const line = () => instance.log().split('\n').find(isToldOf);
		await until(() => line() !== undefined);
		expect(line()).toMatch(words);
		const published = await timed(publish(workflow));
		expect(published.seconds).toBeLessThan(45);
		expect(published.failure).toContain(id);
		expect(published.failure).toMatch(words);

		instance.faults([]);
		await publish(workflow);
		expect(instance.registered(url)).toHaveLength(1);
		await unpublish(workflow);
		await until(() => instance.registered(url).length === 0);
	});
});

test('a renamed trigger keeps its webhook or replaces it, and leaves none', async () => {
	const workflow = await instance.ourTrigger({ events: CREATED });
	await publish(workflow);
	const now = await instance.rest.workflows.get(workflow.id);
	const [trigger] = now.nodes;
	if (!trigger) throw new Error('The workflow has no trigger');
	now.connections = { Renamed: now.connections[trigger.name] ?? {} };
	trigger.name = 'Renamed';
	await instance.rest.workflows.update(workflow.id, now);
	await publish(await instance.rest.workflows.get(workflow.id));
	expect(await instance.webhooks()).toHaveLength(1);
	await instance.api('POST', '/generations', anImage());
	expect(await instance.items(workflow, 1)).toMatchObject([{ event: CREATED[0] }]);
	await unpublish(workflow);
});

describe('a webhook made by hand', () => {
	it('starts the workflow with the secret of a credential, and is left alone', async () => {
		const secret = await instance.rest.credentials.create('mediaGenWebhookSecretApi', 'Secret', {
			signingSecret: 'whsec_by_hand',
		});
		const workflow = await instance.ourTrigger(
			{ events: CREATED, registration: 'manual' },
			{ mediaGenApi: instance.credential, mediaGenWebhookSecretApi: secret },
		);
		await publish(workflow);
		const deliver = async (event: object) => {
			const body = JSON.stringify(event);
			const headers = signedHeaders('whsec_by_hand', body);
			return (await instance.call(instance.urlOf(workflow), { headers }, body)).status;
		};
		expect(await deliver({ id: 'evt_hand', type: 'generation.completed', data: { id: 'g' } })).toBe(
			200,
		);
		expect(await instance.items(workflow, 1)).toMatchObject([{ eventId: 'evt_hand' }]);
		await unpublish(workflow);
	});
});

describe('a verified event', () => {
	it('ends the wait of a node in the same process, even if every poll fails', async () => {
		const workflow = await instance.ourTrigger({ events: CREATED });
		await publish(workflow);
		const operations = ['getGeneration', 'listGenerations', 'getJob'];
		instance.faults([{ kind: 'status_before', operations, status: 503 }]);
		const started = Date.now();
		const run = await runNode(instance.rest, {
			type: 'n8n-nodes-mediagen.mediaGen',
			credential: instance.credential,
			parameters: createParameters({ waitForCompletion: true }),
			timeoutMs: 30_000,
		});
		expect(run.items[0]?.json).toMatchObject({ status: 'completed' });
		expect(Date.now() - started).toBeLessThan(10_000);
		await until(() => instance.of(workflow).length === 1);
		await unpublish(workflow);
	});
});

test('a change of the API key changes nothing, and the log has neither key nor secret', async () => {
	const { credential, keys, changeKey } = await changeableCredential(instance, 'Changed');
	const workflow = await instance.ourTrigger({ events: CREATED }, { mediaGenApi: credential });
	await publish(workflow);
	const [{ secret } = { secret: '' }] = instance.registered(instance.urlOf(workflow));
	await changeKey();
	const body = JSON.stringify({ id: 'evt_1', type: CREATED[0], data: { id: 'gen_1' } });
	const headers = signedHeaders(secret, body);
	expect((await instance.call(instance.urlOf(workflow), { headers }, body)).status).toBe(200);
	expect(await instance.items(workflow, 1)).toMatchObject([{ eventId: 'evt_1' }]);
	await unpublish(workflow);
	for (const canary of [secret, ...keys]) expect(instance.log().includes(canary)).toBe(false);
});
