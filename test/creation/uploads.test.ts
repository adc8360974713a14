/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { Readable } from 'stream';
import type { Item } from '../../src/creation/item';
import { runItem } from '../../src/n8n/runOperation';
import { tryAgainOf } from '../../src/n8n/output/errors';
import { requestHashOf } from '../../src/creation/idempotency/idempotency';
import { openFiles } from '../../src/creation/uploads';
import { instancesIn } from '../../src/base/values';
import { BinaryReference } from '../../src/files/localFile';
import type { BinarySource } from '../../src/transport/host';
import type { ApiRequest, Send } from '../../src/base/types';
import { answer } from '../model/answers';
import {
	createJob,
	hostWith,
	runAll,
	runOf,
	sourceWith,
	workspaceWith,
	type RunParts,
} from '../model/run';
import { VirtualClock } from '../model/virtualClock';

const body = {
	mode: 'image',
	model: 'm',
	prompt: 'a cat',
	input: { image_refs: [new BinaryReference('data')] },
};
const request: ApiRequest = { method: 'POST', path: '/generations', body };

/** A file that n8n keeps somewhere, with these bytes. */
const stored = (id: string, text: string, more: Partial<BinarySource> = {}) =>
	sourceWith({ id, open: async () => Readable.from([Buffer.from(text)]), ...more });

const place = { upload_url: 'https://put.example/x', url: 'https://files.example/x' };

const itemWith = (source: BinarySource, more: Partial<RunParts> = {}): Item => {
	const host = hostWith(
		async ({ path }) => (path === '/files' ? answer(201, place) : answer(202)),
		{ binary: async () => source, put: async () => answer(200, '') },
	);
	return runOf({ host, workspace: workspaceWith(new VirtualClock()), request, ...more });
};

const opening = async (item: Item) =>
	await openFiles(item, instancesIn(item.request.body, BinaryReference));

async function hashOf(source: BinarySource, asked: object = body): Promise<string> {
	const item = itemWith(source, { request: { ...request, body: asked } });
	const opened = await opening(item);
	if (!opened.ok) throw new Error('not opened');
	return requestHashOf(item.request, opened.value);
}

test('a file in the hash of a request is its content, wherever n8n keeps it and whatever it is called', async () => {
	const one = await hashOf(stored('filesystem-v2:1', 'ID3picture'));
	const moved = { fileName: 'other.png' };
	expect(await hashOf(stored('filesystem-v2:2', 'ID3picture', moved))).toBe(one);
	const inMemory = sourceWith({ open: async () => Buffer.from('ID3picture') });
	expect(await hashOf(inMemory)).toBe(one);
	expect(await hashOf(stored('filesystem-v2:1', 'ID3pictures'))).not.toBe(one);
});

test('a request whose fields come in another order is the same one', async () => {
	const file = stored('filesystem-v2:1', 'ID3picture');
	const { mode, model, prompt, input } = body;
	const one = await hashOf(file, { ...body, parameters: { seed: 1, size: '1x1' } });
	const turned = { parameters: { size: '1x1', seed: 1 }, input, prompt, model, mode };
	expect(await hashOf(file, turned)).toBe(one);
	expect(await hashOf(file, { ...turned, prompt: 'a dog' })).not.toBe(one);
});

test('what our own code throws over a file is not said to be of n8n', async () => {
	const odd = Object.defineProperty(sourceWith(), 'mimeType', {
		get: () => {
			throw new TypeError('of our own');
		},
	});
	await expect(opening(itemWith(odd))).rejects.toThrow('of our own');
	const gone = sourceWith({ open: async () => await Promise.reject(new TypeError('of n8n')) });
	expect(await opening(itemWith(gone))).toMatchObject({
		failure: { kind: 'upload', isTransient: true },
	});
});

test.each(['', '<!doctype html><p>Sign in', '{"error": "gone"}', 'Not Found'])(
	'a file that holds %j is refused before anything is sent',
	async (text) => {
		const sent: ApiRequest[] = [];
		const host = hostWith(
			async (asked) => {
				sent.push(asked);
				return answer(202);
			},
			{ binary: async () => stored('filesystem-v2:1', text) },
		);
		const clock = new VirtualClock();
		const shared = { host, workspace: workspaceWith(clock), request };
		for (const dryRun of [false, true]) {
			const result = await clock.run(runItem(runOf({ ...shared, settings: { dryRun } })));
			expect(result).toMatchObject({ failure: { kind: 'upload', field: 'data' } });
		}
		expect(sent).toEqual([]);
	},
);

test.each<[string, string, Array<Buffer | Error>]>([
	['later', 'the storage is away', [new Error('connect ECONNREFUSED')]],
	['never', 'n8n has dropped it', [new Error('File not found')]],
	['never', 'the other is no media', [new Error('EIO'), Buffer.from('Not Found')]],
	['never', 'the other was dropped', [new Error('EIO'), new Error('Binary data file not found')]],
])('a row can work %s where %s', async (tryAgain, _why, files) => {
	const open = async (file: Buffer | Error = new Error()) =>
		await (file instanceof Error ? Promise.reject(file) : Promise.resolve(file));
	const host = hostWith(async () => await Promise.resolve(answer(202)), {
		binary: async (field) =>
			await Promise.resolve(sourceWith({ open: async () => await open(files[Number(field)]) })),
	});
	const refs = files.map((_, index) => new BinaryReference(String(index)));
	const asked = { ...request, body: { ...body, input: { image_refs: refs } } };
	const workspace = workspaceWith(new VirtualClock());
	const opened = await opening(runOf({ host, workspace, request: asked }));
	expect(opened.ok || tryAgainOf(opened)).toBe(tryAgain);
});

test('the files of 100 items are read five at a time, each once, and hold up the first request no longer than a few of them', async () => {
	const clock = new VirtualClock();
	const workspace = workspaceWith(clock);
	const requests: number[] = [];
	const seen = { open: 0, most: 0, all: 0 };
	/** Each second item shares the file of the one before. */
	const partsOf = (itemIndex: number): RunParts => {
		const id = String(Math.floor(itemIndex / 2));
		const open = async () => {
			seen.all += 1;
			seen.open += 1;
			seen.most = Math.max(seen.most, seen.open);
			await clock.sleep(1_000);
			seen.open -= 1;
			return Buffer.from(`ID3 ${id}`);
		};
		const send: Send = async ({ path }) => {
			requests.push(clock.monotonic());
			return path === '/files' ? answer(201, place) : answer(202);
		};
		const binary = async () => sourceWith({ id, open });
		const host = hostWith(send, { put: async () => answer(200, ''), binary });
		return { host, workspace, request, settings: { waitForCompletion: false } };
	};
	const began = clock.monotonic();
	await clock.run(runAll(100, partsOf, createJob));
	expect([seen.all, seen.most]).toEqual([50, 5]);
	expect((requests[0] ?? Infinity) - began).toBeLessThanOrEqual(2_000);
});
