import { credentials, keys, runOurs, sandbox } from './support/harness';
import { createParameters } from './support/media';

const node = 'mediaGen';
const { workspace } = keys.full;

/** Requests of the contract that the sandbox has seen. */
/** Without the lists by which a creation finds out whether jobs of the file before this one have ended. */
const asked = async () =>
	(await sandbox.requests()).filter(
		({ path, operation }) => path.startsWith('/v1/') && operation !== 'listGenerations',
	);

const balance = async () => (await sandbox.ledger(workspace)).balance;

beforeEach(async () => await sandbox.reset());

describe('bad input', () => {
	it.each<[string, Record<string, unknown>, RegExp]>([
		['an empty prompt', { prompt: '={{ "" }}' }, /^Prompt is empty$/],
		['a prompt that evaluates to nothing', { prompt: '={{ $json.nothing }}' }, /^Prompt is empty/],
		[
			'a prompt of 10,001 characters',
			{ prompt: 'x'.repeat(10_001) },
			/^Prompt has 10001 characters; at most 10000/,
		],
		['count 0', { parameters: { count: 0 } }, /^Count must be a whole number from 1 to 16, got 0/],
		[
			'count 17',
			{ parameters: { count: 17 } },
			/^Count must be a whole number from 1 to 16, got 17/,
		],
		['half a count', { parameters: { count: '={{ 1.5 }}' } }, /^Count must be a whole number/],
		[
			'two items in a single-item slot',
			{
				mode: 'video',
				input: { start_frame: 'https://example.com/a.png\nhttps://example.com/b.png' },
			},
			/^Start Frame takes at most 1 item, got 2/,
		],
		[
			'a URL that is not https',
			{ mode: 'video', input: { video: 'http://example.com/a.mp4' } },
			/^Source Video must begin with https:\/\//,
		],
		[
			'a missing binary field',
			{ input: { character: 'binary:photo' } },
			/^Character names the binary field "photo", which the item does not have/,
		],
		['an empty model', { model: { __rl: true, mode: 'id', value: '' } }, /^Model is empty/],
		[
			'a custom key that is too long',
			{ options: { idempotency: 'custom', idempotencyKey: 'k'.repeat(256) } },
			/^Own Key has 256 characters/,
		],
	])('%s is refused before anything is sent, naming the field', async (_, given, message) => {
		const run = await runOurs({ node, parameters: createParameters(given) });
		expect(run.status).toBe('error');
		expect(run.error?.message).toMatch(message);
		expect(await asked()).toEqual([]);
	});

	it('a prompt that was never filled in stops n8n before the workflow starts', async () => {
		const run = await runOurs({ node, parameters: createParameters({ prompt: '' }) });
		expect(run.error?.message).toMatch(/Parameter "Prompt" is required/);
		expect(await asked()).toEqual([]);
	});

	it('an id with a slash is refused before anything is sent', async () => {
		const run = await runOurs({
			node,
			parameters: {
				operation: 'get',
				generationId: { __rl: true, mode: 'id', value: '../credits' },
			},
		});
		expect(run.error?.message).toMatch(/^Generation is not a valid ID: "\.\.\/credits"$/);
		expect(await asked()).toEqual([]);
	});

	it('an unknown model costs one request and no credits, and the error names the field as the editor does', async () => {
		const before = await balance();
		const run = await runOurs({ node, parameters: createParameters({ model: 'studio/none' }) });
		expect(run.error?.message).toMatch(/refused the request as invalid: Model\b/);
		expect(await asked()).toHaveLength(1);
		expect(await balance()).toEqual(before);
	});

	it('one bad item of three stops the run before the others are paid for', async () => {
		const run = await runOurs({
			node,
			items: [{ json: { p: 'A' } }, { json: { p: '' } }, { json: { p: 'C' } }],
			parameters: createParameters({ prompt: '={{ $json.p }}' }),
		});
		expect(run.error?.message).toBe('Prompt is empty [item 2 of 3]');
		expect(await asked()).toEqual([]);
	});

	it('with Continue On Fail one bad item of three is an error item and the others are made', async () => {
		const run = await runOurs({
			node,
			items: [{ json: { p: 'A' } }, { json: { p: '' } }, { json: { p: 'C' } }],
			parameters: createParameters({ prompt: '={{ $json.p }}' }),
			onError: 'continueRegularOutput',
		});
		expect(run.status).toBe('success');
		expect(run.items.map(({ pairedItem }) => pairedItem)).toEqual([
			{ item: 0 },
			{ item: 1 },
			{ item: 2 },
		]);
		expect(run.items.map(({ binary }) => Object.keys(binary))).toEqual([['data'], [], ['data']]);
		expect(run.items[1]?.json).toEqual({
			p: '',
			status: 'failed',
			error: 'Prompt is empty [item 2 of 3]',
			details: {
				item: 2,
				credits: 'none spent',
				description: 'Nothing was sent for this item, so no credits were spent on it.',
			},
		});
		expect((await asked()).filter(({ method }) => method === 'POST')).toHaveLength(2);
	});

	it('with an error output the failed rows leave there, with all their fields', async () => {
		const run = await runOurs({
			node,
			items: [
				...[{ json: { p: 'A', title: 'a' } }, { json: { p: '', title: 'b' } }],
				...[{ json: { p: 'C [fail]', title: 'c' } }, { json: { p: 'D', title: 'd' } }],
			],
			parameters: createParameters({ prompt: '={{ $json.p }}' }),
			onError: 'continueErrorOutput',
		});
		expect(run.items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 3 }]);
		expect(run.errorItems.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 1 }, { item: 2 }]);
		expect(run.errorItems.map(({ json }) => json)).toMatchObject([
			{ p: '', title: 'b', error: 'Prompt is empty [item 2 of 4]', details: { item: 2 } },
			{
				p: 'C [fail]',
				title: 'c',
				error: expect.stringMatching(/^The job failed: /),
				details: { item: 3, jobId: expect.any(String), status: 'failed' },
			},
		]);
	});
});

