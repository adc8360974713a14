/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { setTimeout as sleep } from 'node:timers/promises';
import type { SavedWorkflow } from '../../lab/n8n/rest';
import { TriggerInstance } from './support/triggerInstance';

jest.setTimeout(240_000);

const anImage = (prompt: string) => ({ mode: 'image', model: 'studio/image-1', prompt });

/** Seconds of the minute at which it polls: the first so many seconds from now, then every twenty. */
const everyTwenty = (first: number) =>
	[0, 20, 40].map((later) => (new Date().getSeconds() + first + later) % 60);

/** What n8n needs to poll by its durable scheduler, with its own cursors for the state of a node. */
const DURABLE = {
	N8N_SCHEDULER_ENABLED: 'true',
	N8N_SCHEDULER_POLL_TRIGGERS_ENABLED: 'true',
	N8N_POLLER_DURABLE_CURSORS_ENABLED: 'true',
};

const SCHEDULERS: Record<string, Record<string, string>> = {
	'the usual scheduler': {},
	'durable poll cursors': DURABLE,
};

const instances = new Map<string, TriggerInstance>();

beforeAll(async () => {
	const started = Object.entries(SCHEDULERS).map(async ([name, env]) => {
		const lazy = { N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true' };
		instances.set(name, await TriggerInstance.start({ ...lazy, ...env }));
	});
	await Promise.all(started);
});

afterAll(
	async () => await Promise.all([...instances.values()].map(async (one) => await one.stop())),
);

async function rename(
	{ rest }: TriggerInstance,
	{ id }: SavedWorkflow,
	name: string,
): Promise<SavedWorkflow> {
	const workflow = await rest.workflows.get(id);
	const [trigger] = workflow.nodes;
	if (!trigger) throw new Error('The workflow has no trigger');
	const before = trigger.name;
	trigger.name = name;
	workflow.connections = { [name]: workflow.connections[before] ?? {} };
	await rest.workflows.update(id, workflow);
	return await rest.workflows.get(id);
}

test.concurrent.each(Object.keys(SCHEDULERS))(
	'with %s, what finishes between publishing and the first poll comes with that poll, and a rename loses and repeats nothing',
	async (name) => {
		const instance = instances.get(name);
		if (!instance) throw new Error('no n8n');
		const make = async (prompt: string) =>
			String((await instance.api('POST', '/generations', anImage(prompt))).id);
		const found = async (count: number) =>
			(await instance.items(workflow, count)).map(({ id }) => id);
		await make('History');
		await sleep(1_000);
		const parameters = { statuses: ['completed'], downloadOutputs: false };
		const workflow = await instance.pollingTrigger(parameters, everyTwenty(15));
		await instance.rest.workflows.publish(workflow);
		const news = await make('News');
		expect(await found(1)).toEqual([news]);
		const between = await make('Between');
		await sleep(1_000);
		await instance.rest.workflows.publish(await rename(instance, workflow, 'Renamed'));
		expect(await found(2)).toEqual([news, between]);
		const last = await make('Last');
		expect(await found(3)).toEqual([news, between, last]);
		await instance.rest.workflows.unpublish(workflow.id);
	},
);
