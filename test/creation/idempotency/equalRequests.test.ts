import { ENDPOINTS, IDEMPOTENCY_HEADER } from '../../../src/api';
import type { ApiRequest, Send, SendResult } from '../../../src/base/types';
import {
	newMemory,
	nodeMemoryIn,
	type ItemMemory,
} from '../../../src/creation/idempotency/itemState';
import type { Settings } from '../../../src/creation/item';
import { answer, errorBody, LOST } from '../../model/answers';
import { LedgerService } from '../../model/ledgerService';
import { Workspace } from '../../../src/transport/workspace';
import {
	CREATE,
	createJob,
	hostWith,
	PLAN,
	runAll,
	workspaceWith,
	type RunParts,
} from '../../model/run';
import { VirtualClock } from '../../model/virtualClock';

/*
 * Equal requests of one process, which share a key, under way at the same time: whatever the service answers
 * to one of them, they are paid for once.
 */

const MINUTE = 60_000;

interface Asked {
	rows?: number;
	settings?: Partial<Settings>;
	cancel?: AbortSignal;
	prompts?: string[];
	/** Of another process, if it is not of the first one. */
	workspace?: Workspace;
	/** Of the rows, where an earlier execution has left some. */
	memories?: ItemMemory[];
}

function setUp() {
	const clock = new VirtualClock();
	const first = workspaceWith(clock);
	const traits = { caches402: false, balanceFirst: false, comparesBody: true, showsNow: true };
	const service = new LedgerService(clock, { ...traits, saysWhen: false }, () => {});
	const gone: string[] = [];
	const creations: Array<{ at: number; key: string; prompt: string }> = [];
	/** What becomes of the creation with this number, counted from 1, before the service has it. */
	let script: (number: number, request: ApiRequest) => Promise<SendResult | undefined>;
	script = async () => undefined;
	const send: Send = async (request) => {
		if (gone.some((id) => request.path.endsWith(`/${id}`))) return answer(404, errorBody('No job'));
		if (request.method !== 'POST') return await service.send(request);
		const { prompt } = request.body as { prompt: string };
		const key = request.headers?.[IDEMPOTENCY_HEADER] ?? '';
		creations.push({ at: clock.monotonic(), key, prompt });
		return (await script(creations.length, request)) ?? (await service.send(request));
	};
	let executions = 0;
	/** An execution with so many rows, which ask for the same unless they have prompts of their own. */
	const begin = async (asked: Asked = {}) => {
		const { rows = 1, settings = {}, cancel, prompts = [], workspace = first } = asked;
		const { memories = [] } = asked;
		executions += 1;
		const executionId = `execution ${executions}`;
		const nodeMemory = nodeMemoryIn({}, executionId);
		const host = hostWith(send, {}, executionId);
		return await runAll(
			rows,
			(row) => ({
				host: { ...host, channel: { ...host.channel, signal: cancel } },
				workspace,
				nodeMemory,
				memory: memories[row] ?? newMemory(),
				prompt: prompts[row],
				settings: { idempotency: 'content', ...settings },
				origin: { executionId },
			}),
			createJob,
		);
	};
	return {
		clock,
		service,
		creations,
		gone,
		begin,
		follow(rule: typeof script) {
			script = rule;
		},
	};
}

const idsOf = (results: Awaited<ReturnType<typeof createJob>>[]) =>
	results.map((result) => (result.ok ? result.value.id : result.failure));

test('credits that come while two equal rows are out pay for one of them', async () => {
	const { clock, service, creations, begin, follow } = setUp();
	service.balance = 0;
	follow(async (number, request) => {
		const answered = await service.send(request);
		if (number === 1) service.balance = 10;
		await clock.sleep(number === 1 ? 3_000 : 5_000);
		return answered;
	});
	expect(idsOf(await clock.run(begin({ rows: 2 })))).toEqual(['gen_1', 'gen_1']);
	expect(service.charges).toHaveLength(1);
	expect(creations.length).toBeLessThanOrEqual(3);
});

test('a service that refuses the first of two equal rows at random is paid once', async () => {
	const { clock, service, begin, follow } = setUp();
	follow(async (number) => {
		await clock.sleep(2_500);
		return number === 1 ? answer(402) : undefined;
	});
	expect(idsOf(await clock.run(begin({ rows: 4 })))).toEqual(Array(4).fill('gen_1'));
	expect(service.charges).toHaveLength(1);
});

test('a row that is refused after an equal one was paid for takes no other key', async () => {
	const { clock, service, creations, begin, follow } = setUp();
	await clock.run(begin());
	// It looks for credits before it looks for the key.
	follow(async (number) => (number === 2 ? answer(402) : undefined));
	const [refused] = await clock.run(begin());
	expect(refused).toMatchObject({ failure: { status: 402 } });
	expect(creations).toHaveLength(2);
	expect(idsOf(await clock.run(begin()))).toEqual(['gen_1']);
	expect(service.charges).toHaveLength(1);
});

