/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { Readable } from 'stream';
import { ENDPOINTS } from '../../src/api';
import type { Host } from '../../src/transport/host';
import { fetchFiles } from '../../src/creation/outputs';
import { runItem } from '../../src/n8n/runOperation';
import type { NodeMemory } from '../../src/creation/idempotency/itemState';
import type { Resource, Send } from '../../src/base/types';
import { answer } from '../model/answers';
import { hostWith, runOf, workspaceWith, type RunParts } from '../model/run';
import { MEDIA } from '../files/support/media';
import { VirtualClock } from '../model/virtualClock';

const url = (name: string) => `https://media.example/${name}?signature=canary`;

const job = (more: Record<string, unknown> = {}): Resource => ({
	id: 'gen_1',
	object: 'generation',
	status: 'completed',
	outputs: [
		{ id: 'o1', url: url('1'), media_type: 'image/png' },
		{ id: 'o2', url: url('2'), media_type: 'video/mp4' },
	],
	...more,
});

/** The file behind a link. */
function fileAt(address: string): Buffer {
	if (address === url('2')) return MEDIA.mp4;
	return address === url('s') ? MEDIA.mp3 : MEDIA.png;
}

/** A host with files to download, which are refused where the link says `gone`, and what was asked for. */
function hostOf(send: Send) {
	const asked: string[] = [];
	const get: Host['get'] = async (address) => {
		asked.push(address);
		const status = address.includes('gone') ? 403 : 200;
		return { status, headers: {}, close: () => {}, body: Readable.from([fileAt(address)]) };
	};
	const store: Host['store'] = async (_body, fileName, mimeType) => ({
		data: 'x',
		fileName,
		mimeType,
	});
	return { host: hostWith(send, { get, store }), asked };
}

/** Collects the files of a job, which shows this when it is read again. */
async function collected(given: Resource, fresh: unknown = job(), more: Partial<RunParts> = {}) {
	const clock = new VirtualClock();
	const { host, asked } = hostOf(async () => answer(200, fresh));
	const request = { method: 'POST', path: '/generations', body: { prompt: 'a cat' } } as const;
	const settings = { downloadOutputs: true };
	const item = runOf({ host, workspace: workspaceWith(clock), request, settings, ...more });
	return { result: await clock.run(fetchFiles(item, given)), asked };
}

test('an output without an ID that has changed meanwhile is another file, and one whose link was renewed is not', async () => {
	const nodeMemory: NodeMemory = { runId: 'a run', items: {} };
	const shows = async (address: string) =>
		await collected(
			job({ id: 'agr_1', object: 'agent_run', outputs: [{ url: address }] }),
			{},
			{ nodeMemory },
		);
	const draft = 'https://media.example/draft?signature=';
	const final = 'https://media.example/final?signature=1';
	const asked = [];
	for (const address of [`${draft}1`, `${draft}2`, final])
		asked.push(...(await shows(address)).asked);
	expect(asked).toEqual([`${draft}1`, final]);
});

test('every output becomes a file, named by what was asked for: numbered when there are several, with the extension of its type', async () => {
	const { result } = await collected(job());
	const files = [{ fileName: 'a-cat-1-1.png' }, { fileName: 'a-cat-1-2.mp4' }];
	expect(result).toMatchObject({ value: { files: [files] } });
	const single = await collected(job({ outputs: [{ id: 'o', url: url('1') }] }));
	expect(single.result).toMatchObject({ value: { files: [[{ fileName: 'a-cat-1.png' }]] } });
});

test('the preview of a persona or a voice is a file that is named after it', async () => {
	const made = { id: 'it_7', object: 'voice', name: 'Mara, the captain' };
	const { result, asked } = await collected({ ...made, preview_url: url('preview') });
	const files = [{ fileName: 'mara-the-captain-preview-7.png' }];
	expect(result).toMatchObject({ value: { files: [files] } });
	expect(asked).toEqual([url('preview')]);
	const without = await collected({ ...made, preview_url: null });
	expect(without.result).toMatchObject({ value: { files: [[]] } });
});

test('without Download Outputs nothing is fetched', async () => {
	expect((await collected(job(), job(), { settings: {} })).asked).toEqual([]);
});

