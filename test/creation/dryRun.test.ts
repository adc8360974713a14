import sharp from 'sharp';
import { MediaGenSpeech } from '../../nodes/Speech/MediaGenSpeech.node';
import { LIMITS } from '../../src/api';
import type { SendResult } from '../../src/base/types';
import { answer } from '../model/answers';
import { byId, setUp, type Part } from '../support/serviceRun';

jest.mock('../../src/base/clock', () => jest.requireActual('../support/virtualTime'));

const image = { mode: 'image', model: 'm', prompt: 'A cat' };

/** The items of a dry run, against a service that answers every request in one way, and what it was asked. */
async function dry(part: Part = {}, answered: SendResult = answer(200, { data: [] })) {
	const asked: string[] = [];
	const { run } = setUp({
		answers: ({ method, path }) => {
			asked.push(`${method} ${path}`);
			return answered;
		},
		...part,
		given: { model: byId('m'), prompt: 'A cat', options: { dryRun: true }, ...part.given },
	});
	return { items: await run(), asked };
}

test('an item has the shape of a finished job, and what would be sent beside it', async () => {
	const { items, asked } = await dry();
	expect(items[0]?.json).toMatchObject({
		...image,
		id: 'dry_run_1',
		object: 'generation',
		status: 'completed',
		dryRun: true,
		outputs: [{ media_type: 'image/png', url: expect.stringMatching(/^https:/) as string }],
		request: { method: 'POST', path: '/generations', body: image },
	});
	expect(asked).toEqual(['GET /generations']);
});

test.each([
	[{ aspect_ratio: '9:16' }, [270, 480]],
	[{ aspect_ratio: 'unknown' }, [480, 480]],
	[{ aspect_ratio: '16:9', size: '1024x512' }, [1_024, 512]],
	[{ size: '9000x9000' }, [2_048, 2_048]],
	[{ size: '0x0' }, [480, 480]],
])('%j: a PNG of that shape', async (given, [width, height]) => {
	const parameters = Object.entries(given).map(([name, value]) => [name, byId(value)]);
	const { items } = await dry({ given: { parameters: Object.fromEntries(parameters) as object } });
	const bytes = Buffer.from(items[0]?.binary?.data?.data ?? '', 'base64');
	expect(await sharp(bytes).metadata()).toMatchObject({ format: 'png', width, height });
});

test.each([
	['generateVideo', 'video/mp4'],
	['generateAudio', 'audio/wav'],
])('%s: a file of type %s', async (operation, mimeType) => {
	const { items } = await dry({ given: { operation } });
	expect(items[0]?.binary?.data).toMatchObject({ mimeType });
});

test('where an expression makes a dry run of some items only, the summary is about these', async () => {
	const own = (item: number) => ({ options: item === 0 ? { dryRun: true } : {} });
	const { items } = await dry(
		{ json: [{}, {}], own },
		answer(200, { ...image, id: 'gen_1', object: 'generation', status: 'completed', outputs: [] }),
	);
	expect(items.map(({ json }) => json.summary)).toEqual([
		'Nothing was sent of the items that are dry runs. It would create 1 job; what that costs is not known.',
		undefined,
	]);
});

test.each([true, false])(
	'an own key that is too long with the number of a part is refused before anything goes out, dry run %s',
	async (dryRun) => {
		const text = `${'A sentence of words. '.repeat(10_000)}The end.`;
		const own = {
			idempotency: 'custom',
			idempotencyKey: 'k'.repeat(LIMITS.idempotencyKeyLength.max),
		};
		const given = {
			text,
			model: byId('service/speech-lite'),
			options: { dryRun, blockLength: 1_000, ...own },
		};
		await expect(dry({ node: new MediaGenSpeech(), given })).rejects.toThrow(
			/Own Key.* has 26\d characters; at most 255 are allowed/,
		);
	},
);

test('a long speech in blocks of a set length becomes several; with lite speech 300 credits are stated for a million characters', async () => {
	const text = `${'A sentence of words. '.repeat(10_000)}The end.`;
	const options = { dryRun: true, blockLength: 1_000 };
	const given = { text, model: byId('service/speech-lite'), options };
	const { items } = await dry({ node: new MediaGenSpeech(), given });
	const parts = items.map(({ json, binary }) => [json.part, json.parts, binary?.data?.mimeType]);
	expect(parts).toEqual(items.map((_, index) => [index + 1, items.length, 'audio/wav']));
	expect(items.length).toBeGreaterThan(1);
	expect(items[0]?.json).toMatchObject({ object: 'speech_generation', line_count: 50 });
	// Never less than it will cost.
	const prices = items.map(({ json }) => Math.ceil(Number(json.character_count) * 0.03) / 100);
	expect(items.map(({ json }) => json.estimated_credits)).toEqual(prices);
});

test('prices are those of the newest generation of each model, from one page for the whole run', async () => {
	const shown = [4, 2].map((credits) => ({
		id: `g${credits}`,
		status: 'completed',
		outputs: [{}],
		...image,
		estimated_credits: credits,
	}));
	const own = (item: number) => ({ model: byId(item === 2 ? 'other' : 'm') });
	const { items, asked } = await dry({ json: [{}, {}, {}], own }, answer(200, { data: shown }));
	expect(asked).toHaveLength(1);
	expect(items.map(({ json }) => json.estimated_credits)).toEqual([4, 4, undefined]);
	expect(items[0]?.json.summary).toBe(
		'Nothing was sent. It would create 3 jobs, about 8 credits, at the prices of last time, and the unknown price of 1 of them.',
	);
});

test.each<SendResult>([answer(403), { noResponse: 'ECONNRESET' }])(
	'a service that cannot say what was paid costs one request and no error: %j',
	async (answered) => {
		const { items, asked } = await dry({ json: [{}, {}] }, answered);
		expect(asked).toHaveLength(1);
		expect(items[0]?.json).not.toHaveProperty('estimated_credits');
		expect(items[0]?.json.summary).toBe(
			'Nothing was sent. It would create 2 jobs; what that costs is not known.',
		);
	},
);
