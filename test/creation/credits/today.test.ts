import { MediaGenAgentRun } from '../../../nodes/AgentRun/MediaGenAgentRun.node';
import { MediaGenSpeech } from '../../../nodes/Speech/MediaGenSpeech.node';
import { MediaGenVoice } from '../../../nodes/Voice/MediaGenVoice.node';
import { LIMITS } from '../../../src/api';
import type { ApiRequest, Resource, SendResult } from '../../../src/base/types';
import { ExecutionSum } from '../../../src/creation/credits/ledger';
import { Run } from '../../../src/creation/run';
import { Workspace } from '../../../src/transport/workspace';
import { answer, LOST } from '../../model/answers';
import { createJob, hostWith, runOf } from '../../model/run';
import { byId, clock, ended, setUp, type Part } from '../../support/serviceRun';

jest.mock('../../../src/base/clock', () => jest.requireActual('../../support/virtualTime'));

/*
 * Max Credits per Day before a service with a ledger of its own, where its list is less than it should be,
 * where others spend meanwhile, and where answers are lost. The prices are known to the service alone.
 */

const PRICE = 2;
const NOON = Date.parse('2026-01-15T12:00:00Z');

beforeEach(() => clock.setWall(NOON - clock.now()));

interface Charge {
	id: string;
	at: number;
	credits: number;
	body: Record<string, unknown>;
}

interface Lists {
	/** Whether it goes on from a moment, as the specification says. */
	hasCursor: boolean;
	isDated: boolean;
	/** After how long it shows a job, in ms. */
	behindMs?: number;
	/** Whether a page begins with the last entry of the one before. */
	overlaps?: boolean;
	/** Of which jobs it states no credits, as they have failed. */
	hasFailed?: (id: string) => boolean;
	/** How long its jobs take, in ms. */
	jobMs?: number;
	/** What a job costs; 2 credits by default. */
	priceOf?: (body: Record<string, unknown>) => number;
	/** How it writes where its next page begins. */
	cursorOf?: (at: number) => string;
}

const iso = (at: number) => new Date(at).toISOString();

/** A service of which several processes are clients. */
class Ledger {
	readonly charges: Charge[] = [];
	private readonly keys = new Map<string, Charge>();
	/** What its cursors mean. */
	private readonly cursors = new Map<unknown, number>();

	constructor(private readonly lists: Lists = { hasCursor: true, isDated: false }) {}

	get sum(): number {
		return this.charges.reduce((all, { credits }) => all + credits, 0);
	}

	charge(credits: number, body: Record<string, unknown> = {}, at = clock.now()): Charge {
		const id = `job_${this.charges.length + 1}`;
		const charge = { id, at, credits, body };
		this.charges.push(charge);
		return charge;
	}

	private shown({ id, at, credits }: Charge): Resource {
		const job: Resource = { id, object: 'generation', mode: 'image', model: 'm' };
		const isOver = clock.now() - at >= (this.lists.jobMs ?? 0);
		const outputs = isOver ? [{ id: 'o', url: 'https://media.example/a.png' }] : [];
		Object.assign(job, { status: isOver ? 'completed' : 'queued', outputs, output_ids: ['o'] });
		if (this.lists.isDated) job.created_at = iso(at);
		if (this.lists.hasFailed?.(id)) return { ...job, status: 'failed' };
		return { ...job, estimated_credits: credits };
	}

	async send({ method, path, query, body, headers }: ApiRequest): Promise<SendResult> {
		await clock.sleep(50);
		if (method === 'POST') {
			const key = headers?.['Idempotency-Key'];
			const known = key === undefined ? undefined : this.keys.get(key);
			const { priceOf = () => PRICE } = this.lists;
			const asked = body as Record<string, unknown>;
			const made = known ?? this.charge(priceOf(asked), asked);
			if (key !== undefined) this.keys.set(key, made);
			await clock.sleep(50);
			return answer(202, this.shown(made));
		}
		if (path === '/usage') return answer(200, { object: 'usage', data: [] });
		if (path === '/generations') return answer(200, this.page(query?.cursor));
		const one = this.charges.find(({ id }) => path.endsWith(`/${id}`));
		return one ? answer(200, this.shown(one)) : answer(404);
	}

