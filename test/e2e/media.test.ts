import sharp from 'sharp';
import { rest, runOurs, sandbox } from './support/harness';
import { createParameters, download, shortId, sniff } from './support/media';

beforeEach(async () => await sandbox.reset());

it.each([
	['image', 'studio/image-1', 'image/png', 'png'],
	['video', 'studio/video-1', 'video/mp4', 'mp4'],
	['audio', 'studio/music-1', 'audio/wav', 'wav'],
])('a playable %s of %s comes with its name and type', async (mode, model, type, extension) => {
	const run = await runOurs({ node: 'mediaGen', parameters: createParameters({ mode, model }) });
	expect(run.error).toBeUndefined();
	expect(run.items).toHaveLength(1);
	const [item] = run.items;
	expect(item?.json).toMatchObject({ object: 'generation', status: 'completed', mode, model });
	expect(item?.pairedItem).toEqual({ item: 0 });
	const data = item?.binary.data;
	expect(data).toMatchObject({ mimeType: type, fileExtension: extension });
	expect(data?.fileName).toBe(`a-lighthouse-at-dawn-${shortId(item?.json.id)}.${extension}`);
	const [output] = item?.json.outputs as Array<{ url: string }>;
	expect(item?.json.url).toBe(output?.url);
	expect(Object.keys(item?.json ?? {}).slice(0, 5)).toEqual([
		'id',
		'status',
		'url',
		'outputs',
		'estimated_credits',
	]);
	expect(sniff(await download(rest, data))).toBe(type);
});

it('the sandbox knows which execution each request came from', async () => {
	const { executionId, workflowId } = await runOurs({
		node: 'mediaGen',
		parameters: createParameters({}),
	});
	const requests = (await sandbox.requests()).filter(({ operation }) => operation !== 'readOutput');
	expect(requests.length).toBeGreaterThan(1);
	const addresses = new Set(requests.map(({ execution }) => execution));
	expect([...addresses]).toEqual([
		expect.stringMatching(
			new RegExp(`^http://\\S+/workflow/${workflowId}/executions/${executionId}$`),
		),
	]);
});

it('several outputs are on one item, in order, each a picture of the asked size', async () => {
	const run = await runOurs({
		node: 'mediaGen',
		parameters: createParameters({ parameters: { count: 3, size: '640x384' } }),
	});
	expect(run.items).toHaveLength(1);
	const [item] = run.items;
	expect(Object.keys(item?.binary ?? {})).toEqual(['data', 'data_1', 'data_2']);
	const files = await Promise.all(
		Object.values(item?.binary ?? {}).map(async (data) => await download(rest, data)),
	);
	for (const file of files) {
		const wanted = { format: 'png', width: 640, height: 384 };
		expect(await sharp(file).metadata()).toMatchObject(wanted);
	}
	expect(new Set(files.map((file) => file.toString('base64'))).size).toBe(3);
	const name = `a-lighthouse-at-dawn-${shortId(item?.json.id)}-3.png`;
	expect(item?.binary.data_2?.fileName).toBe(name);
});

it('Split Outputs gives one item for each file, in a field of the chosen name, through signed links too', async () => {
	const run = await runOurs({
		node: 'mediaGen',
		items: [{ json: { n: 0 } }, { json: { n: 1 } }],
		parameters: createParameters({
			delivery: 'signed_url',
			parameters: { count: 2 },
			options: { splitOutputs: true, outputBinaryField: 'picture' },
		}),
	});
	expect(run.items.map(({ pairedItem }) => pairedItem)).toEqual(
		[0, 0, 1, 1].map((item) => ({ item })),
	);
	for (const { json, binary } of run.items) {
		expect(json.output).toMatchObject({ media_type: 'image/png' });
		expect(sniff(await download(rest, binary.picture))).toBe('image/png');
	}
});

it('a binary field is sent as reference image, to the byte, with its type', async () => {
	const red = { width: 64, height: 48, channels: 3 as const, background: '#d33' };
	const data = await sharp({ create: red }).png().toBuffer();
	const run = await runOurs({
		node: 'mediaGen',
		items: [{ binary: { photo: { data, fileName: 'red.png', mimeType: 'image/png' } } }],
		parameters: createParameters({ input: { reference_images: 'binary:photo' } }),
	});
	expect(run.error).toBeUndefined();
	const requests = await sandbox.requests();
	const file = requests.find(({ operation }) => operation === 'createFile');
	expect(file?.body).toEqual({
		filename: 'red.png',
		content_type: 'image/png',
		size: data.length,
	});
	const created = requests.find(({ operation }) => operation === 'createGeneration');
	const { input } = created?.body as { input: { reference_images: string[] } };
	expect(input.reference_images).toHaveLength(1);
	const stored = Buffer.from(await (await fetch(input.reference_images[0] ?? '')).arrayBuffer());
	expect(stored.equals(data)).toBe(true);
});
