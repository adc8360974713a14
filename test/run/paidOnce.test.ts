import { OpenRequests } from '../../src/run/openRequests';
import { Run } from '../../src/run/run';
import { BinaryReference } from '../../src/run/uploads';
import {
	isOutcomeOpen,
	itemMemory,
	newMemory,
	nodeMemory,
	type NodeMemory,
} from '../../src/run/state';
import type { ApiRequest, SendResult } from '../../src/base/types';
import { answer, errorBody, LOST } from '../model/answers';
import { ModelService, type ServiceSettings } from '../model/modelService';
import { createJob, hostWith, runOf, sourceWith, workspaceWith, type RunParts } from '../model/run';
import { VirtualClock } from '../model/virtualClock';

const HOUR = 3_600_000;

/** A service before which a gateway may refuse requests, and one item before it. */
function setUp(service: Partial<ServiceSettings> = {}) {
	const clock = new VirtualClock();
	const model = new ModelService(clock, service);
	const workspace = workspaceWith(clock);
	let gateway: (request: ApiRequest) => SendResult | undefined = () => undefined;
	const host = hostWith(async (request) => gateway(request) ?? (await model.send(request)));
	const memory = newMemory();
	const node = { runId: 'run', items: {} };
	const make = async (more: Partial<RunParts> = {}) =>
		await clock.run(createJob(runOf({ host, workspace, memory, node, ...more })));
	const through = (rule: typeof gateway) => {
		gateway = rule;
	};
	const posts = () => model.log.filter(({ request }) => request.method === 'POST');
	return { clock, model, workspace, host, memory, node, make, through, posts };
}

const byContent = { idempotency: 'content' as const };

test.each([401, 403, 404])(
	'a %i in between does not erase a known job, which the error names',
	async (status) => {
		const { make, through, posts } = setUp({ jobMs: () => 300_000 });
		const settings = { waitTimeoutMs: 60_000 };
		await make({ settings });
		through(() => answer(status, errorBody('No')));
		expect(await make({ settings })).toMatchObject({ ok: false, job: { id: 'gen_1' } });
		through(() => undefined);
		expect(await make()).toMatchObject({ value: { id: 'gen_1' } });
		expect(posts()).toHaveLength(1);
	},
);

describe.each([
	[302, errorBody('Strange')],
	[418, errorBody('Strange')],
	[403, '<html>'],
])('a %i (%j), which proves nothing', (status, body) => {
	/** The request is carried out, whatever the answer says. */
	async function answeredSo() {
		const scenario = setUp();
		scenario.through((request) => {
			if (request.method !== 'POST') return undefined;
			void scenario.model.send(request);
			return answer(status, body);
		});
		expect(await scenario.make()).toMatchObject({ failure: { status } });
		expect(isOutcomeOpen(scenario.memory.state)).toBe(true);
		scenario.through(() => undefined);
		return scenario;
	}

	test.each([
		['changed', { prompt: 'a dog' }, 0],
		['expired', {}, 24 * HOUR],
	])(
		'is told where the key can no longer settle it (%s), before anything is paid',
		async (because, change, ms) => {
			const { clock, model, make } = await answeredSo();
			await clock.pass(1_000 + ms);
			const again = async (executionId: string) =>
				await make({ ...change, origin: { executionId } });
			// Retry On Fail stays in the execution that was told.
			for (let time = 0; time < 2; time += 1)
				expect(await again('execution 2')).toMatchObject({
					failure: { kind: 'possibleDuplicate', because },
				});
			expect(model.jobs).toHaveLength(1);
			expect(await again('execution 3')).toMatchObject({ value: { id: 'gen_2' } });
		},
	);
});

describe('a request that reads differently each time', () => {
	const inputFingerprint = 'a cat at {{ $now }}';

	test('is read in a retried execution', async () => {
		const { model, make } = setUp();
		await make({ inputFingerprint, prompt: 'a cat at 10:00' });
		const origin = { executionId: 'execution 2' };
		const retried = await make({ inputFingerprint, prompt: 'a cat at 10:01', origin });
		expect(retried).toMatchObject({ value: { id: 'gen_1' } });
		expect(model.jobs).toHaveLength(1);
	});
});

