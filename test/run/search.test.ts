import { ENDPOINTS } from '../../src/contract';
import type { Item } from '../../src/run/item';
import type { Sent } from '../../src/run/state';
import { createJob } from '../../src/run/creation';
import { EarlierRuns, findPossibleDuplicate } from '../../src/run/keys';
import { newMemory } from '../../src/run/state';
import type { Fault } from '../../testing/modelService/settings';
import { LedgerService } from '../../testing/ledgerService';
import { ModelService } from '../../testing/modelService';
import { answer } from '../../testing/answers';
import { hostWith, runOf, workspaceWith, type RunParts } from '../../testing/run';
import { VirtualClock } from '../../testing/virtualClock';

const DAY = 24 * 3_600_000;

/** An item whose first run has sent its request without ever getting an answer. */
async function afterUnclear(fault: Fault) {
	const clock = new VirtualClock();
	let left = 7;
	const model = new ModelService(clock, {
		fault: ({ method }) => (method === 'POST' && (left -= 1) >= 0 ? fault : undefined),
	});
	const workspace = workspaceWith(clock);
	const host = hostWith(model.send);
	const memory = newMemory();
	const make = async (more: Partial<RunParts> = {}) =>
		await clock.run(createJob(runOf({ host, workspace, memory, ...more })));
	expect(await make()).toMatchObject({ failure: { kind: 'noResponse' } });
	return { clock, model, memory, make };
}

test('within 24 hours the same key settles it', async () => {
	const { clock, model, make } = await afterUnclear('after');
	await clock.pass(DAY - 3_600_000);
	expect(await make()).toMatchObject({ value: { id: 'gen_1' } });
	expect(model.jobs).toHaveLength(1);
});

test('after 24 hours nothing is created while a job may be the one, and the error names it', async () => {
	const { clock, model, make } = await afterUnclear('after');
	await clock.pass(DAY);
	expect(await make()).toMatchObject({
		failure: { kind: 'possibleDuplicate', candidates: ['gen_1'] },
	});
	expect(model.jobs).toHaveLength(1);
});

test('after 24 hours an attempt that left nothing is repeated, under a new key', async () => {
	const { clock, model, memory, make } = await afterUnclear('before');
	await clock.pass(DAY);
	expect((await make()).ok).toBe(true);
	expect(model.jobs).toHaveLength(1);
	expect(memory.state).toMatchObject({ is: 'done', attempt: 1, job: { id: 'gen_1' } });
});

test('a job that this node is known to have created is not a candidate', async () => {
	const { clock, make } = await afterUnclear('after');
	await clock.pass(DAY);
	const node = { runId: 'run', items: {}, formerJobs: { gen_1: true as const } };
	expect((await make({ node })).ok).toBe(true);
});

test('nothing is created while the newest thousand generations are all of others: the job may be further down', async () => {
	const { clock, model, make } = await afterUnclear('after');
	const others = Array.from({ length: 1_000 }, (_, index) => ({
		id: `other_${index}`,
		object: 'generation',
		mode: 'video',
		model: 'v',
		status: 'completed',
	}));
	let posts = 0;
	const host = hostWith(async ({ method, query }) => {
		if (method === 'POST') posts += 1;
		const from = Number(query?.cursor ?? 0);
		const data = others.slice(from, from + 100);
		const next_cursor = String(from + 100);
		return answer(200, { object: 'list', data, has_more: true, next_cursor });
	});
	await clock.pass(DAY);
	expect(await make({ host })).toMatchObject({
		failure: { kind: 'possibleDuplicate', candidates: [], because: 'expired' },
	});
	expect(posts).toBe(0);
	expect(model.jobs).toHaveLength(1);
});

