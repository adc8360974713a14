/* eslint-disable @n8n/community-nodes/no-restricted-imports, no-console -- not published */
import {
	NodeApiError,
	type IDataObject,
	type INodeProperties,
	type INodePropertyRouting,
	type INodeTypeDescription,
} from 'n8n-workflow';
import { createRequire } from 'node:module';
import { newest } from '../../../lab/n8n/release';
import { readNodes } from '../../../scripts/nodes';
import { BROKEN, execute } from '../../support/engine';
import { NODE, nodeRun } from '../../support/nodeContext';

/**
 * What n8n's router and the model of it in `test/support/engine.ts` make of the same runs, as JSON on the
 * standard output: run with n8n's own Node, in which n8n-core can be loaded.
 */
const lab = createRequire(newest.entry);
const n8n = lab('n8n-workflow') as typeof import('n8n-workflow');

type Values = Record<string, unknown>;

interface Run {
	/** Slug of the node; default: the fields below. */
	node?: string;
	/** Parameters of a row: n8n gets them with expressions, the model with the values of the row. */
	parameters: (row: Values) => Values;
	rows: Values[];
	continueOnFail?: boolean;
}

const locator = (value: unknown, mode = 'id') => ({ __rl: true, mode, value });
const image = (row: Values) => ({
	operation: 'generateImage',
	model: locator('studio/image-1'),
	prompt: row.prompt,
	parameters: { count: 2, aspect_ratio: locator('16:9'), quality: row.quality },
	// Of another operation: it is not shown.
	generationId: locator('gen_1'),
});
const rows = [{ prompt: 'one' }, { prompt: 'two', quality: 'high' }, { prompt: 'three' }];
const ends = (ending: string) => [rows[0] ?? {}, { prompt: ending }, { prompt: `${ending} too` }];

const send = (type: 'body' | 'query', property: string) => ({
	routing: { send: { type, property } },
});
const field = { displayName: 'A Field', default: '', type: 'string' } as const;
const option = (value: string) => ({
	...{ name: value, value },
	routing: {
		send: { preSend: [async (options: object) => options], paginate: true },
		operations: { pagination: async () => [] },
	} as unknown as INodePropertyRouting,
});

/** Fields as no node of ours has them all. */
const everyPlace: INodeProperties[] = [
	{ ...field, name: 'kind', type: 'options', options: [option('a'), option('b')] },
	{ ...field, name: 'top', default: 'usual', ...send('query', 'top') },
	{
		...{ ...field, name: 'more', type: 'collection', default: {} },
		options: [
			{ ...field, name: 'deep', ...send('body', 'one.two.deep') },
			{ ...field, name: 'late', ...send('body', 'one.late') },
			{ ...field, name: 'left', ...send('body', 'left') },
		],
	},
	{
		...{ ...field, name: 'unseen', displayOptions: { show: { kind: ['a'] } } },
		...send('body', 'unseen'),
	},
];

const RUNS: Record<string, Run> = {
	'creations of an image': { node: 'mediagen', parameters: image, rows },
	'a list': {
		node: 'mediagen',
		parameters: (row) => ({ operation: 'getAll', returnAll: false, limit: 7, prompt: row.prompt }),
		rows,
	},
	'fields in every place': {
		parameters: (row) => ({ kind: 'b', more: { deep: row.prompt, late: '' }, unseen: 'x' }),
		rows,
	},
	'creations of speech': {
		node: 'speech',
		parameters: (row) => ({
			operation: 'create',
			model: locator('service/speech-lite'),
			blocksFrom: 'text',
			text: row.prompt,
			options: { speed: 2, volume: 1 },
		}),
		rows,
	},
};
for (const continueOnFail of [false, true]) {
	for (const ending of ['fails', 'is refused', 'is broken']) {
		const run = { node: 'mediagen', parameters: image, rows: ends(ending), continueOnFail };
		RUNS[`a row that ${ending}, ${continueOnFail ? 'with' : 'without'} Continue On Fail`] = run;
	}
}