	private page(cursor: unknown) {
		const { hasCursor, behindMs = 0, overlaps = false, cursorOf = iso } = this.lists;
		const upTo = clock.now() - behindMs;
		const isBefore = (at: number) => {
			if (!hasCursor || cursor === undefined) return true;
			const given = this.cursors.get(cursor) ?? Date.parse(String(cursor));
			return at < given || (overlaps && at === given);
		};
		const all = this.charges.filter(({ at }) => at <= upTo && isBefore(at)).reverse();
		const shown = all.slice(0, hasCursor ? 100 : Infinity);
		const last = all.length > shown.length ? shown.at(-1) : undefined;
		const next = last && cursorOf(last.at);
		if (last) this.cursors.set(next, last.at);
		const data = shown.map((one) => this.shown(one));
		return { object: 'list', data, has_more: next !== undefined, next_cursor: next ?? null };
	}
}

/** A process that makes pictures before the ledger. */
function processOf(ledger: Ledger, maxCreditsPerDay: number, more: Part = {}) {
	let executions = 0;
	const t = setUp({
		given: { model: byId('m'), downloadOutputs: false, options: { maxCreditsPerDay } },
		own: (item) => ({ prompt: `p${executions} ${item}` }),
		continueOnFail: true,
		answers: async (request) => await ledger.send(request),
		...more,
	});
	const start = async (rows: number) => {
		executions += 1;
		const items = Array.from({ length: rows }, () => ({ json: {} }));
		return await ended(t.run({ items, executionId: `e${executions}`, nodeMemory: {} }));
	};
	return { ...t, start };
}

test.each<Lists>([
	{ hasCursor: true, isDated: true },
	{ hasCursor: true, isDated: false },
	{ hasCursor: false, isDated: true },
	{ hasCursor: false, isDated: false },
])('the list as it is, execution by execution: %j', async (lists) => {
	const ledger = new Ledger(lists);
	const t = processOf(ledger, 10);
	for (let execution = 0; execution < 5; execution += 1) await t.start(3);
	expect(ledger.sum).toBe(10);
});

test('a list that is behind by half a minute: what it does not show yet counts', async () => {
	const ledger = new Ledger({ hasCursor: true, isDated: false, behindMs: 30_000 });
	const t = processOf(ledger, 10);
	for (let execution = 0; execution < 12; execution += 1) {
		await t.start(1);
		await clock.pass(1_000);
	}
	expect(ledger.sum).toBe(10);
});

test('a list that is behind: what may have been made though its answer was lost counts', async () => {
	const ledger = new Ledger({ hasCursor: true, isDated: false, behindMs: 60_000 });
	let isAway = false;
	const options = { maxCreditsPerDay: 5, waitTimeout: 1 };
	const t = processOf(ledger, 5, {
		given: { model: byId('m'), downloadOutputs: false, options },
		answers: async (request) => {
			const given = await ledger.send(request);
			return request.method === 'POST' && isAway ? LOST : given;
		},
	});
	await t.start(1);
	isAway = true;
	await t.start(1);
	isAway = false;
	await clock.pass(1_000);
	await t.start(1);
	expect(ledger.sum).toBe(4);
	// Had it not been made, that would be known by now: the list would show it.
	await clock.pass(300_000);
	ledger.charges.pop();
	await t.start(1);
	expect(ledger.sum).toBe(4);
});

test('a job that has failed and states no credits holds up nothing', async () => {
	const hasFailed = (id: string) => id === 'job_2';
	const ledger = new Ledger({ hasCursor: true, isDated: true, hasFailed });
	for (let job = 1; job <= 3; job += 1) ledger.charge(PRICE);
	await processOf(ledger, 10).start(5);
	// That job counts nothing.
	expect(ledger.sum).toBe(10 + PRICE);
});

const DAY_BEGAN = Date.parse('2026-01-14T23:00:00Z');

/** A picture every five minutes, from a day before midnight until now. */
function paidBefore(ledger: Ledger): number {
	for (let at = DAY_BEGAN - 86_399_000; at < NOON; at += 300_000) ledger.charge(PRICE, {}, at);
	const ofToday = ledger.charges.filter(({ at }) => at >= DAY_BEGAN);
	return ofToday.length * PRICE;
}

const opaque = (at: number) => Buffer.from(String(at)).toString('base64');

