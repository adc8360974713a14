import { MediaGenSpeech } from '../../nodes/Speech/MediaGenSpeech.node';
import { execute } from '../support/engine';
import { nodeRun } from '../support/nodeContext';

const { description } = new MediaGenSpeech();

const locator = (value: string) => ({ __rl: true, mode: 'id', value });

/** The body that is sent for these parameters. */
async function sent(parameters: Record<string, unknown>): Promise<Record<string, unknown>> {
	const bodies: unknown[] = [];
	const run = nodeRun({
		request: async ({ body }) => {
			bodies.push(typeof body === 'string' ? JSON.parse(body) : body);
			const answer = { id: 'speech_1', object: 'speech_generation', status: 'queued' };
			return { statusCode: 202, headers: {}, body: answer };
		},
	});
	await execute(description, run, () => ({
		operation: 'create',
		model: locator('service/speech-lite'),
		waitForCompletion: false,
		...parameters,
	}));
	return bodies[0] as Record<string, unknown>;
}

test('one text without a form of blocks is one block', async () => {
	expect(await sent({ blocksFrom: 'text', text: 'Hello\n\nthere' })).toEqual({
		model: 'service/speech-lite',
		blocks: [{ text: 'Hello\n\nthere' }],
	});
});

test.each([['fields'], ['json'], ['text']])(
	'one voice for all: with blocks from %s each block without a voice gets it',
	async (blocksFrom) => {
		const own = blocksFrom === 'text' ? [] : [{ text: 'B', voice: 'own' }];
		const body = await sent({
			blocksFrom,
			text: 'A',
			blocks: {
				block: [
					{ text: 'A', voice: locator('') },
					{ text: 'B', voice: locator('own') },
				],
			},
			blocksJson: '[{"text": "A"}, {"text": "B", "voice": "own"}]',
			voice: locator('aria'),
		});
		expect(body.blocks).toEqual([{ text: 'A', voice: 'aria' }, ...own]);
		expect(body).not.toHaveProperty('voice');
	},
);

test('without a voice the service chooses', async () => {
	const body = await sent({ blocksFrom: 'text', text: 'A', voice: locator('') });
	expect(body.blocks).toEqual([{ text: 'A' }]);
});

test('a workflow from before, without any of this, is the form of blocks', async () => {
	const body = await sent({ blocks: { block: [{ text: 'A', voice: 'aria' }] } });
	expect(body.blocks).toEqual([{ text: 'A', voice: 'aria' }]);
});

test.each([
	['text', { text: ' ' }, /Text is empty/],
	['fields', { blocks: {} }, /Blocks takes from 1 to 50 blocks, got 0/],
])(
	'blocks from %s that are empty are refused before a request',
	async (blocksFrom, given, problem) => {
		await expect(sent({ blocksFrom, ...given })).rejects.toThrow(problem);
	},
);
