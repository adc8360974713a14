import { NodeApiError } from 'n8n-workflow';
import { ENDPOINTS } from '../../src/api';
import { errorOutputItem, errorRow } from '../../src/n8n/output/failedRows';
import { goodRows, jsonOf, rowsOfItem } from '../../src/n8n/output/rows';
import { NODE } from '../support/nodeContext';
import { settingsWith } from '../model/run';

const file = (name: string) => ({ data: name, mimeType: 'image/png', fileName: name });
const job = {
	id: 'gen_1',
	outputs: [
		{ id: 'o1', url: 'u1' },
		{ id: 'o2', url: 'u2' },
	],
};
const files = [file('a.png'), file('b.png')];

test('a resource is given whole, but for a field that n8n would take for a failure of the node', () => {
	expect(jsonOf({ id: 'x', status: 'failed', error: { message: 'no' } })).toEqual({
		id: 'x',
		status: 'failed',
		failure: { message: 'no' },
	});
	expect(jsonOf({ id: 'x', extra: [1] })).toEqual({ id: 'x', extra: [1] });
});

test.each([
	{ secret: 'whsec_1' },
	{ webhookSecret: 'whsec_1' },
	{ signing_key: 'whsec_1' },
	{ whsec: 'whsec_1' },
])('a signing secret is output at no depth, unless the user wants it: %j', (secret) => {
	const webhook = { id: 'x', ...secret, signing: { version: 1, ...secret } };
	const spec = { endpoint: ENDPOINTS.getWebhook, output: 'resource', holdsSecret: true } as const;
	const output = (includeSecret: boolean) => {
		const request = { method: 'GET', path: '/webhooks/x' } as const;
		const item = { spec, settings: settingsWith({ includeSecret }), request };
		const rows = goodRows({}, { index: 0, json: {} }, item, { resources: [webhook] });
		return rows.map(({ json }) => json);
	};
	expect(output(false)).toEqual([{ id: 'x', signing: { version: 1 } }]);
	expect(output(true)).toEqual([webhook]);
});

test.each<[string, Record<string, unknown>, unknown]>([
	['the first output of a generation', { outputs: [{}, { url: 'u1' }, { url: 'u2' }] }, 'u1'],
	['the output of a speech generation', { output: { url: 'u' } }, 'u'],
	['nothing, before there is a file', { outputs: [], output: null }, undefined],
	['nothing, where an address is none', { outputs: [{ url: 7 }, 'x', { url: '' }] }, undefined],
	['its own, where the resource has one', { url: null, outputs: [{ url: 'u' }] }, null],
])('the url at the top is %s', (_, more, url) => {
	expect(jsonOf({ id: 'x', ...more }).url).toBe(url);
});

test('the most important fields come first, and nothing is dropped', () => {
	const json = jsonOf({
		object: 'generation',
		model: 'm',
		estimated_credits: 3,
		outputs: [{ url: 'u' }],
		status: 'completed',
		extra: null,
		id: 'x',
		creditsLeft: 4,
	});
	expect(Object.keys(json)).toEqual([
		'id',
		'status',
		'url',
		'outputs',
		'estimated_credits',
		'creditsLeft',
		'object',
		'model',
		'extra',
	]);
});

test('all files are on one item: the first has the name that the next node expects', () => {
	const settings = settingsWith({ outputBinaryField: 'picture' });
	expect(rowsOfItem({ resources: [job], files: [files] }, settings, { itemIndex: 0 })).toEqual([
		{
			json: { ...job, url: 'u1' },
			binary: { picture: file('a.png'), picture_1: file('b.png') },
			pairedItem: { item: 0 },
		},
	]);
});

test('Split Outputs: one item for each file, with its output, by its place as ids may repeat', () => {
	const outputs = [{ id: 'o', url: 'u1' }, { id: 'o' }, { id: 'o', url: 'u2' }];
	const given = { resources: [{ ...job, outputs }], files: [files] };
	const items = rowsOfItem(given, settingsWith({ splitOutputs: true }), { itemIndex: 2 });
	const common = { pairedItem: { item: 2 } };
	expect(items).toMatchObject([
		{ json: { url: 'u1', output: outputs[0] }, binary: { data: file('a.png') }, ...common },
		{ json: { url: 'u2', output: outputs[2] }, binary: { data: file('b.png') }, ...common },
	]);
});