test('a key that expires while its request waits for a slot is not used again', async () => {
	const clock = new VirtualClock();
	const habits = { caches402: false, balanceFirst: false, comparesBody: true, showsNow: true };
	const ledger = new LedgerService(clock, habits, () => {});
	ledger.outcome = ({ method }) => (method === 'POST' ? 'lostAfter' : 'answer');
	const workspace = workspaceWith(clock, { concurrentJobs: 1 });
	const host = hostWith(ledger.send);
	const memory = newMemory();
	const settings = { waitTimeoutMs: DAY };
	const node = { runId: 'run', items: {} };
	const make = async (prompt: string, itemIndex: number, own = newMemory()) =>
		await createJob(runOf({ host, workspace, memory: own, node, prompt, itemIndex, settings }));
	expect(await clock.run(make('a cat', 0, memory))).toMatchObject({
		failure: { kind: 'noResponse' },
	});
	await clock.pass(DAY - 3_600_000);
	ledger.outcome = () => 'answer';
	ledger.next = () => ({ takes: 2 * 3_600_000, fails: false });
	const late = async () => {
		await clock.sleep(60_000);
		return await make('a cat', 0, memory);
	};
	const [, result] = await clock.run(Promise.all([make('a film', 1), late()]));
	expect(ledger.charges.map(({ prompt }) => prompt)).toEqual(['a cat', 'a film']);
	expect(result).toMatchObject({
		failure: { kind: 'possibleDuplicate', candidates: ['gen_1'], because: 'expired' },
	});
});

test('a key that expires while its request is tried again and again is not used again', async () => {
	const { clock, model, memory, make } = await afterUnclear('after');
	const sentAt: number[] = [];
	const host = hostWith(async (request) => {
		if (request.method === 'GET') return await model.send(request);
		sentAt.push(clock.now());
		return answer(503);
	});
	const { firstSentAt } = memory.state as Sent;
	const endsAt = firstSentAt + DAY;
	await clock.pass(endsAt - 2_000 - clock.now());
	expect((await make({ host })).ok).toBe(false);
	expect(sentAt.length).toBeGreaterThan(0);
	expect(sentAt.filter((at) => at >= endsAt)).toEqual([]);
	expect(model.jobs).toHaveLength(1);
});

test.each([
	['neither mode nor model', {}],
	['no model', { mode: 'image' }],
	['an empty mode', { mode: null, model: 'm' }],
])('a listed job that shows %s may be the one', async (_, shown) => {
	const { clock, make } = await afterUnclear('after');
	const data = [{ id: 'gen_x', object: 'generation', status: 'queued', ...shown }];
	const host = hostWith(async () => answer(200, { object: 'list', data }));
	await clock.pass(DAY);
	expect(await make({ host })).toMatchObject({
		failure: { kind: 'possibleDuplicate', candidates: ['gen_x'] },
	});
});

test.each([
	['another mode', { mode: 'video', model: 'm' }],
	['another model', { mode: 'image', model: 'n' }],
])('a listed job that shows %s is not the one', async (_, shown) => {
	const { clock, make } = await afterUnclear('after');
	const data = [{ id: 'gen_x', object: 'generation', status: 'queued', ...shown }];
	const host = hostWith(async ({ method }) =>
		method === 'GET' ? answer(200, { object: 'list', data }) : answer(422),
	);
	await clock.pass(DAY);
	expect(await make({ host })).toMatchObject({ failure: { kind: 'status', status: 422 } });
});

test('a list that cannot be read is the error, and nothing is created', async () => {
	const { clock, make } = await afterUnclear('after');
	const asked: string[] = [];
	const host = hostWith(async ({ method }) => {
		asked.push(method);
		return answer(403);
	});
	await clock.pass(DAY);
	expect(await make({ host })).toMatchObject({ failure: { kind: 'status', status: 403 } });
	expect(asked).toEqual(['GET']);
});

const AGENT_RUN: Item['spec'] = {
	endpoint: ENDPOINTS.createAgentRun,
	output: 'job',
	object: 'agent_run',
	creates: true,
};

