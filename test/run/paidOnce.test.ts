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
import type { ServiceSettings } from '../model/modelService';
import {
	createJob,
	hostWith,
	oneItem,
	runOf,
	sourceWith,
	workspaceWith,
	type RunParts,
} from '../model/run';
import { VirtualClock } from '../model/virtualClock';

const HOUR = 3_600_000;

test('a run of the node again, in this execution or a retried one, gets the same job', async () => {
	const { model, keys, make } = oneItem();
	for (const executionId of ['execution 1', 'execution 1', 'execution 2'])
		expect(await make({ origin: { executionId } })).toMatchObject({
			value: { id: 'gen_1', status: 'completed' },
		});
	expect(model.jobs).toHaveLength(1);
	expect(keys()).toHaveLength(1);
});

test('lost answers are repeated under the same key, several times and by the next try of the node', async () => {
	let losses = 10;
	const { model, keys, make } = oneItem({
		loses: ({ method }) => method === 'POST' && losses-- > 0,
	});
	expect(await make()).toMatchObject({ failure: { kind: 'noResponse', attempts: 7 } });
	expect((await make()).ok).toBe(true);
	expect(model.jobs).toHaveLength(1);
	expect([keys().length, new Set(keys()).size]).toEqual([11, 1]);
});

test('a request that was changed before Retry Execution is another one', async () => {
	const { keys, make } = oneItem();
	await make({ prompt: 'a cat' });
	const changed = await make({ prompt: 'a dog', origin: { executionId: 'execution 2' } });
	expect(changed).toMatchObject({ value: { id: 'gen_2', prompt: 'a dog' } });
	expect(new Set(keys()).size).toBe(2);
});

test('a request that reads differently each time is read in a retried execution', async () => {
	const { model, make } = oneItem();
	const inputFingerprint = 'a cat at {{ $now }}';
	await make({ inputFingerprint, prompt: 'a cat at 10:00' });
	const origin = { executionId: 'execution 2' };
	const retried = await make({ inputFingerprint, prompt: 'a cat at 10:01', origin });
	expect(retried).toMatchObject({ value: { id: 'gen_1' } });
	expect(model.jobs).toHaveLength(1);
});

test('past the 24 hours of a key its job is read instead of asked for', async () => {
	const { clock, keys, make } = oneItem();
	await make();
	await clock.pass(24 * HOUR);
	expect(await make()).toMatchObject({ value: { id: 'gen_1' } });
	expect(keys()).toHaveLength(1);
});

test('Off: without a key nothing is sent again in a try, and each try of the node pays again', async () => {
	const { model, keys, make } = oneItem({ loses: ({ method }) => method === 'POST' });
	const settings = { idempotency: 'none' as const };
	expect(await make({ settings })).toMatchObject({ failure: { kind: 'noResponse', attempts: 1 } });
	model.settings.loses = () => false;
	for (let time = 0; time < 2; time += 1) expect((await make({ settings })).ok).toBe(true);
	expect(keys()).toEqual([undefined, undefined, undefined]);
	expect(model.jobs).toHaveLength(3);
});

test.each([401, 403, 404])(
	'a %i in between does not erase a known job, which the error names',
	async (status) => {
		const { make, through, keys } = oneItem({ jobMs: () => 300_000 });
		const settings = { waitTimeoutMs: 60_000 };
		await make({ settings });
		through(() => answer(status, errorBody('No')));
		expect(await make({ settings })).toMatchObject({ ok: false, job: { id: 'gen_1' } });
		through(() => undefined);
		expect(await make()).toMatchObject({ value: { id: 'gen_1' } });
		expect(keys()).toHaveLength(1);
	},
);

