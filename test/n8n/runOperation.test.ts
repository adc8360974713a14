import { PICTURE } from '../support/n8nRequest';
import type { NodeApiError } from 'n8n-workflow';
import { answer, errorBody, LOST } from '../model/answers';
import { BROKEN } from '../support/engine';
import { byId, clock, ended, setUp, type Part as NodePart } from '../support/serviceRun';

jest.mock('../../src/base/clock', () => jest.requireActual('../support/virtualTime'));

const KEY = 'canary-key-of-these-tests';

interface Part extends NodePart {
	prompts?: unknown[];
}

/** A node with an item for each prompt. */
const withPrompts = ({ prompts = ['a cat'], given, own, ...more }: Part = {}) =>
	setUp({
		json: prompts.map((prompt) => ({ prompt })),
		given: { model: byId('m'), ...given },
		own: (item) => ({ prompt: prompts[item], ...own?.(item) }),
		...more,
	});

/** The error that a run ends with. */
async function failure(run: ReturnType<ReturnType<typeof setUp>['run']>): Promise<NodeApiError> {
	const { error } = await ended(run);
	if (!error) throw new Error('it did not fail');
	return error;
}

test('items are created, waited for, downloaded, and paired with where they came from: two equal ones are two', async () => {
	const prompts = ['a cat', 'a dog', 'a cat'];
	const items = await withPrompts({ prompts }).run();
	expect(items.map(({ pairedItem, json }) => [pairedItem, json.prompt, json.status])).toEqual(
		prompts.map((prompt, item) => [{ item }, prompt, 'completed']),
	);
	for (const { json, binary } of items) {
		expect(binary?.data).toMatchObject({
			data: PICTURE.toString('base64'),
			fileName: `${String(json.prompt).replace(' ', '-')}-${String(json.id).slice(4)}.png`,
			mimeType: 'image/png',
		});
	}
	expect(new Set(items.map(({ json }) => json.id)).size).toBe(3);
});

test.each([
	['without json', {}],
	['with json that is none', { json: null }],
	['with json that is a text', { json: 'text' }],
	['with json that is a list', { json: [1] }],
	['with files that are none', { json: {}, binary: null }],
	['with fields that are no files', { json: {}, binary: { data: null, a: 'x', b: {} } }],
	['that is none', null],
])(
	'an item %s is an empty one: what is paid for is output, and a failed row too',
	async (_, item) => {
		const options = { includeInputFields: true };
		const given = { model: byId('m'), prompt: 'a cat', options };
		const items = [item, { json: { title: 'b' } }] as never[];
		const made = await setUp({ items, given }).run();
		expect(made.map(({ json }) => json)).toMatchObject([
			{ mediagen: { status: 'completed' } },
			{ title: 'b', mediagen: { status: 'completed' } },
		]);
		const wrong = setUp({ items, given: { ...given, prompt: '' }, continueOnFail: true });
		expect((await wrong.run()).map(({ json }) => json.error)).toEqual(
			items.map(() => expect.stringMatching(/^Prompt is empty/) as string),
		);
		const asTool = setUp({
			items: items.slice(0, 1),
			given,
			inputData: { ai_tool: [[item]] } as never,
		});
		expect((await asTool.run())[0]?.json).toMatchObject({ mediagen: { status: 'completed' } });
	},
);

const withFile = (text: string) => {
	const clip = { data: Buffer.from(`FLV\x01${text}`).toString('base64'), mimeType: 'video/x-flv' };
	return { json: {}, binary: { clip } };
};

const CLIP = { operation: 'generateVideo', input: { video: 'binary:clip' } };

const LOCAL_FILE: Part = {
	prompts: ['a', 'b', 'c'],
	given: { operation: 'generateVideo', downloadOutputs: false },
	own: (item) => (item === 1 ? { input: { video: 'http://127.0.0.1/clip' } } : {}),
};

const DRY = { options: { dryRun: true } };
const PORTIONS = { batching: { batch: { batchSize: 1, batchInterval: 1 } } };

