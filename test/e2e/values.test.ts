import { runOurs, sandbox } from './support/harness';
import { createParameters } from './support/media';

beforeEach(async () => await sandbox.reset());

const creations = async () =>
	(await sandbox.requests()).filter(({ operation }) => operation === 'createGeneration');

const photo = {
	data: Buffer.from(
		'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
		'base64',
	),
	fileName: 'photo.png',
	mimeType: 'image/png',
};

/** An expression that gives nothing, as n8n evaluates it. */
const NOTHING = '={{ $json.nope }}';

const generate = async (given: object) =>
	await runOurs({
		node: 'mediaGen',
		items: [{ json: { yes: 'TRUE', zero: 0, url: 'https://example.com/a b.png' } }],
		parameters: createParameters({ downloadOutputs: false, ...given }),
	});

it.each([
	['Dry Run was added', { options: { dryRun: NOTHING } }],
	['Persona was added', { options: { personaId: { __rl: true, mode: 'id', value: NOTHING } } }],
	['Prompt is empty', { prompt: NOTHING }],
])('%s and its expression gives nothing: nothing is made, %j', async (words, given) => {
	const { error } = await generate(given);
	expect(error?.message).toMatch(new RegExp(`^${words}`));
	expect(await creations()).toEqual([]);
});

it('a prompt that was never filled in stops n8n before the workflow starts', async () => {
	const { error } = await generate({ prompt: '' });
	expect(error?.message).toMatch(/Parameter "Prompt" is required/);
	expect(await creations()).toEqual([]);
});

it('with an error output the failed rows leave there, with all their fields', async () => {
	const run = await runOurs({
		node: 'mediaGen',
		items: [
			{ json: { p: 'A', title: 'a' } },
			{ json: { p: '', title: 'b' } },
			{ json: { p: 'C [fail]', title: 'c' } },
			{ json: { p: 'D', title: 'd' } },
		],
		parameters: createParameters({ prompt: '={{ $json.p }}', downloadOutputs: false }),
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

it('a dry run by TRUE of a sheet is one, and 0 credits reserve nothing', async () => {
	const dry = await generate({ options: { dryRun: '={{ $json.yes }}' } });
	expect(dry.items[0]?.json).toMatchObject({ dryRun: true });
	expect(await creations()).toEqual([]);
	const capped = await generate({ options: { maxCredits: '={{ $json.zero }}' } });
	expect(capped.error?.message).toMatch(/^Max Credits per Execution \(0\)/);
	expect(await creations()).toEqual([]);
});

it('a locator of a collection works as the editor stores it, with its mark or without', async () => {
	for (const mark of [{ __rl: true }, {}]) {
		const { error } = await runOurs({
			node: 'mediaGen',
			items: [{ binary: { data: photo } }],
			parameters: createParameters({
				mode: 'video',
				model: 'studio/video-1',
				input: { start_frame: { ...mark, mode: 'binary', value: 'data' } },
				parameters: { aspect_ratio: { ...mark, mode: 'list', value: '' } },
				downloadOutputs: false,
			}),
		});
		expect(error).toBeUndefined();
	}
	const [{ body } = { body: undefined }] = await creations();
	expect(body).toMatchObject({ input: { start_frame: [expect.stringMatching(/^http/)] } });
	expect(body).not.toHaveProperty('parameters');
});

it('a file that an expression gives is sent, and so is a link with a blank', async () => {
	const dry = await runOurs({
		node: 'mediaGen',
		items: [{ json: { url: 'https://example.com/a b.png' }, binary: { data: photo } }],
		parameters: createParameters({
			input: { reference_images: '={{ [$binary.data, { url: $json.url }, null] }}' },
			options: { dryRun: true },
		}),
	});
	expect(dry.error).toBeUndefined();
	expect(dry.items[0]?.json.request).toMatchObject({
		body: { input: { reference_images: ['binary:data', 'https://example.com/a%20b.png'] } },
	});
});

it('a date is read in the timezone of the workflow, whatever expression gives it', async () => {
	const since = async (value: string) => {
		const { error } = await runOurs({
			node: 'mediaGenWorkspace',
			parameters: { operation: 'getUsage', since: value },
		});
		const usage = (await sandbox.requests()).filter(({ operation }) => operation === 'getUsage');
		return error?.message ?? usage.at(-1)?.query?.since;
	};
	const wanted = '2026-01-31T12:00:00.000Z';
	for (const value of [
		'2026-01-31T12:00:00Z',
		'={{ DateTime.fromISO("2026-01-31T12:00:00Z") }}',
		'={{ new Date("2026-01-31T12:00:00Z") }}',
		'={{ 1769860800000 }}',
	])
		expect([value, await since(value)]).toEqual([value, wanted]);
	for (const value of ['12/31/2026', '2026-02-30', '={{ 1769860800 }}'])
		expect(await since(value)).toMatch(/^Since must be a date and time/);
});
