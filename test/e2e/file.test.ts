import { randomBytes } from 'node:crypto';
import { runOurs, sandbox } from './support/harness';

const node = 'mediaGenFile';
const parameters = { operation: 'upload' };

const file = (size: number) => ({
	data: randomBytes(size),
	fileName: 'take one.wav',
	mimeType: 'audio/wav',
});

const posts = async () =>
	(await sandbox.requests()).filter(({ operation }) => operation === 'createFile');

beforeEach(async () => await sandbox.reset());

it('a binary field is sent byte by byte, and its URL, name, type and size are output', async () => {
	const data = file(3_000_000);
	const run = await runOurs({ node, items: [{ binary: { data } }], parameters });
	expect(run.error).toBeUndefined();
	const [item] = run.items;
	expect(item?.json).toMatchObject({
		fileName: 'take one.wav',
		mimeType: 'audio/wav',
		size: 3_000_000,
	});
	expect(item?.pairedItem).toEqual({ item: 0 });
	const stored = Buffer.from(await (await fetch(String(item?.json.url))).arrayBuffer());
	expect(stored.equals(data.data)).toBe(true);
});

it('the presigned address and its headers appear nowhere in the execution', async () => {
	const run = await runOurs({ node, items: [{ binary: { data: file(10) } }], parameters });
	const put = (await sandbox.requests()).find(({ method }) => method === 'PUT');
	const kept = JSON.stringify(run.execution);
	expect(run.items[0]?.json).not.toHaveProperty('upload_url');
	expect(kept).not.toContain('upload_url');
	expect(kept).not.toContain(String(put?.headers['x-upload-token']));
});

it('each item is one file', async () => {
	const items = [{ binary: { a: file(5) } }, { binary: { a: file(6) } }];
	const run = await runOurs({ node, items, parameters: { ...parameters, inputBinaryField: 'a' } });
	expect(run.items.map(({ json, pairedItem }) => [json.size, pairedItem])).toEqual([
		[5, { item: 0 }],
		[6, { item: 1 }],
	]);
});

it('Retry On Fail sends only what was not sent', async () => {
	await sandbox.setFaults([
		{ kind: 'status_before', operations: ['createFile'], status: 400, skip: 1, times: 1 },
	]);
	const items = [{ binary: { data: file(5) } }, { binary: { data: file(6) } }];
	const run = await runOurs({
		node,
		items,
		parameters,
		retry: { maxTries: 2, waitBetweenTries: 100 },
	});
	expect(run.items).toHaveLength(2);
	expect(await posts()).toHaveLength(3);
});
