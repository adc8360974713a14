/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not published */
import type { IDataObject, IExecuteFunctions, IWebhookFunctions } from 'n8n-workflow';
import { enrich } from '../../../nodes/Trigger/enrich';
import { receive } from '../../../nodes/Trigger/receive';
import { encryptSecret } from '../../../src/webhook/encryptSecret';
import { ProcessedItems } from '../../support/processedItems';
import { shuffle } from '../../../testing/shuffle';
import {
	deliveryContext,
	FakeResponse,
	signedDelivery,
	triggerContext,
	triggerFixture,
	type TriggerFixture,
} from '../../support/triggerContext';

const SECRET = 'whsec_canary';

const TODAY = '2026-11-21T12:00:00.000Z';
const afterDays = (days: number) =>
	new Date(Date.parse(TODAY) + days * 24 * 60 * 60 * 1_000).toISOString();

const itemOf = (payload: object, timestamp = TODAY) => ({
	json: { event: 'generation.completed', timestamp, payload: payload as IDataObject },
});

const event = (id: string) => ({
	id,
	type: 'generation.completed',
	data: { object: { id: `gen_${id}` } },
});

/** An execution that a delivery has started, in whatever process. */
function execution(
	items: ProcessedItems,
	world: TriggerFixture,
	payload: object,
	timestamp?: string,
) {
	const memory: IDataObject = {};
	const own = { ...world, mode: world.mode, input: [itemOf(payload, timestamp)] };
	const base = triggerContext<{ helpers: object }>(own, {
		getExecutionCancelSignal: () => undefined,
		getContext: () => memory,
	});
	return items.contextOf(world.node, base);
}