describe('what was sent and is no longer settled by its key', () => {
	const find = async (body: unknown, spec?: Item['spec']) => {
		const clock = new VirtualClock();
		const data = [{ id: 'gen_x', object: 'generation', status: 'queued', mode: 'image' }];
		let asked = 0;
		const host = hostWith(async () => {
			asked += 1;
			return answer(200, { object: 'list', data });
		});
		const item = runOf({ host, workspace: workspaceWith(clock), ...(spec && { spec }) });
		const sent = { is: 'sent', body } as Sent;
		return { found: await clock.run(findPossibleDuplicate(item, sent, 'changed')), asked };
	};

	test('may be any job where the list shows none of its kind, which is not even asked', async () => {
		const { found, asked } = await find({ mode: 'image' }, AGENT_RUN);
		const failure = { kind: 'possibleDuplicate', candidates: [], because: 'changed' };
		expect(found).toMatchObject({ ok: false, failure });
		expect(asked).toBe(0);
	});

	test('is none that shows what its body did not ask for', async () => {
		expect((await find(undefined)).found.ok).toBe(true);
		const failure = { kind: 'possibleDuplicate', candidates: ['gen_x'], because: 'changed' };
		expect((await find({ mode: 'image' })).found).toMatchObject({ ok: false, failure });
	});
});

describe('the jobs of earlier runs', () => {
	/** A workspace with so many jobs, and an item about to be the first to create one. */
	function setUp(jobs: number, parts: Partial<RunParts> = {}) {
		const clock = new VirtualClock();
		const lists: Array<Record<string, unknown>> = [];
		let isAnswered = true;
		const host = hostWith(async ({ query = {} }) => {
			lists.push(query);
			const from = Number(query.cursor ?? 0);
			const to = Math.min(jobs, from + Number(query.limit ?? 20));
			const data = Array.from({ length: to - from }, (_, index) => ({
				...{ id: `gen_${jobs - from - index}`, object: 'generation', status: 'completed' },
			}));
			const next_cursor = to < jobs ? String(to) : null;
			return isAnswered
				? answer(200, { object: 'list', data, has_more: to < jobs, next_cursor })
				: answer(403);
		});
		const item = runOf({ host, workspace: workspaceWith(clock), ...parts });
		const runs = new EarlierRuns();
		const load = async () => await clock.run(runs.load(item));
		const has = async (id: string) => await clock.run(runs.has(item, id));
		const refuse = () => {
			isAnswered = false;
		};
		return { clock, lists, runs, item, load, has, refuse };
	}

	test('are those on the newest page, asked for once for all items', async () => {
		const { clock, lists, runs, item, has } = setUp(3);
		await clock.run(Promise.all([runs.load(item), runs.load(item)]));
		expect(lists).toEqual([{ limit: 100 }]);
		expect([runs.mayHave('gen_3'), runs.mayHave('gen_4')]).toEqual(['likely', 'never']);
		expect([await has('gen_3'), await has('gen_4')]).toEqual([true, false]);
		expect(lists).toHaveLength(1);
	});

	test('and those further down, which are looked up once, from where that page ended', async () => {
		const { lists, runs, load, has } = setUp(250);
		await load();
		expect(runs.mayHave('gen_1')).toBe('possibly');
		expect([await has('gen_1'), await has('gen_150'), await has('gen_251')]).toEqual([
			true,
			true,
			false,
		]);
		expect(lists.map(({ cursor }) => cursor)).toEqual([undefined, '100', '200']);
	});

	test('a job that was created since is not one, though it is on the newest page by then', async () => {
		const { runs, load, has } = setUp(1);
		await load();
		expect([runs.mayHave('gen_2'), await has('gen_2')]).toEqual(['never', false]);
	});

	test('where the list cannot be read, any may be one and none is for certain', async () => {
		const { runs, load, has, refuse } = setUp(3);
		refuse();
		await load();
		expect([runs.mayHave('gen_3'), await has('gen_3')]).toEqual(['likely', false]);
	});

	test('of kinds that have no list, any may be one, and nothing is asked', async () => {
		const { lists, runs, load } = setUp(3, { spec: AGENT_RUN });
		await load();
		expect(lists).toEqual([]);
		expect(runs.mayHave('run_1')).toBe('likely');
	});

	test('items of one content start with the same key, whatever is learnt meanwhile', () => {
		const { runs } = setUp(0);
		expect([
			runs.firstKey('a cat', 3),
			runs.firstKey('a cat', 4),
			runs.firstKey('a dog', 4),
		]).toEqual([3, 3, 4]);
	});
});
