import { ENDPOINTS, type Endpoint } from '../../src/contract';
import type { Result } from '../../src/base/result';
import type { ApiRequest } from '../../src/base/types';
import { Run } from '../../src/run/run';
import { BinaryReference } from '../../src/run/uploads';
import { creditsOf, executionCredits } from '../../src/run/credits';
import type { Item, Outcome, Settings } from '../../src/run/item';
import { newMemory, type ItemMemory } from '../../src/run/state';
import { runOperation } from '../../src/run/runner';
import { answer, errorBody } from '../model/answers';
import { ModelService, type ServiceSettings } from '../model/modelService';
import { createJob, hostWith, runOf, sourceWith, workspaceWith } from '../model/run';
import { VirtualClock } from '../model/virtualClock';

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

test('waiting items share one attempt every 20 seconds, and all go on at the first that succeeds', async () => {
	const clock = new VirtualClock();
	const model = new ModelService(clock, { credits: 0, jobMs: () => 1_000 });
	const workspace = workspaceWith(clock, { requestsPerMinute: 1_000 });
	const settings = { onInsufficientCredits: 'wait' as const };
	const run = new Run(30, false);
	const host = hostWith(model.send);
	const all = Array.from({ length: 30 }, async (_, itemIndex) =>
		createJob(runOf({ host, workspace, settings, run, itemIndex, prompt: `no. ${itemIndex}` })),
	);
	await clock.pass(300_000);
	// Those under way when the first was refused, and one in 20 s.
	expect(model.count(402)).toBeLessThanOrEqual(5 + 15);
	expect(model.count(402)).toBeGreaterThan(10);
	model.settings.credits = 100;
	const results = await clock.run(Promise.all(all));
	expect(results.every((result) => result.ok)).toBe(true);
	expect(model.jobs).toHaveLength(30);
});

