import type { IDataObject } from 'n8n-workflow';
import { MediaGen } from '../../../nodes/MediaGen/MediaGen.node';
import { MediaGenAgentRun } from '../../../nodes/AgentRun/MediaGenAgentRun.node';
import type { ApiRequest, SendResult } from '../../../src/base/types';
import { LedgerService } from '../../model/ledgerService';
import { answer, errorBody, LOST } from '../../model/answers';
import { byId, clock, ended, setUp } from '../../support/serviceRun';

jest.mock('../../../src/base/clock', () => jest.requireActual('../../support/virtualTime'));

/*
 * Who asks again for what was paid for and not delivered gets that; a new order pays. What `paidOnce.test.ts`
 * says of executions, this says of rounds, keys and answers.
 */

const image = { model: byId('m'), prompt: 'a cat', downloadOutputs: false };

const keysOf = (requests: Array<{ headers?: Record<string, string> }>) =>
	new Set(requests.map(({ headers }) => headers?.['Idempotency-Key']));

describe.each(['trigger', 'manual'] as const)(
	'a loop that a user has built, started by: %s',
	(mode) => {
		/** Runs of the node in one execution. */
		const loop = (t: ReturnType<typeof setUp>, nodeMemory: IDataObject = {}) => {
			let runIndex = -1;
			return async (changed: Record<string, unknown> = {}) => {
				runIndex += 1;
				const run = {
					nodeMemory,
					runIndex,
					mode,
					continueOnFail: true,
					workflowId: `loop ${mode}`,
				};
				return (await ended(t.run(run, changed))).items;
			};
		};

		test('a row that failed and comes back in another round goes on with its job', async () => {
			const t = setUp({ given: image, service: { jobMs: () => 600_000 } });
			const round = loop(t);
			const [late] = await round({ options: { waitTimeout: 1 } });
			expect(late?.json.error).toMatch(/^Not finished after 1 minute \(job gen_1\)/);
			await round({ options: { waitTimeout: 1 } });
			const [made] = await round();
			expect(made?.json).toMatchObject({ id: 'gen_1', status: 'completed' });
			expect(t.model.jobs).toHaveLength(1);
		});

		test('also one whose answer was lost, and only one of two that ask for it', async () => {
			let isAway = true;
			const t = setUp({
				json: [{}, {}],
				own: (item) => ({ prompt: item === 0 ? 'a cat' : 'a dog' }),
				given: image,
				answers: async (request) => {
					if (!isAway || request.method !== 'POST') return undefined;
					await t.model.send(request);
					return LOST;
				},
			});
			const round = loop(t);
			await round({ options: { waitTimeout: 1 } });
			isAway = false;
			const made = await round({ prompt: 'a cat' });
			expect(new Set(made.map(({ json }) => json.id)).size).toBe(2);
			// The second of the equal ones is new; the dog of the first round nobody has asked for again.
			expect(t.model.jobs).toHaveLength(3);
		});

		test('one that has ended well is another order', async () => {
			const t = setUp({ given: image });
			const round = loop(t);
			const ids = [await round(), await round()].map(([row]) => row?.json.id);
			expect(ids).toEqual(['gen_1', 'gen_2']);
		});
	},
);

test('a second retry of a stopped execution finds what the first one has made', async () => {
	const t = setUp({
		json: [{}, {}],
		own: (item) => ({ prompt: item === 0 ? 'a cat' : 'a dog' }),
		given: image,
		workflowId: 'stopped before the dog',
		credential: { concurrentJobs: 1 },
	});
	const stop = new AbortController();
	clock.after(5_000, () => stop.abort());
	await ended(t.run({ nodeMemory: {}, executionId: 'e1', signal: stop.signal }));
	expect(t.model.jobs).toHaveLength(1);
	for (const executionId of ['e2', 'e3'])
		expect(await t.run({ nodeMemory: {}, executionId, mode: 'retry' })).toHaveLength(2);
	expect(t.model.jobs).toHaveLength(2);
});

test('a second retry of a stopped execution makes anew what has failed in the first one', async () => {
	let fails = true;
	const t = setUp({
		json: [{}, {}],
		own: (item) => ({ prompt: item === 0 ? 'a cat' : 'a dog' }),
		given: image,
		workflowId: 'stopped before the dog that fails',
		credential: { concurrentJobs: 1 },
		service: {
			ending: (prompt) => ({ status: fails && prompt === 'a dog' ? 'failed' : 'completed' }),
		},
	});
	const stop = new AbortController();
	clock.after(5_000, () => stop.abort());
	await ended(t.run({ nodeMemory: {}, executionId: 'e1', signal: stop.signal }));
	const retry = async (executionId: string) =>
		await ended(t.run({ nodeMemory: {}, executionId, mode: 'retry' }));
	expect((await retry('e2')).error?.message).toMatch(/failed/);
	fails = false;
	expect((await retry('e3')).items).toHaveLength(2);
	expect(t.model.jobs).toHaveLength(3);
});

