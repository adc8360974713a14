import type { INodeExecutionData, NodeApiError } from 'n8n-workflow';
import { MediaGen } from '../../nodes/MediaGen/MediaGen.node';
import { systemClock } from '../../src/base/clock';
import type { ApiRequest } from '../../src/base/types';
import { BROKEN, execute } from '../support/engine';
import { answer } from '../model/answers';
import { ModelService, type ServiceSettings } from '../model/modelService';
import { n8nRequest } from '../support/n8nRequest';
import { nodeRun, type NodeRun } from '../support/nodeContext';
import type { VirtualClock } from '../model/virtualClock';

jest.mock('../../src/base/clock', () => {
	const { VirtualClock: Clock } = jest.requireActual<{ VirtualClock: typeof VirtualClock }>(
		'../model/virtualClock',
	);
	return { systemClock: new Clock() };
});

const clock = systemClock as VirtualClock;
const { description } = new MediaGen();

const MODEL = { __rl: true, mode: 'id', value: 'm' };

interface Part extends Partial<NodeRun> {
	service?: Partial<ServiceSettings>;
	prompts?: unknown[];
	given?: Record<string, unknown>;
	/** What is different about an item. */
	own?: (item: number) => Record<string, unknown>;
}

let keys = 0;

function setUp({ service, prompts = ['a cat'], given, own, credential, ...run }: Part = {}) {
	const model = new ModelService(clock, service);
	const request = n8nRequest(async (asked) => await model.send(asked));
	const items = prompts.map((prompt) => ({ json: { prompt } })) as INodeExecutionData[];
	keys += 1;
	const apiKey = `canary-key-${keys}-of-these-tests`;
	const shared = nodeRun({
		items,
		request,
		...run,
		credential: { apiKey, baseUrl: 'https://api.example/v1', ...credential },
	});
	const parameters = (item: number) => ({
		model: MODEL,
		prompt: prompts[item],
		...given,
		...own?.(item),
	});
	const start = async () => await clock.run(execute(description, shared, parameters));
	return { model, run: shared, start };
}

const failure = async (run: Promise<unknown>): Promise<NodeApiError> =>
	await run.then(
		() => {
			throw new Error('it did not fail');
		},
		(error: NodeApiError) => error,
	);

const posts = ({ log }: ModelService) => log.filter(({ request }) => request.method === 'POST');

test('items are created, waited for, downloaded, and paired with where they came from', async () => {
	const { start } = setUp({ prompts: ['a cat', 'a dog', 'a bird'] });
	const items = await start();
	expect(items.map(({ pairedItem }) => pairedItem)).toEqual([
		{ item: 0 },
		{ item: 1 },
		{ item: 2 },
	]);
	expect(items.map(({ json }) => [json.prompt, json.status])).toEqual([
		['a cat', 'completed'],
		['a dog', 'completed'],
		['a bird', 'completed'],
	]);
	for (const { json, binary } of items) {
		expect(binary?.data).toMatchObject({
			data: Buffer.from('picture').toString('base64'),
			fileName: `${String(json.prompt).replace(' ', '-')}-${String(json.id).slice(4)}.png`,
			mimeType: 'image/png',
		});
	}
});

test('the body holds what was set, and nothing that was left empty', async () => {
	const { model, start } = setUp({
		given: { parameters: { count: 2, size: '' }, options: { delivery: 'signed_url' } },
	});
	await start();
	expect(posts(model)[0]?.request.body).toEqual({
		mode: 'image',
		model: 'm',
		prompt: 'a cat',
		delivery: 'signed_url',
		parameters: { count: 2 },
	});
});

test('of two credentials with one key that are in use the smaller limits count', async () => {
	const apiKey = 'canary-key-that-two-credentials-have';
	const used = async (credentialId: string, concurrentJobs: number) => {
		const { model, start } = setUp({
			prompts: ['a', 'b', 'c', 'd', 'e', 'f'],
			given: { downloadOutputs: false },
			service: { concurrentJobs: 100, jobMs: () => 60_000 },
			credential: { apiKey, requestsPerMinute: 1_000, concurrentJobs },
			credentialId,
		});
		const began = clock.now();
		await start();
		return posts(model).filter(({ at }) => at < began + 30_000).length;
	};
	const [ofA, ofB] = await Promise.all([used('a', 2), used('b', 5)]);
	expect(ofA + ofB).toBe(2);
	// A limit that is changed in its own credential counts from then on.
	expect(await used('a', 4)).toBe(4);
});