test.each<[string, Lists]>([
	['overlap, and say when', { hasCursor: true, isDated: true, overlaps: true }],
	['overlap', { hasCursor: true, isDated: false, overlaps: true }],
	['go on from no moment, and say when', { hasCursor: true, isDated: true, cursorOf: opaque }],
])('pages that %s: each job counts once', async (_name, lists) => {
	const ledger = new Ledger(lists);
	const today = paidBefore(ledger);
	const before = ledger.sum;
	await processOf(ledger, today + 3 * PRICE).start(5);
	expect(ledger.sum - before).toBe(3 * PRICE);
});

test.each<[string, string, Lists['cursorOf']]>([
	['no moment', 'the list does not say from when its jobs are', opaque],
	[
		'a time without a zone',
		'the list does not say from when its jobs are',
		(at) => iso(at).slice(0, 19),
	],
	['itself', 'the list leads back to a page before', () => iso(NOON)],
])('a list whose cursor is %s: nothing is sent, and it says why', async (_name, why, cursorOf) => {
	const ledger = new Ledger({ hasCursor: true, isDated: false, cursorOf });
	const before = paidBefore(ledger) && ledger.sum;
	const { items } = await processOf(ledger, 10_000).start(1);
	expect([ledger.sum - before, items[0]?.json.error]).toEqual([0, expect.stringContaining(why)]);
});

test.each([1, 2])('four executions at the same time, in %i processes', async (processes) => {
	const ledger = new Ledger();
	// The price is known by what was made before.
	ledger.charge(PRICE);
	const all = Array.from({ length: processes }, () => processOf(ledger, 20));
	const [first = processOf(ledger, 20)] = all;
	const runs = Array.from({ length: 4 }, (_, run) => (all[run % processes] ?? first).start(5));
	await Promise.all(runs);
	// Of each other process one picture may be on its way.
	expect(ledger.sum).toBeLessThanOrEqual(20 + (processes - 1) * PRICE);
	expect(ledger.sum).toBeGreaterThanOrEqual(20);
});

describe('three pictures of one quality were made for 8 credits each, and their jobs go on', () => {
	/** A process before a service with these prices by quality, or by model where no quality is asked for. */
	async function picturesOf(prices: Record<string, number>, left: number) {
		const priceOf = ({ model, parameters }: Record<string, unknown>) =>
			prices[(parameters as { quality?: string } | undefined)?.quality ?? String(model)] ?? 8;
		const ledger = new Ledger({ hasCursor: true, isDated: true, jobMs: 3_600_000, priceOf });
		const t = processOf(ledger, 3 * 8 + left, {
			own: undefined,
			credential: { concurrentJobs: 9 },
		});
		let executions = 0;
		/** Executions that start together, of one picture each. */
		const make = async (...asked: Array<Record<string, unknown>>) => {
			const runs = asked.map(async (picture) => {
				executions += 1;
				const own = { items: [{ json: {} }], executionId: `e${executions}`, nodeMemory: {} };
				const prompt = `picture ${executions}`;
				return await ended(t.run(own, { prompt, waitForCompletion: false, ...picture }));
			});
			await Promise.all(runs);
		};
		for (let picture = 0; picture < 3; picture += 1) await make(of('usual'));
		const later = () => ledger.charges.slice(3);
		return { make, later, costs: () => later().map(({ credits }) => credits) };
	}

	const of = (quality: string) => ({ parameters: { quality: byId(quality) } });

	test('one of another quality goes out alone, and the others by its price', async () => {
		const { make, costs } = await picturesOf({ high: 40 }, 50);
		await make(of('high'), of('high'), of('high'));
		expect(costs()).toEqual([40]);
	});

	test('of several qualities without a price, one exceeds what is left', async () => {
		const { make, costs } = await picturesOf({ high: 40, higher: 60, best: 80 }, 30);
		await make(of('high'), of('higher'), of('best'));
		expect(costs()).toEqual([40]);
	});

	test('of two models without a price, one exceeds what is left', async () => {
		const { make, costs } = await picturesOf({ one: 40, other: 60 }, 30);
		await make({ model: byId('one') }, { model: byId('other') });
		expect(costs()).toEqual([40]);
	});

	test('another quality is expected to cost as much as the dearest', async () => {
		const { make, costs } = await picturesOf({ high: 40, low: 1 }, 70);
		for (const quality of ['high', 'usual', 'low']) await make(of(quality));
		expect(costs()).toEqual([40, 8]);
	});

	test('once a quality has a price, its pictures go out together', async () => {
		const { make, later } = await picturesOf({ high: 1 }, 1_000);
		await make(of('high'), of('high'), of('high'));
		const [first = 0, second = 0, third] = later().map(({ at }) => at);
		expect(second).toBeGreaterThan(first);
		expect(third).toBe(second);
	});
});

