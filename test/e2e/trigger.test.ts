/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { setTimeout as sleep } from 'node:timers/promises';
import { credentialData, saveCredential } from '../../lab/n8n/credential';
import type { SavedWorkflow } from '../../lab/n8n/rest';
import { runNode } from '../../lab/n8n/runNode';
import { SandboxAdmin } from '../../lab/sandbox/admin';
import { EVENTS } from '../../src/api';
import { triggerName } from './support/eventInstance';
import { exampleOf, itemsIn, type ItemsOf } from './support/examples';
import { rest as withoutHttps } from './support/harness';
import { createParameters } from './support/media';
import { signedHeaders } from './support/signed';
import { TriggerInstance } from './support/triggerInstance';
import { until } from './support/until';

jest.setTimeout(240_000);

const CREATED = ['generation.completed'];

/** n8n polls by its durable scheduler, with cursors of its own for the state of a node. */
const DURABLE_POLLS = {
	N8N_SCHEDULER_ENABLED: 'true',
	N8N_SCHEDULER_POLL_TRIGGERS_ENABLED: 'true',
	N8N_POLLER_DURABLE_CURSORS_ENABLED: 'true',
};

let instance: TriggerInstance;

beforeAll(async () => {
	instance = await TriggerInstance.start({ N8N_LOG_LEVEL: 'debug' });
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
	// Whatever a workflow has registered is gone with it.
	await until(async () => (await instance.webhooks()).length === 0);
	const left = await instance.webhooks();
	for (const { id } of left) await instance.api('DELETE', `/webhooks/${String(id)}`);
	expect(left).toEqual([]);
});

// First, while the workspace has nothing else that was missed.
describe('examples 7, 7b and 12', () => {
	async function save(number: string): Promise<SavedWorkflow> {
		const example = exampleOf(number, instance.credential);
		return await instance.rest.workflows.create(example);
	}

	async function run({ id }: SavedWorkflow, trigger: string): Promise<ItemsOf> {
		const execution = await instance.rest.executions.wait(
			await instance.rest.workflows.run(id, trigger),
		);
		expect(execution.data.resultData.error).toBeUndefined();
		return itemsIn(execution);
	}

	async function picture(prompt: string): Promise<string> {
		return String((await instance.api('POST', '/generations', anImage(prompt))).id);
	}

	/**
	 * The executions that events have started, once there are enough of them and they have succeeded.
	 */
	async function startedByEvents({ id }: SavedWorkflow, count: number): Promise<ItemsOf[]> {
		const started = async () =>
			(await instance.rest.executions.list(id)).filter(({ mode }) => mode === 'webhook');
		await until(async () => (await started()).length >= count, 100_000);
		const executions = (await started()).map(
			async ({ id: one }) => await instance.rest.executions.wait(one),
		);
		return (await Promise.all(executions)).map(itemsIn);
	}

	const rowOf = (items: ItemsOf) => items('Mark Row')[0]?.json;

	it('what is done is noted with a link that opens, in a table that the first event makes; what was missed is made up for', async () => {
		const byEvent = await save('7');
		await publish(byEvent);
		const good = await picture('A hill');
		const bad = await picture('[fail] A hill');
		const rows = (await startedByEvents(byEvent, 2)).map(rowOf);
		expect(rows).toHaveLength(2);
		expect(rows).toEqual(
			expect.arrayContaining([
				expect.objectContaining({ job: good, status: 'completed', problem: '' }),
				expect.objectContaining({ job: bad, status: 'failed', link: '' }),
			]),
		);
		const noted = rows.find((row) => row?.job === good);
		expect((await fetch(String(noted?.link))).headers.get('content-type')).toBe('image/png');
		expect(rows.find((row) => row?.job === bad)?.problem).toMatch(/\w/);

		// The service gives a delivery up while nobody answers.
		const { settings } = instance.sandbox.service;
		const { deliverySchedule } = settings;
		settings.deliverySchedule = [0];
		instance.front.target(0);
		const missed = await picture('A lake');
		await until(async () => {
			const [webhook] = await instance.webhooks();
			const { data } = await instance.api('GET', `/webhooks/${String(webhook?.id)}/deliveries`);
			return (data as Array<{ status: string }>).some(({ status }) => status === 'failed');
		});
		instance.front.target(instance.direct.port);
		settings.deliverySchedule = deliverySchedule;
		const repair = await save('12');
		const repaired = await run(repair, 'Start');
		expect(repaired('Mark Row').map(({ json }) => json.job)).toEqual([missed]);
		expect((await run(repair, 'Start'))('Fetch the Files')).toEqual([]);

		const polled = await run(await save('7b'), 'New Result');
		expect(rowOf(polled)).toMatchObject({ job: missed, status: 'completed' });
		await unpublish(byEvent);
	});
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
		await until(async () => (await instance.webhooks()).length === 0);
		expect(await instance.webhooks()).toEqual([]);
	});

	it('loses nothing that is delivered while n8n is down and the key is replaced, what the deliveries miss the polling trigger finds, and the log has no secret', async () => {
		const { workspace = '', scopes = [] } = instance.sandbox.keys[0] ?? {};
		const newKey = await new SandboxAdmin(instance.sandbox.adminUrl).addKey(workspace, scopes);
		const { access } = instance.world;
		const saved = await saveCredential(instance.rest, 'Replaced', access);
		const events = ['generation.completed', 'generation.failed'];
		const byEvent = await instance.ourTrigger({ events }, { mediaGenApi: saved });
		const byPolling = await instance.pollingTrigger({
			statuses: ['completed', 'failed'],
			downloadOutputs: false,
		});
		await instance.api('POST', '/generations', anImage('History'));
		await sleep(500);
		await publish(byEvent);
		await publish(byPolling);
		const [{ secret = '' } = {}] = instance.registered(instance.urlOf(byEvent));
		await saveCredential(instance.rest, 'Replaced', { ...access, apiKey: newKey });
		await instance.down();
		instance.faults([{ kind: 'delivery_lose', times: 10 }]);
		const made: string[] = [];
		for (let count = 0; count < 30; count += 1) {
			const job = anImage(count % 10 ? 'A hill' : '[fail]');
			made.push(String((await instance.api('POST', '/generations', job)).id));
		}
		await sleep(1_000);
		await instance.up();
		const got = await instance.items(byEvent, 20);
		const ids = got.map(({ resourceId }) => String(resourceId));
		expect(new Set(ids).size).toBe(ids.length);
		expect(ids).toHaveLength(20);
		const found = await instance.items(byPolling, made.length);
		expect(found.map(({ id }) => String(id)).sort()).toEqual([...made].sort());
		await unpublish(byEvent);
		await unpublish(byPolling);
		for (const canary of [secret, access.apiKey, newKey])
			expect(instance.log().includes(canary)).toBe(false);
	});
});