test('a link past its time is renewed before it is used, one that is refused afterwards', async () => {
	const expired = job({
		outputs: [{ id: 'o1', url: url('old'), expires_at: '2025-12-31T23:59:59Z' }],
	});
	expect((await collected(expired)).asked).toEqual([url('1')]);
	const refused = job({ outputs: [{ id: 'o1', url: url('gone') }] });
	expect((await collected(refused)).asked).toEqual([url('gone'), url('1')]);
	const valid = job({ outputs: [{ id: 'o1', url: url('1'), expires_at: '2026-01-01T00:15:00Z' }] });
	expect((await collected(valid)).asked).toEqual([url('1')]);
});

test('one read of a job serves all of its files, whose links have expired', async () => {
	const names = ['a', 'b', 'c', 'd'];
	const gone = showing(...names.map((name): [string, string] => [name, `${name}-gone`]));
	const fresh = showing(...names.map((name): [string, string] => [name, `${name}-new`]));
	const reads: string[] = [];
	const { host, asked } = hostOf(async ({ path }) => {
		reads.push(path);
		return answer(200, fresh);
	});
	const clock = new VirtualClock();
	const settings = { downloadOutputs: true };
	const item = runOf({ host, workspace: workspaceWith(clock), settings });
	expect((await clock.run(fetchFiles(item, gone))).ok).toBe(true);
	expect(asked).toEqual(['a-gone', 'a-new', 'b-new', 'c-new', 'd-new'].map(url));
	expect(reads).toHaveLength(1);
});

/** Outputs with these ids and links. */
const showing = (...outputs: Array<[id: string | undefined, name: string]>) =>
	job({ outputs: outputs.map(([id, name]) => ({ id, url: url(name) })) });

test.each([
	[
		'by its id, in whatever order the job shows them then',
		showing(['a', 'a'], ['b', 'b-gone']),
		showing(['b', 'b-new'], ['a', 'a-new']),
		['a', 'b-gone', 'b-new'],
	],
	[
		'by its place where ids repeat',
		showing(['x', 'a'], ['x', 'b-gone']),
		showing(['x', 'a-new'], ['x', 'b-new']),
		['a', 'b-gone', 'b-new'],
	],
	[
		'by its place where ids are missing',
		showing([undefined, 'a'], [undefined, 'b-gone']),
		showing([undefined, 'a-new'], [undefined, 'b-new']),
		['a', 'b-gone', 'b-new'],
	],
	[
		'not by its place where there are fewer of them then',
		showing([undefined, 'a-gone'], [undefined, 'b']),
		showing([undefined, 'b-new']),
		['a-gone'],
	],
])('a link is renewed for the same output: %s', async (_, given, fresh, fetched) => {
	const { asked } = await collected(given, fresh);
	expect([...new Set(asked)]).toEqual(fetched.map(url));
});

test('a file that cannot be had is a failure that carries the job, and not its link', async () => {
	const refused = job({ outputs: [{ id: 'o1', url: url('gone') }] });
	const { result } = await collected(refused, { id: 'gen_1' });
	const failure = { kind: 'download', outputId: 'o1' };
	expect(result).toMatchObject({ failure, job: { id: 'gen_1' } });
	expect(JSON.stringify(result.ok || result.failure)).not.toContain('canary');
});

const SPEECH = {
	object: 'speech_generation',
	outputs: undefined,
	output: { url: url('s'), media_type: 'audio/mpeg' },
};

test.each<[string, Record<string, unknown>, Record<string, unknown>, string]>([
	['a prompt that the service repeats', {}, { prompt: 'A blue boat' }, 'a-blue-boat-1.png'],
	['its mode, where nothing is known of it', {}, { mode: 'video' }, 'video-1.png'],
	['what a speech says, which has one output', { blocks: [{ text: 'Hi' }] }, SPEECH, 'hi-1.mp3'],
	['words that are none', { prompt: 7, blocks: 'x' }, { mode: 3, object: {} }, 'file-1.png'],
])('a file is named by %s', async (_, body, more, fileName) => {
	const outputs = [{ id: 'o', url: url('1'), media_type: 'image/png' }];
	const request = { method: 'POST', path: '/generations', body } as const;
	const { result } = await collected(job({ outputs, ...more }), job(), { request });
	expect(result).toMatchObject({ value: { files: [[{ fileName }]] } });
});