test('nor does one that is refused after the answer to an equal one was lost', async () => {
	const { clock, service, creations, begin, follow } = setUp();
	follow(async (_number, request) => {
		await service.send(request);
		return LOST;
	});
	await clock.run(begin({ settings: { waitTimeoutMs: MINUTE } }));
	const sent = creations.length;
	follow(async (number) => (number === sent + 1 ? answer(402) : undefined));
	const [refused] = await clock.run(begin());
	expect(refused).toMatchObject({ failure: { status: 402 } });
	follow(async () => undefined);
	expect(idsOf(await clock.run(begin()))).toEqual(['gen_1']);
	expect(service.charges).toHaveLength(1);
});

test('once the job is known, equal rows are out side by side', async () => {
	const { clock, creations, begin, follow } = setUp();
	follow(async () => {
		await clock.sleep(20_000);
		return undefined;
	});
	await clock.run(begin({ rows: 5 }));
	const [first, ...others] = creations.map(({ at }) => at);
	expect(Math.min(...others) - Number(first)).toBeGreaterThanOrEqual(20_000);
	expect(Math.max(...others) - Math.min(...others)).toBeLessThan(10_000);
});

test('while an equal row is out, what differs goes out, and the others hold no slot', async () => {
	const { clock, service, begin, creations, follow } = setUp();
	follow(async (_number, { body }) => {
		await clock.sleep((body as { prompt: string }).prompt === 'same' ? 90_000 : 100);
		return undefined;
	});
	const prompts = ['same', 'same', 'same', 'same', 'same', 'same', 'a', 'b', 'c'];
	await clock.run(begin({ rows: prompts.length, prompts }));
	const from = creations[0]?.at ?? 0;
	const early = creations.filter(({ at }) => at < from + 30_000).map(({ prompt }) => prompt);
	expect(early).toEqual(['same', 'a', 'b', 'c']);
	expect(service.charges).toHaveLength(4);
});

test.each([{}, { maxCredits: 100 }, { maxCreditsPerDay: 100 }])(
	'under %j an execution goes on while an equal row of another one is out',
	async (limits) => {
		const { clock, service, begin, creations, follow } = setUp();
		service.saysPrice = true;
		follow(async (number) => {
			await clock.sleep(number === 1 ? 90_000 : 100);
			return undefined;
		});
		const first = begin({ prompts: ['same'], settings: limits });
		await clock.pass(1_500);
		const prompts = ['same', 'a', 'b'];
		const second = begin({ rows: 3, prompts, settings: { ...limits, maxCredits: 50 } });
		const results = await clock.run(Promise.all([first, second]));
		expect(idsOf(results.flat()).filter((id) => typeof id !== 'string')).toEqual([]);
		expect(service.charges).toHaveLength(3);
		const isEarly = ({ at }: (typeof creations)[0]) => at < Number(creations[0]?.at) + 60_000;
		const ofDay = 'maxCreditsPerDay' in limits;
		// Under a limit of the day one request without a known price is out at a time.
		expect(creations.filter(isEarly)).toHaveLength(ofDay ? 1 : 3);
	},
);

test('a service that never answers costs all equal rows one Wait Timeout', async () => {
	const { clock, begin, follow } = setUp();
	follow(async () => {
		await clock.sleep(2 * MINUTE);
		return LOST;
	});
	const from = clock.monotonic();
	const results = await clock.run(begin({ rows: 8, settings: { waitTimeoutMs: 30 * MINUTE } }));
	expect(results.filter(({ ok }) => ok)).toEqual([]);
	expect(clock.monotonic() - from).toBeLessThan(38 * MINUTE);
});

test('what a stopped execution has sent is heard before an equal row is sent', async () => {
	const { clock, service, begin, creations, follow } = setUp();
	const cancel = new AbortController();
	follow(async (number, request) => {
		if (number > 1) return undefined;
		const made = await service.send(request);
		await clock.sleep(30_000);
		return made;
	});
	const stopped = begin({ cancel: cancel.signal });
	clock.after(1_500, () => cancel.abort());
	await clock.pass(1_600);
	const [first, second] = await clock.run(Promise.all([stopped, begin()]));
	expect(first).toMatchObject([{ failure: { kind: 'cancelled' } }]);
	expect(idsOf(second)).toEqual(['gen_1']);
	expect(Number(creations[1]?.at) - Number(creations[0]?.at)).toBeGreaterThanOrEqual(30_000);
});

test('a row that waits for an equal one can be stopped', async () => {
	const { clock, begin, creations, follow } = setUp();
	const cancel = new AbortController();
	follow(async () => {
		await clock.sleep(10 * MINUTE);
		return undefined;
	});
	const first = begin();
	await clock.pass(1_500);
	clock.after(5_000, () => cancel.abort());
	const [stopped] = await clock.run(begin({ cancel: cancel.signal }));
	expect(stopped).toMatchObject({ failure: { kind: 'cancelled' } });
	expect(creations).toHaveLength(1);
	expect(idsOf(await clock.run(first))).toEqual(['gen_1']);
});