describe('nothing is sent when one item of the batch cannot be right', () => {
	test.each<[string, Part, RegExp]>([
		['an empty prompt', { prompts: ['a', ' ', 'c'] }, /^Prompt is empty \[item 2 of 3\]/],
		[
			'an expression that n8n cannot evaluate',
			{ prompts: ['a', BROKEN, 'c'] },
			/cannot be evaluated/,
		],
		['a missing binary field', { given: CLIP }, /^Source Video names the binary field "clip"/],
		[
			'one key of the user for items that differ in their files only',
			{
				prompts: ['a cat', 'a cat'],
				items: [withFile('one'), withFile('two')],
				given: { ...CLIP, options: { idempotency: 'custom', idempotencyKey: 'order 7' } },
			},
			/^Own Key is the same for items 1 and 2, which make different requests/,
		],
		['a file on this machine', LOCAL_FILE, /^Source Video must begin with https.*\[item 2 of 3\]$/],
		[
			'the same in a dry run, in a later portion of the run',
			{ ...LOCAL_FILE, given: { ...LOCAL_FILE.given, ...DRY, requestOptions: PORTIONS } },
			/^Source Video must begin with https/,
		],
		[
			'a scope that is not declared',
			{ credential: { scopes: ['generations:read'] } },
			/is limited to scopes without generations:write/,
		],
		[
			'the same in a dry run',
			{ credential: { scopes: ['generations:read'] }, given: DRY },
			/is limited to scopes without generations:write/,
		],
		[
			'a scope for the wait that is not declared',
			{ credential: { scopes: ['generations:write'] } },
			/is limited to scopes without generations:read/,
		],
		[
			'scopes that are no list',
			{ credential: { scopes: 'generations:write' } },
			/^Scopes of the Key of the credential must be a list, such as/,
		],
		[
			'a base URL that is not https',
			{ credential: { baseUrl: 'http://api.example/v1' } },
			/^Base URL of the credential must begin with https/,
		],
	])('%s', async (_name, part, message) => {
		const { posts, run } = withPrompts(part);
		expect((await failure(run())).message).toMatch(message);
		await clock.pass(60_000);
		expect(posts()).toEqual([]);
	});

	test('several of them, which are all named', async () => {
		const { run } = withPrompts({ prompts: ['a', ' ', 'c', '', ...Array<string>(12).fill('')] });
		expect(await failure(run())).toMatchObject({
			message: 'Prompt is empty [item 2 of 16]',
			description:
				'Fill it in, or correct its expression. Nothing was sent for any item, so no credits were spent. 14 items are wrong: 2, 4, 5, 6, 7, 8, 9, 10, 11, 12 and 4 more.',
		});
	});
});

test('a file on the machine of the service is sent as it is', async () => {
	const baseUrl = 'http://localhost:4010/v1';
	const { posts, run } = withPrompts({ ...LOCAL_FILE, credential: { baseUrl } });
	await run();
	const inputs = posts().map(({ body }) => (body as { input?: object }).input);
	expect(inputs).toContainEqual({ video: ['http://127.0.0.1/clip'] });
});

