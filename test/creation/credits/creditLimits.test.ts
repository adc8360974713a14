import { ENDPOINTS, type Endpoint } from '../../../src/api';
import type { Result } from '../../../src/base/result';
import { ExecutionSum } from '../../../src/creation/credits/ledger';
import type { ItemOutput, Settings } from '../../../src/creation/item';
import { newMemory, type ItemMemory } from '../../../src/creation/idempotency/itemState';
import { Run } from '../../../src/creation/run';
import { runItem } from '../../../src/n8n/runOperation';
import { creditsOf } from '../../../src/transport/priceBook';
import { answer, errorBody } from '../../model/answers';
import { ModelService, type ServiceSettings } from '../../model/modelService';
import { createJob, hostWith, runAll, runOf, workspaceWith, type RunParts } from '../../model/run';
import { VirtualClock } from '../../model/virtualClock';

test.each([
	['wait', 402, true],
	['wait', 403, false],
	['stop', 402, false],
] as const)('%s: an item that meets a %i waits: %s', async (value, status, waits) => {
	const clock = new VirtualClock();
	const host = hostWith(async () => answer(status, errorBody('No')));
	const settings = { onInsufficientCredits: value, creditWaitTimeoutMs: 300_000 };
	const item = runOf({ host, workspace: workspaceWith(clock), settings });
	const started = clock.monotonic();
	expect(await clock.run(createJob(item))).toMatchObject({ failure: { kind: 'status', status } });
	expect(clock.monotonic() - started).toBe(waits ? 300_000 : 0);
});

test('a 429 right after a top-up begins a wait of its own, however long ago the last one was', async () => {
	const clock = new VirtualClock();
	const started = clock.monotonic();
	const toppedUpAfterMs = 35 * 60_000;
	const job = { id: 'gen_1', object: 'generation', status: 'completed', outputs: [] };
	let sent = 0;
	let toppedUp = 0;
	const host = hostWith(async ({ method }) => {
		if (method === 'GET') return answer(200, { data: [], has_more: false });
		sent += 1;
		if (sent === 1) return answer(429);
		if (clock.monotonic() - started < toppedUpAfterMs) return answer(402, errorBody('No'));
		toppedUp += 1;
		return toppedUp === 1 ? answer(429) : answer(202, job);
	});
	const settings = { onInsufficientCredits: 'wait' } as const;
	const item = runOf({ host, workspace: workspaceWith(clock), settings });
	expect(await clock.run(createJob(item))).toMatchObject({ ok: true });
});

interface Asked {
	prompt: string;
	/** Its model. */
	size?: string;
}

/** An execution with its memory, which several nodes and several tries of them share. */
function setUp(service: Partial<ServiceSettings> = {}) {
	const clock = new VirtualClock();
	const model = new ModelService(clock, { price: () => 3, ...service });
	const workspace = workspaceWith(clock);
	const host = hostWith(model.send);
	const executionSum = new ExecutionSum({});
	const memories = new Map<string, ItemMemory>();
	/** All items of one run of a node, as n8n starts them: at once. */
	const run = async (
		asked: Asked[],
		settings: Partial<Settings>,
		node = 'node',
		continuesOnFail = false,
	) => {
		const partsOf = (itemIndex: number): RunParts => {
			const { prompt, size = 's' } = asked[itemIndex] as Asked;
			const item = `${node}:${itemIndex}`;
			const memory = memories.get(item) ?? newMemory();
			memories.set(item, memory);
			const own = { memory, prompt, model: size, origin: { place: item } };
			return { host, workspace, settings, executionSum, ...own };
		};
		const ofNode = new Run(new Map(), continuesOnFail);
		return await clock.run(runAll(asked.length, partsOf, runItem, ofNode));
	};
	return { clock, model, workspace, execution: { executionSum, run } };
}

const items = (count: number, size?: string): Asked[] =>
	Array.from({ length: count }, (_, index) => ({ prompt: `picture ${index}`, size }));

const reserved = ({ jobs }: ModelService) => jobs.reduce((sum, { credits }) => sum + credits, 0);

const failures = (results: Array<Result<ItemOutput>>) =>
	results.flatMap((result) => (result.ok ? [] : [result.failure]));

test('forty items at one price stop below the limit, and say how many were not sent', async () => {
	const { execution, model } = setUp();
	const results = await execution.run(items(40), { maxCredits: 20 });
	expect(reserved(model)).toBe(18);
	expect(execution.executionSum.reserved).toBe(18);
	const [first, ...others] = failures(results);
	expect(first).toMatchObject({ kind: 'creditCap', maxCredits: 20, reserved: 18, price: 3 });
	expect(others).toHaveLength(33);
	expect(new Set(others.map(({ kind }) => kind))).toEqual(new Set(['skipped']));
	expect(model.count(202, 'POST')).toBe(6);
});