test('what was spent today is that of the workspace to which a row goes', async () => {
	const run = new Run();
	const executionSum = new ExecutionSum({});
	const rows = [0, 60].map((spent, itemIndex) => {
		const ledger = new Ledger({ hasCursor: true, isDated: true });
		if (spent > 0) ledger.charge(spent);
		const workspace = new Workspace(LIMITS, clock, Math.random);
		const host = hostWith(async (request) => await ledger.send(request));
		const settings = { maxCreditsPerDay: 50 };
		const item = runOf({ host, workspace, run, executionSum, itemIndex, settings });
		const request = { endpoint: item.spec.endpoint, body: item.request.body };
		workspace.prices.learnFromAnswer(request, { id: 'earlier', estimated_credits: PRICE });
		return { ledger, item };
	});
	await clock.run(Promise.all(rows.map(async ({ item }) => await createJob(item))));
	expect(rows.map(({ ledger }) => ledger.sum)).toEqual([PRICE, 60]);
});

test('what others spend while a run goes on counts where it matters', async () => {
	const ledger = new Ledger();
	ledger.charge(PRICE);
	const t = processOf(ledger, 30);
	const run = t.start(20);
	clock.after(1_000, () => ledger.charge(10));
	await run;
	expect(ledger.sum).toBeLessThanOrEqual(30);
});

describe('while a run waits for slots that another one holds for most of an hour', () => {
	const JOB_MS = 50 * 60_000;
	const given = {
		model: byId('m'),
		downloadOutputs: false,
		options: { maxCreditsPerDay: 40, waitTimeout: 200 },
	};

	test('others spend: that counts', async () => {
		const ledger = new Ledger({ hasCursor: true, isDated: false, jobMs: JOB_MS });
		const t = processOf(ledger, 40, { given });
		const first = t.start(5);
		clock.after(20 * 60_000, () => ledger.charge(30));
		await Promise.all([first, t.start(5)]);
		expect(ledger.sum).toBe(40);
	});

	test('the next day begins: what was spent before is over', async () => {
		const ledger = new Ledger({ hasCursor: true, isDated: false, jobMs: JOB_MS });
		const t = processOf(ledger, 40, { given });
		clock.setWall(Date.parse('2026-01-15T22:30:00Z') - clock.now());
		ledger.charge(30);
		await Promise.all([t.start(5), t.start(5)]);
		expect(ledger.sum).toBe(30 + 10 * PRICE);
	});
});

test('a run that goes on over midnight begins the next day with it', async () => {
	const ledger = new Ledger();
	for (let picture = 0; picture < 4; picture += 1) ledger.charge(PRICE);
	const batch = { batch: { batchSize: 1, batchInterval: 3_600_000 } };
	const t = processOf(ledger, 10, {
		given: {
			model: byId('m'),
			downloadOutputs: false,
			options: { maxCreditsPerDay: 10 },
			requestOptions: { batching: batch },
		},
	});
	await t.start(18);
	// At noon, and after midnight in Berlin.
	expect(ledger.sum).toBe(8 + 2 + 10);
});

test('a run that approves itself may spend what is left of the day, and says so to the service', async () => {
	const bodies: Array<Record<string, unknown>> = [];
	const t = setUp({
		node: new MediaGenAgentRun(),
		given: {
			operation: 'create',
			brief: 'a film',
			autoApprove: true,
			downloadOutputs: false,
			options: { maxCreditsPerDay: 30 },
		},
		answers({ method, path, body }) {
			if (path === '/usage')
				return answer(200, { object: 'usage', data: [{ mode: 'speech', credits: 10 }] });
			if (method !== 'POST') return answer(200, { object: 'list', data: [], has_more: false });
			bodies.push(body as Record<string, unknown>);
			const run = { id: 'run_1', object: 'agent_run', status: 'completed', plan: {} };
			return answer(202, { ...run, spent_credits: 1 });
		},
	});
	await ended(t.run());
	expect(bodies).toEqual([expect.objectContaining({ max_credits: 19 })]);
});

