import { ENDPOINTS } from '../../src/contract';
import { fail, type Failed, type Result } from '../../src/base/result';
import type { ApiRequest } from '../../src/base/types';
import { meaningOf } from '../../src/service/statuses';
import { Run } from '../../src/run/run';
import { BinaryReference } from '../../src/run/uploads';
import { createJob } from '../../src/run/creation';
import {
	becomesErrorItem,
	creditsOf,
	executionCredits,
	statedPrice,
	type ExecutionCredits,
} from '../../src/run/credits';
import type { Item, Outcome, Settings } from '../../src/run/item';
import { newMemory, type ItemMemory } from '../../src/run/state';
import { runOperation } from '../../src/run/operations';
import { wordsOf } from '../../src/run/errors';
import type { Workspace } from '../../src/service/workspace';
import { answer, errorBody } from '../model/answers';
import { ModelService, type ServiceSettings } from '../model/modelService';
import { hostWith, runOf, settingsWith, sourceWith, workspaceWith } from '../model/run';
import { VirtualClock } from '../model/virtualClock';

const refused = (status: number): Failed =>
	fail({ kind: 'status', status, serviceError: {}, outcomeUnknown: false });

const POLICIES: Array<Settings['onInsufficientCredits']> = ['continue', 'stop', 'wait'];

const skipped = (becomesRow: boolean) => fail({ kind: 'skipped', cause: 'x', becomesRow });

test.each<[name: string, failed: Failed, policies: typeof POLICIES]>([
	['a 402', refused(402), ['continue']],
	['another refusal', refused(403), []],
	['an item that what became a row has halted', skipped(true), POLICIES],
	['an item that an error has halted', skipped(false), []],
])('%s becomes a row: %j', (_name, failed, policies) => {
	const rows = POLICIES.filter((onInsufficientCredits) =>
		becomesErrorItem(failed, settingsWith({ onInsufficientCredits })),
	);
	expect(rows).toEqual(policies);
});

