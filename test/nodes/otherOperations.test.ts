import { NodeHelpers, type INodeTypeDescription, type NodeParameterValue } from 'n8n-workflow';
import { MediaGen } from '../../nodes/MediaGen/MediaGen.node';
import { MediaGenVoice } from '../../nodes/Voice/MediaGenVoice.node';
import { execute } from '../support/engine';
import { NODE, nodeRun } from '../support/nodeContext';

const { description } = new MediaGen();

const generated = {
	operation: 'generateImage',
	model: { __rl: true, mode: 'id', value: 'm' },
	prompt: 'A boat',
	waitForCompletion: false,
};

test('it is named in the warning of the item, and the rest is made', async () => {
	const bodies: unknown[] = [];
	const run = nodeRun({
		request: async ({ body }) => {
			bodies.push(typeof body === 'string' ? JSON.parse(body) : body);
			const job = { id: 'gen_1', object: 'generation', status: 'queued' };
			return { statusCode: 202, headers: {}, body: job };
		},
	});
	const [item] = await execute(description, run, () => ({
		...generated,
		input: { start_frame: 'https://example.com/a.png' },
		parameters: { count: 1, seed: 7 },
	}));
	expect(item?.json.warning).toBe(
		'Not used, because Generate Image has no such field: "parameters.seed", "input.start_frame"',
	);
	expect(bodies).toEqual([
		{ mode: 'image', model: 'm', prompt: 'A boat', parameters: { count: 1 } },
	]);
});

test.each<[string, INodeTypeDescription, Record<string, NodeParameterValue>, RegExp]>([
	[
		'operation',
		description,
		{ operation: 'create' },
		/This node has no operation "create"; it has generateImage, generateVideo, generateAudio, get, getAll/,
	],
	[
		'operation of a resource',
		new MediaGenVoice().description,
		{ resource: 'presetVoice', operation: 'clone' },
		/no operation "clone"; it has getAll/,
	],
	[
		'resource',
		new MediaGenVoice().description,
		{ resource: 'voice', operation: 'get' },
		/no resource "voice"; it has customVoice, presetVoice/,
	],
])(
	'an unknown %s is named with those that exist, and nothing is sent',
	async (_, of, given, words) => {
		// The service of this run fails the test when it is asked anything.
		await expect(execute(of, nodeRun(), () => given)).rejects.toThrow(words);
	},
);
