import { ENDPOINTS } from '../../src/contract';
import { Run } from '../../src/run/run';
import type { Host } from '../../src/service/host';
import type { Item } from '../../src/run/item';
import { isOutcomeOpen, newMemory } from '../../src/run/state';
import type { ApiRequest } from '../../src/base/types';
import type { Workspace } from '../../src/service/workspace';
import { answer, errorBody } from '../model/answers';
import { ModelService, type ServiceSettings } from '../model/modelService';
import { createJob, hostWith, PLAN, runOf, workspaceWith, type RunParts } from '../model/run';
import { VirtualClock } from '../model/virtualClock';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

function setUp(service: Partial<ServiceSettings> = {}) {
	const clock = new VirtualClock();
	const model = new ModelService(clock, service);
	const workspace = workspaceWith(clock);
	const host = hostWith(model.send);
	const memory = newMemory();
	const make = async (more: Partial<RunParts> = {}) =>
		await clock.run(createJob(runOf({ host, workspace, memory, ...more })));
	return { clock, model, workspace, host, memory, make };
}

const keysOf = (model: ModelService) =>
	model.log
		.filter(({ request }) => request.method === 'POST')
		.map(({ request }) => request.headers?.['Idempotency-Key']);

/** Whether all slots are free, once a list has shown that nobody else uses the workspace. */
async function slotsFree({ slots, clock }: Workspace, { channel }: Host): Promise<boolean> {
	let taken = 0;
	for (let slot = 0; slot < 5; slot += 1)
		void slots.acquire(channel, { timeoutMs: HOUR, takesSlot: 'media' }).then(() => (taken += 1));
	await (clock as VirtualClock).pass(5_000);
	return taken === 5;
}

describe('nothing is created twice', () => {
	test('a run of the node again, in this execution or a retried one, gets the same job', async () => {
		const { model, make } = setUp();
		const first = await make();
		const again = await make({ origin: { executionId: 'execution 1' } });
		const retried = await make({ origin: { executionId: 'execution 2' } });
		expect(model.jobs).toHaveLength(1);
		expect(new Set(keysOf(model)).size).toBe(1);
		for (const result of [first, again, retried]) {
			expect(result).toMatchObject({ ok: true, value: { id: 'gen_1', status: 'completed' } });
		}
	});

	test('lost answers after the service has created are repeated with the same key', async () => {
		let losses = 3;
		const { model, make } = setUp({ loses: ({ method }) => method === 'POST' && losses-- > 0 });
		expect((await make()).ok).toBe(true);
		expect(model.jobs).toHaveLength(1);
		expect(keysOf(model)).toHaveLength(4);
	});

	test('an unknown outcome keeps its key for the next run', async () => {
		let losses = 7;
		const { model, make } = setUp({ loses: ({ method }) => method === 'POST' && losses-- > 0 });
		expect(await make()).toMatchObject({ failure: { kind: 'noResponse', attempts: 7 } });
		expect((await make()).ok).toBe(true);
		expect(model.jobs).toHaveLength(1);
	});

	test('a request that was changed before Retry Execution is another one', async () => {
		const { model, make } = setUp();
		await make({ prompt: 'a cat' });
		const changed = await make({ prompt: 'a dog', origin: { executionId: 'execution 2' } });
		expect(changed).toMatchObject({ value: { id: 'gen_2', prompt: 'a dog' } });
		expect(new Set(keysOf(model)).size).toBe(2);
	});

	test('past the 24 hours of a key its job is read instead of asked for', async () => {
		const { clock, model, make } = setUp();
		await make();
		await clock.pass(24 * HOUR);
		expect(await make()).toMatchObject({ value: { id: 'gen_1' } });
		expect(keysOf(model)).toHaveLength(1);
	});
});

describe('the other ways to count a request', () => {
	test('by content: the same over items and executions', async () => {
		const { model, make } = setUp();
		const settings = { idempotency: 'content' as const };
		const run = new Run(2, false);
		for (const itemIndex of [0, 1]) {
			await make({ settings, itemIndex, run, memory: newMemory() });
		}
		const later = { memory: newMemory(), origin: { executionId: '9' } };
		expect(await make({ settings, ...later })).toMatchObject({ value: { id: 'gen_1' } });
		expect(model.jobs).toHaveLength(1);
	});

	test('custom: the key that the user gave', async () => {
		const { model, make } = setUp();
		await make({ settings: { idempotency: 'custom', idempotencyKey: 'order 7' } });
		expect(keysOf(model)).toEqual(['order 7']);
	});

	test('none: no key, so no repeat after a lost answer', async () => {
		const { model, make } = setUp({ loses: ({ method }) => method === 'POST' });
		const result = await make({ settings: { idempotency: 'none' } });
		expect(result).toMatchObject({
			failure: { kind: 'noResponse', attempts: 1 },
		});
		expect(keysOf(model)).toEqual([undefined]);
	});
});

test('a success that cannot be used leaves open whether there is a job', async () => {
	const { memory, make } = setUp();
	const host = hostWith(async () => answer(200, 'a page of a proxy'));
	expect(await make({ host })).toMatchObject({ failure: { kind: 'badResponse' } });
	expect(isOutcomeOpen(memory.state)).toBe(true);
});

