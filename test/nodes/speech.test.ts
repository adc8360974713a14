import { MediaGenSpeech } from '../../nodes/Speech/MediaGenSpeech.node';
import { errorBody } from '../model/answers';
import { called, locator } from '../support/nodeCall';

const usual = {
	operation: 'create',
	model: locator('service/speech-lite'),
	waitForCompletion: false,
};

test.each([['fields'], ['json'], ['text']])(
	'one voice for all: with blocks from %s each block without a voice gets it',
	async (blocksFrom) => {
		const own = blocksFrom === 'text' ? [] : [{ text: 'B', voice: 'own' }];
		const inFields = [
			{ text: 'A', voice: locator('') },
			{ text: 'B', voice: locator('own') },
		];
		const { body } = await called(MediaGenSpeech, {
			...usual,
			blocksFrom,
			text: 'A',
			blocks: { block: inFields },
			blocksJson: '[{"text": "A"}, {"text": "B", "voice": "own"}]',
			voice: locator('aria'),
		});
		expect(body?.blocks).toEqual([{ text: 'A', voice: 'aria' }, ...own]);
		expect(body).not.toHaveProperty('voice');
	},
);

test.each([
	['', { text: 'A' }],
	['aria', { text: 'A', voice: 'aria' }],
])('a voice of null in JSON is none: with %j for all it becomes %j', async (forAll, block) => {
	const blocksJson = '[{"text": "A", "voice": null}]';
	const given = { ...usual, blocksFrom: 'json', blocksJson, voice: locator(forAll) };
	expect((await called(MediaGenSpeech, given)).body?.blocks).toEqual([block]);
});

test('by itself it is one text, and without a voice the service chooses', async () => {
	const { body } = await called(MediaGenSpeech, { ...usual, text: 'A', voice: locator('') });
	expect(body?.blocks).toEqual([{ text: 'A' }]);
});

test('of a text that takes two requests one is refused: the error names the job of the other, and that it exists', async () => {
	const made = [{ statusCode: 202, body: { id: 'speech_1', status: 'queued' } }];
	const refused = { statusCode: 402, body: errorBody('none left') };
	const text = Array.from({ length: 51 }, (_, n) => `Sentence ${n}.`).join('\n\n');
	const parameters = { ...usual, blocksFrom: 'text', text, options: { blockLength: 20 } };
	const { error } = await called(MediaGenSpeech, parameters, () => made.shift() ?? refused);
	expect(error).toMatchObject({
		message: 'Not enough credits: none left (job speech_1)',
		description: expect.stringMatching(
			/^(?!.*no credits were spent).*The job exists at the service/,
		),
		context: { data: { jobId: 'speech_1', credits: 'reserved or spent' } },
	});
});

test('a text of any length is one file, unless the user has set the length of its blocks', async () => {
	const text = 'This is a sentence of some length, and it is not the last one. '.repeat(1_000);
	const { body } = await called(MediaGenSpeech, { ...usual, blocksFrom: 'text', text });
	const blocks = body?.blocks as Array<{ text: string }>;
	expect(blocks.length).toBeLessThanOrEqual(50);
	expect(blocks.map((block) => block.text).join(' ')).toBe(text.trim());
	const options = { blockLength: 1_000, singleFile: true };
	const { error } = await called(MediaGenSpeech, { ...usual, blocksFrom: 'text', text, options });
	expect(error?.message).toMatch(
		/makes \d+ blocks of up to 1000 characters, and one file takes 50/,
	);
});
