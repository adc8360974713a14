/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { setTimeout as sleep } from 'node:timers/promises';
import { TriggerInstance } from './support/triggerInstance';

jest.setTimeout(240_000);

let instance: TriggerInstance;

/** An n8n that polls by its durable scheduler, with its own cursors for the state of a node; as usual: trigger.test.ts. */
beforeAll(async () => {
	instance = await TriggerInstance.start({
		N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true',
		N8N_SCHEDULER_ENABLED: 'true',
		N8N_SCHEDULER_POLL_TRIGGERS_ENABLED: 'true',
		N8N_POLLER_DURABLE_CURSORS_ENABLED: 'true',
	});
});

afterAll(async () => await instance?.stop());

test('with durable poll cursors, what finishes between publishing and the first poll comes with that poll, and a rename loses and repeats nothing', async () => {
	const make = async (prompt: string) => {
		const image = { mode: 'image', model: 'studio/image-1', prompt };
		return String((await instance.api('POST', '/generations', image)).id);
	};
	const found = async (count: number) =>
		(await instance.items(workflow, count)).map(({ id }) => id);
	await make('History');
	await sleep(1_000);
	// The first poll comes 15 s from now.
	const seconds = [15, 35, 55].map((later) => (new Date().getSeconds() + later) % 60);
	const parameters = { statuses: ['completed'], downloadOutputs: false };
	const workflow = await instance.pollingTrigger(parameters, seconds);
	await instance.rest.workflows.publish(workflow);
	const news = await make('News');
	expect(await found(1)).toEqual([news]);
	const between = await make('Between');
	await sleep(1_000);
	await instance.rest.workflows.publish(await instance.renameTrigger(workflow));
	expect(await found(2)).toEqual([news, between]);
	const last = await make('Last');
	expect(await found(3)).toEqual([news, between, last]);
});