test('a 422 says nothing of what was done: the same request keeps its key', async () => {
	const { model, memory, make, through, posts } = setUp();
	const keys: unknown[] = [];
	let isRefused = true;
	through(({ method, headers }) => {
		if (method !== 'POST') return undefined;
		keys.push(headers?.['Idempotency-Key']);
		return isRefused ? answer(422, errorBody('No')) : undefined;
	});
	expect(await make()).toMatchObject({ failure: { status: 422 } });
	expect(memory.state).toEqual({ is: 'new', nextKey: 0 });
	isRefused = false;
	expect(await make()).toMatchObject({ value: { id: 'gen_1' } });
	expect([new Set(keys).size, posts().length, model.jobs.length]).toEqual([1, 1, 1]);
});

describe('three 429 under one key, which a service may keep for the key', () => {
	/** A service that keeps a 429 for its key, as long as it is asked. */
	function keeping(settings: RunParts['settings']) {
		const all = setUp();
		const keys: unknown[] = [];
		const refused = new Set<unknown>();
		all.through(({ method, headers }) => {
			if (method !== 'POST') return undefined;
			const key = headers?.['Idempotency-Key'];
			if (refused.size === 0) refused.add(key);
			keys.push(key);
			return refused.has(key) ? answer(429, errorBody('Busy')) : undefined;
		});
		return { ...all, keys, run: async () => await all.make({ settings }) };
	}

	test('On Retries takes the next key', async () => {
		const { model, keys, run } = keeping({});
		expect(await run()).toMatchObject({ value: { id: 'gen_1' } });
		expect(keys).toHaveLength(4);
		expect(new Set(keys).size).toBe(2);
		expect(model.jobs).toHaveLength(1);
	});

	test.each([
		['Same Request', byContent],
		['Own Key', { idempotency: 'custom' as const, idempotencyKey: 'order 7' }],
	])('%s keeps the key, which other executions share', async (_, settings) => {
		const { model, keys, run } = keeping(settings);
		expect(await run()).toMatchObject({ ok: false });
		expect(keys.length).toBeGreaterThan(3);
		expect(new Set(keys).size).toBe(1);
		expect(model.jobs).toHaveLength(0);
	});

	test('so does a request that may have been carried out', async () => {
		const { model, make, through, posts } = setUp({ loses: ({ method }) => method === 'POST' });
		await make();
		model.settings.loses = () => false;
		let refusals = 5;
		through(({ method }) => {
			if (method !== 'POST') return undefined;
			refusals -= 1;
			return refusals >= 0 ? answer(429, errorBody('Busy')) : undefined;
		});
		expect(await make()).toMatchObject({ value: { id: 'gen_1' } });
		const keys = posts().map(({ request }) => request.headers?.['Idempotency-Key']);
		expect(new Set(keys).size).toBe(1);
		expect(model.jobs).toHaveLength(1);
	});
});

describe('with a key of the user', () => {
	const settings = { idempotency: 'custom' as const, idempotencyKey: 'order 7' };

	test('items of one node that ask for different things are refused, in rounds of a loop too', async () => {
		const { model, make } = setUp();
		await make({ settings, prompt: 'a cat' });
		const round = { memory: newMemory(), origin: { item: '1:0' }, settings };
		expect(await make({ ...round, prompt: 'a dog' })).toMatchObject({
			failure: { kind: 'input', problem: 'was used in this execution for another request' },
		});
		expect(await make({ ...round, prompt: 'a cat' })).toMatchObject({ value: { id: 'gen_1' } });
		expect(model.jobs).toHaveLength(1);
	});

	test('a changed request is refused once something was made under it', async () => {
		const { model, make } = setUp();
		await make({ settings, prompt: 'a cat' });
		expect(await make({ settings, prompt: 'a dog' })).toMatchObject({
			failure: { kind: 'input' },
			job: { id: 'gen_1' },
		});
		expect(model.jobs).toHaveLength(1);
	});
});

