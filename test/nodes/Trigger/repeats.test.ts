import type { IDataObject, IExecuteFunctions, IWebhookFunctions } from 'n8n-workflow';
import { execute } from '../../../nodes/Trigger/execute';
import { receive } from '../../../nodes/Trigger/receive';
import { ProcessedItems } from '../../support/processedItems';
import { shuffle } from '../../model/shuffle';
import {
	deliveryContext,
	FakeResponse,
	savedAs,
	signedDelivery,
	triggerContext,
	triggerFixture,
	type TriggerFixture,
} from '../../support/triggerContext';

const SECRET = 'whsec_canary';

const event = (id: string) => ({
	id,
	type: 'generation.completed',
	data: { object: { id: `gen_${id}` } },
});

/** An execution that a delivery has started, in whatever process. */
function execution(items: ProcessedItems, world: TriggerFixture, payload: object) {
	const memory: IDataObject = {};
	const json = { event: 'generation.completed', payload: payload as IDataObject };
	const base = triggerContext<{ helpers: object }>(
		{ ...world, mode: world.mode, input: [{ json }] },
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
	expect(await starts(execution(items, world, event('a')))).toBe(true);
	expect(await starts(execution(items, world, event('a')))).toBe(false);
	expect(await starts(execution(items, world, event('b')))).toBe(true);
	expect(await starts(execution(items, other, event('a')))).toBe(true);
});

test('of 1,000 events with 1 to 5 executions each, shuffled and many at once in a process, each starts exactly once', async () => {
	const items = new ProcessedItems();
	const world = triggerFixture();
	const all = shuffle(
		Array.from({ length: 1_000 }, (_, each) => Array<number>(1 + (each % 5)).fill(each)).flat(),
	);
	const started: number[] = [];
	const worker = async () => {
		for (let next = all.pop(); next !== undefined; next = all.pop()) {
			if (await starts(execution(items, world, event(String(next))))) started.push(next);
		}
	};
	await Promise.all(Array.from({ length: 40 }, worker));
	expect(started.sort((left, right) => left - right)).toEqual(
		Array.from({ length: 1_000 }, (_, each) => each),
	);
});

test('what is kept is bounded: the last 2,000 events', async () => {
	const items = new ProcessedItems();
	const world = triggerFixture();
	for (let each = 0; each < 2_100; each += 1) {
		await starts(execution(items, world, event(String(each))));
	}
	const [row, ...more] = [...items.rows.values()];
	expect([row?.length, more]).toEqual([2_000, []]);
	expect(await starts(execution(items, world, event('2099')))).toBe(false);
});

test('an execution does not wait for the answer to its delivery, nor for another one', async () => {
	const items = new ProcessedItems();
	const world = triggerFixture();
	world.staticData = savedAs(world, { webhookId: 'wh_1', secret: SECRET });
	const response = new FakeResponse();
	const delivery = { ...signedDelivery(SECRET, JSON.stringify(event('a'))), response };
	const { workflowData } = await receive.call(deliveryContext<IWebhookFunctions>(world, delivery));
	const payload = workflowData?.[0]?.[0]?.json.payload as object;
	expect(await starts(execution(items, world, payload))).toBe(true);
	expect(response.ended).toBe(false);
});

describe('when n8n cannot record an event', () => {
	test('it starts the workflow every time, and the log says what that may mean', async () => {
		const items = new ProcessedItems();
		const world = triggerFixture();
		items.fail = () => {
			throw new Error('the database is gone');
		};
		expect(await starts(execution(items, world, event('a')))).toBe(true);
		expect(world.warnings).toEqual([expect.stringContaining('could not record')]);
		items.fail = () => {};
		expect(await starts(execution(items, world, event('a')))).toBe(true);
		expect(await starts(execution(items, world, event('a')))).toBe(false);
	});

	test('nor in an n8n without such a record', async () => {
		const world = triggerFixture();
		const context = execution(new ProcessedItems(), world, event('a'));
		context.helpers.checkProcessedAndRecord = undefined as never;
		expect(await starts(context)).toBe(true);
	});
});

describe('what is run on purpose is run again', () => {
	test.each(['retry', 'manual', 'integrated', 'cli'])('%s', async (mode) => {
		const items = new ProcessedItems();
		const world = triggerFixture();
		expect(await starts(execution(items, world, event('a')))).toBe(true);
		expect(await starts(execution(items, { ...world, mode }, event('a')))).toBe(true);
		expect(items.rows.size).toBe(1);
	});

	test('Retry On Fail: a try that failed after it was recorded does not make the next one a repeat', async () => {
		const items = new ProcessedItems();
		const world = triggerFixture({ parameters: { options: { fetchResource: true } } });
		let statusCode = 404;
		world.answer = () => ({ statusCode, body: { id: 'gen_a' } });
		const context = execution(items, world, event('a'));
		await expect(starts(context)).rejects.toThrow('gen_a');
		const { calls } = items;
		statusCode = 200;
		expect(await starts(context)).toBe(true);
		expect(items.calls).toBe(calls);
		expect(await starts(execution(items, world, event('a')))).toBe(false);
	});
});
