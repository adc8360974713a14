/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { Readable } from 'stream';
import { ENDPOINTS } from '../../src/contract';
import type { Host } from '../../src/service/host';
import { collect } from '../../src/run/files';
import type { Settings } from '../../src/run/item';
import { runOperation } from '../../src/run/runner';
import type { NodeMemory } from '../../src/run/state';
import type { Resource, Send } from '../../src/base/types';
import { answer } from '../model/answers';
import { hostWith, runOf, workspaceWith } from '../model/run';
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

/** A host with files to download, which are refused where the link says `gone`, and what was asked for. */
function hostOf(send: Send) {
	const asked: string[] = [];
	const get: Host['get'] = async (address) => {
		asked.push(address);
		const status = address.includes('gone') ? 403 : 200;
		return { status, headers: {}, close: () => {}, body: Readable.from(['x']) };
	};
	const store: Host['store'] = async (_body, fileName, mimeType) => ({
		data: 'x',
		fileName,
		mimeType,
	});
	return { host: hostWith(send, { get, store }), asked };
}

async function collected(
	given: Resource,
	settings: Partial<Settings> = {},
	fresh: unknown = job(),
	body: unknown = { prompt: 'a cat' },
) {
	const clock = new VirtualClock();
	const { host, asked } = hostOf(async () => answer(200, fresh));
	const item = runOf({
		host,
		workspace: workspaceWith(clock),
		settings: { downloadOutputs: true, ...settings },
		request: { method: 'POST', path: '/generations', body },
	});
	return { result: await clock.run(collect(item, given)), asked };
}

test('every output becomes a file, named by what was asked for: numbered when there are several, with the extension of its type', async () => {
	const { result } = await collected(job());
	const files = [{ fileName: 'a-cat-1-1.png' }, { fileName: 'a-cat-1-2.mp4' }];
	expect(result).toMatchObject({ value: { files } });
	const single = await collected(job({ outputs: [{ id: 'o', url: url('1') }] }));
	expect(single.result).toMatchObject({ value: { files: [{ fileName: 'a-cat-1.txt' }] } });
});

test.each(['persona', 'voice'])(
	'the preview of a %s is a file that is named after it',
	async (object) => {
		const made = { id: 'it_7', object, name: 'Mara, the captain' };
		const { result, asked } = await collected({ ...made, preview_url: url('preview') });
		expect(result).toMatchObject({
			value: { files: [{ fileName: 'mara-the-captain-preview-7.txt' }] },
		});
		expect(asked).toEqual([url('preview')]);
		const without = await collected({ ...made, preview_url: null });
		expect(without.result).toMatchObject({ value: { files: [] } });
	},
);

test('without Download Outputs nothing is fetched', async () => {
	expect((await collected(job(), { downloadOutputs: false })).asked).toEqual([]);
});

