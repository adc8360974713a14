import {
	Workflow,
	WorkflowDataProxy,
	type IBinaryData,
	type IExecuteFunctions,
	type INode,
	type INodeExecutionData,
	type INodeTypes,
	type IRunExecutionData,
} from 'n8n-workflow';
import { readFiles } from '../../src/n8n/executionFiles';
import { bytesOf } from '../e2e/support/media';
import { byId, setUp } from '../support/serviceRun';

jest.mock('../../src/base/clock', () => jest.requireActual('../support/virtualTime'));

/*
 * Which files of an execution an expression may lead to, with n8n's own data proxy: those that stand as files
 * in what a node has put out. An id that stands elsewhere may be anybody's.
 */

const idOf = (name: string) => `filesystem-v2:workflows/w/executions/e/binary_data/${name}`;

const stored = (name: string, more: Partial<IBinaryData> = {}): IBinaryData => ({
	data: 'filesystem-v2',
	id: idOf(name),
	mimeType: 'image/png',
	fileName: `${name}.png`,
	...more,
});

const node = (name: string, parameters: INode['parameters'] = {}): INode => ({
	id: name,
	name,
	type: 'test.node',
	typeVersion: 1,
	position: [0, 0],
	parameters,
});

/** Runs of a node: for each its outputs. */
type Outputs = INodeExecutionData[][][];

interface Execution {
	runs: Record<string, Outputs>;
	parameters?: INode['parameters'];
	isCombined?: boolean;
	/** A node that runs beside the others and leads to none of them. */
	beside?: string[];
	isTool?: boolean;
	lacking?: object;
}

const TYPES = {
	getByNameAndVersion: () => ({ description: { properties: [] } }),
} as unknown as INodeTypes;

/** The nodes of the execution stand in a row, in their order, before ours. */
function finder({ runs, parameters, isCombined = false, beside = [], isTool, lacking }: Execution) {
	const names = Object.keys(runs).filter((name) => !beside.includes(name));
	const chain = isTool ? names : [...names, 'Ours'];
	const connections = Object.fromEntries(
		chain
			.slice(0, -1)
			.map((name, at) => [
				name,
				{ main: [[{ node: chain[at + 1] ?? '', type: 'main' as const, index: 0 }]] },
			]),
	);
	const workflow = new Workflow({
		nodes: [...Object.keys(runs).map((name) => node(name)), node('Ours')],
		connections,
		active: false,
		nodeTypes: TYPES,
		settings: isCombined ? { binaryMode: 'combined' } : {},
	});
	const runData = Object.fromEntries(
		Object.entries(runs).map(([name, all]) => [name, all.map((main) => ({ data: { main } }))]),
	);
	const execution = { resultData: { runData } } as unknown as IRunExecutionData;
	const input = runs[names.at(-1) ?? '']?.[0]?.[0] ?? [];
	const context = {
		getNode: () => node('Ours', parameters),
		getParentNodes: (name: string) =>
			workflow.getParentNodes(name).map((parent) => ({ name: parent })),
		getWorkflowDataProxy: (item: number) =>
			new WorkflowDataProxy(
				workflow,
				execution,
				0,
				item,
				'Ours',
				input,
				{},
				'manual',
				{},
			).getDataProxy(),
		...lacking,
	};
	const files = readFiles(context as unknown as IExecuteFunctions, isCombined);
	return files.find.bind(files);
}

const item = (binary: Record<string, IBinaryData>, json = {}): INodeExecutionData => ({
	json,
	binary,
});

const photo = stored('photo');
const GET_FILE: Record<string, Outputs> = {
	'Get file': [[[item({ photo })]]],
	Between: [[[{ json: {} }]]],
};

test('a file of a node before is found by its id, and named after where it stands', () => {
	const find = finder({ runs: GET_FILE });
	expect(find({ ...photo })).toEqual({ name: 'photo of Get file', file: photo });
});

test('what it is taken for is what stands there, not what the expression says of it', () => {
	const find = finder({ runs: GET_FILE });
	expect(find({ ...photo, mimeType: 'video/mp4', data: 'x' })?.file).toEqual(photo);
});

test.each<[string, Outputs]>([
	['in its second run', [[[{ json: {} }]], [[item({ photo })]]]],
	['at its second output', [[[], [item({ photo })]]]],
	['at its third item', [[[{ json: {} }, { json: {} }, item({ photo })]]]],
	['beside a run without data', [[], [[item({ photo })]]]],
])('a file that a node has put out %s is found', (_, outputs) => {
	expect(finder({ runs: { 'Get file': outputs } })({ ...photo })?.file).toEqual(photo);
});

test('in the combined mode a file is one in _files, wherever the json repeats it', () => {
	const runs = {
		'Get file': [[[{ json: { _files: { photo } } }]]],
		'Edit Fields': [[[{ json: { order: { photo } } }]]],
	};
	expect(finder({ runs, isCombined: true })({ ...photo })?.name).toBe('photo of Get file');
	// Elsewhere that is text like any other.
	expect(finder({ runs })({ ...photo })).toBeUndefined();
});