test('two retries at the same time of an execution that ended before the node pay once', async () => {
	const t = setUp({ json: [{}, {}], given: image, workflowId: 'ended before the node' });
	const retry = async (executionId: string) =>
		await t.run({ nodeMemory: {}, executionId, mode: 'retry' });
	const retries = await Promise.all(['e2', 'e3'].map(retry));
	for (const rows of retries) expect(new Set(rows.map(({ json }) => json.id)).size).toBe(2);
	expect(t.model.jobs).toHaveLength(2);
});

test('two retries of a stopped execution at the same time pay once for what neither had sent', async () => {
	const t = setUp({
		json: [{}, {}, {}],
		own: (item) => ({ prompt: item === 0 ? 'a cat' : 'a dog' }),
		given: image,
		workflowId: 'stopped before the dogs',
		credential: { concurrentJobs: 1 },
	});
	const stop = new AbortController();
	clock.after(5_000, () => stop.abort());
	await ended(t.run({ nodeMemory: {}, executionId: 'e1', signal: stop.signal }));
	expect(t.model.jobs).toHaveLength(1);
	const retry = async (executionId: string) =>
		await t.run({ nodeMemory: {}, executionId, mode: 'retry' });
	const retries = await Promise.all(['e2', 'e3'].map(retry));
	for (const rows of retries) expect(new Set(rows.map(({ json }) => json.id)).size).toBe(3);
	expect(t.model.jobs).toHaveLength(3);
});

describe('the body is a function of what the key is made of', () => {
	const catalogue = (...ids: string[]) => {
		const data = ids.map((id) => ({ id, object: 'model' }));
		return answer(200, { object: 'list', data, has_more: false });
	};

	test('with Same Request another first model is another request, which others share', async () => {
		let first = 'studio/one';
		const t = setUp({
			given: { ...image, model: undefined, options: { idempotency: 'content' } },
			answers: ({ path }) => (path === '/models' ? catalogue(first, 'studio/three') : undefined),
		});
		const once = async (executionId: string) =>
			(await t.run({ nodeMemory: {}, executionId }))[0]?.json.id;
		expect(await once('e1')).toBe('gen_1');
		first = 'studio/two';
		expect(await once('e2')).toBe('gen_2');
		expect(await once('e3')).toBe('gen_2');
		first = 'studio/one';
		expect(await once('e4')).toBe('gen_1');
	});

	test('with an Own Key a model has to be chosen', async () => {
		const options = { idempotency: 'custom', idempotencyKey: 'order 7' };
		const t = setUp({ given: { ...image, model: undefined, options } });
		await expect(t.run()).rejects.toThrow(/^Model is not chosen, which an Own Key needs/);
		expect(t.posts()).toEqual([]);
	});

	test('what Max Credits leaves to an auto-approved run is part of its key', async () => {
		const t = setUp({
			node: new MediaGenAgentRun(),
			given: { operation: 'create', brief: 'a spot', autoApprove: true, waitForCompletion: false },
			answers: () => answer(202, { id: 'run_1', object: 'agent_run', status: 'queued', plan: {} }),
		});
		for (const [index, maxCredits] of [50, 60].entries()) {
			const options = { maxCredits, idempotency: 'content' };
			await t.run({ nodeMemory: {}, executionId: `e${index}` }, { options });
		}
		const budgets = t.posts().map(({ body }) => (body as { max_credits: number }).max_credits);
		expect(budgets).toEqual([49, 59]);
		expect(keysOf(t.posts()).size).toBe(2);
	});
});

test.each([
	['manual', 1],
	['trigger', 2],
] as const)(
	'Same in the Editor: the same media in the editor, another order in production (%s)',
	async (mode, jobs) => {
		const t = setUp({ given: { ...image, options: { idempotency: 'editor' } } });
		for (const executionId of ['e1', 'e2']) await t.run({ nodeMemory: {}, executionId, mode });
		expect(t.model.jobs).toHaveLength(jobs);
	},
);

