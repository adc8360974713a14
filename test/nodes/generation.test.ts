import type { INodeProperties } from 'n8n-workflow';
import { MediaGen } from '../../nodes/MediaGen/MediaGen.node';
import { INPUT_SLOTS } from '../../src/contract';
import { execute } from '../support/engine';
import { nodeRun } from '../support/nodeContext';

const { description } = new MediaGen();

const field = (name: string, operation: string): INodeProperties => {
	const found = description.properties.find(
		(property) =>
			property.name === name && property.displayOptions?.show?.operation?.includes(operation),
	);
	if (!found) throw new Error(`no field ${name}`);
	return found;
};

const url = 'https://example.com/a.png';

const OF_AUDIO = { language_boost: 'English', lyrics: 'La', voice: 'aria' };

const everything = {
	input: Object.fromEntries(INPUT_SLOTS.map((slot) => [slot, url])),
	parameters: {
		aspect_ratio: '16:9',
		count: 2,
		duration: '5',
		loop: true,
		quality: 'high',
		resolution: '1080p',
		size: '1024x1024',
		speed: '1.2',
	},
};

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
		operation: 'generateVideo',
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
		input: Object.fromEntries(INPUT_SLOTS.map((slot) => [slot, [url]])),
		parameters: everything.parameters,
	};
	expect(await sent(everything)).toEqual(wanted);
	const { count, loop, ...listed } = everything.parameters;
	const located = {
		input: Object.fromEntries(INPUT_SLOTS.map((slot) => [slot, locator(url, 'url')])),
		parameters: {
			...{ count, loop },
			...Object.fromEntries(Object.entries(listed).map(([name, value]) => [name, locator(value)])),
		},
	};
	expect(await sent(located)).toEqual(wanted);
});

test('the fields of audio, a persona and the delivery reach the request too', async () => {
	const persona = '3b241101-e2bb-4255-8caf-4136c566a962';
	expect(await sent({ operation: 'generateAudio', parameters: OF_AUDIO })).toMatchObject({
		mode: 'audio',
		parameters: OF_AUDIO,
	});
	const options = { personaId: locator(persona), delivery: 'signed_url' };
	expect(await sent({ operation: 'generateImage', options })).toMatchObject({
		mode: 'image',
		persona_id: persona,
		delivery: 'signed_url',
	});
});

test('a duration is a text to the service, though one may give a number of seconds', async () => {
	expect(await sent({ parameters: { duration: 5 } })).toMatchObject({
		parameters: { duration: '5' },
	});
	expect(await sent({ parameters: { duration: locator(7.5, 'value') } })).toMatchObject({
		parameters: { duration: '7.5' },
	});
});