test('while one waits hours for credits, an equal row of another execution finds out at once', async () => {
	const { clock, service, begin } = setUp();
	service.balance = 0;
	const waiting = begin({ settings: { onInsufficientCredits: 'wait' } });
	await clock.pass(5_000);
	const from = clock.monotonic();
	const [refused] = await clock.run(begin());
	expect(refused).toMatchObject({ failure: { status: 402 } });
	expect(clock.monotonic() - from).toBeLessThan(5_000);
	service.balance = 5;
	expect(idsOf(await clock.run(waiting))).toEqual(['gen_1']);
	expect(service.charges).toHaveLength(1);
});

test('where the job of a key has failed, equal rows go on to the next key, which other processes find', async () => {
	const { clock, creations, service, begin, follow } = setUp();
	service.next = () => ({ takes: 1_000, fails: true });
	await clock.run(begin({ workspace: workspaceWith(clock) }));
	await clock.pass(60 * MINUTE);
	service.next = () => ({ takes: 1_000, fails: false });
	follow(async (number) => {
		await clock.sleep(1_000 * number);
		return undefined;
	});
	const made = await clock.run(begin({ rows: 4 }));
	expect(creations.length).toBeLessThan(10);
	expect(idsOf(made)).toEqual(Array(4).fill('gen_2'));
	expect(idsOf(await clock.run(begin({ workspace: workspaceWith(clock) })))).toEqual(['gen_2']);
	expect(service.charges).toHaveLength(2);
});

test('equal rows whose job is gone make one new job, also where some are refused first', async () => {
	const { clock, service, gone, begin, follow } = setUp();
	const memories = [newMemory(), newMemory(), newMemory()];
	expect(idsOf(await clock.run(begin({ rows: 3, memories })))).toEqual(Array(3).fill('gen_1'));
	gone.push('gen_1');
	for (const memory of memories) if ('resource' in memory.state) delete memory.state.resource;
	const warned = await clock.run(begin({ rows: 3, memories }));
	expect(warned).toMatchObject(Array(3).fill({ failure: { because: 'jobGone' } }));
	service.balance = 0;
	let refusals = 0;
	follow(async (_number, request) => {
		const answered = await service.send(request);
		await clock.sleep(2_000);
		if (refusals === 1) service.balance = 100;
		refusals += 1;
		return answered;
	});
	expect(idsOf(await clock.run(begin({ rows: 3, memories })))).toEqual(Array(3).fill('gen_2'));
	expect(service.charges).toHaveLength(2);
});

/** What is filled in where the user has not chosen it: the first model, and what is left of a limit. */
const FILLED_IN: Array<[name: string, path: string, body: object]> = [
	['nothing', ENDPOINTS.createGeneration.path, { mode: 'image', model: 'm', prompt: 'a' }],
	['a model', ENDPOINTS.createGeneration.path, { mode: 'image', prompt: 'a' }],
	['a budget', ENDPOINTS.createAgentRun.path, { brief: 'a', auto_approve: true }],
	[
		'another budget',
		ENDPOINTS.createAgentRun.path,
		{ brief: 'a', auto_approve: true, max_credits: null },
	],
];

test.each(FILLED_IN)(
	'an equal row waits for one that is sent again after a restart, where the node has filled in %s',
	async (_name, path, body) => {
		const clock = new VirtualClock();
		let isAway = true;
		const sentAt: number[] = [];
		const send: Send = async ({ method }) => {
			if (method === 'GET') return answer(200, { object: 'list', data: [{ id: 'm' }] });
			sentAt.push(clock.monotonic());
			if (isAway) return LOST;
			await clock.sleep(60_000);
			const object = path === ENDPOINTS.createAgentRun.path ? 'agent_run' : 'generation';
			return answer(202, { id: 'job_1', object, status: 'completed', outputs: [] });
		};
		const endpoint = Object.values(ENDPOINTS).find(
			(one) => one.path === path && one.method === 'POST',
		);
		const spec = { ...CREATE, object: undefined, endpoint: endpoint ?? CREATE.endpoint };
		/** The same workspace, as a process knows it that has just started. */
		const started = () => new Workspace(PLAN, clock, Math.random, 'the workspace');
		let workspace = started();
		const row = async (executionId: string, more: Partial<RunParts> = {}) => {
			const parts = {
				host: hostWith(send, {}, executionId),
				workspace,
				nodeMemory: nodeMemoryIn({}, executionId),
				request: { method: 'POST' as const, path, body },
				spec,
				settings: { idempotency: 'content' as const, maxCredits: 50, waitTimeoutMs: MINUTE },
				origin: { executionId },
			};
			return await runAll(1, () => ({ ...parts, ...more }), createJob);
		};
		const memory = newMemory();
		expect(await clock.run(row('stopped', { memory }))).toMatchObject([{ ok: false }]);
		isAway = false;
		sentAt.length = 0;
		workspace = started();
		const again = row('stopped', { memory });
		await clock.pass(5_000);
		const equal = row('another');
		await clock.pass(5_000);
		expect(sentAt).toHaveLength(1);
		expect(idsOf((await clock.run(Promise.all([again, equal]))).flat())).toEqual([
			'job_1',
			'job_1',
		]);
	},
);