test('an item that has been uploading meanwhile is not sent after a 402', async () => {
	const clock = new VirtualClock();
	const sent: string[] = [];
	const respond = async ({ path }: ApiRequest) => {
		sent.push(path);
		await clock.sleep(100);
		if (path !== '/files') return answer(402, errorBody('No'));
		const url = `https://files.example/${sent.length}`;
		return answer(201, { upload_url: 'https://put.example/x?sig=1', upload_headers: {}, url });
	};
	const workspace = workspaceWith(clock);
	const run = new Run(2, false);
	const body = { input: { video: [new BinaryReference('clip')] } };
	const request: ApiRequest = { method: 'POST', path: '/generations', body };
	const items = [0, 1].map(async (itemIndex) => {
		const put = async () => {
			// The second upload takes longer than the first creation.
			await clock.sleep(itemIndex * 1_000);
			return answer(200, '');
		};
		const host = hostWith(respond, { binary: async () => sourceWith(), put });
		return await createJob(runOf({ host, workspace, run, itemIndex, request }));
	});
	const [, second] = await clock.run(Promise.all(items));
	expect(second).toMatchObject({ failure: { kind: 'skipped', becomesRow: false } });
	expect(sent).toEqual(['/files', '/files', '/generations']);
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
	const credits = executionCredits({});
	const memories = new Map<string, ItemMemory>();
	/** All items of one run of a node, as n8n starts them: at once. */
	const run = async (asked: Asked[], settings: Partial<Settings>, node = 'node') => {
		const run = new Run(asked.length, false);
		const all = asked.map(async ({ prompt, size = 's' }, itemIndex) => {
			const place = `${node}:${itemIndex}`;
			const memory = memories.get(place) ?? newMemory();
			memories.set(place, memory);
			const parts = { host, workspace, run, itemIndex, memory, settings, credits };
			const item = runOf({ ...parts, inputFingerprint: prompt, origin: { item: place } });
			item.request.body = { mode: 'image', model: size, prompt };
			return await runOperation(item);
		});
		return await clock.run(Promise.all(all));
	};
	return { clock, model, workspace, execution: { credits, run } };
}

const items = (count: number, size?: string): Asked[] =>
	Array.from({ length: count }, (_, index) => ({ prompt: `picture ${index}`, size }));

const reserved = ({ jobs }: ModelService) => jobs.reduce((sum, { credits }) => sum + credits, 0);

const failures = (results: Array<Result<Outcome>>) =>
	results.flatMap((result) => (result.ok ? [] : [result.failure]));

test('forty items at one price stop below the limit, and say how many were not sent', async () => {
	const { execution, model } = setUp();
	const results = await execution.run(items(40), { maxCredits: 20 });
	expect(reserved(model)).toBe(18);
	expect(execution.credits.reserved).toBe(18);
	const [first, ...others] = failures(results);
	expect(first).toEqual({ kind: 'creditCap', maxCredits: 20, reserved: 18, price: 3 });
	expect(others).toHaveLength(33);
	expect(new Set(others.map(({ kind }) => kind))).toEqual(new Set(['skipped']));
	expect(model.count(202, 'POST')).toBe(6);
});

test('with error items, what still fits is sent; waiting for a top-up does not wait for a limit', async () => {
	const { clock, execution, model } = setUp({
		price: ({ model: size }) => (size === 'large' ? 10 : 2),
	});
	await execution.run([{ prompt: 'first', size: 'large' }, ...items(1, 'small')], {});
	const mixed = [
		{ prompt: 'x', size: 'large' },
		{ prompt: 'y', size: 'small' },
	];
	const results = await execution.run(
		mixed,
		{ maxCredits: 15, onInsufficientCredits: 'continue' },
		'b',
	);
	expect(results.map(({ ok }) => ok)).toEqual([false, true]);
	expect(reserved(model)).toBe(14);
	const before = clock.now();
	const waiting = await execution.run(
		mixed,
		{ maxCredits: 15, onInsufficientCredits: 'wait' },
		'c',
	);
	expect(failures(waiting)[0]).toMatchObject({ kind: 'creditCap' });
	expect(clock.now()).toBe(before);
});

test('a request of unknown outcome counts with its expected price, and once', async () => {
	let lost = 0;
	const { execution, model } = setUp({
		loses: ({ method, body }) =>
			method === 'POST' && (body as { prompt: string }).prompt === 'lost' && lost++ < 7,
	});
	await execution.run(items(1), { maxCredits: 10 });
	const [failed] = await execution.run([{ prompt: 'lost' }], { maxCredits: 10 }, 'b');
	expect(failed).toMatchObject({ failure: { kind: 'noResponse', outcomeUnknown: true } });
	expect(execution.credits.reserved).toBe(6);
	const [again] = await execution.run([{ prompt: 'lost' }], { maxCredits: 10 }, 'b');
	expect(again?.ok).toBe(true);
	expect([reserved(model), execution.credits.reserved]).toEqual([6, 6]);
});

test('without a key a request counts beside the one that was lost: it is another one', async () => {
	let lost = 0;
	const { execution, model } = setUp({
		loses: ({ method, body }) =>
			method === 'POST' && (body as { prompt: string }).prompt === 'lost' && lost++ < 1,
	});
	const settings = { maxCredits: 9, idempotency: 'none' as const };
	await execution.run(items(1), settings);
	const [failed] = await execution.run([{ prompt: 'lost' }], settings, 'b');
	expect(failed).toMatchObject({ failure: { kind: 'noResponse', outcomeUnknown: true } });
	const [again] = await execution.run([{ prompt: 'lost' }], settings, 'b');
	expect(again?.ok).toBe(true);
	expect([reserved(model), execution.credits.reserved]).toEqual([9, 9]);
});

describe('an agent run under Max Credits', () => {
	/** Eight requests at once, each of which is answered so. */
	async function eight(
		endpoint: Endpoint,
		body: object,
		maxCredits: number,
		shown: Record<string, unknown>,
	) {
		const clock = new VirtualClock();
		const workspace = workspaceWith(clock);
		let posts = 0;
		const host = hostWith(async () => {
			posts += 1;
			return answer(202, { id: `run_${posts}`, status: 'queued', ...shown });
		});
		const credits = executionCredits({});
		const run = new Run(8, false);
		const spec = { endpoint, output: 'job', object: 'agent_run', creates: true } as const;
		const all = Array.from({ length: 8 }, async (_, itemIndex) => {
			const path = endpoint.path.replace('{id}', `run_${itemIndex}`);
			const request = { method: 'POST', path, query: {}, body } as const;
			const settings = { maxCredits, waitForCompletion: false };
			const parts = { host, workspace, credits, run, itemIndex, settings, request, spec };
			return await runOperation(runOf(parts));
		});
		await clock.run(Promise.all(all));
		return { posts, reserved: credits.reserved };
	}

	test.each([
		['that says nothing counts with its budget', {}, { posts: 2, reserved: 200 }],
		[
			'that has reserved nothing yet counts with its budget',
			{ reserved_credits: 0, spent_credits: 1 },
			{ posts: 2, reserved: 200 },
		],
		[
			'that has ended counts with what it has spent',
			{ status: 'completed', reserved_credits: 0, spent_credits: 10 },
			{ posts: 8, reserved: 80 },
		],
	])('%s', async (_what, shown, counted) => {
		const budget = { max_credits: 100 };
		expect(await eight(ENDPOINTS.approveAgentRun, budget, 250, shown)).toEqual(counted);
	});

	test('that is only planned counts with what planning costs', async () => {
		const plan = { status: 'plan_proposed' };
		const counted = await eight(ENDPOINTS.createAgentRun, { brief: 'a spot' }, 5, plan);
		expect(counted).toEqual({ posts: 5, reserved: 5 });
	});
});

describe('an agent run that approves itself', () => {
	const spec: Item['spec'] = {
		endpoint: ENDPOINTS.createAgentRun,
		output: 'job',
		object: 'agent_run',
		creates: true,
		charges: true,
	};

	/** One run in an execution that has reserved something, and with what body it was sent. */
	async function sentWith(more: object, maxCredits: number, reserved = 0) {
		const clock = new VirtualClock();
		const sent: unknown[] = [];
		const host = hostWith(async ({ method, body }) => {
			if (method === 'POST') sent.push(body);
			return answer(202, { id: 'run_1', object: 'agent_run', status: 'completed' });
		});
		const credits = executionCredits({});
		credits.add(reserved);
		const body = { brief: 'a spot', ...more };
		const request = { method: 'POST', path: '/agents/runs', body } as const;
		const parts = { host, workspace: workspaceWith(clock), credits, spec, request };
		const made = await clock.run(createJob(runOf({ ...parts, settings: { maxCredits } })));
		return { made, sent };
	}

	const AUTO = { auto_approve: true };

	test('may spend what is left of Max Credits after its planning, in whole credits', async () => {
		const { sent } = await sentWith(AUTO, 50.5, 9);
		expect(sent).toEqual([{ brief: 'a spot', auto_approve: true, max_credits: 40 }]);
	});

	test('keeps a budget of its own that fits, and is not sent with one that does not', async () => {
		const own = { ...AUTO, max_credits: 30 };
		expect((await sentWith(own, 31)).sent).toEqual([{ brief: 'a spot', ...own }]);
		const { made, sent } = await sentWith(own, 30);
		expect([made, sent]).toMatchObject([{ failure: { kind: 'creditCap', price: 31 } }, []]);
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

describe('one creation after the other', () => {
	test('whose price is not known is sent while anything is left, and not when nothing is', async () => {
		const { execution, model } = setUp({ price: ({ model: size }) => (size === 's' ? 3 : 9) });
		await execution.run(items(1), { maxCredits: 3 }, 'a');
		const unknown = items(2, 'of another price');
		const [refused] = failures(await execution.run(unknown, { maxCredits: 3 }, 'b'));
		expect(refused).toEqual({ kind: 'creditCap', maxCredits: 3, reserved: 3, price: undefined });
		expect(model.jobs).toHaveLength(1);
		// One that is sent may exceed the limit, and no second one does.
		await execution.run(unknown, { maxCredits: 4 }, 'c');
		expect(reserved(model)).toBe(12);
	});

	test('holds one slot while its request hangs, and none for those behind it', async () => {
		const clock = new VirtualClock();
		const workspace = workspaceWith(clock, { concurrentJobs: 5 });
		const host = hostWith(async ({ body }) => {
			if ((body as { prompt?: string } | undefined)?.prompt === 'hangs') await clock.sleep(100_000);
			return answer(202, { id: 'gen_1', object: 'generation', status: 'completed' });
		});
		const credits = executionCredits({});
		const settings = { maxCredits: 100 };
		const run = new Run(10, false);
		const capped = Array.from({ length: 10 }, async (_, itemIndex) => {
			const prompt = itemIndex === 0 ? 'hangs' : `no. ${itemIndex}`;
			return await createJob(runOf({ host, workspace, credits, settings, run, itemIndex, prompt }));
		});
		const began = clock.monotonic();
		const node = { runId: 'another execution', items: {} };
		const other = createJob(runOf({ host, workspace, prompt: 'other', node }));
		expect(await clock.run(other)).toMatchObject({ ok: true });
		expect(clock.monotonic() - began).toBeLessThan(5_000);
		await clock.run(Promise.all(capped));
	});
});