test.each([
	[2, 'another try'],
	[3, 'another try'],
	[2, 'the next click'],
	[3, 'the next click'],
])(
	'what was paid for, and whose answer was lost, is given under a limit of %i: %s',
	async (limit, way) => {
		const ledger = new Ledger();
		let isAway = true;
		const t = processOf(ledger, limit, {
			answers: async (request) => {
				const given = await ledger.send(request);
				return request.method === 'POST' && isAway ? LOST : given;
			},
			given: {
				model: byId('m'),
				downloadOutputs: false,
				prompt: 'p',
				options: { maxCreditsPerDay: limit, waitTimeout: 2 },
			},
			own: () => ({}),
			continueOnFail: false,
		});
		const first = { executionId: 'e', nodeMemory: {}, mode: 'manual' as const };
		await ended(t.run(first));
		isAway = false;
		const isClick = way === 'the next click';
		const again = isClick ? { ...first, executionId: 'f', nodeMemory: {} } : first;
		const { error, items } = await ended(t.run(again));
		expect([error?.message, items.length, ledger.charges.length]).toEqual([undefined, 1, 1]);
	},
);

test.each([
	{ ended: 0, each: 80, sent: 1 },
	{ ended: 80, each: 20, sent: 1 },
	{ ended: 50, each: 45, sent: 1 },
	{ ended: 40, each: 20, sent: 3 },
])('runs that are approved and go on count beside what has ended: %j', async (given) => {
	let execution = 0;
	const t = setUp({
		node: new MediaGenAgentRun(),
		own: () => ({
			operation: 'approve',
			agentRunId: `run_${execution}`,
			maxCredits: given.each,
			options: { maxCreditsPerDay: 100, waitForCompletion: false },
		}),
		answers({ method, path }) {
			const id = path.split('/')[3] ?? '';
			const ended = { mode: 'agent', credits: given.ended };
			if (path === '/usage') return answer(200, { object: 'usage', data: [ended] });
			if (path === '/generations')
				return answer(200, { object: 'list', data: [], has_more: false });
			const run = { id, object: 'agent_run', plan: {}, estimated_credits: given.each };
			if (method !== 'POST') return answer(200, { ...run, status: 'plan_proposed' });
			return answer(202, { ...run, status: 'running', reserved_credits: given.each });
		},
	});
	const errors: Array<string | undefined> = [];
	for (execution = 1; execution <= 5; execution += 1) {
		const { error } = await ended(t.run({ executionId: `e${execution}`, nodeMemory: {} }));
		errors.push(error?.message);
		await clock.pass(60_000);
	}
	expect([t.posts().length, errors[0]]).toEqual([given.sent, undefined]);
	const spent = given.ended + given.sent * given.each;
	expect(errors[given.sent]).toMatch(
		`Max Credits per Day (100) would be exceeded: ${spent} credits spent today in this workspace, and this item is expected to cost ${given.each}`,
	);
});

test.each(['completed', 'failed', 'unknown to the service'])(
	'a run that nobody waits for and that is %s counts with what the usage says',
	async (ending) => {
		const approved = new Set<string>();
		let execution = 0;
		const t = setUp({
			node: new MediaGenAgentRun(),
			own: () => ({
				operation: 'approve',
				agentRunId: `run_${execution}`,
				maxCredits: 80,
				options: { maxCreditsPerDay: 100, waitForCompletion: false },
			}),
			answers({ method, path }) {
				const id = path.split('/')[3] ?? '';
				const usage = { mode: 'agent', credits: 5 * approved.size };
				if (path === '/usage') return answer(200, { object: 'usage', data: [usage] });
				if (path === '/generations')
					return answer(200, { object: 'list', data: [], has_more: false });
				const run = { id, object: 'agent_run', plan: {}, estimated_credits: 80 };
				if (method === 'POST') {
					approved.add(id);
					return answer(202, { ...run, status: 'running', reserved_credits: 80 });
				}
				if (!approved.has(id)) return answer(200, { ...run, status: 'plan_proposed' });
				return ending.startsWith('unknown')
					? answer(404)
					: answer(200, { ...run, status: ending, spent_credits: 5 });
			},
		});
		for (execution = 1; execution <= 3; execution += 1) {
			const { error } = await ended(t.run({ executionId: `e${execution}`, nodeMemory: {} }));
			expect(error).toBeUndefined();
			await clock.pass(60_000);
		}
	},
);