describe('files', () => {
	const body = { mode: 'image', input: { video: [new BinaryReference('clip')] } };
	const request: ApiRequest = { method: 'POST', path: '/generations', body };

	/** A service whose upload URLs may be refused, and that gives the same URL to the same key. */
	function uploading(creations: (body: unknown) => SendResult, refusedPuts = 0) {
		let puts = 0;
		const clock = new VirtualClock();
		const sent: ApiRequest[] = [];
		const urls = new Map<string | undefined, string>();
		const host = hostWith(
			async (asked) => {
				sent.push(asked);
				if (asked.path !== '/files') return creations(asked.body);
				const key = asked.headers?.['Idempotency-Key'];
				const url = urls.get(key) ?? `https://files.example/${urls.size + 1}`;
				urls.set(key, url);
				return answer(201, { upload_url: 'https://put.example/x?sig=1', upload_headers: {}, url });
			},
			{
				binary: async () => sourceWith(),
				put: async () => answer((puts += 1) > refusedPuts ? 200 : 403, ''),
			},
		);
		const workspace = workspaceWith(clock);
		const memory = newMemory();
		const make = async (more: Partial<RunParts> = {}) =>
			await clock.run(
				createJob(
					runOf({
						host,
						workspace,
						memory,
						request,
						...more,
						settings: { waitForCompletion: false, ...more.settings },
					}),
				),
			);
		const made = () =>
			sent.filter(({ method, path }) => method === 'POST' && path === '/generations');
		return { clock, make, made, sent };
	}

	test.each([
		['custom', 0],
		['content', 0],
		['content', 1],
	] as const)('are at the same URL in another execution: %s', async (idempotency, refusedPuts) => {
		const { make, made } = uploading(() => answer(202), refusedPuts);
		const settings = { idempotency, idempotencyKey: 'order 7' };
		for (const executionId of ['1', '2']) {
			const node = { runId: `run ${executionId}`, items: {} };
			await make({ settings, node, memory: newMemory(), origin: { executionId } });
		}
		expect(new Set(made().map((post) => JSON.stringify([post.body, post.headers]))).size).toBe(1);
	});

	test('by content belong to their request: its key and theirs end together', async () => {
		const { clock, make, made } = uploading(() => answer(202));
		const asking = async (prompt: string, executionId: string) =>
			await make({
				settings: { idempotency: 'content' },
				request: { ...request, body: { ...body, prompt } },
				memory: newMemory(),
				node: { runId: executionId, items: {} },
				origin: { executionId },
			});
		await asking('monday', '1');
		await clock.pass(23 * HOUR);
		await asking('tuesday', '2');
		const urls = made().map((post) => JSON.stringify(post.body).match(/example\/(\d)/)?.[1]);
		expect(new Set(urls).size).toBe(2);
	});

	test('are uploaded again a day later, and not before', async () => {
		const { clock, make, made, sent } = uploading(() => answer(403, errorBody('No')));
		for (const hours of [0, 23, 1]) {
			await clock.pass(hours * HOUR);
			await make();
		}
		expect(made()).toHaveLength(3);
		expect(sent.filter(({ path }) => path === '/files')).toHaveLength(2);
	});
});

test('Off: each try of the node is a new request, so a retry pays again for all items', async () => {
	const { model, clock, workspace, host } = setUp();
	const node = { runId: 'run', items: {} };
	const memories = [newMemory(), newMemory()];
	const attempt = async () => {
		const run = new Run(2, false);
		const items = memories.map(async (memory, itemIndex) => {
			const parts = { host, workspace, run, node, memory, itemIndex };
			return await createJob(runOf({ ...parts, settings: { idempotency: 'none' } }));
		});
		await clock.run(Promise.all(items));
	};
	await attempt();
	await attempt();
	expect(model.jobs).toHaveLength(4);
});