describe('one custom key for items that differ in their files only', () => {
	const given = {
		prompt: 'a cat',
		operation: 'generateVideo',
		input: { video: 'binary:clip' },
		options: { idempotency: 'custom', idempotencyKey: 'order 7' },
	};
	const inItem = (bytes: string) => ({
		data: Buffer.from(bytes).toString('base64'),
		mimeType: 'video/mp4',
	});
	const withFiles = (...files: string[]) => {
		const items = files.map((file) => ({ json: {}, binary: { clip: inItem(file) } }));
		return { prompts: files, given, items };
	};

	test('is refused before anything is sent, uploads included', async () => {
		const { model, start } = setUp(withFiles('one', 'two'));
		expect((await failure(start())).message).toMatch(
			/^Own Key is the same for items 1 and 2, which make different requests/,
		);
		expect(model.log).toEqual([]);
	});
});

describe('a file on this machine, which only a service on this machine can read', () => {
	const parts: Part = {
		prompts: ['a', 'b', 'c'],
		given: { operation: 'generateVideo' },
		own: (item) => (item === 1 ? { input: { video: 'http://127.0.0.1/clip' } } : {}),
	};

	test('is refused before anything is sent for any item, however late the credential is read', async () => {
		const { model, start } = setUp(parts);
		expect((await failure(start())).message).toMatch(
			/^Source Video must begin with https.*\[item 2 of 3\]$/,
		);
		expect(model.log).toEqual([]);
	});

	test('is sent to one there', async () => {
		const credential = { baseUrl: 'http://localhost:4010/v1' };
		const { model, start } = setUp({
			...parts,
			credential,
			given: { ...parts.given, downloadOutputs: false },
		});
		await start();
		expect(posts(model).map(({ request: { body } }) => body)).toContainEqual(
			expect.objectContaining({ input: { video: ['http://127.0.0.1/clip'] } }),
		);
	});
});

describe('nothing is sent when one item of the batch cannot be right', () => {
	test.each<[string, Part, RegExp]>([
		['an empty prompt', { prompts: ['a', ' ', 'c'] }, /^Prompt is empty \[item 2 of 3\]/],
		[
			'a missing binary field',
			{ given: { operation: 'generateVideo', input: { video: 'binary:clip' } } },
			/^Source Video names the binary field "clip"/,
		],
		[
			'a scope that is not declared',
			{ credential: { scopes: ['generations:read'] } },
			/is limited to scopes without generations:write/,
		],
		[
			'a scope for the wait that is not declared',
			{ credential: { scopes: ['generations:write'] } },
			/is limited to scopes without generations:read/,
		],
		[
			'a base URL that is not https',
			{ credential: { baseUrl: 'http://api.example/v1' } },
			/^Base URL of the credential must begin with https/,
		],
	])('%s', async (_name, part, message) => {
		const { model, start } = setUp(part);
		expect(await failure(start())).toMatchObject({ message: expect.stringMatching(message) });
		expect(model.log).toEqual([]);
	});

	test('several of them, which are all named', async () => {
		const { start } = setUp({ prompts: ['a', ' ', 'c', '', ...Array<string>(12).fill('')] });
		expect(await failure(start())).toMatchObject({
			message: 'Prompt is empty [item 2 of 16]',
			description:
				'Nothing was sent for any item, so no credits were spent. 14 items are wrong: 2, 4, 5, 6, 7, 8, 9, 10, 11, 12 and 4 more.',
		});
	});

	test('an item on which n8n itself gives up', async () => {
		const { model, start } = setUp({ prompts: ['a', BROKEN, 'c'] });
		expect((await failure(start())).message).toMatch(/cannot be evaluated/);
		await clock.pass(60_000);
		expect(model.log).toEqual([]);
	});
});