/** An operation that is answered with a job, which shows more when it is read again. */
async function operated(given: Resource, fresh: unknown, more: Partial<RunParts> = {}) {
	const paths: string[] = [];
	const { host, asked } = hostOf(async ({ method, path }) => {
		paths.push(`${method} ${path}`);
		return answer(200, paths.length === 1 ? given : fresh);
	});
	const clock = new VirtualClock();
	const item = runOf({
		host,
		workspace: workspaceWith(clock),
		settings: { downloadOutputs: true },
		...more,
	});
	return { result: await clock.run(runItem(item)), paths, asked };
}

test('a repeated creation may show the end without outputs: then the job is read', async () => {
	const { result, paths } = await operated(job({ outputs: [], output_ids: ['o1', 'o2'] }), job());
	const outputs = [{ id: 'o1' }, { id: 'o2' }];
	expect(result).toMatchObject({
		value: { resources: [{ id: 'gen_1', outputs }], files: [[{}, {}]], warning: undefined },
	});
	expect(paths).toEqual(['POST /generations', 'GET /generations/gen_1']);
	expect((await operated(job(), {})).paths).toEqual(['POST /generations']);
});

test.each([
	[{ outputs: [] }, 'The job has ended well, but the service shows no outputs of it'],
	[{ output_ids: ['a', 'b', 'c', 'd'] }, 'The service shows only 2 of 4 outputs'],
	[
		{ status: 'partially_completed', errors: [{ message: 'one was too dark' }] },
		'Only a part of the outputs was made (2): one was too dark',
	],
])('what a job that has ended well lacks is said: %j', async (more, warning) => {
	const { result } = await operated(job(more), 'no JSON');
	expect(result).toMatchObject({ value: { resources: [{ id: 'gen_1' }], warning } });
});

test('the link of a job that was read by GET /jobs is renewed there: a key may not be allowed to read it elsewhere', async () => {
	const { paths, asked } = await operated(showing(['o1', 'gone']), job(), {
		spec: { endpoint: ENDPOINTS.getJob, output: 'job' },
		request: { method: 'GET', path: '/jobs/gen_1', query: {}, body: undefined },
	});
	expect(asked).toHaveLength(2);
	expect(new Set(paths)).toEqual(new Set(['GET /jobs/gen_1']));
});

test('a file that an execution has is not fetched again when the node is tried again', async () => {
	const nodeMemory: NodeMemory = { runId: 'run', items: {} };
	const first = await collected(job(), job(), { nodeMemory });
	const again = await collected(job(), job(), { nodeMemory });
	expect(again.result).toEqual(first.result);
	// What follows may change the file of one item.
	const [file, sameFile] = [first, again].map(
		({ result }) => result.ok && result.value.files?.[0]?.[0],
	);
	expect(sameFile).not.toBe(file);
	expect([first.asked.length, again.asked.length]).toEqual([2, 0]);
	// An execution that is retried has another memory, and may have lost the files of the first one.
	const retried = await collected(job(), job(), { nodeMemory: structuredClone(nodeMemory) });
	expect(retried.asked).toHaveLength(2);
});

test('rows that share a job fetch a file of it once; one that cannot be fetched is asked for again by the next try', async () => {
	const nodeMemory: NodeMemory = { runId: 'run', items: {} };
	const clock = new VirtualClock();
	const { host, asked } = hostOf(async () => answer(200, job()));
	const workspace = workspaceWith(clock);
	const settings = { downloadOutputs: true };
	const collectTwice = async () => {
		const rows = ['0:0', '0:1'].map((item) =>
			runOf({ host, workspace, nodeMemory, settings, origin: { place: item } }),
		);
		return await clock.run(Promise.all(rows.map(async (row) => await fetchFiles(row, job()))));
	};
	const refusal = { status: 403, headers: {}, close: () => {}, body: Readable.from([]) };
	const get = jest.spyOn(host, 'get').mockResolvedValue(refusal);
	expect((await collectTwice()).map(({ ok }) => ok)).toEqual([false, false]);
	get.mockRestore();
	const [one, other] = (await collectTwice()).map((row) => (row.ok ? row.value.files?.[0] : []));
	expect(one).toHaveLength(2);
	expect(other).toEqual(one);
	// What follows may change the file of one row.
	expect(other?.[0]).not.toBe(one?.[0]);
	expect(asked).toHaveLength(2);
});