test('Split Outputs: one item for each link where nothing is downloaded, and one item where there is none', () => {
	const outputs = [{ id: 'a', url: 'u1' }, { id: 'b' }, { id: 'c', url: 'u2' }];
	const given = {
		resources: [
			{ ...job, outputs },
			{ ...job, outputs: [] },
		],
		files: [],
	};
	const items = rowsOfItem(given, settingsWith({ splitOutputs: true }), { itemIndex: 2 });
	expect(items).toMatchObject([
		{ json: { url: 'u1', output: outputs[0] }, pairedItem: { item: 2 } },
		{ json: { url: 'u2', output: outputs[2] }, pairedItem: { item: 2 } },
		{ json: { outputs: [] }, pairedItem: { item: 2 } },
	]);
	expect(items.map(({ binary }) => binary)).toEqual([undefined, undefined, undefined]);
	const ofTool = rowsOfItem(given, settingsWith({ splitOutputs: true, isTool: true }), {
		itemIndex: 2,
	});
	expect(ofTool).toHaveLength(2);
});

test.each<[string, Record<string, unknown>, boolean, unknown]>([
	['as it was asked for', job, false, 'a cat'],
	['as the service gives it, where it does', { ...job, prompt: 'a lynx' }, false, 'a lynx'],
	['not to an agent, which has written it', { ...job, object: 'generation' }, true, undefined],
])('the prompt of a creation stands on its outputs %s', (_, resource, isTool, prompt) => {
	const request = { method: 'POST', path: '/generations', body: { prompt: 'a cat' } } as const;
	const outcome = { resources: [resource] };
	const [item] = rowsOfItem(outcome, settingsWith({ isTool }), { itemIndex: 0, request });
	expect(item?.json.prompt).toBe(prompt);
});

describe('Include Input Fields: row in, row out', () => {
	const columns = { id: 'order 7', status: 'open', url: 'https://example.com', prompt: 'my own' };
	const source = {
		itemIndex: 0,
		inputFields: { json: columns, resultField: 'mediagen' },
		request: { method: 'POST', path: '/generations', body: { prompt: 'a cat' } } as const,
	};

	test('the row stands as it was, and the result in one field', () => {
		const [item] = rowsOfItem({ resources: [job], files: [files] }, settingsWith(), source);
		expect(item?.json).toEqual({ ...columns, mediagen: { ...job, url: 'u1', prompt: 'a cat' } });
	});

	/** As n8n's engine reads an item (`workflow-execute.js`, `convert-binary-data.js` of n8n-core). */
	const meansSomething = (json: Record<string, unknown>): string[] => {
		const { error, $error, $json, _files: inJson } = json;
		const isObject = typeof inJson === 'object' && inJson !== null && !Array.isArray(inJson);
		return [
			...(error !== undefined && error !== null && error !== false ? ['it has failed'] : []),
			...($error !== undefined && $json !== undefined ? ['all else is dropped'] : []),
			...(inJson !== undefined && !isObject ? ['the execution ends'] : []),
		];
	};

	test.each<[string, unknown]>([
		['error', 'text'],
		['error', { message: 'x' }],
		['error', ''],
		['error', 0],
		['$error', { message: 'x' }],
		['_files', 'text'],
		['_files', ['a']],
		['_files', null],
	])('a column %s (%j) has no meaning of n8n: it comes back beside the others', (name, value) => {
		const named = { ...columns, $json: 1, [name]: value };
		const row = { json: named, resultField: 'mediagen' };
		const [good] = rowsOfItem({ resources: [job] }, settingsWith(), {
			...source,
			inputFields: row,
		});
		expect(good?.json).toMatchObject({ ...columns, $json: 1, [`input_${name}`]: value });
		expect(meansSomething(good?.json ?? {})).toEqual([]);
		const failed = { message: 'It failed', description: '' };
		for (const resultField of [undefined, 'mediagen']) {
			const bad = errorRow(failed, {}, { itemIndex: 0, json: named, resultField });
			expect(meansSomething(bad.json)).toEqual(['it has failed']);
			expect(bad.json).toMatchObject({ id: columns.id, error: 'It failed' });
		}
	});

	test('the files of an item stay where they are', () => {
		const inJson = { photo: { mimeType: 'image/png', id: 'x' } };
		const row = { json: { ...columns, _files: inJson }, resultField: 'mediagen' };
		const [item] = rowsOfItem({ resources: [job] }, settingsWith(), {
			...source,
			inputFields: row,
		});
		expect(item?.json._files).toEqual(inJson);
	});

	test('nothing that the service names has a meaning of n8n, and no file is one that it names', () => {
		const said = {
			...job,
			error: 'x',
			$error: 'y',
			$json: 'z',
			_files: { data: { id: 'of-another' } },
		};
		const [item] = rowsOfItem({ resources: [said] }, settingsWith(), { itemIndex: 0 });
		expect(meansSomething(item?.json ?? {})).toEqual([]);
		expect(item?.json).toMatchObject({ failure: 'x', service_$error: 'y', $json: 'z' });
		expect(item?.json).not.toHaveProperty('_files');
	});
});