test('with On Error: Continue, what still fits is sent; waiting for a top-up does not wait for a limit', async () => {
	const { clock, execution, model } = setUp({
		price: ({ model: size }) => (size === 'large' ? 10 : 2),
	});
	await execution.run([{ prompt: 'first', size: 'large' }, ...items(1, 'small')], {});
	const mixed = [
		{ prompt: 'x', size: 'large' },
		{ prompt: 'y', size: 'small' },
	];
	const limit = { maxCredits: 15 };
	const results = await execution.run(mixed, limit, 'b', true);
	expect(results.map(({ ok }) => ok)).toEqual([false, true]);
	expect(reserved(model)).toBe(14);
	const before = clock.now();
	const waiting = await execution.run(mixed, { ...limit, onInsufficientCredits: 'wait' }, 'c');
	expect(failures(waiting)[0]).toMatchObject({ kind: 'creditCap' });
	expect(clock.now()).toBe(before);
});

test.each([
	['with its expected price, and once', 'execution', Infinity, 6],
	['beside what is sent after it where there is no key: that is another one', 'none', 1, 9],
] as const)('a request of unknown outcome counts %s', async (_, idempotency, losses, sum) => {
	let lost = 0;
	let isAway = true;
	const { execution, model } = setUp({
		fault: ({ method, body }) => {
			if (method !== 'POST' || (body as Asked).prompt !== 'lost') return undefined;
			lost += 1;
			return isAway && lost <= losses ? 'after' : undefined;
		},
	});
	const settings = { maxCredits: 10, idempotency };
	await execution.run(items(1), settings);
	const [failed] = await execution.run([{ prompt: 'lost' }], settings, 'b');
	expect(failed).toMatchObject({ failure: { kind: 'noResponse', outcomeUnknown: true } });
	expect(execution.executionSum.reserved).toBe(6);
	isAway = false;
	const [again] = await execution.run([{ prompt: 'lost' }], settings, 'b');
	expect(again?.ok).toBe(true);
	expect([reserved(model), execution.executionSum.reserved]).toEqual([sum, sum]);
});

test('what may be paid for counts while it is sent again: the execution may be stopped then, and retried', async () => {
	let isAway = true;
	const sums: number[] = [];
	const { execution } = setUp({
		fault: ({ method, body }) => {
			if (method !== 'POST' || (body as Asked).prompt !== 'lost') return undefined;
			if (!isAway) sums.push(execution.executionSum.reserved);
			return isAway ? 'after' : undefined;
		},
	});
	await execution.run(items(1), { maxCredits: 6 });
	await execution.run([{ prompt: 'lost' }], { maxCredits: 6 }, 'b');
	isAway = false;
	const [again] = await execution.run([{ prompt: 'lost' }], { maxCredits: 6 }, 'b');
	expect(again?.ok).toBe(true);
	expect([sums, execution.executionSum.reserved]).toEqual([[6], 6]);
});