/** The description with functions that write down what they are called with, in which order. */
function recording(
	description: INodeTypeDescription,
	log: unknown[],
	ApiError: typeof NodeApiError,
) {
	type Context = { getItemIndex(): number; getInputData(): { json: IDataObject } };
	const preSend = [
		async function (this: Context, options: object) {
			log.push(['hook', this.getItemIndex()]);
			await null;
			return options;
		},
	];
	async function pagination(this: Context, { options }: { options: { body: object; qs: object } }) {
		const prompt = String(this.getInputData().json.prompt);
		log.push(['run', this.getItemIndex(), options.qs, options.body]);
		await null;
		if (prompt.includes('fails')) throw new Error(`It ${prompt}`);
		if (prompt.includes('is refused')) throw new ApiError(NODE, {}, { message: `It ${prompt}` });
		return [{ json: { prompt } }, { json: { again: prompt } }];
	}
	const seen = JSON.stringify(description, (_, value: unknown) =>
		typeof value === 'function' ? `the function ${value.name}` : value,
	);
	const copy = JSON.parse(seen, (key, value: unknown) =>
		key === 'preSend' ? preSend : key === 'pagination' ? pagination : value,
	) as INodeTypeDescription;
	return { ...copy, credentials: [] };
}

interface Ended {
	message?: string;
	context?: IDataObject;
}

const shown = (error?: Ended) =>
	error && {
		// What an expression says that cannot be evaluated is another matter.
		message: /Referenced node|expression/.test(String(error.message)) ? 'broken' : error.message,
		item: error.context?.itemIndex,
		kind: error.constructor.name,
	};

async function outcome(
	log: unknown[],
	work: () => Promise<Array<{ json: unknown; error?: object }>>,
) {
	try {
		const items = await work();
		return { log, items: items.map(({ json, error }) => ({ json, error: shown(error) })) };
	} catch (error) {
		return { log, thrown: shown(error as Ended) };
	}
}

async function byModel(description: INodeTypeDescription, run: Run) {
	const { parameters, rows: all, continueOnFail } = run;
	const log: unknown[] = [];
	const items = all.map((row) => ({ json: row as IDataObject }));
	const fixture = nodeRun({ items, continueOnFail });
	const given = (item: number) => {
		const row = all[item] ?? {};
		return parameters(row.prompt === 'is broken' ? { ...row, prompt: BROKEN } : row);
	};
	const recorded = recording(description, log, NodeApiError);
	return await outcome(log, async () => await execute(recorded, fixture, given));
}

async function byCore(description: INodeTypeDescription, run: Run) {
	const { parameters, rows: all, continueOnFail } = run;
	const { RoutingNode, ExecuteContext } = lab('n8n-core') as Record<
		string,
		new (...parts: unknown[]) => { runNode(): Promise<[Array<{ json: unknown }>]> }
	>;
	if (!RoutingNode || !ExecuteContext) throw new Error('n8n-core has no router');
	const log: unknown[] = [];
	const nodeType = { description: recording(description, log, n8n.NodeApiError) };
	const written = parameters({
		prompt: "={{ $json.prompt === 'is broken' ? $('Nowhere').first().json.x : $json.prompt }}",
		quality: '={{ $json.quality }}',
	}) as IDataObject;
	const node = {
		...NODE,
		onError: continueOnFail ? 'continueRegularOutput' : undefined,
		parameters:
			n8n.NodeHelpers.getNodeParameters(
				nodeType.description.properties,
				written as typeof NODE.parameters,
				true,
				false,
				NODE,
				nodeType.description,
			) ?? {},
	};
	const workflow = new n8n.Workflow({
		id: 'w',
		nodes: [node as typeof NODE],
		connections: {},
		active: false,
		nodeTypes: { getByNameAndVersion: () => nodeType, getByName: () => nodeType } as never,
	});
	const items = all.map((json) => ({ json }));
	const data = { main: [items] };
	const context = new ExecuteContext(
		...[workflow, node, {}, 'manual', { resultData: { runData: {} } }, 0, items, data],
		...[{ node, data, source: null }, []],
	);
	const router = new RoutingNode(context, nodeType);
	return await outcome(log, async () => (await router.runNode())[0]);
}

async function main(): Promise<void> {
	lab('reflect-metadata');
	const outcomes: Record<string, unknown> = {};
	const nodes = await readNodes();
	for (const [name, run] of Object.entries(RUNS)) {
		const [first, node] = [nodes[0], nodes.find(({ slug }) => slug === run.node)];
		if (!first) throw new Error('There are no nodes');
		const own = { ...first.description, properties: everyPlace };
		const description = node?.description ?? own;
		outcomes[name] = {
			model: await byModel(description, run),
			core: await byCore(description, run),
		};
	}
	console.log(JSON.stringify(outcomes));
}

void main();
