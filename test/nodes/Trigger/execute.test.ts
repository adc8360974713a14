import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { execute } from '../../../nodes/Trigger/delivery';
import { shuffle } from '../../model/shuffle';
import { ProcessedItems } from '../../support/processedItems';
import { triggerContext, triggerFixture, type TriggerFixture } from '../../support/triggerContext';
import type * as Instant from '../../support/instantSystemClock';

// A read that is refused is tried again seconds later.
jest.mock('../../../src/base/clock', () =>
	jest.requireActual<typeof Instant>('../../support/instantSystemClock'),
);

const whole = {
	id: 'gen_1',
	object: 'generation',
	status: 'completed',
	mode: 'image',
	error: null,
};

function worldOf(
	payload: object,
	options: object,
	more: Partial<TriggerFixture> = {},
): TriggerFixture {
	const json = { event: 'generation.completed', payload: payload as never };
	return triggerFixture({
		parameters: { options },
		input: [{ json }],
		answer: () => ({ statusCode: 200, body: whole }),
		mode: 'retry',
		...more,
	});
}

const run = async (world: TriggerFixture) =>
	await execute.call(
		triggerContext<IExecuteFunctions>(world, { getExecutionCancelSignal: () => undefined }),
	);

const event = (object: object, type = 'generation.completed') => ({
	id: 'evt',
	type,
	data: { object },
});

test('without an option the item passes as it is and nothing is asked', async () => {
	const world = worldOf(event({ id: 'gen_1' }), {});
	expect(await run(world)).toEqual([world.input]);
	expect(world.requests).toEqual([]);
});

test.each([
	[{ id: 'a', object: 'generation' }, 'generation.completed', '/generations/a'],
	[{ id: 'a', object: 'speech_generation' }, 'generation.completed', '/speech/a'],
	[{ id: 'a' }, 'agent.completed', '/agents/runs/a'],
	[{ id: '../a b' }, 'voice.created', '/voices/..%2Fa%20b'],
	[{ id: 'a', object: 'constructor' }, 'x.y', '/jobs/a'],
])('the resource of %j in %s is read at %s', async (resource, type, path) => {
	const answer = () => ({ statusCode: 200, body: { ...whole, id: resource.id } });
	const world = worldOf(event(resource, type), { fetchResource: true }, { answer });
	const [[item] = []] = await run(world);
	expect(world.requests.map(({ url }) => url)).toEqual([path]);
	expect(item?.json.resource).toMatchObject({ status: 'completed' });
});

test('what the filters do not want after all leaves no item', async () => {
	expect(await run(worldOf(event({ id: 'gen_1' }), { modes: ['video'] }))).toEqual([[]]);
	const [[kept] = []] = await run(worldOf(event({ id: 'gen_1' }), { modes: ['image'] }));
	expect(kept?.json.event).toBe('generation.completed');
	expect(kept?.json).not.toHaveProperty('resource');
});

test('an event without a resource is given without one', async () => {
	const world = worldOf({ type: 'x' }, { fetchResource: true });
	const [[item] = []] = await run(world);
	expect(item?.json).toMatchObject({ event: 'generation.completed', resource: null });
	expect(world.requests).toEqual([]);
});

test.each<[string, object, string, unknown[][]]>([
	['is to be fetched', { fetchResource: true }, 'outputs an event without its resource', [[{}]]],
	['is to be downloaded', { downloadOutputs: true }, 'outputs an event without its', [[{}]]],
	['is filtered', { modes: ['image'] }, 'starts nothing for an event', [[]]],
])('an event without a resource, where it %s, is logged once', async (_, options, says, output) => {
	const world = worldOf({ id: 'evt', type: 'generation.completed' }, options);
	expect(await run(world)).toMatchObject(output);
	await run(world);
	expect(world.warnings).toEqual([expect.stringContaining(says)]);
});