describe('with Continue On Fail', () => {
	test('valid items continue, invalid ones become paired error items', async () => {
		const { model, start } = setUp({ prompts: ['a', '', 'c', BROKEN], continueOnFail: true });
		const items = await start();
		expect(model.jobs).toHaveLength(2);
		expect(items[1]).toMatchObject({
			pairedItem: { item: 1 },
			json: {
				prompt: '',
				error: 'Prompt is empty [item 2 of 4]',
				details: { item: 2, credits: 'none spent' },
			},
		});
		const failed = items.map(({ json, error }) => Boolean(json.error ?? error));
		expect(failed).toEqual([false, true, false, true]);
	});

	test('the row of a failed job keeps its fields and names the job', async () => {
		const ending = (prompt: string) =>
			prompt === 'bad'
				? { status: 'failed', error: { message: 'too dark' } }
				: { status: 'completed' };
		const { start } = setUp({ prompts: ['a', 'bad'], continueOnFail: true, service: { ending } });
		const [, item] = await start();
		expect(item).toMatchObject({
			pairedItem: { item: 1 },
			json: {
				prompt: 'bad',
				error: 'The job failed: too dark (job gen_2) [item 2 of 2]',
				details: { item: 2, jobId: 'gen_2', status: 'failed' },
			},
		});
		expect(item).not.toHaveProperty('error');
	});

	test('with an error output the item has nothing else, so that n8n adds its row', async () => {
		const run = { continueOnFail: true, errorOutput: true };
		const { start } = setUp({ prompts: ['a', ''], ...run });
		const [, item] = await start();
		expect(Object.keys(item?.json ?? {})).toEqual(['error', 'details']);
		expect(item?.pairedItem).toEqual({ item: 1 });
	});

	test('a key that may not read what it has made: the job is named, and the scope that is missing', async () => {
		const { model, start } = setUp({ continueOnFail: true });
		const send = model.send.bind(model);
		const refusal = { error: { type: 't', message: 'Missing scope' } };
		const answer = async (request: ApiRequest) =>
			request.method === 'POST' ? await send(request) : { status: 403, headers: {}, body: refusal };
		Object.assign(model, { send: answer });
		const [item] = await start();
		expect(item?.json).toMatchObject({
			error: 'The key is not allowed to read the job: Missing scope (job gen_1)',
			details: { jobId: 'gen_1', httpStatus: 403, credits: 'reserved or spent' },
		});
		const { description } = item?.json.details as { description: string };
		expect(description).toMatch(/^The key needs the scope generations:read\./);
		expect(description).toMatch(/The job goes on at the service: fetch it by its ID\./);
		expect(description).not.toMatch(/generations:write|no credits were spent/);
	});
});

describe('without Continue On Fail', () => {
	const ending = (prompt: string) => ({ status: prompt === 'bad' ? 'failed' : 'completed' });

	test('the error names its item and job, and lists every job that exists, also those that end later', async () => {
		const jobMs = (prompt: string) => (prompt === 'bad' ? 2_000 : 60_000);
		const { start } = setUp({ prompts: ['a', 'bad', 'c'], service: { ending, jobMs } });
		const error = await failure(start());
		expect(error.message).toMatch(
			/^The job failed: failed without a stated reason \(job gen_2\) \[item 2 of 3\]$/,
		);
		expect(error.context.itemIndex).toBe(1);
		expect(error.description).toMatch(
			/ 2 other jobs exist and are kept: retry this execution, and nothing of that is paid for again/,
		);
		expect(error.description).not.toMatch(/gen_2/);
		expect(error.context.data).toMatchObject({
			jobId: 'gen_2',
			status: 'failed',
			otherJobs: [
				{ id: 'gen_1', item: 1, status: 'completed' },
				{ id: 'gen_3', item: 3, status: 'completed' },
			],
		});
	});

	test.each([
		['the run is halted before it is read again', 402, 200],
		['it cannot be read any more', 400, 404],
	])('a job of an earlier try is named if %s', async (_why, refusal, reading) => {
		const { model, start } = setUp({ prompts: ['refused', 'b'] });
		const { send } = model;
		let [posting, getting] = [400, 401];
		jest.spyOn(model, 'send').mockImplementation(async (request) => {
			const isRefused = JSON.stringify(request.body)?.includes('refused');
			if (isRefused) return answer(posting);
			return request.method === 'GET' && getting !== 200 ? answer(getting) : await send(request);
		});
		const named = { otherJobs: [{ id: 'gen_1', item: 2 }] };
		expect((await failure(start())).context.data).toMatchObject(named);
		[posting, getting] = [refusal, reading];
		const error = await failure(start());
		expect(error.message).toMatch(/ \[item 1 of 2\]$/);
		expect(error.description).toMatch(/ 1 other job exists and is kept: retry this execution, /);
		expect(error.context.data).toMatchObject(named);
		expect(error.description).not.toMatch(/0 items were submitted/);
		expect(model.jobs).toHaveLength(1);
	});

	test('Retry On Fail recreates the failed one, and nothing else', async () => {
		const { model, start } = setUp({ prompts: ['a', 'bad', 'c'], service: { ending } });
		await failure(start());
		model.settings.ending = () => ({ status: 'completed' });
		const items = await start();
		expect(model.jobs.map(({ prompt }) => prompt).sort()).toEqual(['a', 'bad', 'bad', 'c']);
		expect(items.map(({ json }) => json.prompt)).toEqual(['a', 'bad', 'c']);
	});
});