/** Whether the execution has anything to do. */
async function starts(context: IExecuteFunctions): Promise<boolean> {
	const [items = []] = await enrich.call(context);
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

test.each([1, 2, 3])(
	'of 1,000 events with 1 to 5 executions each, shuffled and many at once, each starts exactly once (seed %i)',
	async (seed) => {
		const items = new ProcessedItems(seed);
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
		// What a row is held by while it is written does not stay.
		expect([...items.rows.keys()].filter((row) => row.endsWith('held'))).toEqual([]);
	},
);

test('what is kept is bounded: 65,536 rows of four events', async () => {
	const items = new ProcessedItems();
	const world = triggerFixture();
	for (let each = 0; each < 2_000; each += 1) {
		await starts(execution(items, world, event(String(each))));
	}
	const rows = [...items.rows];
	expect(rows.every(([name]) => /^n:node-\d+:events [0-9a-f]{4}$/.test(name))).toBe(true);
	expect(Math.max(...rows.map(([, entries]) => entries.length))).toBeLessThanOrEqual(4);
});

test('the node has its own id again, whatever happens', async () => {
	const items = new ProcessedItems();
	const world = triggerFixture();
	items.fail = () => {
		throw new Error('the database is gone');
	};
	const context = execution(items, world, event('id'));
	await starts(context);
	expect(context.getNode().id).toBe(world.node.id);
	expect((context as unknown as { node: { id: string } }).node.id).toBe(world.node.id);
});

describe('when the database refuses', () => {
	test('the event starts the workflow every time, and the log says what that may mean', async () => {
		const items = new ProcessedItems();
		const world = triggerFixture();
		items.fail = () => {
			throw new Error('the database is gone');
		};
		expect(await starts(execution(items, world, event('a')))).toBe(true);
		expect(world.warnings).toEqual([expect.stringContaining('could not record')]);
	});

	test('twice, it is asked again and nothing starts twice', async () => {
		const items = new ProcessedItems();
		const world = triggerFixture();
		let failures = 2;
		items.fail = (row) => {
			if (row.endsWith('held')) return;
			failures -= 1;
			if (failures >= 0) throw new Error('the database is busy');
		};
		expect(await starts(execution(items, world, event('a')))).toBe(true);
		expect(await starts(execution(items, world, event('a')))).toBe(false);
		expect(world.warnings).toEqual([]);
	});

	test('only what keeps others away, it starts', async () => {
		const items = new ProcessedItems();
		const world = triggerFixture();
		items.fail = (row) => {
			if (row.endsWith('held')) throw new Error('the database is busy');
		};
		expect(await starts(execution(items, world, event('a')))).toBe(true);
	});
});

describe('a process that has died while it recorded an event', () => {
	test('holds the next one up for 3 s, and none after it', async () => {
		const items = new ProcessedItems();
		const world = triggerFixture();
		await starts(execution(items, world, event('a')));
		const [row = ''] = items.rows.keys();
		items.rows.delete(row);
		items.rows.set(`${row} held`, ['held']);
		jest.useFakeTimers();
		const started = jest.fn();
		const waiting = starts(execution(items, world, event('a'))).then(started);
		await jest.advanceTimersByTimeAsync(3_100);
		expect(started).not.toHaveBeenCalled();
		await jest.advanceTimersByTimeAsync(200);
		expect(started).toHaveBeenCalledWith(true);
		jest.useRealTimers();
		await waiting;
		expect(await starts(execution(items, world, event('a')))).toBe(false);
		expect([...items.rows.keys()]).toEqual([row]);
	});
});

describe('where n8n does not let rows be named', () => {
	/** As if n8n named rows after something else. */
	function closed(
		items: ProcessedItems,
		world: TriggerFixture,
		payload: object,
	): IExecuteFunctions {
		const context = execution(items, world, payload);
		return Object.assign(context, { node: undefined });
	}

	test('one row knows the events, nothing is lost', async () => {
		const items = new ProcessedItems();
		const world = triggerFixture();
		expect(await starts(closed(items, world, event('a')))).toBe(true);
		expect(await starts(closed(items, world, event('a')))).toBe(false);
		expect([...items.rows.keys()]).toEqual([`n:${world.node.id}`]);
		const many = Array.from({ length: 200 }, (_, each) =>
			starts(closed(items, world, event(`many_${each}`))),
		);
		expect((await Promise.all(many)).every((started) => started)).toBe(true);
	});

	test('without that memory every event starts', async () => {
		const world = triggerFixture();
		const context = execution(new ProcessedItems(), world, event('a'));
		context.helpers.checkProcessedAndRecord = undefined as never;
		expect([await starts(context), await starts(context)]).toEqual([true, true]);
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

describe('an event without an id of its own', () => {
	const bare = { id: 'gen_1', object: 'generation', status: 'completed' };

	test.each([
		[0, false],
		[1, false],
		[2, true],
	])('is the same %i days later: it starts is %s', async (days, again) => {
		const items = new ProcessedItems();
		const world = triggerFixture();
		expect(await starts(execution(items, world, bare))).toBe(true);
		expect(await starts(execution(items, world, bare, afterDays(days)))).toBe(again);
	});

	test('with an id it is the same for as long as it is known', async () => {
		const items = new ProcessedItems();
		const world = triggerFixture();
		expect(await starts(execution(items, world, event('a')))).toBe(true);
		expect(await starts(execution(items, world, event('a'), afterDays(30)))).toBe(false);
	});
});

test('an event is not recorded before n8n has answered: a crash in between makes the service repeat it', async () => {
	const items = new ProcessedItems();
	const world = triggerFixture();
	world.staticData = {
		webhookId: 'wh_1',
		secret: encryptSecret(SECRET, String(world.credential.apiKey), 'wh_1'),
	};
	const response = new FakeResponse();
	const delivery = { ...signedDelivery(SECRET, JSON.stringify(event('a'))), response };
	const { workflowData } = await receive.call(deliveryContext<IWebhookFunctions>(world, delivery));
	const payload = workflowData?.[0]?.[0]?.json.payload as object;
	const running = starts(execution(items, world, payload));
	await new Promise((resolve) => setImmediate(resolve));
	expect(items.rows.size).toBe(0);
	response.end();
	expect(await running).toBe(true);
	expect(items.rows.size).toBe(1);
});
