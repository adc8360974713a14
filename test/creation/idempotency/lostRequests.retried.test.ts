import type { IDataObject } from 'n8n-workflow';
import type { ApiRequest, SendResult } from '../../../src/base/types';
import { ExecutionSum } from '../../../src/creation/credits/ledger';
import { newMemory, type ItemMemory } from '../../../src/creation/idempotency/itemState';
import { RetriedOrders } from '../../../src/creation/idempotency/lostRequests';
import { answer, errorBody } from '../../model/answers';
import { VirtualClock } from '../../model/virtualClock';
import { byId, clock, ended, setUp, type Part } from '../../support/serviceRun';

jest.mock('../../../src/base/clock', () => jest.requireActual('../../support/virtualTime'));

/*
 * n8n lists a failed execution with its Retry also after that was retried. Each retry begins with what the
 * execution that it retries knew at its end, so the first one's next retry knows nothing of the others.
 */

const DAY = 86_400_000;
const image = { model: byId('m'), prompt: 'a', downloadOutputs: false };
const refused = (status: number) => answer(status, errorBody('no'));

interface Story extends Part {
	/** What becomes of the requests of the first execution and of each retry. */
	tries: Array<(request: ApiRequest, posts: number) => SendResult | undefined>;
	/** Of which execution each try after the first is a retry, from 0. */
	retryOf: number[];
	/** How many jobs there are in the end. */
	jobs: number;
	endsWith?: RegExp;
}

const isPost = ({ method }: ApiRequest) => method === 'POST';
const refuses = (status: number) => (request: ApiRequest) =>
	isPost(request) ? refused(status) : undefined;
/** The second row and all after it. */
const refusesFrom = (row: number, status: number) => (request: ApiRequest, posts: number) =>
	isPost(request) && posts >= row ? refused(status) : undefined;
const cannotRead = (request: ApiRequest) => (isPost(request) ? undefined : refused(403));
const isGood = () => undefined;

let prompts = 0;
let jobsEnded = 0;

const STORIES: Record<string, Story> = {
	'refusals, and a job of a retry of a retry': {
		tries: [refuses(402), refuses(402), cannotRead, isGood],
		retryOf: [0, 1, 0],
		jobs: 1,
	},
	'a refusal that comes after the job was made': {
		json: [{}, {}],
		tries: [refuses(403), refusesFrom(2, 400), refuses(403), isGood],
		retryOf: [0, 0, 2],
		jobs: 2,
	},
	'429 until the key is given up, and then a job': {
		tries: [
			refuses(402),
			(request, posts) => {
				if (!isPost(request)) return refused(403);
				return posts <= 3 ? refused(429) : undefined;
			},
			isGood,
		],
		retryOf: [0, 0],
		jobs: 1,
	},
	'a prompt that is another one each time': {
		json: [{}, {}],
		rawParameters: { ...image, resource: 'image', operation: 'generate', prompt: '={{ $now }}' },
		own: () => {
			prompts += 1;
			return { prompt: `picture ${prompts}` };
		},
		tries: [refuses(402), refusesFrom(2, 402), isGood],
		retryOf: [0, 0],
		jobs: 2,
	},
	'a job that fails in each of them': {
		service: {
			ending() {
				jobsEnded += 1;
				return { status: jobsEnded <= 2 ? 'failed' : 'completed' };
			},
		},
		tries: [isGood, isGood, isGood],
		retryOf: [0, 0],
		jobs: 3,
	},
	'Max Credits per Execution': {
		json: [{}, {}, {}, {}, {}, {}, {}, {}],
		given: { ...image, options: { maxCredits: 6 } },
		credential: { concurrentJobs: 1 },
		service: { price: () => 2 },
		tries: [refuses(402), isGood, isGood, isGood],
		retryOf: [0, 0, 0],
		jobs: 3,
		endsWith: /Max Credits per Execution \(6\)/,
	},
};

test.each(Object.entries(STORIES))(
	'a failed execution is retried again after %s',
	async (_, story) => {
		const { tries, retryOf, jobs, endsWith, ...part } = story;
		let posts = 0;
		let becomes = isGood as Story['tries'][number];
		const t = setUp({
			given: image,
			...part,
			answers(request) {
				if (isPost(request)) posts += 1;
				return becomes(request, posts);
			},
		});
		/** What n8n has stored of each execution. */
		const stored: IDataObject[] = [];
		let error: Error | undefined;
		for (const [number, what] of tries.entries()) {
			const of = retryOf[number - 1];
			const nodeMemory = structuredClone(of === undefined ? {} : (stored[of] ?? {}));
			posts = 0;
			becomes = what;
			const mode = of === undefined ? 'trigger' : 'retry';
			({ error } = await ended(t.run({ nodeMemory, mode, executionId: `e${number}` })));
			stored.push(nodeMemory);
		}
		expect(t.model.jobs).toHaveLength(jobs);
		expect(error?.message ?? '').toMatch(endsWith ?? /^$/);
	},
);