describe('refusals', () => {
	it('a wrong key is reported as such, after one request', async () => {
		const run = await runOurs({
			node,
			credential: credentials.wrongKey,
			parameters: createParameters({}),
		});
		expect(run.error?.message).toMatch(/^The API key is invalid or missing/);
		expect(await asked()).toHaveLength(1);
	});

	it('a missing scope is reported in the words of the service, after one request', async () => {
		const run = await runOurs({
			node,
			credential: credentials.readOnly,
			parameters: createParameters({}),
		});
		expect(run.error?.message).toMatch(/^The key is not allowed to do this: /);
		expect(run.error?.description).toMatch(/generations:write/);
		expect(await asked()).toHaveLength(1);
	});

	it('a missing entitlement names the scope and the subscription', async () => {
		const run = await runOurs({
			node,
			credential: credentials.notEntitled,
			parameters: createParameters({}),
		});
		expect(run.error?.message).toMatch(/^The key is not allowed to do this/);
		expect(run.error?.description).toMatch(/generations:write.*subscription/);
		expect(await asked()).toHaveLength(1);
	});

	it('without credits one request finds out and the error says what to do', async () => {
		await sandbox.addCredits(workspace, -1_000_000);
		const run = await runOurs({ node, parameters: createParameters({}) });
		expect(run.error?.message).toMatch(/^Not enough credits/);
		expect(run.error?.description).toMatch(
			/^Top up the workspace, then execute the node again\. Nothing was created and no credits/,
		);
		expect(await asked()).toHaveLength(1);
	});

	it('a failed generation is an error with the reason and the job', async () => {
		const run = await runOurs({ node, parameters: createParameters({ prompt: 'A boat [fail]' }) });
		const created = (await asked()).find(({ method }) => method === 'POST');
		expect(created).toBeDefined();
		expect(run.error?.message).toMatch(/^The job failed: \w.* \(job [\w-]+\)$/);
	});

	it('with Continue On Fail the error item of a failed generation names the job', async () => {
		const run = await runOurs({
			node,
			items: [{ json: { p: 'A [fail]' } }, { json: { p: 'B' } }],
			parameters: createParameters({ prompt: '={{ $json.p }}' }),
			onError: 'continueRegularOutput',
		});
		expect(run.items[0]?.json).toMatchObject({
			p: 'A [fail]',
			error: expect.stringMatching(/\(job [\w-]+\) \[item 1 of 2\]$/),
			details: { item: 1, jobId: expect.any(String), status: 'failed' },
		});
		expect(run.items[1]?.json).toMatchObject({ status: 'completed' });
	});

	it('of a failed run the error names the jobs that exist', async () => {
		const run = await runOurs({
			node,
			items: [{ json: { p: 'A' } }, { json: { p: 'B [fail]' } }, { json: { p: 'C' } }],
			parameters: createParameters({ prompt: '={{ $json.p }}' }),
		});
		expect(run.error?.message).toMatch(/\[item 2 of 3\]$/);
		expect(run.error?.description).toMatch(
			/2 other jobs exist and are kept: execute the node again/,
		);
		expect(run.error?.context).toMatchObject({
			data: {
				otherJobs: [
					{ item: 1, status: 'completed' },
					{ item: 3, status: 'completed' },
				],
			},
		});
	});
});
