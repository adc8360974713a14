import { OpenRequests } from '../../src/run/openRequests';
import { Run } from '../../src/run/run';
import { BinaryReference } from '../../src/run/uploads';
import { createJob } from '../../src/run/creation';
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
import { hostWith, runOf, sourceWith, workspaceWith, type RunParts } from '../model/run';
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

describe.each([400, 401, 402, 403, 404, 422])('a %i in between', (status) => {
	test('does not erase a known job, which the error names', async () => {
		const { model, make, through, posts } = setUp({ jobMs: () => HOUR });
		const settings = { waitTimeoutMs: 60_000 };
		await make({ settings });
		through(() => answer(status, errorBody('No')));
		expect(await make({ settings })).toMatchObject({ ok: false, job: { id: 'gen_1' } });
		through(() => undefined);
		expect(await make({ settings: { waitTimeoutMs: 2 * HOUR } })).toMatchObject({
			value: { id: 'gen_1' },
		});
		expect(model.jobs).toHaveLength(1);
		expect(posts()).toHaveLength(1);
	});

	test('does not erase a request whose answers were all lost', async () => {
		const { model, make, memory, through } = setUp({ loses: ({ method }) => method === 'POST' });
		await make();
		through(({ method }) => (method === 'POST' ? answer(status, errorBody('No')) : undefined));
		expect(await make()).toMatchObject({ failure: { status } });
		expect(isOutcomeOpen(memory.state)).toBe(true);
		through(() => undefined);
		model.settings.loses = () => false;
		expect(await make()).toMatchObject({ value: { id: 'gen_1' } });
		expect(model.jobs).toHaveLength(1);
	});
});