test('a request of unknown outcome counts once, however often it is refused and tried again', async () => {
	let posts = 0;
	let budget = 30;
	const t = setUp({
		node: new MediaGenAgentRun(),
		own: () => ({
			operation: 'create',
			brief: 'a film',
			autoApprove: true,
			downloadOutputs: false,
			additionalFields: { maxCredits: budget },
			options: { maxCreditsPerDay: 100, waitTimeout: 30 },
		}),
		answers({ method, path }) {
			if (path === '/usage') return answer(200, { object: 'usage', data: [] });
			if (method !== 'POST') return answer(200, { object: 'list', data: [], has_more: false });
			posts += 1;
			if (posts === 1) return LOST;
			if (posts <= 8) return answer(429);
			const run = { id: `run_${posts}`, object: 'agent_run', status: 'completed', plan: {} };
			return answer(202, { ...run, spent_credits: budget });
		},
	});
	const { error } = await ended(t.run({ executionId: 'e', nodeMemory: {} }));
	expect([error, posts]).toEqual([undefined, 9]);

	// Planning costs a credit.
	budget = 60;
	const other = await ended(t.run({ executionId: 'other', nodeMemory: {} }));
	expect([other.error, posts]).toEqual([undefined, 10]);
});

test('a speech that has ended counts with what it has cost, not with what it had reserved', async () => {
	let made = 0;
	const t = setUp({
		node: new MediaGenSpeech(),
		given: {
			text: 'Hello',
			model: 'vendor/partner/speech-2.8-turbo',
			options: { maxCreditsPerDay: 10, downloadOutputs: false },
		},
		answers({ method, path }) {
			if (path === '/usage')
				return answer(200, { object: 'usage', data: [{ mode: 'speech', credits: made }] });
			if (path === '/generations')
				return answer(200, { object: 'list', data: [], has_more: false });
			if (method === 'POST') made += 1;
			const job = { id: `speech_${made}`, object: 'speech_generation', estimated_credits: 5 };
			const output = { url: 'https://media.example/a.mp3', media_type: 'audio/mpeg' };
			return method === 'POST'
				? answer(202, { ...job, status: 'queued' })
				: answer(200, { ...job, status: 'completed', output });
		},
	});
	for (let execution = 1; execution <= 8; execution += 1) {
		await ended(t.run({ executionId: `e${execution}`, nodeMemory: {} }));
		await clock.pass(60_000);
	}
	// The next one may reserve 5.
	expect(made).toBe(6);
});

/** Answers what has no list as the test says, with a usage that shows what has ended. */
const unlisted =
	(usage: () => number, others: NonNullable<Part['answers']>): Part['answers'] =>
	(request) => {
		if (request.path === '/usage')
			return answer(200, { object: 'usage', data: [{ mode: 'other', credits: usage() }] });
		if (request.path === '/generations')
			return answer(200, { object: 'list', data: [], has_more: false });
		return others(request);
	};

test('plans that nobody approves count once, and are asked for no more', async () => {
	let plans = 0;
	let reads = 0;
	const t = setUp({
		node: new MediaGenAgentRun(),
		given: { operation: 'create', brief: 'a film', options: { maxCreditsPerDay: 10 } },
		answers: unlisted(
			() => plans,
			({ method }) => {
				if (method === 'POST') plans += 1;
				else reads += 1;
				const run = { id: `run_${plans}`, object: 'agent_run', plan: {}, spent_credits: 1 };
				return answer(201, { ...run, status: 'plan_proposed' });
			},
		),
	});
	for (let execution = 1; execution <= 12; execution += 1) {
		await ended(t.run({ executionId: `e${execution}`, nodeMemory: {} }));
		await clock.pass(60_000);
	}
	expect([plans, reads]).toEqual([10, 0]);
});

test('what may have been made counts for an hour: then it is in the usage', async () => {
	let isAway = true;
	const t = setUp({
		node: new MediaGenVoice(),
		given: {
			operation: 'design',
			name: 'n',
			description: 'deep',
			options: { maxCreditsPerDay: 100 },
		},
		answers: unlisted(
			() => 0,
			() => {
				const voice = { id: 'voice_1', object: 'voice', kind: 'design', credits: 5 };
				return isAway ? answer(502) : answer(201, voice);
			},
		),
	});
	const fits: boolean[] = [];
	for (let execution = 0; execution < 4; execution += 1) {
		const { error } = await ended(t.run({ executionId: `e${execution}`, nodeMemory: {} }));
		fits.push(error === undefined);
		isAway = false;
		await clock.pass(40 * 60_000);
	}
	expect(fits).toEqual([false, false, true, true]);
});