describe.each<[string, Record<string, string> | undefined]>([
	['of n8n as it is', undefined],
	["by n8n's durable scheduler", DURABLE_POLLS],
])('the polling trigger, %s', (_, env) => {
	beforeAll(async () => {
		if (!env) return;
		await instance.down();
		await instance.up(env);
	});

	it('shows a sample in the editor, finds with its first poll what has finished since it was published, and a rename loses and repeats nothing', async () => {
		const make = async (prompt: string) =>
			String((await instance.api('POST', '/generations', anImage(prompt))).id);
		const old = await make('History');
		await sleep(500);
		const workflow = await instance.pollingTrigger({ statuses: ['completed'] });
		const execution = await instance.rest.workflows.run(workflow.id, triggerName);
		await instance.rest.executions.wait(execution);
		const sample = instance.of(workflow);
		expect(sample.map(({ id }) => id)).toContain(old);
		expect(sample.length).toBeLessThanOrEqual(3);
		expect(sample[0]?.binary).toEqual(['data']);

		const found = async (count: number) =>
			(await instance.items(workflow, sample.length + count)).slice(sample.length);
		await publish(workflow);
		const news = await make('News');
		expect(await found(1)).toMatchObject([{ id: news }]);
		const between = await make('Between');
		await publish(await instance.renameTrigger(workflow));
		// The poll after the rename finds what has ended before it.
		const beforeLast = (await found(2)).map(({ id }) => id);
		const last = await make('Last');
		expect(beforeLast).toEqual([news, between]);
		expect((await found(3)).map(({ id }) => id)).toEqual([news, between, last]);
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
		await until(() => line() !== undefined, 60_000);
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

describe('publishing a changed trigger', () => {
	const make = async (count: number): Promise<string[]> => {
		const made = Array.from({ length: count }, async () =>
			String((await instance.api('POST', '/generations', anImage())).id),
		);
		return await Promise.all(made);
	};

	/** The workflow as it is saved, with something of its trigger changed. */
	async function changed({ id }: SavedWorkflow, more: object): Promise<SavedWorkflow> {
		const workflow = await instance.rest.workflows.get(id);
		const [trigger, ...others] = workflow.nodes;
		const nodes = [{ ...trigger, ...more }, ...others] as SavedWorkflow['nodes'];
		await instance.rest.workflows.update(id, { ...workflow, nodes });
		return await instance.rest.workflows.get(id);
	}

	it('drops nothing: not what comes while it goes on, nor what the service has to repeat', async () => {
		const workflow = await instance.ourTrigger({ events: CREATED });
		const url = instance.urlOf(workflow);
		await publish(workflow);
		const before = instance.registered(url);
		// Nobody answers: the service has to repeat all of these.
		instance.front.target(0);
		const made = await make(20);
		await until(async () => {
			const { data } = await instance.api('GET', `/webhooks/${before[0]?.id ?? ''}/deliveries`);
			return (data as unknown[]).length >= made.length;
		});
		const withOptions = { parameters: { events: CREATED, options: { fetchResource: true } } };
		await publish(await changed(workflow, withOptions));
		instance.front.target(instance.direct.port);
		const meanwhile = [make(10), publish(await instance.renameTrigger(workflow)), make(10)];
		for (const more of await Promise.all(meanwhile)) made.push(...(more ?? []));
		const got = await instance.items(workflow, made.length);
		expect(got.map(({ resourceId }) => resourceId).sort()).toEqual([...made].sort());
		expect(instance.registered(url)).toEqual(before);
		// It stays beyond the time for which an unpublished one would.
		await sleep(12_000);
		expect(instance.registered(url)).toEqual(before);
		await unpublish(workflow);
	});

	it('for other events makes another webhook, and leaves one', async () => {
		const workflow = await instance.ourTrigger({ events: CREATED });
		const url = instance.urlOf(workflow);
		await publish(workflow);
		const [before] = instance.registered(url);
		const events = ['generation.completed', 'generation.failed'];
		await publish(await changed(workflow, { parameters: { events } }));
		expect(instance.registered(url)).toMatchObject([{ events }]);
		expect(instance.registered(url)[0]?.id).not.toBe(before?.id);
		const [id] = await make(1);
		expect(await instance.items(workflow, 1)).toMatchObject([{ resourceId: id }]);
		await unpublish(workflow);
	});
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
