import type { Result } from '../../src/base/result';
import { ExecutionSum } from '../../src/creation/credits/ledger';
import type { IdempotencyMode, ItemOutput, Settings } from '../../src/creation/item';
import { itemMemory, nodeMemoryIn } from '../../src/creation/idempotency/itemState';
import { runItem } from '../../src/n8n/runOperation';
import { answerInTime, placeOfToolCall } from '../../src/n8n/tool';
import type { RateLimits } from '../../src/transport/credential';
import { ModelService, type ServiceSettings } from '../model/modelService';
import { hostWith, runOf, workspaceWith, type RunParts } from '../model/run';
import { VirtualClock } from '../model/virtualClock';

/** How long a call waits unless the user sets it, in ms. */
const CALL_MS = 45_000;

const HOUR = 3_600_000;

const SLOW = { jobMs: () => 200_000 };

const LATER = 'Not finished yet. Get it by its id in about a minute.';

const AGAIN = expect.stringMatching(/again with exactly the same arguments/) as string;

interface Agent {
	service?: Partial<ServiceSettings>;
	limits?: Partial<RateLimits>;
	settings?: Partial<Settings>;
	parts?: RunParts['parts'];
}

/** An agent that calls the tool in one execution. What it asks for tells which call it is. */
function setUp({ service, limits, settings, parts }: Agent = {}) {
	const clock = new VirtualClock();
	const model = new ModelService(clock, service);
	const workspace = workspaceWith(clock, limits);
	const host = hostWith(model.send);
	const nodeMemory = nodeMemoryIn({}, 'execution 1');
	const executionSum = new ExecutionSum({});
	const call = async (prompt: string) => {
		const began = clock.monotonic();
		const item = placeOfToolCall(nodeMemory, prompt, 'execution 1');
		const result = await answerInTime(
			runOf({
				host,
				workspace,
				prompt,
				nodeMemory,
				executionSum,
				memory: itemMemory(nodeMemory, item),
				parts,
				origin: { place: item },
				settings: { isTool: true, waitTimeoutMs: CALL_MS, ...settings },
			}),
			runItem,
		);
		return { result, took: clock.monotonic() - began };
	};
	const calls = async (...prompts: string[]) =>
		await clock.run(Promise.all(prompts.map(async (prompt) => await call(prompt))));
	const once = async (prompt: string) =>
		(await calls(prompt))[0] as Awaited<ReturnType<typeof call>>;
	const posts = () => model.log.filter(({ request }) => request.method === 'POST');
	return { clock, model, workspace, host, call, calls, once, posts };
}

const PICTURES = ['a', 'b', 'c', 'd', 'e'];

const ids = ({ result }: { result: Result<ItemOutput> }) =>
	result.ok ? result.value.resources.map(({ id }) => id) : [];

test('a dry run does not end a call whose result no agent was told, such as one before a restart', async () => {
	const { host, workspace, clock } = setUp();
	const nodeMemory = nodeMemoryIn({}, 'execution 1');
	const memory = itemMemory(nodeMemory, placeOfToolCall(nodeMemory, 'a cat', 'execution 1'));
	memory.state = { is: 'created', keyNumber: 0, job: { id: 'gen_1' } } as typeof memory.state;
	const settings = { isTool: true, waitTimeoutMs: CALL_MS, dryRun: true };
	const item = runOf({ host, workspace, nodeMemory, memory, settings });
	expect(ids({ result: await clock.run(answerInTime(item, runItem)) })).toEqual(['dry_run_1']);
	expect(memory.endedIn).toBeUndefined();
});

test('a job that takes longer is answered in time, and given to the same call however often it comes before the end and once after it', async () => {
	const { model, clock, once } = setUp({ service: SLOW });
	for (let time = 0; time < 3; time += 1) {
		const { result, took } = await once('a cat');
		expect(took).toBe(CALL_MS);
		expect(result).toMatchObject({
			value: { resources: [{ id: 'gen_1', object: 'generation', status: 'queued' }], next: AGAIN },
		});
	}
	await clock.pass(HOUR);
	const { result } = await once('a cat');
	expect(result).toMatchObject({ value: { resources: [{ id: 'gen_1', status: 'completed' }] } });
	expect(result).not.toHaveProperty('value.next');
	expect(model.jobs).toHaveLength(1);
});

test('parallel calls that ask for the same get the same job, which is paid for once', async () => {
	const { model, calls } = setUp({ service: { jobMs: () => 20_000 } });
	const both = await calls('a cat', 'a cat');
	expect(both.map(ids)).toEqual([['gen_1'], ['gen_1']]);
	expect(model.jobs).toHaveLength(1);
});

test('answers that are lost do not hold up the call, nor is the repeat paid for again, also while the first still runs', async () => {
	let isAway = true;
	const { clock, model, once } = setUp({
		service: { fault: ({ method }) => (isAway && method === 'POST' ? 'timeout' : undefined) },
	});
	for (let time = 0; time < 3; time += 1) {
		const { result, took } = await once('a cat');
		expect(took).toBe(CALL_MS);
		expect(result).toMatchObject({ value: { resources: [{ status: 'sent' }], next: AGAIN } });
	}
	isAway = false;
	await clock.pass(HOUR);
	// It is told what became of the call that was still running.
	expect((await once('a cat')).result).toMatchObject({
		value: { resources: [{ id: 'gen_1', status: 'completed' }] },
	});
	expect(model.jobs).toHaveLength(1);
});

