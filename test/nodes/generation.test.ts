import type { INodeType } from 'n8n-workflow';
import { MediaGen } from '../../nodes/MediaGen/MediaGen.node';
import { MediaGenVoice } from '../../nodes/Voice/MediaGenVoice.node';
import { INPUT_SLOTS } from '../../src/api';
import { called, locator } from '../support/nodeCall';

/** The body that is sent for parameters, and the warning of the item. */
async function made(parameters: Record<string, unknown>) {
	const { body, item } = await called(MediaGen, {
		operation: 'generateVideo',
		model: locator('m', 'id'),
		prompt: 'A boat',
		waitForCompletion: false,
		...parameters,
	});
	return { body, warning: item?.json.warning };
}

const url = 'https://example.com/a.png';

const usual = { operation: 'generateImage', model: locator('m', 'id'), prompt: 'A boat' };

const LISTED = {
	aspect_ratio: '16:9',
	duration: '5',
	quality: 'high',
	resolution: '1080p',
	size: '1024x1024',
	speed: '1.2',
};

const eachSlot = (value: unknown) => Object.fromEntries(INPUT_SLOTS.map((slot) => [slot, value]));

test('every field goes to its path in the request, as a locator or as text saved before', async () => {
	const parameters = { ...LISTED, count: 2, loop: true };
	const input = eachSlot([url]);
	const body = { mode: 'video', model: 'm', prompt: 'A boat', input, parameters };
	expect(await made({ input: eachSlot(url), parameters })).toEqual({ body });
	const located = Object.entries(LISTED).map(([name, value]) => [name, locator(value)]);
	const given = { ...parameters, ...(Object.fromEntries(located) as object) };
	expect(await made({ input: eachSlot(locator(url, 'url')), parameters: given })).toEqual({ body });
});

test('what a builder has written for another operation is named in the warning of the item, and the rest is made', async () => {
	const parameters = { count: 1, duration: '8' };
	const given = { operation: 'generateImage', input: { start_frame: url }, parameters };
	expect(await made(given)).toEqual({
		body: { mode: 'image', model: 'm', prompt: 'A boat', parameters: { count: 1 } },
		warning:
			'Not used, because Generate Image has no such field: "parameters.duration", "input.start_frame"',
	});
});

test.each([
	[{ options: { dry_run: true } }, '"options.dry_run" is no field of Generate Image', 'dryRun'],
	[
		{ options: { max_credits: 5 } },
		'"options.max_credits" is no field of Generate Image',
		'maxCredits',
	],
	[{ input: { imageRef: [url] } }, '"input.imageRef" is no field of Generate Image', 'image_refs'],
	[{ parameters: { aspectRatio: '1:1' } }, '"parameters.aspectRatio" is no field', 'aspect_ratio'],
])(
	'a name that no operation has is an error before anything is sent: %j',
	async (given, said, meant) => {
		const { asked, error } = await called(MediaGen, { ...usual, ...given });
		expect(asked).toEqual([]);
		expect(error?.message).toContain(said);
		expect(error?.description).toContain(`Its name is "${meant}".`);
	},
);

test('a name that resembles none: the error says which there are', async () => {
	const { error } = await called(MediaGen, { ...usual, options: { zebra: true } });
	expect(error?.description).toMatch(/It has .*dryRun/);
});

test.each<[new () => INodeType, object, string]>([
	[
		MediaGen,
		{ operation: 'noSuchOperation' },
		'This node has no operation "noSuchOperation"; it has generateImage, generateVideo, generateAudio, get, getAll',
	],
	[
		MediaGenVoice,
		{ resource: 'presetVoice', operation: 'clone' },
		'no operation "clone"; it has getAll',
	],
	[
		MediaGenVoice,
		{ resource: 'voice', operation: 'get' },
		'no resource "voice"; it has customVoice, presetVoice',
	],
])('what %p does not have is named with what there is, and nothing is sent: %j', async (...row) => {
	const [node, given, words] = row;
	const { error, asked } = await called(node, { ...given });
	expect(error?.message).toContain(words);
	expect(asked).toEqual([]);
});