test('a resource that cannot be read fails the execution and is named; with Continue On Fail the event stays, with the error', async () => {
	const gone = { answer: () => ({ statusCode: 404, body: {} }) };
	const options = { fetchResource: true };
	await expect(run(worldOf(event({ id: 'gen_1' }), options, gone))).rejects.toThrow(
		/Not found.*gen_1/,
	);
	const [[item] = []] = await run(
		worldOf(event({ id: 'gen_1' }), options, { ...gone, continueOnFail: true }),
	);
	expect(item?.json).toMatchObject({
		event: 'generation.completed',
		error: expect.stringMatching(/^Not found \(job gen_1\)$/),
		details: { jobId: 'gen_1', httpStatus: 404 },
	});
	expect(item).not.toHaveProperty('error');
	expect(item?.pairedItem).toEqual({ item: 0 });
});

/** An execution that a delivery has started, in whatever process. */
function execution(items: ProcessedItems, world: TriggerFixture, payload: object) {
	const memory: IDataObject = {};
	const json = { event: 'generation.completed', payload: payload as IDataObject };
	const base = triggerContext<{ helpers: object }>(
		{ ...world, input: [{ json }] },
		{ getExecutionCancelSignal: () => undefined, getContext: () => memory },
	);
	return items.contextOf(world.node, base);
}

/** Whether the execution has anything to do. */
async function starts(context: IExecuteFunctions): Promise<boolean> {
	const [items = []] = await execute.call(context);
	return items.length > 0;
}

test('an event starts once, over processes and restarts; each trigger has its own', async () => {
	const items = new ProcessedItems();
	const [world, other] = [triggerFixture(), triggerFixture()];
	expect(await starts(execution(items, world, event({ id: 'a' })))).toBe(true);
	expect(await starts(execution(items, world, event({ id: 'a' })))).toBe(false);
	expect(await starts(execution(items, world, event({ id: 'b' })))).toBe(true);
	expect(await starts(execution(items, other, event({ id: 'a' })))).toBe(true);
});

test('of 200 events with 1 to 5 executions each, shuffled and many at once in a process, each starts exactly once', async () => {
	const items = new ProcessedItems();
	const world = triggerFixture();
	const all = shuffle(
		Array.from({ length: 200 }, (_, each) => Array<number>(1 + (each % 5)).fill(each)).flat(),
	);
	const started: number[] = [];
	const worker = async () => {
		for (let next = all.pop(); next !== undefined; next = all.pop()) {
			if (await starts(execution(items, world, event({ id: String(next) })))) started.push(next);
		}
	};
	await Promise.all(Array.from({ length: 40 }, worker));
	expect(started.sort((left, right) => left - right)).toEqual(
		Array.from({ length: 200 }, (_, each) => each),
	);
	// Without a bound the row would grow for ever, and n8n reads all of it each time.
	expect([...items.bounds]).toEqual([2_000]);
});

test('an event that n8n cannot record starts the workflow every time, and the log says what that may mean', async () => {
	const items = new ProcessedItems();
	const world = triggerFixture();
	items.isDown = true;
	expect(await starts(execution(items, world, event({ id: 'a' })))).toBe(true);
	expect(world.warnings).toEqual([expect.stringContaining('could not record')]);
	items.isDown = false;
	expect(await starts(execution(items, world, event({ id: 'a' })))).toBe(true);
	expect(await starts(execution(items, world, event({ id: 'a' })))).toBe(false);
});

describe('what is run on purpose is run again', () => {
	test.each(['retry', 'manual', 'integrated', 'cli'])('%s', async (mode) => {
		const items = new ProcessedItems();
		const world = triggerFixture();
		expect(await starts(execution(items, world, event({ id: 'a' })))).toBe(true);
		expect(await starts(execution(items, { ...world, mode }, event({ id: 'a' })))).toBe(true);
		expect(items.rows.size).toBe(1);
	});

	test('Retry On Fail: a try that failed after it was recorded does not make the next one a repeat', async () => {
		const items = new ProcessedItems();
		const world = triggerFixture({ parameters: { options: { fetchResource: true } } });
		let statusCode = 404;
		world.answer = () => ({ statusCode, body: { id: 'a' } });
		const context = execution(items, world, event({ id: 'a' }));
		await expect(starts(context)).rejects.toThrow('job a');
		const { calls } = items;
		statusCode = 200;
		expect(await starts(context)).toBe(true);
		expect(items.calls).toBe(calls);
		expect(await starts(execution(items, world, event({ id: 'a' })))).toBe(false);
	});
});