test('the one output of a speech generation is found as well', async () => {
	const output = { url: url('s'), media_type: 'audio/mpeg' };
	const speech = { id: 's', object: 'speech_generation', status: 'completed', output };
	const { result } = await collected(speech);
	expect(result).toMatchObject({ value: { files: [{ fileName: 'a-cat-s.mp3' }] } });
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

describe('a link is renewed for the same output', () => {
	/** Outputs with these ids and links. */
	const showing = (...outputs: Array<[id: string | undefined, name: string]>) =>
		job({ outputs: outputs.map(([id, name]) => ({ id, url: url(name) })) });

	test('in whatever order the job shows them then', async () => {
		const fresh = showing(['b', 'b-new'], ['a', 'a-new']);
		const { asked } = await collected(showing(['a', 'a'], ['b', 'b-gone']), {}, fresh);
		expect(asked).toEqual([url('a'), url('b-gone'), url('b-new')]);
	});

	test.each([['the same'], [undefined]])(
		'by its place where ids are missing or repeat: %s',
		async (id) => {
			const fresh = showing([id, 'a-new'], [id, 'b-new']);
			const { asked } = await collected(showing([id, 'a'], [id, 'b-gone']), {}, fresh);
			expect(asked.at(-1)).toBe(url('b-new'));
		},
	);

	test('never by its place where there are fewer of them then', async () => {
		const fresh = showing([undefined, 'b-new']);
		const { asked } = await collected(showing([undefined, 'a-gone'], [undefined, 'b']), {}, fresh);
		expect(asked).not.toContain(url('b-new'));
	});
});

test('a file that cannot be had is a failure that carries the job, and not its link', async () => {
	const refused = job({ outputs: [{ id: 'o1', url: url('gone') }] });
	const { result } = await collected(refused, {}, { id: 'gen_1' });
	const failure = { kind: 'download', outputId: 'o1' };
	expect(result).toMatchObject({ failure, job: { id: 'gen_1' } });
	expect(JSON.stringify(result.ok || result.failure)).not.toContain('canary');
});

test('a partial success keeps what was made and says what is missing', async () => {
	const partial = job({ status: 'partially_completed', errors: [{ message: 'one was too dark' }] });
	const { result } = await collected(partial);
	expect(result).toMatchObject({
		value: {
			warning: 'Only a part of the outputs was made (2): one was too dark',
			files: [{}, {}],
		},
	});
});

test.each<[string, Record<string, unknown>, Record<string, unknown>, string]>([
	['a prompt', { prompt: 'A red boat' }, {}, 'a-red-boat-1.png'],
	['the first line of a speech', { blocks: [{ text: 'Good morning' }] }, {}, 'good-morning-1.png'],
	['a prompt that the service repeats', {}, { prompt: 'A blue boat' }, 'a-blue-boat-1.png'],
	['its mode, where nothing is known of it', {}, { mode: 'video' }, 'video-1.png'],
	['words that are none', { prompt: 7, blocks: 'x' }, { mode: 3, object: {} }, 'file-1.png'],
])('a file is named by %s', async (_, body, more, fileName) => {
	const outputs = [{ id: 'o', url: url('1'), media_type: 'image/png' }];
	const { result } = await collected(job({ ...more, outputs }), {}, undefined, body);
	expect(result).toMatchObject({ value: { files: [{ fileName }] } });
});

/** A creation that is answered with a job that has ended, as far as it then shows it. */
async function createdAs(made: Resource, fresh: unknown) {
	const clock = new VirtualClock();
	const paths: string[] = [];
	const send: Send = async ({ method, path }) => {
		paths.push(`${method} ${path}`);
		return answer(200, method === 'POST' ? made : fresh);
	};
	const item = runOf({
		host: hostOf(send).host,
		workspace: workspaceWith(clock),
		settings: { downloadOutputs: true },
	});
	return { result: await clock.run(runOperation(item)), paths };
}

const READ = ['POST /generations', 'GET /generations/gen_1'];

test.each([undefined, []])(
	'a repeated creation may show the end without outputs (%j)',
	async (outputs) => {
		const made = job({ outputs, output_ids: ['o1', 'o2'] });
		const { result, paths } = await createdAs(made, job());
		expect(result).toMatchObject({
			value: {
				resources: [{ id: 'gen_1', outputs: [{ id: 'o1' }, { id: 'o2' }] }],
				files: [{ mimeType: 'image/png' }, { mimeType: 'video/mp4' }],
				warning: undefined,
			},
		});
		expect(paths).toEqual(READ);
		expect((await createdAs(job(), {})).paths).toEqual(['POST /generations']);
	},
);

test.each([
	['no', { outputs: [] }, 'The job has ended well, but the service shows no outputs of it'],
	['fewer', { output_ids: ['a', 'b', 'c', 'd'] }, 'The service shows only 2 of 4 outputs'],
])('a job that shows %s outputs than it has made says so', async (_, more, warning) => {
	const { result } = await createdAs(job(more), 'no JSON');
	const resources = [{ id: 'gen_1', status: 'completed' }];
	expect(result).toMatchObject({ value: { resources, warning } });
});

test('the link of a job that was read by GET /jobs is renewed there: a key may not be allowed to read it elsewhere', async () => {
	const clock = new VirtualClock();
	const paths: string[] = [];
	const send: Send = async ({ path }) => {
		paths.push(path);
		return answer(200, job());
	};
	const get: Host['get'] = async () => ({
		status: paths.length < 2 ? 403 : 200,
		headers: {},
		close: () => {},
		body: Readable.from(['x']),
	});
	const item = runOf({
		host: hostWith(send, { get, store: async () => ({ data: 'x', mimeType: 'x/y' }) }),
		workspace: workspaceWith(clock),
		spec: { endpoint: ENDPOINTS.getJob, output: 'job' },
		request: { method: 'GET', path: '/jobs/gen_1', query: {}, body: undefined },
		settings: { downloadOutputs: true },
	});
	expect(await clock.run(runOperation(item))).toMatchObject({ ok: true });
	expect(new Set(paths)).toEqual(new Set(['/jobs/gen_1']));
	expect(paths.length).toBeGreaterThan(1);
});

test('a file that an execution has is not fetched again when the node is tried again', async () => {
	const clock = new VirtualClock();
	const { host, asked } = hostOf(async () => answer(200, job()));
	const workspace = workspaceWith(clock);
	const settings = { downloadOutputs: true };
	const collectIn = async (node: NodeMemory) => {
		const result = await clock.run(collect(runOf({ host, workspace, settings, node }), job()));
		if (!result.ok) throw new Error('failed');
		return result.value.files;
	};
	const node: NodeMemory = { runId: 'run', items: {} };
	const first = await collectIn(node);
	const again = await collectIn(node);
	expect(again).toEqual(first);
	// What follows may change the file of one item.
	expect(again[0]).not.toBe(first[0]);
	expect(asked).toHaveLength(2);
	// An execution that is retried has another memory, and may have lost the files of the first one.
	await collectIn(structuredClone(node));
	expect(asked).toHaveLength(4);
});
