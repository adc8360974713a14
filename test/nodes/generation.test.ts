import type { IDataObject, INodeTypeDescription, NodeParameterValue } from 'n8n-workflow';
import { MediaGen } from '../../nodes/MediaGen/MediaGen.node';
import { MediaGenVoice } from '../../nodes/Voice/MediaGenVoice.node';
import { INPUT_SLOTS } from '../../src/contract';
import { execute } from '../support/engine';
import { nodeRun } from '../support/nodeContext';

const { description } = new MediaGen();

const locator = (value: unknown, mode = 'list') => ({ __rl: true, mode, value });

/** The body that is sent for parameters, through n8n's routing and the hook, and the warning of the item. */
async function made(parameters: Record<string, unknown>) {
	const bodies: IDataObject[] = [];
	const run = nodeRun({
		request: async ({ body }) => {
			bodies.push(JSON.parse(body as string) as IDataObject);
			const job = { id: 'gen_1', object: 'generation', status: 'queued' };
			return { statusCode: 202, headers: {}, body: job };
		},
	});
	const [item] = await execute(description, run, () => ({
		operation: 'generateVideo',
		model: locator('m', 'id'),
		prompt: 'A boat',
		waitForCompletion: false,
		...parameters,
	}));
	return { body: bodies[0], warning: item?.json.warning };
}

const url = 'https://example.com/a.png';

const OF_VIDEO = {
	aspect_ratio: '16:9',
	count: 2,
	duration: '5',
	loop: true,
	quality: 'high',
	resolution: '1080p',
	size: '1024x1024',
	speed: '1.2',
};

const eachSlot = (value: unknown) => Object.fromEntries(INPUT_SLOTS.map((slot) => [slot, value]));

test('every field goes to its path in the request, as a locator or as text saved before', async () => {
	const body = {
		mode: 'video',
		model: 'm',
		prompt: 'A boat',
		input: eachSlot([url]),
		parameters: OF_VIDEO,
	};
	expect(await made({ input: eachSlot(url), parameters: OF_VIDEO })).toEqual({ body });
	const { count, loop, ...listed } = OF_VIDEO;
	const located = Object.entries(listed).map(([name, value]) => [name, locator(value)]);
	const parameters = { count, loop, ...(Object.fromEntries(located) as object) };
	expect(await made({ input: eachSlot(locator(url, 'url')), parameters })).toEqual({ body });
});

test('what a builder has written for another operation is named in the warning of the item, and the rest is made', async () => {
	const parameters = { count: 1, seed: 7 };
	const given = { operation: 'generateImage', input: { start_frame: url }, parameters };
	expect(await made(given)).toEqual({
		body: { mode: 'image', model: 'm', prompt: 'A boat', parameters: { count: 1 } },
		warning:
			'Not used, because Generate Image has no such field: "parameters.seed", "input.start_frame"',
	});
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