test.each([
	['wait', 402, true],
	['wait', 403, false],
	['stop', 402, false],
	['continue', 402, false],
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

test('the error counts the items only while the numbers stay right', () => {
	const topUp = 'Top up the workspace, then retry this execution.';
	const said = (counts: { items: number; submitted?: number }) =>
		wordsOf(refused(402), {
			...{ endpoint: ENDPOINTS.createGeneration, creates: true, itemIndex: 0 },
			...counts,
		});
	expect(said({ items: 3, submitted: 1 })).toEqual([
		'Not enough credits',
		`1 item was submitted, 2 were not. ${topUp}`,
	]);
	expect(said({ items: 3 })[1]).toBe(topUp);
	expect(said({ items: 1, submitted: 0 })[1]).toBe(topUp);
	expect(meaningOf(402).concernsRun).toBe('the credits ran out');
});

describe('nothing further is sent after a 402', () => {
	/** Two items with a file each; the second upload takes longer than the first creation. */
	async function sentWith(concurrentJobs: number) {
		const clock = new VirtualClock();
		const sent: string[] = [];
		const respond = async ({ path }: ApiRequest) => {
			sent.push(path);
			await clock.sleep(100);
			if (path !== '/files') return answer(402, errorBody('No'));
			const url = `https://files.example/${sent.length}`;
			return answer(201, { upload_url: 'https://put.example/x?sig=1', upload_headers: {}, url });
		};
		const workspace = workspaceWith(clock, { concurrentJobs });
		const run = new Run(2, false);
		const body = { input: { video: [new BinaryReference('clip')] } };
		const request: ApiRequest = { method: 'POST', path: '/generations', body };
		const items = [0, 1].map(async (itemIndex) => {
			const put = async () => {
				await clock.sleep(itemIndex * 1_000);
				return answer(200, '');
			};
			const host = hostWith(respond, { binary: async () => sourceWith(), put });
			return await createJob(runOf({ host, workspace, run, itemIndex, request }));
		});
		const [, second] = await clock.run(Promise.all(items));
		expect(second).toMatchObject({ failure: { kind: 'skipped', becomesRow: false } });
		return sent;
	}

	test('by an item that waits for the slot of the refused one', async () => {
		expect(await sentWith(1)).toEqual(['/files', '/files', '/generations']);
	});

	test('by an item that has been uploading meanwhile', async () => {
		expect(await sentWith(4)).toEqual(['/files', '/files', '/generations']);
	});
});

interface Asked {
	prompt: string;
	/** Its model. */
	size?: string;
}

/** An execution with its memory, which several nodes and several tries of them share. */
class Execution {
	readonly credits: ExecutionCredits = executionCredits({});

	private readonly memories = new Map<string, ItemMemory>();

	constructor(
		private readonly clock: VirtualClock,
		private readonly workspace: Workspace,
		private readonly model: ModelService,
		private readonly name = 'execution 1',
	) {}

	/** All items of one run of a node, as n8n starts them: at once. */
	async run(
		asked: Asked[],
		settings: Partial<Settings>,
		node = 'node',
	): Promise<Array<Result<Outcome>>> {
		const run = new Run(asked.length, false);
		const all = asked.map(async ({ prompt, size = 's' }, itemIndex) => {
			const place = `${node}:${itemIndex}`;
			const memory = this.memories.get(place) ?? newMemory();
			this.memories.set(place, memory);
			const item = runOf({
				host: hostWith(this.model.send, {}, this.name),
				workspace: this.workspace,
				run,
				itemIndex,
				memory,
				settings,
				inputFingerprint: prompt,
				credits: this.credits,
				origin: { item: place, executionId: this.name },
			});
			item.request.body = { mode: 'image', model: size, prompt };
			return await runOperation(item);
		});
		return await this.clock.run(Promise.all(all));
	}
}

function setUp(service: Partial<ServiceSettings> = {}) {
	const clock = new VirtualClock();
	const model = new ModelService(clock, { price: () => 3, ...service });
	const workspace = workspaceWith(clock);
	return { clock, model, workspace, execution: new Execution(clock, workspace, model) };
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

test('jobs of a limited execution still run at the same time', async () => {
	const { clock, execution } = setUp({ jobMs: () => 60_000 });
	const begun = clock.now();
	await execution.run(items(5), { maxCredits: 1_000 });
	expect(clock.now() - begun).toBeLessThan(80_000);
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

test('a retry counts nothing twice and sends nothing that does not fit; a higher limit goes on', async () => {
	const { execution, model } = setUp();
	await execution.run(items(6), { maxCredits: 9 });
	const again = await execution.run(items(6), { maxCredits: 9 });
	expect(again.filter(({ ok }) => ok)).toHaveLength(3);
	expect([reserved(model), execution.credits.reserved]).toEqual([9, 9]);
	const raised = await execution.run(items(6), { maxCredits: 100 });
	expect(raised.filter(({ ok }) => ok)).toHaveLength(6);
	expect([reserved(model), execution.credits.reserved]).toEqual([18, 18]);
});

test('a job that is given again by a repeated key counts once', async () => {
	const { execution, model } = setUp();
	const twins = [{ prompt: 'same' }, { prompt: 'same' }];
	await execution.run(twins, { maxCredits: 100, idempotency: 'content' });
	await execution.run(twins, { maxCredits: 100, idempotency: 'content' }, 'b');
	expect([reserved(model), execution.credits.reserved]).toEqual([3, 3]);
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

/** Requests sent at once, each of which is answered with what is given. */
async function run(
	made: {
		path: (number: number) => string;
		body?: unknown;
		bodyOf?: (number: number) => unknown;
		spec?: Item['spec'];
	},
	maxCredits: number,
	shown: (number: number) => Record<string, unknown>,
) {
	const clock = new VirtualClock();
	const workspace = workspaceWith(clock);
	let posts = 0;
	const host = hostWith(async ({ method }) => {
		if (method === 'POST') posts += 1;
		return answer(202, { id: `job_${posts}`, status: 'queued', ...shown(posts) });
	});
	const credits = executionCredits({});
	const run = new Run(8, false);
	const all = Array.from({ length: 8 }, async (_, itemIndex) => {
		const path = made.path(itemIndex);
		const body = made.bodyOf?.(itemIndex) ?? made.body;
		const request = { method: 'POST', path, query: {}, body } as const;
		const settings = { maxCredits, waitForCompletion: false };
		const parts = { host, workspace, credits, run, itemIndex, settings, request };
		return await runOperation(runOf({ ...parts, ...(made.spec && { spec: made.spec }) }));
	});
	await clock.run(Promise.all(all));
	return { posts, reserved: credits.reserved };
}

describe('what a response does not say of its credits', () => {
	const AGENT = { output: 'job', object: 'agent_run', creates: true } as const;

	const approval = {
		path: (number: number) => `/agents/runs/run_${number}/approve`,
		body: { max_credits: 100 },
		spec: { endpoint: ENDPOINTS.approveAgentRun, ...AGENT },
	};

	test.each([
		['says nothing', {}],
		['has reserved nothing yet', { reserved_credits: 0, spent_credits: 1 }],
	])('an approved run that %s counts with its budget', async (_what, shown) => {
		expect(await run(approval, 250, () => shown)).toEqual({ posts: 2, reserved: 200 });
	});

	test('an approved run that has ended counts with what it has spent', async () => {
		const ended = { status: 'completed', reserved_credits: 0, spent_credits: 10 };
		expect(await run(approval, 250, () => ended)).toEqual({ posts: 8, reserved: 80 });
	});

	test('a plan counts with what planning costs', async () => {
		const spec = { endpoint: ENDPOINTS.createAgentRun, ...AGENT };
		const plan = { path: () => '/agents/runs', body: { brief: 'a spot' }, spec };
		expect(await run(plan, 5, () => ({ status: 'plan_proposed' }))).toEqual({
			posts: 5,
			reserved: 5,
		});
	});

	test('a generation counts as much as the last one like it', async () => {
		const generation = { path: () => '/generations', body: { mode: 'image', model: 'm' } };
		const first = (number: number) => (number === 1 ? { estimated_credits: 10 } : {});
		expect(await run(generation, 35, first)).toEqual({ posts: 3, reserved: 30 });
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

	test.each([0, 9, 9.5, 10])(
		'is not sent without a budget where %d of 10 leave nothing for it',
		async (reserved) => {
			const { made, sent } = await sentWith(AUTO, 10, reserved);
			if (reserved === 0) expect(sent).toHaveLength(1);
			else expect([made, sent]).toMatchObject([{ failure: { kind: 'creditCap' } }, []]);
		},
	);

	test.each([
		['without Max Credits', AUTO, Infinity],
		['that only plans', {}, 50],
	])('%s is sent as it is', async (_, more, maxCredits) => {
		expect((await sentWith(more, maxCredits)).sent).toEqual([{ brief: 'a spot', ...more }]);
	});
});

test.each<[name: keyof typeof ENDPOINTS, body: unknown, price: number | undefined]>([
	['createAgentRun', { brief: 'a spot' }, 1],
	['createAgentRun', { auto_approve: true }, undefined],
	['createAgentRun', { auto_approve: true, max_credits: 20 }, 21],
	['approveAgentRun', { max_credits: 20 }, 20],
	['approveAgentRun', undefined, undefined],
	['createGeneration', { max_credits: 20 }, undefined],
])('the specification states the price of %s with %j: %p', (name, body, price) => {
	expect(statedPrice(ENDPOINTS[name], body)).toBe(price);
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

	test('that waits for its turn is not sent once it is cancelled', async () => {
		const { clock, model, workspace } = setUp();
		const credits = executionCredits({});
		const settings = { maxCredits: 9 };
		let free = () => {};
		const first = credits.turn.run({ fairnessKey: 'a' }, async () => {
			await new Promise<void>((resolve) => (free = resolve));
		});
		const cancel = new AbortController();
		const host = hostWith(model.send);
		const channel = { ...host.channel, signal: cancel.signal };
		clock.after(1_000, () => cancel.abort());
		const stopped = runOf({ host: { ...host, channel }, workspace, credits, settings });
		expect(await clock.run(createJob(stopped))).toMatchObject({ failure: { kind: 'cancelled' } });
		expect(model.jobs).toHaveLength(0);
		free();
		await first;
		const next = runOf({ host, workspace, credits, settings });
		expect(await clock.run(createJob(next))).toMatchObject({ ok: true });
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

	test.each([401, 402])(
		'that is refused with %i spares all behind it their request',
		async (status) => {
			const clock = new VirtualClock();
			const workspace = workspaceWith(clock);
			let sent = 0;
			const host = hostWith(async () => {
				sent += 1;
				return answer(status, errorBody('No'));
			});
			const credits = executionCredits({});
			const settings = { maxCredits: 100 };
			const run = new Run(10, false);
			const all = Array.from({ length: 10 }, async (_, itemIndex) => {
				const prompt = `no. ${itemIndex}`;
				return await createJob(
					runOf({ host, workspace, credits, settings, run, itemIndex, prompt }),
				);
			});
			await clock.run(Promise.all(all));
			expect(sent).toBe(1);
		},
	);
});
