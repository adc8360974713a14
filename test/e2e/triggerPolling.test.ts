/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { setTimeout as sleep } from 'node:timers/promises';
import type { SavedWorkflow } from '../../lab/n8n/rest';
import { slowDown, speedUp } from './support/slowDatabase';
import { TriggerInstance } from './support/triggerInstance';
import { until } from './support/until';

jest.setTimeout(900_000);

/** Two polls and what they take. */
const TWO_POLLS_MS = 40_000;

/** How long a poll may take to come and to be carried out, on a busy machine too. */
const PATIENCE_MS = 70_000;

let instance: TriggerInstance;
let workflow: SavedWorkflow;

beforeAll(async () => {
	instance = await TriggerInstance.start();
	const parameters = { statuses: ['completed'], options: { downloadOutputs: true } };
	workflow = await instance.pollingTrigger(parameters, [0, 15, 30, 45]);
	await instance.rest.workflows.publish(workflow);
});

afterAll(async () => await instance?.stop());

const make = async () =>
	String(
		(
			await instance.api('POST', '/generations', {
				...{ mode: 'image', model: 'studio/image-1', prompt: 'A lighthouse' },
				parameters: { count: 2 },
			})
		).id,
	);

const got = () => instance.of(workflow).map(({ id }) => String(id));

/** A generation that a look has found while n8n could make no execution of it. */
async function makeForNothing(): Promise<string> {
	const failures = () => instance.log().split('no room').length;
	const before = failures();
	await slowDown(instance.direct.userFolder, { refuse: true });
	const id = await make();
	await until(() => failures() > before, PATIENCE_MS);
	expect(failures()).toBeGreaterThan(before);
	return id;
}

test('what a poll has emitted and n8n has lost is emitted again, once, with its files', async () => {
	const first = await make();
	await until(() => got().length > 0, PATIENCE_MS);
	expect(instance.of(workflow)).toMatchObject([{ id: first, binary: ['data', 'data_1'] }]);

	const second = await makeForNothing();
	await speedUp(instance.direct.userFolder);
	await until(() => got().length > 1, PATIENCE_MS);
	expect(got()).toEqual([first, second]);

	const third = await makeForNothing();
	await instance.crash();
	await speedUp(instance.direct.userFolder);
	await instance.up();
	await until(() => got().length > 2, PATIENCE_MS);
	expect(got()).toEqual([first, second, third]);

	// What came last is given again by a process that cannot know of it, and starts nothing.
	await instance.crash();
	await instance.up();
	await sleep(TWO_POLLS_MS);
	expect(got()).toEqual([first, second, third]);
});
