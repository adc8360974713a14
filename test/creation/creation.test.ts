import { ENDPOINTS } from '../../src/api';
import { fail } from '../../src/base/result';
import type { Send } from '../../src/base/types';
import { haltAlike } from '../../src/creation/refusals';
import { ExecutionSum } from '../../src/creation/credits/ledger';
import type { Item, Settings } from '../../src/creation/item';
import { isOutcomeOpen } from '../../src/creation/idempotency/itemState';
import { answer, errorBody } from '../model/answers';
import { ModelService } from '../model/modelService';
import { createJob, hostWith, oneItem, PLAN, runAll, runOf, workspaceWith } from '../model/run';
import { VirtualClock } from '../model/virtualClock';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

test('a cancel leaves running jobs their slots until their end is seen; meanwhile another item asks once a minute', async () => {
	const { clock, model, workspace, host } = oneItem({ jobMs: () => 300_000 });
	const abort = new AbortController();
	const channel = { ...host.channel, signal: abort.signal };
	const cancelled = runAll(5, () => ({ host: { ...host, channel }, workspace }), createJob);
	await clock.pass(5_000);
	const before = clock.now();
	abort.abort();
	for (const result of await clock.run(cancelled))
		expect(result).toMatchObject({ failure: { kind: 'cancelled' }, job: { object: 'generation' } });
	expect(clock.now() - before).toBeLessThanOrEqual(1_000);
	const next = await clock.run(createJob(runOf({ host, workspace, itemIndex: 7 })));
	expect(next.ok).toBe(true);
	// A list may show for ever what has ended, so one creation a minute finds out.
	expect(model.count(429)).toBeLessThanOrEqual(300_000 / MINUTE);
});

test('a creation that is out ends at once when the execution is cancelled; its answer is heard, and its job has the slot', async () => {
	const { clock, memory, model, workspace, host } = oneItem({
		jobMs: () => HOUR,
		concurrentJobs: 1,
	});
	const cancel = new AbortController();
	const slow: Send = async (asked) => {
		if (asked.method === 'POST') await clock.sleep(MINUTE);
		return await model.send(asked);
	};
	const channel = { ...host.channel, send: slow, signal: cancel.signal };
	const ended = createJob(runOf({ host: { ...host, channel }, workspace, memory }));
	await clock.pass(10_000);
	const before = clock.monotonic();
	cancel.abort();
	expect(await ended).toMatchObject({ failure: { kind: 'cancelled', outcomeUnknown: true } });
	expect(clock.monotonic()).toBe(before);
	expect(isOutcomeOpen(memory.state)).toBe(true);
	await clock.pass(MINUTE);
	expect(memory.state).toMatchObject({ is: 'created', job: { id: 'gen_1' } });
	/** How many of five further creations have a slot within 5 s. */
	const slots = async () => {
		let taken = 0;
		const wanted = { timeoutMs: HOUR, takesSlot: 'media' } as const;
		for (let slot = 0; slot < 5; slot += 1)
			void workspace.slots.acquire(host.channel, wanted).then(() => {
				taken += 1;
			});
		await clock.pass(5_000);
		return taken;
	};
	expect(await slots()).toBe(4);
});

test.each([
	[401, 'the API key was refused'],
	[403, 'the key is not allowed to do this'],
])('%i holds for the whole run: nothing further is sent', async (status, cause) => {
	const clock = new VirtualClock();
	let sent = 0;
	const host = hostWith(async () => {
		sent += 1;
		await clock.sleep(100);
		return answer(status, errorBody('No'));
	});
	const parts = { host, workspace: workspaceWith(clock) };
	const results = await clock.run(runAll(20, () => parts, createJob));
	expect(sent).toBeLessThanOrEqual(PLAN.concurrentJobs);
	const skipped = { failure: { kind: 'skipped', cause: `${cause} at item 1` } };
	for (const result of results.slice(sent)) expect(result).toMatchObject(skipped);
});

test.each([
	['an upload', 403, ENDPOINTS.createFile, true],
	['an upload', 401, ENDPOINTS.createFile, true],
	['the creation', 400, undefined, false],
	['the creation', 503, undefined, false],
])('%s that is refused with %i: whether the run is halted', (_what, status, endpoint, isHalted) => {
	const { workspace, host } = oneItem();
	const item = runOf({ host, workspace });
	const failure = { kind: 'status', status, serviceError: {}, outcomeUnknown: false } as const;
	haltAlike(item, { ...fail(failure), endpoint });
	expect(item.run.all.halted !== undefined).toBe(isHalted);
});

