import { MediaGenSpeech } from '../../nodes/Speech/MediaGenSpeech.node';
import type { INodeExecutionData, NodeApiError } from 'n8n-workflow';
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

test.each([
	['text', { text: ' ' }, /Text is empty/],
	['fields', { blocks: {} }, /Blocks takes from 1 to 50 blocks, got 0/],
])(
	'blocks from %s that are empty are refused before a request',
	async (blocksFrom, given, problem) => {
		await expect(sent({ blocksFrom, ...given })).rejects.toThrow(problem);
	},
);

describe('a text that takes two requests', () => {
	const SENTENCES = 51;

	/** @param refuses whether the request of this number, from 1, is refused for lack of credits */
	const speak = async (
		refuses: (request: number) => boolean,
		{ continueOnFail = false, items = 1, options = {} } = {},
	) => {
		let posts = 0;
		const run = nodeRun({
			continueOnFail,
			items: Array.from({ length: items }, (_, item) => ({ json: { item } })),
			request: async () => {
				posts += 1;
				if (!refuses(posts)) {
					const job = { id: `speech_${posts}`, object: 'speech_generation', status: 'queued' };
					return { statusCode: 202, headers: {}, body: job };
				}
				const error = { type: 'insufficient_credits', message: 'none left' };
				return { statusCode: 402, headers: {}, body: { error } };
			},
		});
		const running = execute(description, run, (item) => ({
			operation: 'create',
			model: locator('service/speech-lite'),
			waitForCompletion: false,
			blocksFrom: 'text',
			text: Array.from({ length: SENTENCES }, (_, n) => `Sentence ${n} of ${item}.`).join('\n\n'),
			options: { blockLength: 20, ...options },
		}));
		const ended = await running.then(
			(rows): { rows: INodeExecutionData[]; error?: NodeApiError } => ({ rows }),
			(error: NodeApiError) => ({ rows: [], error }),
		);
		return { ...ended, posts };
	};

	test('of which one is refused: the error names the job of the other, and says that it exists', async () => {
		const { error } = await speak((request) => request === 2);
		expect(error?.message).toBe('Not enough credits: none left (job speech_1)');
		expect(error?.description).toMatch(/The job exists at the service/);
		expect(error?.description).not.toMatch(/no credits were spent/);
		expect(error?.context.data).toMatchObject({
			jobId: 'speech_1',
			credits: 'reserved or spent',
		});
	});

	test('with one own key for two texts: none is sent, and both are named as items', async () => {
		const options = { idempotency: 'custom', idempotencyKey: 'chapter' };
		const { error, posts } = await speak(() => false, { items: 2, options });
		expect(posts).toBe(0);
		expect(error?.message).toMatch(/is the same for items 1 and 2, which make/);
		expect(error?.description).toMatch(/ 2 items are wrong: 1, 2\./);
	});
});
