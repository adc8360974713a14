import { runOurs, sandbox } from './support/harness';
import { createParameters } from './support/media';

const node = 'mediaGen';

/** Requests of the contract, without the lists by which a creation finds out whether jobs of the file before this one have ended. */
const asked = async () =>
	(await sandbox.requests()).filter(
		({ path, operation }) => path.startsWith('/v1/') && operation !== 'listGenerations',
	);

beforeEach(async () => await sandbox.reset());

describe('bad input', () => {
	it.each<[string, Record<string, unknown>, RegExp]>([
		['a prompt that evaluates to nothing', { prompt: '={{ $json.nothing }}' }, /^Prompt is empty/],
		['half a count', { parameters: { count: '={{ 1.5 }}' } }, /^Count must be a whole number/],
		[
			'a missing binary field',
			{ input: { character: 'binary:photo' } },
			/^Character names the binary field "photo", which the item does not have/,
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