const [fileA, fileB] = files;

const part = (number: number, output: { url: string } | null = null) => ({
	id: `speech_${number}`,
	output,
	part: number,
});

test.each([
	['all have', [part(1, { url: 'u1' }), part(2, { url: 'u2' })], [fileA, fileB]],
	['the last has', [part(1), part(2, { url: 'u2' })], [undefined, fileA]],
])('several parts have their own files, where %s one, split or not', (_, resources, own) => {
	const given = { resources, files: own.map((one) => (one === undefined ? [] : [one])) };
	for (const splitOutputs of [false, true]) {
		const items = rowsOfItem(given, settingsWith({ splitOutputs }), { itemIndex: 5 });
		expect(items.map(({ json, binary }) => [json.part, binary?.data])).toEqual([
			[1, own[0]],
			[2, own[1]],
		]);
	}
});

test('an agent gets of media only what they are, their links, what they cost and what to do next', () => {
	const media = { id: 'gen_1', object: 'generation', status: 'completed', estimated_credits: 5 };
	const outputs = ['a', 'b'].map((id) => ({ id, media_type: 'image/png', url: `https://x/${id}` }));
	const resource = { ...media, mode: 'image', model: 'm', output_ids: ['a', 'b'], outputs };
	const outcome = { resources: [resource], warning: 'w', next: 'n' };
	const [item] = rowsOfItem(outcome, settingsWith({ isTool: true }), { itemIndex: 0 });
	expect(item?.json).toEqual({
		...media,
		mode: 'image',
		model: 'm',
		url: 'https://x/a',
		urls: ['https://x/a', 'https://x/b'],
		warning: 'w',
		next: 'n',
	});
});

describe('a failed row', () => {
	const error = new NodeApiError(NODE, {}, { message: 'It failed', description: 'Do this' });
	const reported = { error: 'It failed', details: { jobId: 'gen_1', description: 'Do this' } };

	test('says so first, keeps its fields, names what failed, and is paired', () => {
		const row = { title: 'A', error: 'old', details: 7, status: 'ready' };
		const item = errorRow(error, { jobId: 'gen_1' }, { itemIndex: 4, json: row });
		expect(item).toEqual({
			json: { title: 'A', status: 'failed', ...reported },
			pairedItem: { item: 4 },
		});
		expect(Object.keys(item.json)).toEqual(['status', 'error', 'title', 'details']);
		expect(row).toEqual({ title: 'A', error: 'old', details: 7, status: 'ready' });
		expect('error' in item).toBe(false);
	});

	test('with Include Input Fields stands as a good one does, and says what failed besides', () => {
		const json = { id: 7, status: 'ready', error: 'old' };
		const source = { itemIndex: 4, json, resultField: 'picture' };
		expect(errorRow(error, { jobId: 'gen_1' }, source).json).toEqual({
			id: 7,
			status: 'ready',
			input_error: 'old',
			picture: { status: 'failed', ...reported },
			error: 'It failed',
		});
	});

	test('of the error output is bare, and known as failed by every version of n8n', () => {
		const item = errorOutputItem(error, { jobId: 'gen_1' }, 4);
		expect(item.json).toEqual(reported);
		expect(item.error).toBe(error);
		expect({ ...item }).toEqual({ json: reported, pairedItem: { item: 4 } });
		expect({ ...item }).not.toHaveProperty('error');
		// As n8n 2.0 does.
		item.error = undefined;
		expect(item.error).toBeUndefined();
	});
});