/** What becomes of one further call, after the agent was told that the call before has ended well. */
const AFTERWARDS: Array<[idempotency: IdempotencyMode, told: RegExp, jobs: number]> = [
	['execution', /nothing is paid for twice/, 2],
	['content', /nothing is paid for twice/, 1],
	['custom', /nothing is paid for twice/, 1],
	['none', /After you have got its result, the same call would be paid for again/, 2],
];

test.each(AFTERWARDS)(
	'%s: what an agent is told of a call without an answer is what happens when it calls again',
	async (idempotency, told, jobs) => {
		const { clock, model, once, posts } = setUp({
			service: { latencyMs: 100_000 },
			settings: { idempotency, idempotencyKey: 'key' },
		});
		for (let time = 0; time < 2; time += 1) {
			const { result, took } = await once('a cat');
			expect(took).toBe(CALL_MS);
			expect(result).toMatchObject({ value: { resources: [{ status: 'sent' }], next: AGAIN } });
			expect(result.ok && result.value.next).toMatch(told);
		}
		await clock.pass(HOUR);
		expect(ids(await once('a cat'))).toEqual(['gen_1']);
		expect(posts()).toHaveLength(1);
		model.settings.latencyMs = 100;
		await once('a cat');
		expect(model.jobs).toHaveLength(jobs);
	},
);

/** What keeps a call from being sent, each for longer than it waits. */
const HOLD_UPS: Array<[name: string, set: Agent, hold: (set: ReturnType<typeof setUp>) => void]> = [
	[
		'all job slots',
		{ service: { jobMs: (prompt) => (PICTURES.includes(prompt) ? 600_000 : 10_000) } },
		({ call }) => {
			for (const prompt of PICTURES) void call(prompt);
		},
	],
	[
		'the requests of several minutes',
		{ limits: { requestsPerMinute: 2 } },
		({ workspace, host }) => {
			const read = { method: 'GET', path: '/generations' } as const;
			for (let time = 0; time < 12; time += 1) void workspace.client.request(host.channel, read);
		},
	],
	[
		'the turn of another creation under Max Credits',
		{ settings: { maxCredits: 100 }, service: { latencyMs: 120_000, price: () => 1 } },
		({ call }) => {
			void call('slow');
		},
	],
];

test.each(HOLD_UPS)(
	'calls that wait for %s are answered in time, and not sent later but by the same call, which is paid for once',
	async (_name, set, hold) => {
		const all = setUp(set);
		const { clock, model, call, once, posts } = all;
		hold(all);
		await clock.pass(1_000);
		const first = call('the late one');
		await clock.pass(30_000);
		for (const { took } of await clock.run(Promise.all([first, call('the late one')])))
			expect(took).toBeLessThanOrEqual(CALL_MS);
		await clock.pass(3 * HOUR);
		const isLate = (body: unknown) => (body as { prompt: string }).prompt === 'the late one';
		expect(posts().filter(({ request }) => isLate(request.body))).toEqual([]);
		model.settings.latencyMs = 100;
		const { result } = await once('the late one');
		expect(result).toMatchObject({ value: { resources: [{ object: 'generation' }] } });
		expect(model.jobs.filter(isLate)).toHaveLength(1);
	},
);

test.each<[string, Agent, string | undefined]>([
	['runs after the call', { service: SLOW }, AGAIN],
	[
		'runs after the call, without keys',
		{ service: SLOW, settings: { idempotency: 'none' } },
		LATER,
	],
	['was not waited for', { service: SLOW, settings: { waitForCompletion: false } }, LATER],
	['has ended', {}, undefined],
])('what an agent is told to do next about a job that %s', async (_, agent, next) => {
	const { result } = await setUp(agent).once('a cat');
	expect(result.ok && result.value.next).toEqual(next);
});

test('a job that fails between two calls is told to the next one; the one after that creates anew', async () => {
	let status = 'failed';
	const { clock, model, once } = setUp({
		service: { jobMs: () => 60_000, ending: () => ({ status }) },
	});
	await once('a cat');
	await clock.pass(HOUR);
	expect((await once('a cat')).result).toMatchObject({
		failure: { kind: 'jobFailed' },
		job: { id: 'gen_1' },
	});
	expect(model.jobs).toHaveLength(1);
	status = 'completed';
	expect(ids(await once('a cat'))).toEqual(['gen_2']);
});

test('a call of several parts names the jobs of all when its time is over', async () => {
	const parts = ['a', 'b'].map((prompt) => ({
		method: 'POST' as const,
		path: '/generations',
		query: {},
		body: { mode: 'image', model: 'm', prompt },
	}));
	const { once, model } = setUp({ service: SLOW, parts });
	const { result } = await once('x');
	expect(result).toMatchObject({ ok: true, value: { next: AGAIN } });
	expect(result).toMatchObject({ value: { resources: model.jobs.map(({ id }) => ({ id })) } });
	expect(model.jobs).toHaveLength(2);
});

test('the same calls in a retried execution go on with those of the one before, unfinished ones first; a further one is new', () => {
	const memory = nodeMemoryIn({}, '1');
	const call = (execution: string) => {
		const name = placeOfToolCall(memory, 'a boat', execution);
		itemMemory(memory, name);
		return name;
	};
	const end = (name: string, execution: string) => {
		itemMemory(memory, name).endedIn = execution;
		return name;
	};
	const good = end(call('1'), '1');
	const bad = call('1');
	const retried = [1, 2, 3].map(() => end(call('2'), '2'));
	expect(retried.slice(0, 2)).toEqual([bad, good]);
	expect([good, bad]).not.toContain(retried[2]);
});
