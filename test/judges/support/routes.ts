/* eslint-disable @n8n/community-nodes/no-restricted-imports, no-console -- not published */
import {
	NodeApiError,
	type IDataObject,
	type IHttpRequestOptions,
	type INodeParameters,
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

interface Run {
	description: INodeTypeDescription;
	/** Resource and operation. */
	chosen: INodeParameters;
	/** Of each row: what its prompt says happens to it. */
	prompts: string[];
	continueOnFail?: boolean;
}

/** Every operation of every node, and runs in which the second and third row end in a certain way. */
async function allRuns(): Promise<Record<string, Run>> {
	const runs: Record<string, Run> = {};
	for (const { description, slug, operations } of await readNodes()) {
		for (const { operation, resource } of operations) {
			const chosen = { operation: operation.value, ...(resource && { resource: resource.value }) };
			const run = { description, chosen, prompts: ['one', 'two', 'three'] };
			runs[[slug, resource?.value, operation.value].join(' ')] = run;
			if (operation.value !== 'generateImage') continue;
			for (const continueOnFail of [false, true]) {
				for (const ending of ['fails', 'is refused', 'is broken']) {
					const prompts = ['one', ending, `${ending} too`];
					const name = `a row that ${ending}, ${continueOnFail ? 'with' : 'without'} Continue On Fail`;
					runs[name] = { ...run, prompts, continueOnFail };
				}
			}
		}
	}
	return runs;
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
	async function pagination(this: Context, { options }: { options: IHttpRequestOptions }) {
		const prompt = String(this.getInputData().json.prompt);
		const { method, url, qs, body, headers, json } = options;
		log.push(['run', this.getItemIndex(), { method, url, qs, body, headers, json }]);
		await null;
		if (prompt.includes('fails')) throw new Error(`It ${prompt}`);
		if (prompt.includes('is refused')) throw new ApiError(NODE, {}, { message: `It ${prompt}` });
		return [{ json: { prompt } }, { json: { again: prompt } }];
	}
	const seen = JSON.stringify(description, (_, value: unknown) =>
		typeof value === 'function' ? `the function ${value.name}` : value,
	);
	const functions = new Map<string, unknown>(Object.entries({ preSend, pagination }));
	const copy = JSON.parse(seen, (key, value: unknown) =>
		functions.has(key) ? functions.get(key) : value,
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

async function byModel({ description, chosen, prompts, continueOnFail }: Run) {
	const log: unknown[] = [];
	const items = prompts.map((prompt) => ({ json: { prompt } }));
	const fixture = nodeRun({ items, continueOnFail });
	const given = (item: number) => {
		const prompt = prompts[item] ?? '';
		return { ...chosen, prompt: prompt.startsWith('is broken') ? BROKEN : prompt };
	};
	const recorded = recording(description, log, NodeApiError);
	return await outcome(log, async () => await execute(recorded, fixture, given));
}

/** Gives the prompt of its row; where that is to be broken, it cannot be evaluated. */
const EXPRESSION =
	"={{ $json.prompt.startsWith('is broken') ? $('Nowhere').first().json.x : $json.prompt }}";

async function byCore({ description, chosen, prompts, continueOnFail }: Run) {
	const { RoutingNode, ExecuteContext } = lab('n8n-core') as Record<
		string,
		new (...parts: unknown[]) => { runNode(): Promise<[Array<{ json: unknown }>]> }
	>;
	if (!RoutingNode || !ExecuteContext) throw new Error('n8n-core has no router');
	const log: unknown[] = [];
	const nodeType = { description: recording(description, log, n8n.NodeApiError) };
	const { properties } = nodeType.description;
	const written = { ...chosen, prompt: EXPRESSION };
	const { getNodeParameters } = n8n.NodeHelpers;
	const resolved = getNodeParameters(properties, written, true, false, NODE, nodeType.description);
	const node = {
		...NODE,
		onError: continueOnFail ? 'continueRegularOutput' : undefined,
		parameters: resolved ?? {},
	};
	const workflow = new n8n.Workflow({
		id: 'w',
		nodes: [node as typeof NODE],
		connections: {},
		active: false,
		nodeTypes: { getByNameAndVersion: () => nodeType, getByName: () => nodeType } as never,
	});
	const items = prompts.map((prompt) => ({ json: { prompt } }));
	const data = { main: [items] };
	const runData = { resultData: { runData: {} } };
	const step = { node, data, source: null };
	const context = new ExecuteContext(
		workflow,
		node,
		{},
		'manual',
		runData,
		0,
		items,
		data,
		step,
		[],
	);
	const router = new RoutingNode(context, nodeType);
	return await outcome(log, async () => (await router.runNode())[0]);
}

async function main(): Promise<void> {
	lab('reflect-metadata');
	const outcomes: Record<string, unknown> = {};
	for (const [name, run] of Object.entries(await allRuns()))
		outcomes[name] = { model: await byModel(run), core: await byCore(run) };
	console.log(JSON.stringify(outcomes));
}

void main();
