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

describe.each<[string, Record<string, string>]>([
	['the usual scheduler', {}],
	['durable poll cursors', DURABLE],
])('with %s', (_name, env) => {
	let instance: TriggerInstance;

	beforeAll(async () => {
		instance = await TriggerInstance.start({ N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true', ...env });
	});

	afterAll(async () => await instance?.stop());

	const make = async (prompt: string) =>
		String((await instance.api('POST', '/generations', anImage(prompt))).id);

	const idsAt = (workflow: SavedWorkflow) => instance.of(workflow).map(({ id }) => id);

	async function rename({ id }: SavedWorkflow, name: string): Promise<SavedWorkflow> {
		const workflow = await instance.rest.workflows.get(id);
		const [trigger] = workflow.nodes;
		if (!trigger) throw new Error('The workflow has no trigger');
		const before = trigger.name;
		trigger.name = name;
		workflow.connections = { [name]: workflow.connections[before] ?? {} };
		await instance.rest.workflows.update(id, workflow);
		return await instance.rest.workflows.get(id);
	}

	it('what finishes between publishing and the first scheduled poll comes with that poll', async () => {
		const old = await make('History');
		await sleep(1_000);
		const parameters = { statuses: ['completed'], downloadOutputs: false };
		const workflow = await instance.pollingTrigger(parameters, everyTwenty(15));
		await instance.rest.workflows.publish(workflow);
		const news = await make('News');
		await instance.items(workflow, 1);
		expect(idsAt(workflow)).toEqual([news]);
		expect(idsAt(workflow)).not.toContain(old);
		const more = await make('More news');
		await instance.items(workflow, 2);
		expect(idsAt(workflow)).toEqual([news, more]);
		await instance.rest.workflows.unpublish(workflow.id);
	});

	it('a rename loses nothing of what finishes in between, and repeats nothing', async () => {
		const parameters = { statuses: ['completed'], downloadOutputs: false };
		const workflow = await instance.pollingTrigger(parameters, everyTwenty(10));
		await instance.rest.workflows.publish(workflow);
		const first = await make('First');
		await instance.items(workflow, 1);
		expect(idsAt(workflow)).toEqual([first]);
		const between = await make('Between');
		await sleep(1_000);
		await instance.rest.workflows.publish(await rename(workflow, 'Renamed'));
		await instance.items(workflow, 2);
		expect(idsAt(workflow)).toEqual([first, between]);
		const last = await make('Last');
		await instance.items(workflow, 3);
		expect(idsAt(workflow)).toEqual([first, between, last]);
		await instance.rest.workflows.unpublish(workflow.id);
	});
});
