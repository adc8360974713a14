/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { setTimeout as sleep } from 'node:timers/promises';
import { EVENTS } from '../../src/contract';
import { signedHeaders } from './support/signed';
import { triggerName } from './support/eventInstance';
import { TriggerInstance } from './support/triggerInstance';
import { until } from './support/until';

jest.setTimeout(240_000);

let instance: TriggerInstance;

beforeAll(async () => {
	instance = await TriggerInstance.start();
});

afterAll(async () => await instance.stop());

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

afterEach(() => instance.faults([]));

describe('a published workflow', () => {
	it('is started by all eight kinds, before and after a restart of n8n', async () => {
		const workflow = await instance.ourTrigger({ events: [...EVENTS] });
		await instance.rest.workflows.publish(workflow);
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

		await instance.down();
		await instance.up();
		await makeAllKinds();
		expect(await instance.items(workflow, 16)).toHaveLength(16);
		await instance.rest.workflows.unpublish(workflow.id);
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
		for (let count = 0; count < 130; count += 1) {
			const { id } = await instance.api(
				'POST',
				'/generations',
				anImage(count % 10 ? 'A hill' : '[fail]'),
			);
			made.push(String(id));
		}
		await sleep(1_000);
		await instance.up();
		const events = await instance.items(byEvent, 120);
		const ids = events.map(({ resourceId }) => String(resourceId));
		expect(new Set(ids).size).toBe(ids.length);
		expect(ids).toHaveLength(120);
		const found = await instance.items(byPolling, 130);
		expect(found.map(({ id }) => String(id)).sort()).toEqual([...made].sort());

		await instance.down();
		const { id: last } = await instance.api(
			'POST',
			'/generations',
			anImage('While it is down again'),
		);
		await sleep(500);
		await instance.up();
		const all = await instance.items(byPolling, 131);
		expect(all.map(({ id }) => String(id)).sort()).toEqual([...made, String(last)].sort());
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

		await instance.rest.workflows.publish(workflow);
		const { id } = await instance.api('POST', '/generations', anImage('News'));
		const items = await instance.items(workflow, sample.length + 1);
		expect(items.slice(sample.length).map((item) => item.id)).toEqual([id]);
		await instance.rest.workflows.unpublish(workflow.id);
	});
});

describe('Listen for test event', () => {
	it('works beside the live webhook, for all eight kinds, and leaves nothing behind', async () => {
		const workflow = await instance.ourTrigger({ events: [...EVENTS] });
		await instance.rest.workflows.publish(workflow);
		const seen = new Set<unknown>();
		await makeAllKinds();
		const live = await instance.items(workflow, 8);
		expect(live).toHaveLength(8);
		for (const { event, payload } of live) {
			await instance.rest.workflows.listen(workflow.id, triggerName);
			const url = instance.urlOf(workflow, 'webhook-test');
			await until(() => instance.registered(url).length === 1);
			const secret = instance.registered(url)[0]?.secret ?? '';
			const wrong = await instance.call(url, { headers: signedHeaders('whsec_wrong', '{}') }, '{}');
			expect(wrong.status).toBe(401);
			const body = JSON.stringify(payload);
			expect(
				(await instance.call(url, { headers: signedHeaders(secret, body) }, body)).status,
			).toBe(200);
			const before = live.length + seen.size;
			expect((await instance.items(workflow, before + 1)).at(-1)).toMatchObject({ event });
			seen.add(event);
			await until(() => instance.registered(url).length === 0);
			expect(instance.registered(url)).toEqual([]);
		}
		expect(instance.registered(instance.urlOf(workflow))).toHaveLength(1);
		await instance.rest.workflows.unpublish(workflow.id);
		expect(await instance.webhooks()).toEqual([]);
	});

	it('is started by a delivery of the service itself', async () => {
		const workflow = await instance.ourTrigger({ events: ['generation.completed'] });
		await instance.rest.workflows.listen(workflow.id, triggerName);
		await instance.api('POST', '/generations', anImage());
		expect(await instance.items(workflow, 1)).toMatchObject([{ event: 'generation.completed' }]);
		await until(async () => (await instance.webhooks()).length === 0);
		expect(await instance.webhooks()).toEqual([]);
	});
});

describe('the options', () => {
	it('read and download in the execution, while the service has its answer at once', async () => {
		const workflow = await instance.ourTrigger({
			events: ['generation.completed'],
			options: { fetchResource: true, downloadOutputs: true },
		});
		await instance.rest.workflows.publish(workflow);
		instance.faults([{ kind: 'slow', operations: ['getGeneration'], seconds: 180 }]);
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
		expect(delivery?.duration_ms).toBeLessThan(1_000);
		await instance.rest.workflows.unpublish(workflow.id);
	});

	it('filter by mode, model, status and id, whatever the shape of the payload', async () => {
		const options = {
			modes: ['image'],
			models: ['studio/image-1'],
			statuses: 'completed',
			fetchResource: true,
		};
		for (const eventShape of ['nested', 'flat'] as const) {
			const workflow = await instance.ourTrigger({ events: [...EVENTS].slice(0, 2), options });
			await instance.rest.workflows.publish(workflow);
			instance.sandbox.service.settings.eventShape = eventShape;
			const { id } = await instance.api('POST', '/generations', anImage());
			await instance.api('POST', '/generations', anImage('[fail]'));
			await instance.api('POST', '/generations', { ...anImage(), model: 'studio/image-2' });
			await instance.api('POST', '/generations', {
				mode: 'audio',
				model: 'studio/sfx-1',
				prompt: 'Rain',
			});
			expect(await instance.items(workflow, 1)).toMatchObject([
				{ event: 'generation.completed', resourceId: id, resource: { id, mode: 'image' } },
			]);
			instance.sandbox.service.settings.eventShape = 'nested';
			await instance.rest.workflows.unpublish(workflow.id);
		}
	});
});