describe('with Continue On Fail', () => {
	test('no item whose own key is that of another request is sent, whichever of them come first', async () => {
		const keys = ['order 7', 'order 7', 'order 7', 'order 8'];
		const prompts = ['a cat', 'a dog', 'a cat', 'a bird'];
		const { model, run } = withPrompts({
			prompts,
			own: (item) => ({ options: { idempotency: 'custom', idempotencyKey: keys[item] } }),
			continueOnFail: true,
		});
		expect((await run()).map(({ json }) => json.error ?? json.prompt)).toEqual([
			expect.stringMatching(/^Own Key is the same for items 1 and 2,/),
			expect.stringMatching(/^Own Key is the same for items 1 and 2,/),
			expect.stringMatching(/^Own Key is the same for items 2 and 3,/),
			'a bird',
		]);
		expect(model.jobs).toHaveLength(1);
	});

	test('valid items continue; what is wrong or fails becomes a paired row, which keeps its fields and names the job', async () => {
		const error = { message: 'too dark' };
		const { model, run } = withPrompts({
			prompts: ['a', '', 'bad', BROKEN],
			continueOnFail: true,
			service: {
				ending: (prompt) =>
					prompt === 'a' ? { status: 'completed' } : { status: 'failed', error },
			},
		});
		const [made, wrong, failed, broken] = await run();
		expect(model.jobs).toHaveLength(2);
		expect(made?.json.status).toBe('completed');
		expect(wrong).toMatchObject({
			pairedItem: { item: 1 },
			json: {
				prompt: '',
				error: 'Prompt is empty [item 2 of 4]',
				details: { item: 2, credits: 'none spent' },
			},
		});
		expect(failed).toMatchObject({
			pairedItem: { item: 2 },
			json: {
				prompt: 'bad',
				error: 'The job failed: too dark (job gen_2) [item 3 of 4]',
				details: { item: 3, jobId: 'gen_2', status: 'failed' },
			},
		});
		// As n8n would take it for a failure of the node.
		expect(failed).not.toHaveProperty('error');
		expect(broken).toMatchObject({
			pairedItem: { item: 3 },
			json: { error: 'Prompt cannot be evaluated: it throws [item 4 of 4]' },
		});
		expect(broken).not.toHaveProperty('error');
	});

	test('with an error output the item has nothing else, so that n8n adds its row', async () => {
		const { run } = withPrompts({ prompts: ['a', ''], continueOnFail: true, errorOutput: true });
		const [, item] = await run();
		expect(Object.keys(item?.json ?? {})).toEqual(['error', 'details']);
		expect(item?.pairedItem).toEqual({ item: 1 });
	});

	test('a key that may not read what it has made: the job is named, and the scope that is missing', async () => {
		const { run } = withPrompts({
			continueOnFail: true,
			answers: ({ method }) =>
				method === 'GET' ? answer(403, errorBody('Missing scope')) : undefined,
		});
		const [item] = await run();
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
	test('of an item that turns out to be wrong, the error does not say that no other was sent', async () => {
		const { run } = withPrompts({
			prompts: ['a', 'b'],
			own: (item) => ({ model: byId(item === 0 ? 'first' : 'm'), options: { waitTimeout: 1 } }),
			answers: ({ path }) =>
				path === '/models' ? answer(200, { object: 'list', data: [] }) : LOST,
		});
		const { message, description } = await failure(run());
		expect(message).toMatch(/^Model is not chosen, and the workspace lists none/);
		expect(description).toContain(
			'Nothing was sent for this item, so no credits were spent on it.',
		);
	});

	const ending = (prompt: string) => ({ status: prompt === 'bad' ? 'failed' : 'completed' });

	test('the error names its item and job, and lists every job that exists, also those that end later', async () => {
		const jobMs = (prompt: string) => (prompt === 'bad' ? 2_000 : 60_000);
		const { run } = withPrompts({ prompts: ['a', 'bad', 'c'], service: { ending, jobMs } });
		const error = await failure(run());
		expect(error.message).toMatch(
			/^The job failed: failed without a stated reason \(job gen_2\) \[item 2 of 3\]$/,
		);
		// The editor would write it behind the message, counted from 0: [item 2 of 3] [item 1].
		expect(error.context.itemIndex).toBeUndefined();
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

	test('a job of an earlier try is named if the run is halted before it is read again', async () => {
		let refusal = 400;
		const { run } = withPrompts({
			prompts: ['refused', 'b'],
			answers: ({ method, body }) => {
				if (JSON.stringify(body)?.includes('refused')) return answer(refusal);
				return method === 'GET' ? answer(401) : undefined;
			},
		});
		const named = { otherJobs: [{ id: 'gen_1', item: 2 }] };
		expect((await failure(run())).context.data).toMatchObject(named);
		refusal = 402;
		const error = await failure(run());
		expect(error.message).toMatch(/ \[item 1 of 2\]$/);
		expect(error.description).toMatch(/ 1 other job exists and is kept: retry this execution, /);
		expect(error.context.data).toMatchObject(named);
	});
});

describe('when the credits run out', () => {
	const prompts = Array.from({ length: 20 }, (_, item) => `prompt ${item}`);
	const service = { credits: 7 };

	test('nothing further is sent, and the error counts', async () => {
		const { model, run } = withPrompts({ prompts, service });
		const error = await failure(run());
		expect(error.message).toMatch(/^Not enough credits \[item \d+ of 20\]/);
		expect(error.description).toMatch(/7 of 20 items have a job/);
		// Three to begin with; all of them stand in the data.
		expect(error.description).toMatch(/ again \(gen_\d+, gen_\d+, gen_\d+ and 4 more\)\./);
		expect(error.context.data).toMatchObject({ otherJobs: { length: 7 } });
		expect(model.jobs).toHaveLength(7);
		expect(model.count(402)).toBeLessThanOrEqual(5);
	});

	test('with On Error: Continue the finished work is kept and the rest are failed rows', async () => {
		const { model, run } = withPrompts({ prompts, service, continueOnFail: true });
		const rows = await run();
		expect(rows.map(({ pairedItem }) => pairedItem)).toEqual(prompts.map((_, item) => ({ item })));
		expect(rows.filter(({ json }) => json.status === 'completed')).toHaveLength(7);
		expect(rows.filter(({ json }) => json.status === 'failed')).toHaveLength(13);
		expect(rows.at(-1)?.json.error).toMatch(
			/^Not sent: the credits ran out at item \d+ \[item 20 of 20\]/,
		);
		expect(model.jobs).toHaveLength(7);
	});

	test('a workflow of the first drafts that says "continue" stops', async () => {
		const options = { onInsufficientCredits: 'continue' };
		const { model, run } = withPrompts({ prompts, service, given: { options } });
		expect((await failure(run())).message).toMatch(/^Not enough credits /);
		expect(model.jobs).toHaveLength(7);
	});
});

test.each([
	['a finished job', { status: 'completed', note: KEY, [KEY]: [KEY] }, false],
	['the reason of a failed job', { status: 'failed', errors: [{ message: KEY }] }, false],
	['that of a failed row', { status: 'failed', errors: [{ message: KEY }] }, true],
])(
	'where the service says the key, no item, error or memory of a node holds it: %s',
	async (_name, ended, continueOnFail) => {
		const nodeMemory = {};
		const service = { ending: () => ended };
		const { run } = withPrompts({ service, continueOnFail, credential: { apiKey: KEY } });
		const outcome = await run({ nodeMemory }).catch((error: NodeApiError) => [
			error,
			error.message,
			error.description,
			error.messages,
			error.stack,
			error.cause,
		]);
		// What the service said is there.
		expect(JSON.stringify(outcome)).toContain('***');
		expect(JSON.stringify([outcome, nodeMemory])).not.toContain(KEY);
	},
);
