import type { IBinaryData } from 'n8n-workflow';
import { inputName } from '../../lab/n8n/nodeWorkflow';
import type { NodeRunResult } from '../../lab/n8n/runNode';
import { runOurs, sandbox } from './support/harness';
import { bytesOf, createParameters } from './support/media';

/*
 * A file that an expression gives is taken if it stands as a file in what a node of the execution has put
 * out; the id of a file that only text names is anybody's.
 */

const photo = { data: bytesOf('image/png', 3_000), fileName: 'photo.png', mimeType: 'image/png' };

type Mode = 'separate' | 'combined';

beforeEach(async () => await sandbox.reset());

const animate = async (binaryMode: Mode, start_frame: string, between?: string) =>
	await runOurs({
		node: 'mediaGen',
		binaryMode,
		items: [{ binary: { photo } }],
		between,
		parameters: createParameters({
			mode: 'video',
			model: 'studio/video-1',
			input: { start_frame },
		}),
	});

/** Whether the one creation names a URL under which the very bytes stand. */
async function isSent(): Promise<boolean> {
	const requests = await sandbox.requests();
	const [created] = requests.filter(({ operation }) => operation === 'createGeneration');
	const { input } = created?.body as { input: { start_frame: string[] } };
	const answer = await fetch(String(input.start_frame[0]));
	return Buffer.from(await answer.arrayBuffer()).equals(photo.data);
}

/** The file as the node before has put it out. */
function putOut({ execution }: NodeRunResult): IBinaryData | undefined {
	const [first] = execution.data.resultData.runData[inputName]?.[0]?.data?.main?.[0] ?? [];
	const inJson = first?.json._files as Record<string, IBinaryData> | undefined;
	return first?.binary?.photo ?? inJson?.photo;
}

/** Leaves the file behind. */
const LEFT = 'return $input.all().map(() => ({ json: { isLeft: true } }));';

/** Puts it elsewhere in the json. */
const MOVED = `return $input.all().map((item) => {
	const { _files } = item.json ?? item;
	return { json: { order: { photos: [_files.photo] } } };
});`;

it.each<[Mode, string, string]>([
	['separate', `={{ $('${inputName}').item.binary.photo }}`, LEFT],
	['separate', `={{ $('${inputName}').first().binary.photo }}`, LEFT],
	['separate', `={{ $node["${inputName}"].binary.photo }}`, LEFT],
	['combined', `={{ $('${inputName}').first()._files.photo }}`, LEFT],
	['combined', '={{ $json.order.photos[0] }}', MOVED],
])('%s: %s is uploaded to the byte', async (mode, expression, between) => {
	const made = await animate(mode, expression, between);
	expect(made.error).toBeUndefined();
	expect(await isSent()).toBe(true);
});

it.each<[Mode, string]>([
	['separate', '={{ $binary.photo }}'],
	['combined', '={{ $json._files.photo }}'],
])('%s: the file of the item itself, %s', async (mode, expression) => {
	const made = await animate(mode, expression);
	expect(made.error).toBeUndefined();
	expect(await isSent()).toBe(true);
});

it.each<Mode>(['separate', 'combined'])(
	'%s: the file of another execution, named by the json of an item, is refused before anything is sent',
	async (binaryMode) => {
		const owner = await animate(binaryMode, 'binary:photo');
		const file = putOut(owner);
		expect(file?.mimeType).toBe('image/png');
		await sandbox.reset();
		const body = { photo: { ...file }, _files: { photo: { ...file } } };
		for (const start_frame of ['={{ $json.body.photo }}', '={{ $json.body._files.photo }}']) {
			const refused = await runOurs({
				node: 'mediaGen',
				binaryMode,
				items: [{ json: { body } }],
				parameters: createParameters({
					mode: 'video',
					model: 'studio/video-1',
					input: { start_frame },
				}),
			});
			expect(refused.error?.message).toMatch(/is the file "photo.png", which is not one file of/);
		}
		expect(await sandbox.requests()).toEqual([]);
	},
);