describe.each([302, 409, 418, 501, 520, 524])('a %i, which proves nothing', (status) => {
	/** The request is carried out, whatever the answer says. */
	async function answeredSo() {
		const scenario = setUp();
		scenario.through((request) => {
			if (request.method !== 'POST') return undefined;
			void scenario.model.send(request);
			return answer(status, errorBody('Strange'));
		});
		expect(await scenario.make()).toMatchObject({ failure: { status } });
		expect(isOutcomeOpen(scenario.memory.state)).toBe(true);
		scenario.through(() => undefined);
		return scenario;
	}

	test('keeps the key, which gives the job that was made all the same', async () => {
		const { model, make } = await answeredSo();
		expect(await make()).toMatchObject({ value: { id: 'gen_1' } });
		expect(model.jobs).toHaveLength(1);
	});

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

test('a 409 to the next try of a lost creation is waited out: the service may still be at work on it', async () => {
	const { model, make, through, posts } = setUp();
	let tries = 0;
	through((request) => {
		if (request.method !== 'POST') return undefined;
		tries += 1;
		if (tries <= 7) return LOST;
		return tries <= 9 ? answer(409, errorBody('Still at work')) : undefined;
	});
	expect(await make()).toMatchObject({ failure: { kind: 'noResponse' } });
	expect(await make()).toMatchObject({ value: { id: 'gen_1' } });
	expect(posts()).toHaveLength(1);
	expect(model.jobs).toHaveLength(1);
});

describe.each([401, 403, 404])('a %i that is not of the service', (status) => {
	const PAGE = '<html><h1>Forbidden</h1></html>';

	test('keeps the key: a gateway may have let the request through before it', async () => {
		const { model, make, memory, through } = setUp();
		through((request) => {
			if (request.method !== 'POST') return undefined;
			void model.send(request);
			return answer(status, PAGE);
		});
		expect(await make()).toMatchObject({ failure: { status } });
		expect(isOutcomeOpen(memory.state)).toBe(true);
		through(() => undefined);
		expect(await make()).toMatchObject({ value: { id: 'gen_1' } });
		expect(model.jobs).toHaveLength(1);
	});

	test('differs from one of the service, which shows that nothing was done', async () => {
		const { make, memory, through } = setUp();
		through(() => answer(status));
		expect(await make()).toMatchObject({ failure: { status } });
		expect(isOutcomeOpen(memory.state)).toBe(false);
	});
});

describe('a request that reads differently each time', () => {
	const source = 'a cat at {{ $now }}';

	test('is sent again as it was after an unknown outcome', async () => {
		const { model, make, posts } = setUp({ loses: ({ method }) => method === 'POST' });
		await make({ inputFingerprint: source, prompt: 'a cat at 10:00' });
		model.settings.loses = () => false;
		expect(await make({ inputFingerprint: source, prompt: 'a cat at 10:01' })).toMatchObject({
			value: { id: 'gen_1' },
		});
		const bodies = posts().map(({ request }) => JSON.stringify([request.body, request.headers]));
		expect(new Set(bodies).size).toBe(1);
	});

	test('is read in a retried execution', async () => {
		const { model, make } = setUp();
		await make({ inputFingerprint: source, prompt: 'a cat at 10:00' });
		const retried = {
			inputFingerprint: source,
			prompt: 'a cat at 10:01',
			origin: { executionId: 'execution 2' },
		};
		expect(await make(retried)).toMatchObject({ value: { id: 'gen_1' } });
		expect(model.jobs).toHaveLength(1);
	});
});

test.each([409, 425])(
	'a %i as the first answer is waited out under its key: the service may be at work on it',
	async (status) => {
		const { model, make, through, posts } = setUp();
		let tries = 0;
		through((request) => {
			if (request.method !== 'POST') return undefined;
			tries += 1;
			return tries <= 3 ? answer(status, errorBody('Still at work')) : undefined;
		});
		expect(await make()).toMatchObject({ value: { id: 'gen_1' } });
		expect([tries, posts().length, model.jobs.length]).toEqual([4, 1, 1]);
	},
);

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

describe('a request that was taken over', () => {
	const manual = { mode: 'manual', looksBack: true } as const;

	test.each([400, 401, 402, 403, 404, 422])(
		'is not freed by a %i: the former execution may have a job',
		async (status) => {
			const { model, make, through } = setUp({ loses: ({ method }) => method === 'POST' });
			const openRequests = new OpenRequests();
			const click = async (executionId: string) =>
				await make({
					openRequests,
					memory: newMemory(),
					node: { runId: executionId, items: {} },
					run: new Run(1, false),
					origin: { ...manual, executionId },
				});
			expect(await click('1')).toMatchObject({ failure: { kind: 'noResponse' } });
			model.settings.loses = () => false;
			through(({ method }) => (method === 'POST' ? answer(status, errorBody('No')) : undefined));
			expect(await click('2')).toMatchObject({ failure: { status } });
			through(() => undefined);
			expect(await click('3')).toMatchObject({ value: { id: 'gen_1' } });
			expect(model.jobs).toHaveLength(1);
		},
	);
});

describe('by content', () => {
	const other = (more: Partial<RunParts> = {}): Partial<RunParts> => ({
		settings: byContent,
		memory: newMemory(),
		node: { runId: 'other', items: {} },
		run: new Run(1, false),
		...more,
	});

	test.each([401, 402, 403])(
		'a %i in one execution does not make the next one pay again',
		async (status) => {
			const { model, make, through, posts } = setUp();
			await make(other());
			through(() => answer(status, errorBody('No')));
			expect(await make(other({ origin: { executionId: '2' } }))).toMatchObject({ ok: false });
			through(() => undefined);
			expect(await make(other({ origin: { executionId: '3' } }))).toMatchObject({
				value: { id: 'gen_1' },
			});
			expect(model.jobs).toHaveLength(1);
			expect(new Set(posts().map(({ request }) => request.headers?.['Idempotency-Key'])).size).toBe(
				1,
			);
		},
	);

	test('identical items get one job', async () => {
		const { clock, model, workspace, host, posts } = setUp({ jobMs: () => 60_000 });
		const run = new Run(7, false);
		const node = { runId: 'run', items: {} };
		const items = Array.from({ length: 7 }, async (_, itemIndex) => {
			const item = runOf({ host, workspace, run, node, itemIndex, settings: byContent });
			return await createJob(item);
		});
		const results = await clock.run(Promise.all(items));
		expect(results.map((result) => result.ok && result.value.id)).toEqual(Array(7).fill('gen_1'));
		expect(new Set(posts().map(({ request }) => request.headers?.['Idempotency-Key'])).size).toBe(
			1,
		);
		expect(model.jobs).toHaveLength(1);
	});

	test('a service that repeats a 402 for its key gets the key of the execution', async () => {
		const refused = new Set<unknown>();
		const { model, make, through } = setUp();
		let credits = false;
		through(({ method, headers }) => {
			const key = headers?.['Idempotency-Key'];
			if (method !== 'POST') return undefined;
			if (!credits) refused.add(key);
			return refused.has(key) ? answer(402, errorBody('Not enough credits')) : undefined;
		});
		expect(await make(other())).toMatchObject({ failure: { status: 402 } });
		expect(refused.size).toBe(2);
		credits = true;
		expect(await make(other({ node: { runId: 'next', items: {} } }))).toMatchObject({
			value: { id: 'gen_1' },
		});
		expect(model.jobs).toHaveLength(1);
	});

	describe('a top-up between the first key and the next, at a service that keeps no refusal', () => {
		/** Two requests are refused with 402; then there are credits. */
		function setUpTopUp(loses: (posts: number) => boolean) {
			const scenario = setUp({ loses: ({ method }) => method === 'POST' && loses(posts) });
			let posts = 0;
			scenario.through(({ method }) => {
				if (method !== 'POST') return undefined;
				posts += 1;
				return posts <= 2 ? answer(402, errorBody('Not enough credits')) : undefined;
			});
			return scenario;
		}

		describe.each([
			['', () => false],
			[', when its answer is lost', (posts: number) => posts === 3],
		])('is paid for once%s', (_when, loses) => {
			test.each(['retried', 'new'])('by the next %s execution', async (kind) => {
				const { model, make } = setUpTopUp(loses);
				const memory = newMemory();
				for (let time = 0; time < 2; time += 1) await make(other({ memory }));
				expect(model.jobs).toHaveLength(1);
				const next = other(kind === 'new' ? { origin: { executionId: '2' } } : { memory });
				expect(await make(next)).toMatchObject({ value: { id: 'gen_1' } });
				expect(model.jobs).toHaveLength(1);
			});
		});
	});

	test('a request that was refused with 429 goes where another execution has made its job meanwhile', async () => {
		const { model, make, through } = setUp();
		const memory = newMemory();
		through(({ method }) => (method === 'POST' ? answer(429) : undefined));
		expect(await make(other({ memory }))).toMatchObject({ failure: { kind: 'noSlot' } });
		let refusals = 2;
		through(({ method }) => {
			if (method !== 'POST') return undefined;
			refusals -= 1;
			return refusals >= 0 ? answer(402, errorBody('Not enough credits')) : undefined;
		});
		const waiting = newMemory();
		await make(other({ memory: waiting }));
		expect(await make(other({ memory: waiting }))).toMatchObject({ value: { id: 'gen_1' } });
		expect(await make(other({ memory }))).toMatchObject({ value: { id: 'gen_1' } });
		expect(model.jobs).toHaveLength(1);
	});

	test('a key under which there may be a job is not gone past for a 402', async () => {
		const { model, make, through } = setUp({ loses: ({ method }) => method === 'POST' });
		await make(other());
		model.settings.loses = () => false;
		expect(model.jobs).toHaveLength(1);
		// Such as a service that looks at the balance before it looks at the key.
		through(({ method }) =>
			method === 'POST' ? answer(402, errorBody('Not enough credits')) : undefined,
		);
		for (const executionId of ['2', '3']) await make(other({ origin: { executionId } }));
		through(() => undefined);
		expect(await make(other({ origin: { executionId: '4' } }))).toMatchObject({
			value: { id: 'gen_1' },
		});
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

	test('a changed request with a key of its own is made', async () => {
		const { model, make } = setUp();
		await make({ settings, prompt: 'a cat' });
		const changed = { settings: { ...settings, idempotencyKey: 'order 8' }, prompt: 'a dog' };
		expect(await make(changed)).toMatchObject({ value: { id: 'gen_2', prompt: 'a dog' } });
		expect(model.jobs).toHaveLength(2);
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
	function uploading(creations: (body: unknown) => SendResult) {
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
			{ binary: async () => sourceWith(), put: async () => answer(200, '') },
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

	test.each(['custom', 'content'] as const)(
		'are at the same URL in another execution: %s',
		async (idempotency) => {
			const { make, made } = uploading(() => answer(202));
			const settings = { idempotency, idempotencyKey: 'order 7' };
			for (const executionId of ['1', '2']) {
				const node = { runId: `run ${executionId}`, items: {} };
				await make({
					settings,
					node,
					memory: newMemory(),
					origin: { executionId },
				});
			}
			expect(new Set(made().map((post) => JSON.stringify([post.body, post.headers]))).size).toBe(1);
		},
	);

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

	test('of a first upload are not sent again for a 400', async () => {
		const { make, made, sent } = uploading(() => answer(400, errorBody('bad prompt')));
		expect((await make()).ok).toBe(false);
		expect(made()).toHaveLength(1);
		expect(sent).toHaveLength(2);
	});

	test('of a request of unknown outcome stay where they were', async () => {
		let answers = (): SendResult => LOST;
		const { make, made, sent } = uploading(() => answers());
		await make();
		answers = () => answer(202);
		expect((await make()).ok).toBe(true);
		expect(new Set(made().map((post) => JSON.stringify([post.body, post.headers]))).size).toBe(1);
		expect(sent.filter(({ path }) => path === '/files')).toHaveLength(1);
	});
});

test('a 402 in the middle of a run: nothing further is sent after it', async () => {
	const { clock, model, workspace, host } = setUp({ credits: 5, jobMs: () => 30_000 });
	const run = new Run(30, false);
	const items = Array.from({ length: 30 }, async (_, itemIndex) => {
		const item = runOf({ host, workspace, run, itemIndex, prompt: `item ${itemIndex}` });
		return await createJob(item);
	});
	const results = await clock.run(Promise.all(items));
	expect(model.jobs).toHaveLength(5);
	// As many as were in flight when the first one was answered.
	const refused = model.count(402);
	expect(refused).toBeGreaterThan(0);
	expect(refused).toBeLessThanOrEqual(5);
	expect(results.filter((result) => !result.ok && result.failure.kind === 'skipped')).toHaveLength(
		25 - refused,
	);
	expect(run.submitted).toBe(5);
});

test('when credits are back all waiting items continue at once, not every 20 seconds', async () => {
	const { clock, model, workspace, host } = setUp({ credits: 0, jobMs: () => 1_000 });
	const settings = { onInsufficientCredits: 'wait' as const };
	const run = new Run(5, false);
	const started = clock.now();
	const items = Array.from({ length: 5 }, async (_, itemIndex) => {
		const item = runOf({
			host,
			workspace,
			run,
			itemIndex,
			settings,
			prompt: `item ${itemIndex}`,
		});
		return await createJob(item);
	});
	clock.after(50_000, () => {
		model.settings.credits = 10;
	});
	const results = await clock.run(Promise.all(items));
	expect(results.every(({ ok }) => ok)).toBe(true);
	expect(clock.now() - started).toBeLessThan(75_000);
});

describe('what has done nothing leaves nothing open, however often it was tried', () => {
	const UNREACHABLE: SendResult = { noResponse: 'ECONNREFUSED', unsent: 'connection' };

	test.each<[name: string, response: SendResult]>([
		['no connection', UNREACHABLE],
		['a 429', answer(429, errorBody('Slow down'))],
	])('%s', async (_, response) => {
		const { make, memory, through, posts } = setUp();
		through(({ method }) => (method === 'POST' ? response : undefined));
		const made = await make({ settings: { waitTimeoutMs: 60_000 } });
		expect(made.ok).toBe(false);
		expect(isOutcomeOpen(memory.state)).toBe(false);
		expect(posts()).toHaveLength(0);
	});

	test('and a refusal after it takes the next key', async () => {
		const { make, memory, through } = setUp();
		const answers = [UNREACHABLE, answer(402, errorBody('No credits'))];
		through(({ method }) => (method === 'POST' ? answers.shift() : undefined));
		await make();
		expect(memory.state).toEqual({ is: 'new', nextKey: 1 });
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
