import type { OurRun } from './support/harness';
import { rest, runOurs, sandbox } from './support/harness';
import { bytesOf, createParameters, download, sniff } from './support/media';

/**
 * The core in workflows with Execution Logic v2, where files stand in the json of items. All other
 * end-to-end tests run that way with MEDIAGEN_E2E_BINARY_MODE=combined.
 */
const run = async (what: OurRun) => await runOurs({ ...what, binaryMode: 'combined' });

const photo = { data: bytesOf('image/png', 300_000), fileName: 'photo.png', mimeType: 'image/png' };

beforeEach(async () => await sandbox.reset());

const operations = async (name: string) =>
	(await sandbox.requests()).filter(({ operation }) => operation === name);

it('an image is created, waited for and downloaded, and its file is in the json', async () => {
	const made = await run({ node: 'mediaGen', parameters: createParameters({}) });
	expect(made.error).toBeUndefined();
	expect(made.items[0]?.json).toMatchObject({ status: 'completed' });
	expect(sniff(await download(rest, made.items[0]?.binary.data))).toBe('image/png');
	const stored = made.execution.data.resultData.runData['Node under test']?.at(-1)?.data?.main?.[0];
	expect(stored?.[0]?.json._files).toMatchObject({ data: { mimeType: 'image/png' } });
});

it.each(['binary:photo', 'binary:_files.photo'])(
	'%s is uploaded to the byte',
	async (start_frame) => {
		const made = await run({
			node: 'mediaGen',
			items: [{ binary: { photo } }],
			parameters: createParameters({
				mode: 'video',
				model: 'studio/video-1',
				input: { start_frame },
			}),
		});
		expect(made.error).toBeUndefined();
		const [created] = await operations('createGeneration');
		const { input } = created?.body as { input: { start_frame: string[] } };
		const sent = Buffer.from(await (await fetch(String(input.start_frame[0]))).arrayBuffer());
		expect(sent.equals(photo.data)).toBe(true);
	},
);

it.each(['photo', '_files.photo'])('File: Upload finds %s', async (inputBinaryField) => {
	const sent = await run({
		node: 'mediaGenFile',
		items: [{ binary: { photo } }],
		parameters: { operation: 'upload', inputBinaryField },
	});
	expect(sent.error).toBeUndefined();
	expect(sent.items[0]?.json).toMatchObject({ fileName: 'photo.png', size: 300_000 });
	const stored = await (await fetch(String(sent.items[0]?.json.url))).arrayBuffer();
	expect(Buffer.from(stored).equals(photo.data)).toBe(true);
});