test.each([false, true])('an id that only text names is none, combined: %s', (isCombined) => {
	const stranger = stored('of-somebody-else');
	const body = { photo: stranger, _files: { photo: stranger }, binary: { photo: stranger } };
	const runs = {
		Webhook: [[[{ json: { body, headers: {}, text: JSON.stringify(stranger) } }]]],
		Set: [[[{ json: { photo: stranger, list: [stranger] } }]]],
	};
	expect(finder({ runs, isCombined })({ ...stranger })).toBeUndefined();
});

test.each([
	"={{ $('Get file').first().binary.photo }}",
	'={{ $("Get file").item.binary.photo }}',
	'={{ $node["Get file"].binary.photo }}',
	"={{ $items('Get file')[0].binary.photo }}",
])('a node that stands beside is looked at where %s names it', (expression) => {
	const runs = { Before: [[[{ json: {} }]]], ...GET_FILE };
	const beside = ['Get file'];
	expect(finder({ runs, beside })({ ...photo })).toBeUndefined();
	const parameters = { input: { values: [{ start_frame: expression }] } };
	expect(finder({ runs, beside, parameters })({ ...photo })?.file).toEqual(photo);
});

test('names with quotes, and without any', () => {
	const runs = { "It's": [[[item({ photo })]]], Plain: [[[item({ clip: stored('clip') })]]] };
	const parameters = {
		a: String.raw`={{ $('It\'s').first().binary.photo }} {{ $node.Plain.binary.clip }}`,
	};
	const find = finder({ runs, beside: ["It's", 'Plain'], parameters });
	expect(find({ ...photo })?.name).toBe("photo of It's");
	expect(find({ ...stored('clip') })?.name).toBe('clip of Plain');
});

test('a tool finds what its own expression names', () => {
	const parameters = { start_frame: "={{ $('Get file').first().binary.photo }}" };
	expect(finder({ runs: GET_FILE, isTool: true, parameters })({ ...photo })?.file).toEqual(photo);
	expect(finder({ runs: GET_FILE, isTool: true })({ ...photo })).toBeUndefined();
});

const fails = () => {
	throw new Error('`executionData` is not initialized');
};

test.each<[string, object]>([
	['no run data', { getWorkflowDataProxy: fails }],
	['no nodes', { getParentNodes: fails }],
	['neither', { getWorkflowDataProxy: fails, getParentNodes: fails }],
])("in n8n's own Agents, with %s, none is found", (_, lacking) => {
	const parameters = { start_frame: "={{ $('Get file').first().binary.photo }}" };
	expect(finder({ runs: GET_FILE, parameters, lacking })({ ...photo })).toBeUndefined();
});

describe('where n8n keeps files in memory', () => {
	const inMemory = (data: string, more: Partial<IBinaryData> = {}): IBinaryData => ({
		data,
		mimeType: 'image/png',
		fileExtension: 'png',
		fileName: 'a.png',
		...more,
	});
	const a = inMemory('AAAA');
	const twin = inMemory('BBBB');
	const withoutData = (file: IBinaryData) => ({ ...file, data: undefined });
	const other = inMemory('CCCC', { fileName: 'other.png' });

	test('a file is known by its data, or by all else that n8n says of it', () => {
		const find = finder({ runs: { 'Get file': [[[item({ a, other })]]] } });
		expect(find({ ...a })?.file).toEqual(a);
		const stripped = withoutData(other);
		expect(find(stripped)?.file).toEqual(other);
		expect(find({ ...a, data: 'DDDD' })).toBeUndefined();
	});

	test('of two that only differ in their data, the data tells, and nothing else does', () => {
		const find = finder({ runs: { 'Get file': [[[item({ a, twin })]]] } });
		expect(find({ ...twin })?.file).toEqual(twin);
		const stripped = withoutData(a);
		expect(find(stripped)).toBeUndefined();
	});
});

test('different files of one field have different names, the same file has one', () => {
	const runs = { 'Get file': [[[item({ photo }), item({ photo: stored('b') }), item({ photo })]]] };
	const find = finder({ runs });
	expect(find({ ...photo })?.name).toBe('photo of Get file');
	expect(find({ ...stored('b') })?.name).toBe('photo of Get file (2)');
});

test('what the nodes have put out is read once for all items of a run', async () => {
	const data = bytesOf('image/png', 100).toString('base64');
	const rows = Array.from({ length: 200 }, (_, row): IBinaryData => {
		return { data, mimeType: 'image/png', fileName: `${row}.png` };
	});
	let reads = 0;
	const proxy = {
		$node: { 'Get file': { runIndex: 0 } },
		$items: (_: string, output: number) => {
			reads += 1;
			if (output > 0) throw new Error('no such output');
			return rows.map((file) => item({ file }));
		},
	};
	const { run } = setUp({
		json: rows.map(() => ({})),
		given: {
			operation: 'generateVideo',
			model: byId('m'),
			prompt: 'p',
			options: { dryRun: true },
		},
		own: (row) => ({ input: { start_frame: { ...rows[row] } } }),
		lacking: {
			getWorkflowDataProxy: () => proxy as never,
			getParentNodes: () => [{ name: 'Get file' }] as never,
		},
	});
	expect(await run()).toHaveLength(rows.length);
	expect(reads).toBe(2);
});