test('a voice that may have been made leaves the sum once the usage would show it', async () => {
	let charged = 0;
	let isAway = false;
	const t = setUp({
		node: new MediaGenVoice(),
		given: {
			operation: 'design',
			name: 'n',
			description: 'deep',
			options: { maxCreditsPerDay: 12 },
		},
		answers: unlisted(
			() => charged,
			() => {
				if (isAway) return answer(502);
				charged += 5;
				return answer(201, { id: `voice_${charged}`, object: 'voice', kind: 'design', credits: 5 });
			},
		),
	});
	const fits: boolean[] = [];
	for (let execution = 0; execution < 4; execution += 1) {
		isAway = execution === 1;
		const { error } = await ended(t.run({ executionId: `e${execution}`, nodeMemory: {} }));
		fits.push(error === undefined);
		await clock.pass(40 * 60_000);
	}
	expect(fits).toEqual([true, false, false, true]);
});

test('the price of a cloned voice is only a guess at that of a designed one', async () => {
	let charged = 0;
	const t = setUp({
		node: new MediaGenVoice(),
		given: { name: 'n', options: { maxCreditsPerDay: 40 } },
		answers: unlisted(
			() => charged,
			async ({ body }) => {
				const { kind } = body as { kind: string };
				const credits = kind === 'clone' ? 10 : 50;
				charged += credits;
				await clock.sleep(1_000);
				return answer(201, { id: `voice_${charged}`, object: 'voice', kind, credits });
			},
		),
	});
	let executions = 0;
	const make = async (voice: Record<string, unknown>) => {
		executions += 1;
		await ended(t.run({ executionId: `e${executions}`, nodeMemory: {} }, voice));
	};
	await make({ operation: 'clone', audioUrl: 'https://files.example/a.mp3' });
	const design = { operation: 'design', description: 'deep' };
	await Promise.all([make(design), make(design), make(design)]);
	expect(charged).toBe(10 + 50);
});

describe('speeches that nobody waits for and that go on', () => {
	const PATIENCE_MS = 10_000;

	function speaking(read: () => SendResult) {
		let made = 0;
		const given = { text: 'Hello', model: 'vendor/partner/speech-2.8-turbo' };
		const t = setUp({
			node: new MediaGenSpeech(),
			given: { ...given, options: { maxCreditsPerDay: 20, waitForCompletion: false } },
			answers: unlisted(
				() => 0,
				({ method }) => {
					if (method !== 'POST') return read();
					made += 1;
					const job = { id: `speech_${made}`, object: 'speech_generation', status: 'queued' };
					return answer(202, { ...job, estimated_credits: 5 });
				},
			),
		});
		const start = async (execution: number) => {
			const began = clock.monotonic();
			await ended(t.run({ executionId: `e${execution}`, nodeMemory: {} }));
			return clock.monotonic() - began;
		};
		return { start, made: () => made };
	}

	test.each([answer(500), LOST])(
		'nobody waits for a service that says nothing of them: %j',
		async (read) => {
			const t = speaking(() => read);
			for (let execution = 0; execution < 4; execution += 1) {
				expect(await t.start(execution)).toBeLessThan(PATIENCE_MS);
				await clock.pass(60_000);
			}
			expect(t.made()).toBe(4);
		},
	);

	test('the page of a gateway, 404 too, says nothing of them', async () => {
		const t = speaking(() => answer(404, '<html>Not Found</html>'));
		for (let execution = 0; execution < 6; execution += 1) {
			await t.start(execution);
			await clock.pass(60_000);
		}
		expect(t.made()).toBe(4);
	});

	test('six at once, of which nobody knows the price: one goes out first', async () => {
		const t = speaking(() => LOST);
		await Promise.all([1, 2, 3, 4, 5, 6].map(async (execution) => await t.start(execution)));
		expect(t.made()).toBe(4);
	});

	test('they count for the rest of the day, whatever else the process does', async () => {
		const t = speaking(() => answer(200, { id: 'x', status: 'queued' }));
		for (let execution = 0; execution < 6; execution += 1) {
			await t.start(execution);
			await clock.pass(2 * 3_600_000 - 1);
		}
		// Midnight in Berlin comes after five of them.
		expect(t.made()).toBe(4);
	});
});