test('under Max Credits per Execution, what one retry has made counts in the next, whichever node that begins with', async () => {
	let prompts = 0;
	const t = setUp({
		given: { ...image, options: { maxCredits: 6 } },
		credential: { concurrentJobs: 1 },
		service: { price: () => 2 },
		own: () => ({ prompt: `picture ${(prompts += 1)}` }),
	});
	const flow: IDataObject = {};
	await t.run({ nodeMemory: flow, executionId: 'e0' });
	// Another node has failed then. So n8n has kept nothing of the one that comes after it.
	delete flow.mediaGen;
	const items = [{ json: {} }, { json: {} }, { json: {} }];
	for (const executionId of ['e1', 'e2']) {
		prompts = 1;
		const retry = { nodeMemory: structuredClone(flow), mode: 'retry' as const, executionId, items };
		const { error } = await ended(t.run(retry));
		expect(error?.message).toMatch(/^Max Credits per Execution \(6\) .* \[item 3 of 3\]$/);
	}
	expect(t.model.jobs).toHaveLength(3);
});

test('under Max Credits per Execution, what a stopped execution has made counts in its retries', async () => {
	const prompts = Array.from({ length: 6 }, (_, row) => ({ prompt: `stopped ${row}` }));
	const t = setUp({
		json: prompts,
		own: (row) => prompts[row] ?? {},
		given: { ...image, options: { maxCredits: 6 } },
		credential: { concurrentJobs: 1 },
		service: { price: () => 2 },
		workflowId: 'stopped under a limit',
	});
	const stop = new AbortController();
	clock.after(5_000, () => stop.abort());
	await ended(t.run({ nodeMemory: {}, executionId: 'e1', signal: stop.signal }));
	expect(t.model.jobs).toHaveLength(1);
	for (const executionId of ['e2', 'e3']) {
		const { error } = await ended(t.run({ nodeMemory: {}, executionId, mode: 'retry' }));
		expect(error?.message).toMatch(/^Max Credits per Execution \(6\) .* \[item 4 of 6\]$/);
	}
	expect(t.model.jobs).toHaveLength(3);
});

const made = (id: string, keyNumber: number, userInputHash = 'input'): ItemMemory => {
	const state = { is: 'created', keyNumber, job: { id } } as const;
	return { ...newMemory(), requestHash: 'a cat', userInputHash, state };
};
const asItFailed: ItemMemory = { ...made('', 0), state: { is: 'new', keyNumber: 1 } };
const order = (memory: ItemMemory) => ({ runId: 'order', items: { '0:0': memory } });

function noted(...memories: ItemMemory[]) {
	const at = new VirtualClock();
	const orders = new RetriedOrders(at);
	for (const memory of memories) orders.note(order(memory));
	return { at, orders };
}

test('what has come further counts, whichever was noted last', () => {
	const furthest = made('gen_1', 2);
	for (const memories of [
		[asItFailed, furthest],
		[furthest, asItFailed],
	]) {
		const { orders } = noted(...memories);
		expect(orders.laterThan('order', '0:0', asItFailed)).toBe(furthest);
		expect(orders.laterThan('order', '0:0', made('gen_2', 3))).toBeUndefined();
		expect(orders.laterThan('order', '0:1', asItFailed)).toBeUndefined();
		expect(orders.laterThan('another order', '0:0', asItFailed)).toBeUndefined();
	}
});

test('what the user has changed since is another request', () => {
	const { orders } = noted(made('gen_1', 2, 'changed'));
	expect(orders.laterThan('order', '0:0', asItFailed)).toBeUndefined();
});

test('what was noted is forgotten after a day', async () => {
	const { at, orders } = noted(made('gen_1', 2));
	const sum = new ExecutionSum({});
	orders.noteSum('order', sum);
	await at.pass(DAY - 1);
	orders.forgetOld();
	expect(orders.sumOf('order')).toBe(sum.stored);
	await at.pass(1);
	orders.forgetOld();
	expect(orders.sumOf('order')).toBeUndefined();
	expect(orders.laterThan('order', '0:0', asItFailed)).toBeUndefined();
});

test('two retries of a failed execution at the same time keep to its limit together', async () => {
	const prompts = Array.from({ length: 8 }, (_, row) => ({ prompt: `p${row}` }));
	let isRefusing = true;
	const t = setUp({
		json: prompts,
		own: (row) => prompts[row] ?? {},
		given: { ...image, options: { maxCredits: 6 } },
		credential: { concurrentJobs: 1 },
		service: { price: () => 2 },
		answers: (request) => (isRefusing && isPost(request) ? refused(402) : undefined),
	});
	const stored: IDataObject = {};
	await ended(t.run({ nodeMemory: stored, executionId: 'e1' }));
	isRefusing = false;
	const retry = async (executionId: string) => {
		const nodeMemory = structuredClone(stored);
		return await ended(t.run({ nodeMemory, executionId, mode: 'retry' }));
	};
	for (const { error } of await Promise.all(['e2', 'e3'].map(retry)))
		expect(error?.message).toMatch(/Max Credits per Execution \(6\)/);
	expect(t.model.jobs).toHaveLength(3);
	expect((await retry('e4')).error?.message).toMatch(/Max Credits per Execution \(6\)/);
	expect(t.model.jobs).toHaveLength(3);
});
