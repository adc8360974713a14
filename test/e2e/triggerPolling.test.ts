/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { setTimeout as sleep } from 'node:timers/promises';
import type { SavedWorkflow } from '../../lab/n8n/rest';
import { slowDown, speedUp } from './support/slowDatabase';
import { TriggerStage } from './support/triggerStage';
import { until } from './support/until';

jest.setTimeout(900_000);

/** Two looks and what they take. */
const LOOKS_MS = 130_000;

let stage: TriggerStage;
let workflow: SavedWorkflow;

beforeAll(async () => {
	stage = await TriggerStage.start();
	workflow = await stage.pollingTrigger({
		statuses: ['completed'],
		options: { downloadOutputs: true },
	});
	await stage.rest.workflows.publish(workflow);
});

afterAll(async () => await stage?.stop());

const make = async () =>
	String(
		(
			await stage.api('POST', '/generations', {
				...{ mode: 'image', model: 'studio/image-1', prompt: 'A lighthouse' },
				parameters: { count: 2 },
			})
		).id,
	);

const got = () => stage.of(workflow).map(({ id }) => String(id));

/** A generation that a look has found while n8n could make no execution of it. */
async function makeForNothing(): Promise<string> {
	const failures = () => stage.log().split('no room').length;
	const before = failures();
	await slowDown(stage.direct.userFolder, { refuse: true });
	const id = await make();
	await until(() => failures() > before, LOOKS_MS);
	expect(failures()).toBeGreaterThan(before);
	return id;
}

test('what a look has given and n8n has lost comes again, once, with its files', async () => {
	const first = await make();
	await until(() => got().length > 0, LOOKS_MS);
	expect(stage.of(workflow)).toMatchObject([{ id: first, binary: ['data', 'data_1'] }]);

	const second = await makeForNothing();
	await speedUp(stage.direct.userFolder);
	await until(() => got().length > 1, LOOKS_MS);
	expect(got()).toEqual([first, second]);

	const third = await makeForNothing();
	await stage.crash();
	await speedUp(stage.direct.userFolder);
	await stage.up();
	await until(() => got().length > 2, LOOKS_MS);
	expect(got()).toEqual([first, second, third]);

	// What came last is given again by a process that cannot know of it, and starts nothing.
	await stage.crash();
	await stage.up();
	await sleep(LOOKS_MS);
	expect(got()).toEqual([first, second, third]);
});