test('a creation that alone is refused with 429 ends too, while others get their slots', async () => {
	const clock = new VirtualClock();
	const model = new ModelService(clock, { concurrentJobs: 5, jobMs: () => 20_000 });
	const workspace = workspaceWith(clock);
	let refusals = 0;
	const host = hostWith(async (asked) => {
		const isBusy = (asked.body as { prompt?: string } | undefined)?.prompt === 'busy model';
		if (!isBusy) return await model.send(asked);
		refusals += 1;
		return answer(429, errorBody('The model is busy'));
	});
	const began = clock.monotonic();
	let ended = Infinity;
	const settings = { waitTimeoutMs: 15 * MINUTE };
	const busy = createJob(runOf({ host, workspace, settings, prompt: 'busy model' }));
	void busy.then(() => {
		ended = clock.monotonic() - began;
	});
	for (let number = 0; number < 200; number += 1) {
		const other = createJob(runOf({ host, workspace, prompt: `no. ${number}` }));
		expect(await clock.run(other)).toMatchObject({ ok: true });
	}
	expect(ended).toBeGreaterThanOrEqual(15 * MINUTE);
	expect(ended).toBeLessThan(20 * MINUTE);
	expect(await clock.run(busy)).toMatchObject({ failure: { kind: 'status', status: 429 } });
	expect(refusals).toBeLessThanOrEqual(25);
});

test.each<[name: string, price: (() => number) | undefined, limit: Partial<Settings>]>([
	['no limit', undefined, {}],
	['a limit for the execution', undefined, { maxCredits: 100 }],
	['a limit for the day', () => 1, { maxCreditsPerDay: 100 }],
	['a limit for the day and no known price', undefined, { maxCreditsPerDay: 100 }],
])(
	'items that wait for slots behind each other, under %s, wait at the same time',
	async (...row) => {
		const [, price, limit] = row;
		const { clock, host, workspace } = oneItem({ jobMs: () => 10 * HOUR, price });
		const waitTimeoutMs = 20 * HOUR;
		void runAll(5, () => ({ host, workspace, settings: { waitTimeoutMs } }), createJob);
		await clock.pass(MINUTE);
		const settings = { ...limit, waitTimeoutMs: 30 * MINUTE };
		const executionSum = new ExecutionSum({});
		const began = clock.monotonic();
		const waiting = runAll(6, () => ({ host, workspace, settings, executionSum }), createJob);
		for (const result of await clock.run(waiting))
			expect(result).toMatchObject({ failure: { kind: 'noSlot' } });
		expect(clock.monotonic() - began).toBeLessThan(31 * MINUTE);
	},
);

test.each<[name: string, retryAfter: number | undefined, waitsMs: number]>([
	['says when to come back', 5, 5_000],
	['says when, and that is late', 40, 40_000],
	['does not say when', undefined, 45_000],
])('a 429 for the requests of a minute, while no job runs, that %s', async (...row) => {
	const [, retryAfter, waitsMs] = row;
	const { clock, model, make, through } = oneItem();
	const began = clock.monotonic();
	const headers: Record<string, string> = {};
	if (retryAfter !== undefined) headers['retry-after'] = String(retryAfter);
	let isRefused = false;
	through(({ method }) => {
		if (isRefused || method !== 'POST') return undefined;
		isRefused = true;
		return answer(429, errorBody('Too many requests'), headers);
	});
	expect((await make({ settings: { waitForCompletion: false } })).ok).toBe(true);
	const tookMs = clock.monotonic() - began;
	expect(tookMs).toBeGreaterThanOrEqual(waitsMs);
	// Without a hint it may be for lack of a slot, and that is asked once a minute.
	expect(tookMs).toBeLessThanOrEqual(retryAfter === undefined ? 75_000 : waitsMs + 1_500);
	expect(model.jobs).toHaveLength(1);
});

/** Of a status that no list of ours knows. */
const PLANNED = { id: 'run_1', object: 'agent_run', status: 'drafted' };

test.each([
	['201, which says that a plan waits for approval', 201, PLANNED],
	['a reason why it was not approved', 202, { ...PLANNED, auto_approval_error: 'no credits' }],
])('an agent run is not waited for after %s', async (_what, status, body) => {
	const { make, through, keys } = oneItem();
	through(() => answer(status, body));
	const spec: Item['spec'] = {
		endpoint: ENDPOINTS.createAgentRun,
		output: 'job',
		object: 'agent_run',
		creates: true,
		charges: true,
	};
	const request = { method: 'POST', path: '/agents/runs', body: { brief: 'a spot' } } as const;
	expect(await make({ spec, request })).toEqual({ ok: true, value: body });
	expect(keys()).toHaveLength(1);
});