describe('when the credits run out', () => {
	const prompts = Array.from({ length: 20 }, (_, item) => `prompt ${item}`);
	const service = { credits: 7 };

	test('nothing further is sent, and the error counts', async () => {
		const { model, start } = setUp({ prompts, service });
		const error = await failure(start());
		expect(error.message).toMatch(/^Not enough credits \[item \d+ of 20\]/);
		expect(error.description).toMatch(/7 items were submitted, 13 were not/);
		expect(model.jobs).toHaveLength(7);
		expect(model.count(402)).toBeLessThanOrEqual(5);
	});

	test('with Continue On Fail the finished work is kept and the rest are error items', async () => {
		const { model, start } = setUp({ prompts, service, continueOnFail: true });
		const items = await start();
		expect(items).toHaveLength(20);
		expect(items.filter(({ json }) => !json.error)).toHaveLength(7);
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual(prompts.map((_, item) => ({ item })));
		expect(items.at(-1)?.json.error).toMatch(
			/^Not sent: the credits ran out at item \d+ \[item 20 of 20\]/,
		);
		expect(model.jobs).toHaveLength(7);
	});
});

/**
 * A service that says the key wherever it can, as one that shows the request headers in its
 * answers.
 */
describe.each<[string, (key: string) => Partial<ServiceSettings>]>([
	[
		'a finished job',
		(key) => ({ ending: () => ({ status: 'completed', note: key, [key]: [key] }) }),
	],
	[
		'the reason of a failed job',
		(key) => ({ ending: () => ({ status: 'failed', errors: [{ message: `bad ${key}` }] }) }),
	],
])('%s that holds the key', (_name, serviceWith) => {
	test.each([true, false])(
		'no item, error or memory of a node ever holds the key (Continue On Fail: %p)',
		async (continueOnFail) => {
			const key = `canary-key-${keys + 1}-of-these-tests`;
			const { model, run, start } = setUp({ service: serviceWith(key), continueOnFail });
			const answered: unknown[] = [];
			const { send } = model;
			Object.assign(model, {
				send: async (request: ApiRequest) => {
					const given = await send(request);
					answered.push(given);
					return given;
				},
			});
			const outcome = await start().catch((error: NodeApiError) => [
				error,
				...[error.message, error.description, error.messages, error.stack, error.cause],
			]);
			// Otherwise this would be green without any redaction.
			expect(JSON.stringify(answered)).toContain(key);
			expect(JSON.stringify(outcome)).toContain('***');
			expect(JSON.stringify([outcome, run.nodeMemory])).not.toContain(key);
		},
	);
});

/** JSON at which `String` throws. */
const STRANGE = { toString: 1, valueOf: null };

describe('a service that puts what cannot be a text where a text belongs', () => {
	const output = {
		...{ id: STRANGE, url: 'https://media.example/1.png' },
		...{ media_type: STRANGE, expires_at: STRANGE },
	};

	test('gets nobody to lose a finished job', async () => {
		const ending = () => ({ status: 'completed', outputs: [output], credits: STRANGE });
		const items = await setUp({ service: { ending } }).start();
		expect(items[0]?.json.status).toBe('completed');
		expect(items[0]?.binary?.data).toBeDefined();
	});

	test('gets an error that names the jobs all the same', async () => {
		const ending = (prompt: string) =>
			prompt === 'a' ? { status: 'failed', object: STRANGE } : { status: 'completed' };
		const { start } = setUp({ service: { ending }, prompts: ['a', 'b'] });
		expect(await failure(start())).toMatchObject({
			message: expect.stringMatching(/^The job failed.*\(job gen_\d\)/),
			description: expect.stringMatching(/1 other job exists/),
			context: { data: { otherJobs: [{ item: 2 }] } },
		});
	});
});