describe('a job slot is always returned', () => {
	test('after a cancel: the running job keeps it until another item needs it and sees its end', async () => {
		const { clock, model, workspace, host } = setUp({ jobMs: () => 300_000 });
		const abort = new AbortController();
		const line = { ...host.channel, signal: abort.signal };
		const items = [0, 1, 2, 3, 4].map((itemIndex) =>
			runOf({ host: { ...host, channel: line }, workspace, itemIndex }),
		);
		const cancelled = Promise.all(items.map(async (item) => await createJob(item)));
		await clock.pass(5_000);
		const before = clock.now();
		abort.abort();
		for (const result of await clock.run(cancelled)) {
			expect(result).toMatchObject({
				failure: { kind: 'cancelled' },
				job: { object: 'generation' },
			});
		}
		expect(clock.now() - before).toBeLessThanOrEqual(1_000);
		const next = await clock.run(createJob(runOf({ host, workspace, itemIndex: 7 })));
		expect(next.ok).toBe(true);
		expect(model.count(429)).toBe(0);
	});
});

describe('a creation that is out when the execution is cancelled', () => {
	/** A request that the service answers a minute later. */
	function setUpOut() {
		const all = setUp({ jobMs: () => HOUR });
		const { clock, workspace, memory } = all;
		const cancel = new AbortController();
		const host = hostWith(async (asked) => {
			if (asked.method === 'POST') await clock.sleep(MINUTE);
			return await all.model.send(asked);
		});
		const channel = { ...host.channel, signal: cancel.signal };
		const ended = createJob(runOf({ host: { ...host, channel }, workspace, memory }));
		return { ...all, cancel, ended };
	}

	test('ends at once as cancelled, and says that it may have been carried out', async () => {
		const { clock, memory, cancel, ended } = setUpOut();
		await clock.pass(10_000);
		const before = clock.monotonic();
		cancel.abort();
		expect(await ended).toEqual({
			ok: false,
			failure: { kind: 'cancelled', outcomeUnknown: true },
			job: undefined,
		});
		expect(clock.monotonic()).toBe(before);
		expect(isOutcomeOpen(memory.state)).toBe(true);
	});

	test.each([
		[0, false],
		[HOUR, true],
	])(
		'its answer is heard: the job is recorded, and its slot is free %i ms later: %s',
		async (ms, isFree) => {
			const { clock, memory, cancel, ended, workspace, host } = setUpOut();
			await clock.pass(10_000);
			cancel.abort();
			await ended;
			await clock.pass(MINUTE);
			expect(memory.state).toMatchObject({ is: 'created', job: { id: 'gen_1' } });
			await clock.pass(ms);
			expect(await slotsFree(workspace, host)).toBe(isFree);
		},
	);
});

test.each([
	[401, 'the API key was refused'],
	[403, 'the key is not allowed to do this'],
])(
	'%i holds for the whole run: those under way find out and nothing further is sent',
	async (status, cause) => {
		const clock = new VirtualClock();
		const sent: ApiRequest[] = [];
		const host = hostWith(async (request) => {
			sent.push(request);
			await clock.sleep(100);
			return answer(status, errorBody('No'));
		});
		const workspace = workspaceWith(clock);
		const run = new Run(20, false);
		const all = Array.from(
			{ length: 20 },
			async (_, itemIndex) => await createJob(runOf({ host, workspace, run, itemIndex })),
		);
		const results = await clock.run(Promise.all(all));
		expect(sent.length).toBeLessThanOrEqual(PLAN.concurrentJobs);
		expect(results.at(-1)).toMatchObject({
			failure: { kind: 'skipped', cause: `${cause} at item 1` },
		});
		expect(
			results.filter((result) => !result.ok && result.failure.kind === 'skipped'),
		).toHaveLength(20 - sent.length);
	},
);

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
	void busy.then(() => (ended = clock.monotonic() - began));
	for (let number = 0; number < 200; number += 1) {
		const other = createJob(runOf({ host, workspace, prompt: `no. ${number}` }));
		expect(await clock.run(other)).toMatchObject({ ok: true });
	}
	expect(ended).toBeGreaterThanOrEqual(15 * MINUTE);
	expect(ended).toBeLessThan(20 * MINUTE);
	expect(await clock.run(busy)).toMatchObject({ failure: { kind: 'status', status: 429 } });
	expect(refusals).toBeLessThan(20);
});

describe('an agent run', () => {
	const spec: Item['spec'] = {
		endpoint: ENDPOINTS.createAgentRun,
		output: 'job',
		object: 'agent_run',
		creates: true,
		charges: true,
	};
	/** A status that no list of ours knows. */
	const plan = { id: 'run_1', object: 'agent_run', status: 'drafted' };

	test.each([
		['201, which says that a plan waits for approval', 201, plan],
		['a reason why it was not approved', 202, { ...plan, auto_approval_error: 'no credits' }],
	])('is not waited for after %s, whatever its status is called', async (_what, status, body) => {
		const { clock, workspace } = setUp();
		const asked: string[] = [];
		const host = hostWith(async ({ method }) => {
			asked.push(method);
			return answer(status, body);
		});
		const request = { method: 'POST', path: '/agents/runs', body: { brief: 'a spot' } } as const;
		const run = runOf({ host, workspace, spec, request });
		expect(await clock.run(createJob(run))).toEqual({ ok: true, value: body });
		expect(asked).toEqual(['POST']);
	});
});