describe('what n8n keeps of an execution, and what the process knows', () => {
	/** A node in one process: executions whose requests it remembers, until the process is another one. */
	function setUpNode(service: Partial<ServiceSettings> = {}) {
		const { model, clock, workspace, host, through } = setUp(service);
		let openRequests = new OpenRequests();
		/** An execution with one item for each prompt; `memory` is what n8n has stored of an earlier one. */
		async function execute(
			executionId: string,
			mode: 'manual' | 'production' | 'retry',
			{ prompts = ['a cat'], memory = nodeMemory({}, executionId), hasFailed = false } = {},
		) {
			const stop = new AbortController();
			const run = new Run(prompts.length, false);
			const looksBack = mode !== 'production' && memory.startedIn === executionId;
			const origin = {
				executionId,
				mode: mode === 'retry' ? 'production' : mode,
				looksBack,
			} as const;
			const items = prompts.map(async (prompt, itemIndex) => {
				const known = itemMemory(memory, `0:${itemIndex}`);
				const parts = { host, workspace, run, openRequests, node: memory, memory: known };
				return await createJob(runOf({ ...parts, itemIndex, prompt, origin }));
			});
			await clock.run(Promise.all(items));
			run.endItem(hasFailed);
			run.noteDeliveries(openRequests, executionId, stop.signal);
			return { stored: JSON.parse(JSON.stringify(memory)) as NodeMemory, stop: () => stop.abort() };
		}
		return {
			model,
			execute,
			through,
			/** A restart, or another worker. */
			inOtherProcess() {
				openRequests = new OpenRequests();
			},
		};
	}

	test('a failed execution that is retried pays once on any worker: n8n has stored its memory', async () => {
		const { model, execute, inOtherProcess } = setUpNode();
		const { stored } = await execute('1', 'production', { hasFailed: true });
		inOtherProcess();
		await execute('2', 'retry', { memory: stored });
		expect(model.jobs).toHaveLength(1);
	});

	test.each([
		['by the process that ran it pays once', false, 1],
		['on another worker, or after a restart, pays again', true, 2],
	])('a stopped execution that is retried %s', async (_, isElsewhere, paid) => {
		const { model, execute, inOtherProcess } = setUpNode();
		(await execute('1', 'production')).stop();
		if (isElsewhere) inOtherProcess();
		await execute('2', 'retry');
		expect(model.jobs).toHaveLength(paid);
	});

	test.each([
		['pays once', false, 1],
		['pays again where another execution had come to the node before Stop', true, 3],
	])('stopped while a later node was at work, a retry %s', async (_, isBusy, paid) => {
		const { model, execute } = setUpNode();
		const { stop } = await execute('1', 'production');
		if (isBusy) await execute('2', 'production');
		stop();
		await execute('3', 'retry');
		expect(model.jobs).toHaveLength(paid);
	});

	test.each([
		['pays once while n8n runs', false, 1],
		['pays again after a restart of n8n', true, 2],
	])('in the editor, the next click after a failed execution %s', async (_, isElsewhere, paid) => {
		const { model, execute, inOtherProcess } = setUpNode();
		await execute('1', 'manual', { hasFailed: true });
		if (isElsewhere) inOtherProcess();
		await execute('2', 'manual');
		expect(model.jobs).toHaveLength(paid);
	});

	test('of two equal rows with lost answers, the one that is left may be the one without a job', async () => {
		const { model, execute, through } = setUpNode({ loses: ({ method }) => method === 'POST' });
		const carriedOut: unknown[] = [];
		// Only the request of the first row is carried out.
		through(({ method, headers }) => {
			const key = headers?.['Idempotency-Key'];
			if (method !== 'POST') return undefined;
			if (carriedOut.length === 0) carriedOut.push(key);
			return carriedOut.includes(key) ? undefined : LOST;
		});
		await execute('1', 'manual', { prompts: ['a cat', 'a cat'], hasFailed: true });
		model.settings.loses = () => false;
		through(() => undefined);
		await execute('2', 'manual', { prompts: ['a cat'] });
		expect(model.jobs).toHaveLength(2);
	});
});