describe('an agent run under Max Credits', () => {
	const APPROVAL = { endpoint: ENDPOINTS.approveAgentRun, body: { max_credits: 100 } };
	const CREATION = { endpoint: ENDPOINTS.createAgentRun, body: { brief: 'a spot' } };

	/** As many runs at once, each answered so, in an execution that has reserved something. */
	async function runs(
		count: number,
		{ endpoint, body }: { endpoint: Endpoint; body: object },
		maxCredits: number,
		shown: object = { status: 'completed' },
		before = 0,
		code = 202,
	) {
		const { clock, workspace } = setUp();
		const sent: unknown[] = [];
		const host = hostWith(async ({ body, path }) => {
			sent.push(body);
			const [, id = `run_${sent.length}`] = /runs\/(.*)\/approve/.exec(path) ?? [];
			return answer(code, { id, status: 'queued', ...shown });
		});
		const executionSum = new ExecutionSum({});
		executionSum.addJob('an earlier one', before);
		const makes = { output: 'job', object: 'agent_run', creates: true, charges: true } as const;
		const spec = { ...makes, endpoint };
		const settings = { maxCredits, waitForCompletion: false };
		const partsOf = (itemIndex: number): RunParts => {
			const path = endpoint.path.replace('{id}', `run_${itemIndex}`);
			const request = { method: 'POST', path, query: {}, body } as const;
			return { host, workspace, executionSum, settings, request, spec };
		};
		const [first] = await clock.run(runAll(count, partsOf, runItem));
		return { first, sent, reserved: executionSum.reserved };
	}

	test.each([
		['that says nothing counts with its budget', APPROVAL, 250, {}, 2, 200],
		[
			'that has reserved nothing yet counts with its budget',
			APPROVAL,
			250,
			{ reserved_credits: 0, spent_credits: 1 },
			2,
			200,
		],
		[
			'that has ended counts with what it has spent',
			APPROVAL,
			250,
			{ status: 'completed', reserved_credits: 0, spent_credits: 10 },
			8,
			80,
		],
		['that is only planned counts with what that costs', CREATION, 5, { status: 'plan' }, 5, 5],
	])('%s', async (_what, asked, maxCredits, shown, posts, sum) => {
		const { sent, reserved } = await runs(8, asked, maxCredits, shown);
		expect([sent.length, reserved]).toEqual([posts, sum]);
	});

	const approving = (more: object = {}) => {
		const body = { brief: 'a spot', auto_approve: true, ...more };
		return { endpoint: ENDPOINTS.createAgentRun, body };
	};

	test('that was not approved, as its 201 says, counts with its planning, whatever its status', async () => {
		const shown = { status: 'drafted', reserved_credits: 0, spent_credits: 1 };
		const asked = approving({ max_credits: 50 });
		const { sent, reserved } = await runs(8, asked, 100, shown, 0, 201);
		expect([sent.length, reserved]).toEqual([8, 8]);
	});

	test('that approves itself may spend what is left after its planning, in whole credits', async () => {
		const { sent } = await runs(1, approving(), 50.5, undefined, 9);
		expect(sent).toEqual([approving({ max_credits: 40 }).body]);
	});

	test('that approves itself keeps a budget of its own that fits, and is not sent with one that does not', async () => {
		const own = approving({ max_credits: 30 });
		expect((await runs(1, own, 31)).sent).toEqual([own.body]);
		const { first, sent } = await runs(1, own, 30);
		expect([first, sent]).toMatchObject([{ failure: { kind: 'creditCap', price: 31 } }, []]);
	});
});

test.each<[job: object, credits: number | undefined]>([
	[{ estimated_credits: 3, credits_charged: 9 }, 3],
	[{ credits_charged: 9 }, 9],
	[{ credits_left: 9, max_credits: 5, credit_balance: 4, credits_remaining: 3 }, undefined],
	[{ estimated_credits: '3' }, undefined],
	[{ estimated_credits: -3 }, undefined],
	[{ object: 'agent_run', reserved_credits: 40, spent_credits: 1 }, 41],
	[{ object: 'agent_run', estimated_credits: 7 }, undefined],
])('what a job says it has reserved or spent: %j: %p', (job, credits) => {
	expect(creditsOf({ id: 'x', ...job })).toBe(credits);
});

test('a creation whose price is not known is sent while anything is left, and not when nothing is', async () => {
	const { execution, model } = setUp({ price: ({ model: size }) => (size === 's' ? 3 : 9) });
	await execution.run(items(1), { maxCredits: 3 }, 'a');
	const unknown = items(2, 'of another price');
	const [refused] = failures(await execution.run(unknown, { maxCredits: 3 }, 'b'));
	expect(refused).toMatchObject({
		kind: 'creditCap',
		maxCredits: 3,
		reserved: 3,
		price: undefined,
	});
	expect(model.jobs).toHaveLength(1);
	// One that is sent may exceed the limit, and no second one does.
	await execution.run(unknown, { maxCredits: 4 }, 'c');
	expect(reserved(model)).toBe(12);
});

test('under Max Credits a request that hangs holds one slot, and those behind it none', async () => {
	const clock = new VirtualClock();
	const workspace = workspaceWith(clock, { concurrentJobs: 5 });
	const host = hostWith(async ({ body }) => {
		if ((body as { prompt?: string } | undefined)?.prompt === 'hangs') await clock.sleep(100_000);
		return answer(202, { id: 'gen_1', object: 'generation', status: 'completed' });
	});
	const executionSum = new ExecutionSum({});
	const settings = { maxCredits: 100 };
	const partsOf = (itemIndex: number): RunParts => {
		const prompt = itemIndex === 0 ? 'hangs' : `no. ${itemIndex}`;
		return { host, workspace, executionSum, settings, prompt };
	};
	const capped = runAll(10, partsOf, createJob);
	const began = clock.monotonic();
	const nodeMemory = { runId: 'another execution', items: {} };
	const other = createJob(runOf({ host, workspace, prompt: 'other', nodeMemory }));
	expect(await clock.run(other)).toMatchObject({ ok: true });
	expect(clock.monotonic() - began).toBeLessThan(5_000);
	await clock.run(capped);
});
