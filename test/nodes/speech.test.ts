import { MediaGenSpeech } from '../../nodes/Speech/MediaGenSpeech.node';
import type { NodeApiError } from 'n8n-workflow';
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

test('by itself it is one text, and without a voice the service chooses', async () => {
	const body = await sent({ text: 'A', voice: locator('') });
	expect(body.blocks).toEqual([{ text: 'A' }]);
});

test('of a text that takes two requests one is refused: the error names the job of the other, and that it exists', async () => {
	let posts = 0;
	const run = nodeRun({
		request: async () => {
			posts += 1;
			const job = { id: `speech_${posts}`, object: 'speech_generation', status: 'queued' };
			if (posts === 1) return { statusCode: 202, headers: {}, body: job };
			const error = { type: 'insufficient_credits', message: 'none left' };
			return { statusCode: 402, headers: {}, body: { error } };
		},
	});
	const running = execute(description, run, () => ({
		operation: 'create',
		model: locator('service/speech-lite'),
		waitForCompletion: false,
		blocksFrom: 'text',
		text: Array.from({ length: 51 }, (_, n) => `Sentence ${n}.`).join('\n\n'),
		options: { blockLength: 20 },
	}));
	const error = await running.catch((thrown: NodeApiError) => thrown);
	expect(error).toMatchObject({
		message: 'Not enough credits: none left (job speech_1)',
		description: expect.stringMatching(
			/^(?!.*no credits were spent).*The job exists at the service/,
		),
		context: { data: { jobId: 'speech_1', credits: 'reserved or spent' } },
	});
});
