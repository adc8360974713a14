import sharp from 'sharp';
import { ENDPOINTS } from '../../src/contract';
import { ok } from '../../src/base/result';
import type { ApiRequest, Json, Send, SendResult } from '../../src/base/types';
import type { Item, OperationSpec } from '../../src/run/item';
import { runOperation } from '../../src/run/runner';
import { Run } from '../../src/run/run';
import type { Host, StoredFile } from '../../src/service/host';
import { answer } from '../model/answers';
import { hostWith, runOf, settingsWith, workspaceWith } from '../model/run';
import { VirtualClock } from '../model/virtualClock';

const page = (...data: object[]): SendResult =>
	answer(200, { object: 'list', data, has_more: false });

const SPEECH: OperationSpec = {
	endpoint: ENDPOINTS.createSpeech,
	object: 'speech_generation',
	output: 'job',
	creates: true,
	charges: true,
};

interface Scenario {
	bodies: object[];
	/** With speech, an item of these parts. */
	parts?: object[];
	spec?: OperationSpec;
	answers?: () => SendResult;
	hasService?: boolean;
}

/** Runs the items dry, against a service that answers every request in one way. */
async function dry({ bodies, parts, spec, answers = page, hasService = true }: Scenario) {
	const clock = new VirtualClock();
	const sent: ApiRequest[] = [];
	const files: Array<{ name: string; type: string; bytes: Buffer }> = [];
	const send: Send = async (request) => {
		sent.push(request);
		return answers();
	};
	const store: Host['store'] = async (body, fileName, mimeType) => {
		files.push({ name: fileName, type: mimeType, bytes: body as Buffer });
		return { fileName, mimeType } as StoredFile;
	};
	const shared = { host: hostWith(send, { store }), workspace: workspaceWith(clock), hasService };
	const run = new Run(bodies.length, false);
	const settings = { downloadOutputs: true, dryRun: true };
	const { path } = spec?.endpoint ?? ENDPOINTS.createGeneration;
	const requestOf = (body: object): ApiRequest => ({ method: 'POST', path, body });
	const items = bodies.map((body, itemIndex): Item => {
		const asked = { request: requestOf(body), parts: parts?.map(requestOf) };
		run.add(itemIndex, ok({ ...asked, settings: settingsWith(settings) }));
		const item = runOf({ ...shared, run, itemIndex, settings, ...asked });
		return spec ? { ...item, spec } : item;
	});
	const resources: Json[] = [];
	for (const item of items) {
		const result = await clock.run(runOperation(item));
		if (!result.ok) throw new Error(JSON.stringify(result.failure));
		resources.push(...result.value.resources);
	}
	return { sent, files, resources };
}

const image = { mode: 'image', model: 'm', prompt: 'A cat' };

test('an item has the shape of a finished job, and what would be sent beside it', async () => {
	const { resources, sent } = await dry({ bodies: [image] });
	expect(resources[0]).toMatchObject({
		id: 'dry_run_1',
		object: 'generation',
		status: 'completed',
		mode: 'image',
		model: 'm',
		outputs: [{ media_type: 'image/png', url: expect.stringMatching(/^https:/) as string }],
		dryRun: true,
		request: { method: 'POST', path: '/generations', body: image },
	});
	expect(sent.map(({ method }) => method)).toEqual(['GET']);
});

test.each([
	['9:16', {}, [270, 480]],
	['unknown', {}, [480, 480]],
	['16:9', { size: '1024x512' }, [1_024, 512]],
	['16:9', { size: '9000x9000' }, [2_048, 2_048]],
	['16:9', { size: '0x0' }, [480, 480]],
])('aspect ratio %s with %j: a PNG of that shape', async (aspect_ratio, more, [width, height]) => {
	const { files } = await dry({ bodies: [{ ...image, parameters: { aspect_ratio, ...more } }] });
	expect(files).toHaveLength(1);
	expect(await sharp(files[0]?.bytes).metadata()).toMatchObject({ format: 'png', width, height });
});

test.each([
	['video', 'video/mp4'],
	['audio', 'audio/wav'],
])('%s: a file of type %s', async (mode, type) => {
	const { files } = await dry({ bodies: [{ ...image, mode }] });
	expect(files.map((file) => file.type)).toEqual([type]);
});

test('what a speech in several parts would become', async () => {
	const part = (text: string) => ({ model: 'service/speech-lite', blocks: [{ text }] });
	const { resources, files } = await dry({
		bodies: [part('Good morning.')],
		parts: [part('Good morning.'), part('Good night.')],
		spec: SPEECH,
	});
	expect(resources).toMatchObject([
		{ part: 1, parts: 2, object: 'speech_generation', line_count: 1, character_count: 13 },
		{ part: 2, parts: 2, output: { media_type: 'audio/wav' } },
	]);
	expect(files).toHaveLength(2);
});

describe('prices', () => {
	const shown = () =>
		page(
			{ id: 'g2', ...image, estimated_credits: 4 },
			{ id: 'g1', ...image, estimated_credits: 2 },
		);

	test('are those of the newest generation of each model, from one page for the whole run', async () => {
		const other = { ...image, model: 'other' };
		const { resources, sent } = await dry({ bodies: [image, image, other], answers: shown });
		expect(sent).toHaveLength(1);
		expect(resources.map((resource) => resource.estimated_credits)).toEqual([4, 4, undefined]);
		expect(resources[0]?.summary).toBe(
			'Nothing was sent. It would create 3 jobs, for about 8 credits and the unknown price of 1 of them.',
		);
	});

	test.each([
		['refuses', () => answer(403)],
		['gives no answer', (): SendResult => ({ noResponse: 'ECONNRESET' })],
	])('a service that %s costs one request and no error', async (_name, answers) => {
		const { resources, sent } = await dry({ bodies: [image, image], answers });
		expect(sent).toHaveLength(1);
		expect(resources[0]).not.toHaveProperty('estimated_credits');
		expect(resources[0]?.summary).toBe(
			'Nothing was sent. It would create 2 jobs; what that costs is not known.',
		);
	});

	test('without a service nothing is asked', async () => {
		const { sent, files } = await dry({ bodies: [image], hasService: false });
		expect(sent).toEqual([]);
		expect(files).toHaveLength(1);
	});

	test('lite speech has a stated price: 300 credits for a million characters', async () => {
		const body = { model: 'service/speech-lite', blocks: [{ text: 'x'.repeat(100_000) }] };
		const { resources } = await dry({ bodies: [body], spec: SPEECH });
		expect(resources[0]).toMatchObject({ estimated_credits: 30 });
	});
});
