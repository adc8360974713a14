import { NodeHelpers, type INodeProperties } from 'n8n-workflow';
import { MediaGenGeneration } from '../../nodes/Generation/MediaGenGeneration.node';
import { INPUT_SLOTS } from '../../src/contract';
import { execute } from '../support/engine';
import { NODE, nodeRun } from '../support/nodeContext';

const { description } = new MediaGenGeneration();

const field = (name: string, operation: string): INodeProperties => {
	const found = description.properties.find(
		(property) =>
			property.name === name && property.displayOptions?.show?.operation?.includes(operation),
	);
	if (!found) throw new Error(`no field ${name}`);
	return found;
};

const names = (fields: INodeProperties['options']) => (fields ?? []).map(({ name }) => name).sort();

test('has the operations and name that saved workflows use', () => {
	expect(description.name).toBe('mediaGenGeneration');
	expect(description.usableAsTool).toBe(true);
	const operation = description.properties.find(({ name }) => name === 'operation');
	expect((operation?.options ?? []).map((option) => 'value' in option && option.value)).toEqual([
		'create',
		'get',
		'getAll',
	]);
	expect(operation?.default).toBe('create');
});

const offered = (name: string) => [...new Set(names(field(name, 'create').options))];

test('offers all nine input slots and all eleven parameters of the specification', () => {
	expect(offered('input')).toEqual([...INPUT_SLOTS].sort());
	expect(offered('parameters')).toEqual([
		'aspect_ratio',
		'count',
		'duration',
		'language_boost',
		'loop',
		'lyrics',
		'quality',
		'resolution',
		'size',
		'speed',
		'voice',
	]);
});

/** What can be added to a collection in the editor, in this mode. */
const addable = (name: string, mode: string) =>
	((field(name, 'create').options ?? []) as INodeProperties[])
		.filter(
			(option) =>
				option.type !== 'hidden' &&
				NodeHelpers.displayParameter({}, option, NODE, description, { mode }),
		)
		.map((option) => option.name);

test.each([
	[
		'image',
		['character', 'image_refs', 'reference_images'],
		['aspect_ratio', 'count', 'quality', 'resolution', 'size'],
	],
	[
		'video',
		[
			'audio_refs',
			'character',
			'end_frame',
			'image_refs',
			'motion_video',
			'reference_images',
			'start_frame',
			'video',
			'video_refs',
		],
		['aspect_ratio', 'count', 'duration', 'loop', 'quality', 'resolution', 'size', 'speed'],
	],
	[
		'audio',
		['audio_refs', 'image_refs', 'video', 'video_refs'],
		['count', 'duration', 'language_boost', 'loop', 'lyrics', 'quality', 'speed', 'voice'],
	],
])('in the mode %s nothing is offered that belongs to another', (mode, slots, parameters) => {
	expect(addable('input', mode)).toEqual(slots);
	expect(addable('parameters', mode)).toEqual(parameters);
});

const url = 'https://example.com/a.png';

const everything = {
	input: Object.fromEntries(INPUT_SLOTS.map((slot) => [slot, url])),
	parameters: {
		aspect_ratio: '16:9',
		count: 2,
		duration: '5',
		language_boost: 'English',
		loop: true,
		lyrics: 'La',
		quality: 'high',
		resolution: '1080p',
		size: '1024x1024',
		speed: '1.2',
		voice: 'aria',
	},
};

/** What n8n keeps of saved parameters when it loads a workflow. */
const loaded = (parameters: object) =>
	NodeHelpers.getNodeParameters(
		description.properties,
		{ operation: 'create', ...parameters } as never,
		true,
		false,
		NODE,
		description,
	);

test.each(['image', 'video', 'audio', '={{ $json.mode }}'])(
	'in the mode %s nothing that a workflow holds is dropped, whatever it belongs to',
	(mode) => {
		expect(loaded({ mode, ...everything })).toMatchObject(everything);
	},
);

const locator = (value: unknown, mode = 'list') => ({ __rl: true, mode, value });

/** The body that is sent for parameters, through n8n's routing and the hook. */
async function sent(parameters: Record<string, unknown>): Promise<Record<string, unknown>> {
	const bodies: unknown[] = [];
	const answer = { id: 'gen_1', object: 'generation', status: 'queued', mode: 'video', model: 'm' };
	const run = nodeRun({
		parameters: () => parameters,
		request: async ({ body }) => {
			bodies.push(typeof body === 'string' ? JSON.parse(body) : body);
			return { statusCode: 202, headers: {}, body: answer };
		},
	});
	await execute(description, run, () => ({
		operation: 'create',
		mode: 'video',
		model: locator('m', 'id'),
		prompt: 'A boat',
		waitForCompletion: false,
		...parameters,
	}));
	return bodies[0] as Record<string, unknown>;
}

test('every field goes to its path in the request, as a locator or as text saved before', async () => {
	const wanted = {
		mode: 'video',
		model: 'm',
		prompt: 'A boat',
		delivery: 'public_url',
		input: Object.fromEntries(INPUT_SLOTS.map((slot) => [slot, [url]])),
		parameters: everything.parameters,
	};
	expect(await sent(everything)).toEqual(wanted);
	const { count, loop, lyrics, ...listed } = everything.parameters;
	const located = {
		input: Object.fromEntries(INPUT_SLOTS.map((slot) => [slot, locator(url, 'url')])),
		parameters: {
			...{ count, loop, lyrics },
			...Object.fromEntries(Object.entries(listed).map(([name, value]) => [name, locator(value)])),
		},
	};
	expect(await sent(located)).toEqual(wanted);
});

test('a duration is a text to the service, though one may give a number of seconds', async () => {
	expect(await sent({ parameters: { duration: 5 } })).toMatchObject({
		parameters: { duration: '5' },
	});
	expect(await sent({ parameters: { duration: locator(7.5, 'value') } })).toMatchObject({
		parameters: { duration: '7.5' },
	});
});

test('what is empty is not sent', async () => {
	const empty = {
		parameters: { voice: locator(''), size: '' },
		input: { video: locator('', 'url') },
	};
	const body = await sent(empty);
	expect([body.input, body.parameters]).toEqual([undefined, undefined]);
});

test('waits and downloads by default', () => {
	expect(field('waitForCompletion', 'create').default).toBe(true);
	expect(field('downloadOutputs', 'create').default).toBe(true);
	expect(field('delivery', 'create').default).toBe('public_url');
});