describe.each([
	[200, 'a page of a proxy'],
	[302, errorBody('Strange')],
	[403, '<html>'],
])('a %i (%j), which proves nothing', (status, body) => {
	/** The request is carried out, whatever the answer says. */
	async function answeredSo() {
		const item = oneItem();
		item.through((request) => {
			if (request.method !== 'POST') return undefined;
			void item.model.send(request);
			return answer(status, body);
		});
		expect(await item.make()).toMatchObject({ failure: { status } });
		expect(isOutcomeOpen(item.memory.state)).toBe(true);
		item.through(() => undefined);
		return item;
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

test('a 422 says nothing of what was done: the same request keeps its key', async () => {
	const { model, make, through, keys } = oneItem();
	through(({ method }) => (method === 'POST' ? answer(422, errorBody('No')) : undefined));
	expect(await make()).toMatchObject({ failure: { status: 422 } });
	through(() => undefined);
	expect(await make()).toMatchObject({ value: { id: 'gen_1' } });
	expect([keys().length, new Set(keys()).size, model.jobs.length]).toEqual([2, 1, 1]);
});

test.each<[name: string, settings: RunParts['settings'], tried: number, paid: number]>([
	['On Retries takes the next key', {}, 2, 1],
	['Same Request keeps the key, which other executions share', { idempotency: 'content' }, 1, 0],
	['so does Own Key', { idempotency: 'custom', idempotencyKey: 'order 7' }, 1, 0],
])(
	'after three 429, which a service may keep for the key, %s',
	async (_, settings, tried, paid) => {
		const { model, make, through, keys } = oneItem();
		through(({ method, headers }) => {
			const isFirstKey = headers?.['Idempotency-Key'] === keys()[0];
			return method === 'POST' && isFirstKey ? answer(429, errorBody('Busy')) : undefined;
		});
		expect((await make({ settings })).ok).toBe(paid > 0);
		expect(keys().length).toBeGreaterThan(3);
		expect([new Set(keys()).size, model.jobs.length]).toEqual([tried, paid]);
	},
);

describe('with a key of the user', () => {
	const settings = { idempotency: 'custom' as const, idempotencyKey: 'order 7' };

	test('items of one node that ask for different things are refused, in rounds of a loop too', async () => {
		const { model, make } = oneItem();
		await make({ settings, prompt: 'a cat' });
		const round = { memory: newMemory(), origin: { item: '1:0' }, settings };
		expect(await make({ ...round, prompt: 'a dog' })).toMatchObject({
			failure: { kind: 'input', problem: 'was used in this execution for another request' },
		});
		expect(await make({ ...round, prompt: 'a cat' })).toMatchObject({ value: { id: 'gen_1' } });
		expect(model.jobs).toHaveLength(1);
	});

	test('a changed request is refused once something was made under it', async () => {
		const { model, make } = oneItem();
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

	/** A service whose upload URLs may be refused, and that gives the same URL to the same key. */
	function uploading(created: SendResult = answer(202), refusedPuts = 0) {
		let puts = 0;
		const clock = new VirtualClock();
		const made: ApiRequest[] = [];
		const urls = new Map<string | undefined, string>();
		const uploads: string[] = [];
		const host = hostWith(
			async (asked) => {
				if (asked.path !== '/files') {
					if (asked.method === 'POST') made.push(asked);
					return created;
				}
				const key = asked.headers?.['Idempotency-Key'];
				const url = urls.get(key) ?? `https://files.example/${urls.size + 1}`;
				urls.set(key, url);
				uploads.push(url);
				return answer(201, { upload_url: 'https://put.example/x?sig=1', upload_headers: {}, url });
			},
			{
				binary: async () => sourceWith(),
				put: async () => answer((puts += 1) > refusedPuts ? 200 : 403, ''),
			},
		);
		const workspace = workspaceWith(clock);
		/** An execution that asks for a prompt with the file. */
		const make = async (
			executionId: string,
			settings: RunParts['settings'],
			{ prompt = 'a cat', memory = newMemory() } = {},
		) => {
			const request = { method: 'POST', path: '/generations', body: { ...body, prompt } } as const;
			const parts = { host, workspace, request, memory, node: nodeMemory({}, executionId) };
			const given = {
				settings: { waitForCompletion: false, ...settings },
				origin: { executionId },
			};
			await clock.run(createJob(runOf({ ...parts, ...given })));
		};
		return { clock, make, made, uploads };
	}

	test.each([
		['custom', 0],
		['content', 0],
		['content', 1],
	] as const)('are at the same URL in another execution: %s', async (idempotency, refusedPuts) => {
		const { make, made } = uploading(answer(202), refusedPuts);
		for (const execution of ['1', '2'])
			await make(execution, { idempotency, idempotencyKey: 'order 7' });
		expect(new Set(made.map((post) => JSON.stringify([post.body, post.headers]))).size).toBe(1);
	});

	test('by content belong to their request: its key and theirs end together', async () => {
		const { make, uploads } = uploading();
		for (const prompt of ['monday', 'tuesday'])
			await make(prompt, { idempotency: 'content' }, { prompt });
		expect(new Set(uploads).size).toBe(2);
	});

	test('are uploaded again a day later, and not before', async () => {
		const { clock, make, made, uploads } = uploading(answer(403, errorBody('No')));
		const memory = newMemory();
		for (const hours of [0, 23, 1]) {
			await clock.pass(hours * HOUR);
			await make('1', {}, { memory });
		}
		expect([made.length, uploads.length]).toEqual([3, 2]);
	});
});

describe('what n8n keeps of an execution, and what the process knows', () => {
	/** A node in one process: executions whose requests it remembers, until the process is another one. */
	function setUpNode(service: Partial<ServiceSettings> = {}) {
		const { model, clock, workspace, host, through } = oneItem(service);
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
		['pays once', undefined, undefined, 1],
		['pays once, also where one in the editor had come to the node', 'manual', undefined, 2],
		['pays once, also where one has come to the node since', undefined, 'production', 2],
		['pays again where another one had come to the node before Stop', 'production', undefined, 3],
	] as const)(
		'stopped while a later node was at work, a retry %s',
		async (_, before, since, paid) => {
			const { model, execute } = setUpNode();
			const { stop } = await execute('1', 'production');
			if (before) await execute('2', before);
			stop();
			if (since) await execute('3', since);
			await execute('4', 'retry');
			expect(model.jobs).toHaveLength(paid);
		},
	);

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
