/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { readFileSync } from 'node:fs';
import type { SavedWorkflow } from '../../lab/n8n/rest';
import { exampleOf, itemsIn, type ItemsOf } from './support/examples';
import { TriggerInstance } from './support/triggerInstance';
import { until } from './support/until';

let instance: TriggerInstance;

beforeAll(async () => (instance = await TriggerInstance.start()), 300_000);
afterAll(async () => await instance.stop());

async function save(number: string): Promise<SavedWorkflow> {
	const example = exampleOf(number, instance.credential, instance.direct.filesFolder);
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
	const body = { mode: 'image', model: 'studio/image-1', prompt };
	return String((await instance.api('POST', '/generations', body)).id);
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

it('7, 7b and 12: what is done is stored and marked; what was missed is made up for', async () => {
	const byEvent = await save('7');
	await run(byEvent, 'Set Up');
	await instance.rest.workflows.publish(byEvent);
	const good = await picture('A hill');
	const bad = await picture('[fail] A hill');
	const rows = (await startedByEvents(byEvent, 2)).map(rowOf);
	expect(rows).toHaveLength(2);
	expect(rows).toEqual(
		expect.arrayContaining([
			expect.objectContaining({ job: good, status: 'completed', problem: '' }),
			expect.objectContaining({ job: bad, status: 'failed', file: '' }),
		]),
	);
	const stored = rows.find((row) => row?.job === good);
	expect(readFileSync(String(stored?.file))).not.toHaveLength(0);
	expect(rows.find((row) => row?.job === bad)?.problem).toMatch(/\w/);

	// The service gives a delivery up while nobody answers.
	instance.sandbox.service.settings.deliverySchedule = [0];
	instance.front.target(0);
	const missed = await picture('A lake');
	await until(async () => {
		const [webhook] = await instance.webhooks();
		const { data } = await instance.api('GET', `/webhooks/${String(webhook?.id)}/deliveries`);
		return (data as Array<{ status: string }>).some(({ status }) => status === 'failed');
	});
	instance.front.target(instance.direct.port);
	const repair = await save('12');
	const repaired = await run(repair, 'Start');
	expect(repaired('Mark Row').map(({ json }) => json.job)).toEqual([missed]);
	expect((await run(repair, 'Start'))('Fetch the Files')).toEqual([]);

	const polled = await run(await save('7b'), 'New Result');
	expect(rowOf(polled)).toMatchObject({ job: missed, status: 'completed' });
}, 300_000);