describe('an answer is about this request, or an error', () => {
	const picture = {
		id: 'gen_1',
		object: 'generation',
		mode: 'image',
		model: 'm',
		status: 'queued',
	};

	test('one Own Key in an image and a video node: no picture comes out of the video node', async () => {
		const options = { idempotency: 'custom', idempotencyKey: 'order 7' };
		const given = { ...image, operation: 'generateVideo', options };
		const t = setUp({ given, answers: () => answer(202, picture) });
		const { error } = await ended(t.run());
		expect(error?.message).toMatch(/^Own Key belongs to another request, whose job is gen_1/);
	});

	test.each([
		['another kind of media', { ...picture, mode: 'audio' }],
		['another kind of resource', { ...picture, object: 'speech_generation' }],
	])('%s', async (_, body) => {
		const t = setUp({ given: image, answers: () => answer(202, body) });
		const { error } = await ended(t.run());
		expect(error?.message).toMatch(/^The answer of the service cannot be used/);
		expect(error?.description).toMatch(/gen_1, which is another/);
	});

	test('another run than the one that is reviewed', async () => {
		const t = setUp({
			node: new MediaGenAgentRun(),
			given: { operation: 'review', agentRunId: byId('run_1'), decision: 'assemble' },
			answers: () =>
				answer(200, { id: 'run_2', object: 'agent_run', status: 'completed', plan: {} }),
		});
		const { error } = await ended(t.run());
		expect(error?.description).toMatch(/run_2, which is another resource/);
	});
});

describe('Same Request, at a service that says when a job was made', () => {
	/** @param isInAnswer whether the answer to a creation says it too */
	const setUpLedger = (isInAnswer = true) => {
		const habits = {
			caches402: false,
			balanceFirst: false,
			comparesBody: true,
			showsNow: false,
			saysWhen: true,
		};
		const ledger = new LedgerService(clock, habits, () => {});
		const given = { ...image, options: { idempotency: 'content' } };
		const send = async (request: ApiRequest): Promise<SendResult> => {
			const given = await ledger.send(request);
			if (isInAnswer || request.method !== 'POST' || !('body' in given)) return given;
			return { ...given, body: { ...(given.body as object), created_at: undefined } };
		};
		const t = setUp({ given, answers: send });
		let executions = 0;
		const once = async () => {
			executions += 1;
			const executionId = `e${executions}`;
			const run = await ended(t.run({ nodeMemory: {}, executionId }));
			await clock.pass(60_000);
			return run.items[0]?.json.id ?? run.error?.message;
		};
		const jobs = (fails: boolean, takes: number) => {
			ledger.next = () => ({ fails, takes });
		};
		return { ledger, once, jobs };
	};

	test.each([true, false])(
		'a job of its own that fails at once ends the item',
		async (isInAnswer) => {
			const { ledger, once, jobs } = setUpLedger(isInAnswer);
			jobs(true, 0);
			expect(await once()).toMatch(/^The job failed/);
			expect(ledger.charges).toHaveLength(1);
		},
	);

	test('earlier failures lead to the next key, however many there were, and all share what comes of it', async () => {
		const { ledger, once, jobs } = setUpLedger();
		jobs(true, 10_000);
		for (let time = 1; time <= 7; time += 1) {
			expect(await once()).toMatch(/^The job failed/);
			expect(ledger.charges).toHaveLength(time);
		}
		jobs(false, 10_000);
		for (let time = 0; time < 4; time += 1) expect(await once()).toBe('gen_8');
		expect(ledger.charges).toHaveLength(8);
	});
});

test('a job that cannot be read once, when it is looked at, halts no other item', async () => {
	let isRefused = false;
	const t = setUp({
		json: [{}, {}, {}],
		own: (item) => ({ prompt: `no. ${item}` }),
		given: { ...image, options: { idempotency: 'content' } },
		credential: { concurrentJobs: 1 },
		answers({ method, path }) {
			if (isRefused || method !== 'GET' || path !== '/generations/gen_1') return undefined;
			isRefused = true;
			return answer(401, errorBody('Not now'));
		},
	});
	expect(await t.run()).toHaveLength(3);
	expect(isRefused).toBe(true);
});

test('with an Own Key no job is read that nothing needs', async () => {
	const options = { idempotency: 'custom', idempotencyKey: 'order 7' };
	const reads: string[] = [];
	const t = setUp({
		node: new MediaGen(),
		// It says of a job that it is new.
		service: { saysWhen: true },
		given: { ...image, waitForCompletion: false, options },
		answers({ method, path }) {
			if (method === 'GET') reads.push(path);
			return undefined;
		},
	});
	await t.run();
	expect(reads).toEqual([]);
});
