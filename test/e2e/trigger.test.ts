/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { setTimeout as sleep } from 'node:timers/promises';
import { EVENTS } from '../../src/contract';
import { signedHeaders } from './support/signed';
import { TriggerStage, triggerName } from './support/triggerStage';
import { until } from './support/until';

jest.setTimeout(240_000);

let stage: TriggerStage;

beforeAll(async () => {
	stage = await TriggerStage.start();
});

afterAll(async () => await stage.stop());

const anImage = (prompt = 'A lighthouse') => ({ mode: 'image', model: 'studio/image-1', prompt });

/** Makes the service emit each of the eight kinds once. */
async function makeAllKinds(): Promise<void> {
	const call = stage.api.bind(stage);
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

afterEach(() => stage.faults([]));

describe('a published workflow', () => {
	it('is started by all eight kinds, before and after a restart of n8n', async () => {
		const workflow = await stage.ourTrigger({ events: [...EVENTS] });
		await stage.rest.workflows.publish(workflow);
		expect(await stage.webhooks()).toMatchObject([{ url: stage.urlOf(workflow), events: EVENTS }]);
		await makeAllKinds();
		const first = await stage.items(workflow, 8);
		expect(first.map(({ event }) => event).sort()).toEqual([...EVENTS].sort());
		expect(first[0]).toMatchObject({
			eventId: expect.stringMatching(/^evt_/),
			resourceId: expect.any(String),
			timestamp: expect.any(String),
			deliveredAt: expect.any(String),
			payload: { object: 'event' },
		});

		await stage.down();
		await stage.up();
		await makeAllKinds();
		expect(await stage.items(workflow, 16)).toHaveLength(16);
		await stage.rest.workflows.unpublish(workflow.id);
		expect(await stage.webhooks()).toEqual([]);
	});

	it('loses nothing that is delivered while n8n is down, and what the deliveries miss the polling trigger finds', async () => {
		const byEvent = await stage.ourTrigger({
			events: ['generation.completed', 'generation.failed'],
		});
		const byPolling = await stage.pollingTrigger({ statuses: ['completed', 'failed'] });
		await stage.api('POST', '/generations', anImage('History'));
		await sleep(500);
		await stage.rest.workflows.publish(byEvent);
		await stage.rest.workflows.publish(byPolling);
		await stage.down();
		stage.faults([{ kind: 'delivery_lose', times: 10 }]);
		const made: string[] = [];
		for (let count = 0; count < 130; count += 1) {
			const { id } = await stage.api(
				'POST',
				'/generations',
				anImage(count % 10 ? 'A hill' : '[fail]'),
			);
			made.push(String(id));
		}
		await sleep(1_000);
		await stage.up();
		const events = await stage.items(byEvent, 120, 60_000);
		const ids = events.map(({ resourceId }) => String(resourceId));
		expect(new Set(ids).size).toBe(ids.length);
		expect(ids).toHaveLength(120);
		const found = await stage.items(byPolling, 130, 60_000);
		expect(found.map(({ id }) => String(id)).sort()).toEqual([...made].sort());

		await stage.down();
		const { id: last } = await stage.api('POST', '/generations', anImage('While it is down again'));
		await sleep(500);
		await stage.up();
		const all = await stage.items(byPolling, 131, 60_000);
		expect(all.map(({ id }) => String(id)).sort()).toEqual([...made, String(last)].sort());
		await stage.rest.workflows.unpublish(byEvent.id);
		await stage.rest.workflows.unpublish(byPolling.id);
	});
});

describe('the polling trigger', () => {
	it('shows a sample in the editor, and finds by itself what finishes while n8n runs', async () => {
		const { id: old } = await stage.api('POST', '/generations', anImage('History'));
		await sleep(500);
		const workflow = await stage.pollingTrigger({ statuses: ['completed'] });
		const execution = await stage.rest.workflows.run(workflow.id, triggerName);
		await stage.rest.executions.wait(execution);
		const sample = stage.of(workflow);
		expect(sample.map(({ id }) => id)).toContain(old);
		expect(sample.length).toBeLessThanOrEqual(10);

		await stage.rest.workflows.publish(workflow);
		const { id } = await stage.api('POST', '/generations', anImage('News'));
		const items = await stage.items(workflow, sample.length + 1, 90_000);
		expect(items.slice(sample.length).map((item) => item.id)).toEqual([id]);
		await stage.rest.workflows.unpublish(workflow.id);
	});
});

describe('Listen for test event', () => {
	it('works beside the live webhook, for all eight kinds, and leaves nothing behind', async () => {
		const workflow = await stage.ourTrigger({ events: [...EVENTS] });
		await stage.rest.workflows.publish(workflow);
		const seen = new Set<unknown>();
		await makeAllKinds();
		const live = await stage.items(workflow, 8);
		expect(live).toHaveLength(8);
		for (const { event, payload } of live) {
			await stage.rest.workflows.listen(workflow.id, triggerName);
			const url = stage.urlOf(workflow, 'webhook-test');
			await until(() => stage.registered(url).length === 1);
			const secret = stage.registered(url)[0]?.secret ?? '';
			const wrong = await stage.call(url, { headers: signedHeaders('whsec_wrong', '{}') }, '{}');
			expect(wrong.status).toBe(401);
			const body = JSON.stringify(payload);
			expect((await stage.call(url, { headers: signedHeaders(secret, body) }, body)).status).toBe(
				200,
			);
			const before = live.length + seen.size;
			expect((await stage.items(workflow, before + 1)).at(-1)).toMatchObject({ event });
			seen.add(event);
			await until(() => stage.registered(url).length === 0);
			expect(stage.registered(url)).toEqual([]);
		}
		expect(stage.registered(stage.urlOf(workflow))).toHaveLength(1);
		await stage.rest.workflows.unpublish(workflow.id);
		expect(await stage.webhooks()).toEqual([]);
	});

	it('is started by a delivery of the service itself', async () => {
		const workflow = await stage.ourTrigger({ events: ['generation.completed'] });
		await stage.rest.workflows.listen(workflow.id, triggerName);
		await stage.api('POST', '/generations', anImage());
		expect(await stage.items(workflow, 1)).toMatchObject([{ event: 'generation.completed' }]);
		await until(async () => (await stage.webhooks()).length === 0);
		expect(await stage.webhooks()).toEqual([]);
	});
});

describe('the options', () => {
	it('read and download in the execution, while the service has its answer at once', async () => {
		const workflow = await stage.ourTrigger({
			events: ['generation.completed'],
			options: { fetchResource: true, downloadOutputs: true },
		});
		await stage.rest.workflows.publish(workflow);
		stage.faults([{ kind: 'slow', operations: ['getGeneration'], seconds: 180 }]);
		const { id } = await stage.api('POST', '/generations', {
			...anImage(),
			parameters: { count: 2 },
		});
		const [item] = await stage.items(workflow, 1);
		expect(item).toMatchObject({
			resource: { id, status: 'completed' },
			binary: ['data', 'data_1'],
		});
		const [{ id: webhook } = {}] = await stage.webhooks();
		const { data } = await stage.api('GET', `/webhooks/${String(webhook)}/deliveries`);
		const [delivery] = data as Array<{ duration_ms: number; status: string }>;
		expect(delivery?.status).toBe('succeeded');
		expect(delivery?.duration_ms).toBeLessThan(1_000);
		await stage.rest.workflows.unpublish(workflow.id);
	});

	it('filter by mode, model, status and id, whatever the shape of the payload', async () => {
		const options = {
			modes: ['image'],
			models: ['studio/image-1'],
			statuses: 'completed',
			fetchResource: true,
		};
		for (const eventShape of ['nested', 'flat', 'bare'] as const) {
			const workflow = await stage.ourTrigger({ events: [...EVENTS].slice(0, 2), options });
			await stage.rest.workflows.publish(workflow);
			stage.sandbox.service.settings.eventShape = eventShape;
			const { id } = await stage.api('POST', '/generations', anImage());
			await stage.api('POST', '/generations', anImage('[fail]'));
			await stage.api('POST', '/generations', { ...anImage(), model: 'studio/image-2' });
			await stage.api('POST', '/generations', {
				mode: 'audio',
				model: 'studio/sfx-1',
				prompt: 'Rain',
			});
			expect(await stage.items(workflow, 1)).toMatchObject([
				{ event: 'generation.completed', resourceId: id, resource: { id, mode: 'image' } },
			]);
			stage.sandbox.service.settings.eventShape = 'nested';
			await stage.rest.workflows.unpublish(workflow.id);
		}
	});
});
