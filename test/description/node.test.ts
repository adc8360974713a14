import {
	Workflow,
	type INodeExecutionData,
	type INodeParameters,
	type INodePropertyOptions,
	type INodeType,
	type INodeTypeDescription,
	type INodeTypes,
	type IRunExecutionData,
} from 'n8n-workflow';
import { connectedTo } from '../../lab/n8n/canvas';
import { noLimitHint, partialResultHint } from '../../src/description/node';
import { NODE } from '../support/nodeContext';
import { filesIn } from '../support/sources';

const start = { ...NODE, id: 'start', name: 'Start' };

/**
 * Whether the editor shows the hint: it evaluates the condition like this (`getNodeHints` of
 * n8n-editor-ui 2.41).
 */
async function isShown(
	name: string,
	runs: INodeExecutionData[][],
	{
		runIndex = 0,
		input = [{ json: {} }],
		hint = partialResultHint,
		parameters = {} as INodeParameters,
	} = {},
): Promise<unknown> {
	const properties = Object.entries(parameters).map(([name, value]) => ({
		displayName: name,
		name,
		type: typeof value === 'string' ? 'string' : 'json',
		default: '',
	}));
	const type = { description: { properties } } as unknown as INodeType;
	const nodeTypes = { getByNameAndVersion: () => type } as unknown as INodeTypes;
	const nodes = [start, { ...NODE, name, parameters }];
	const connections = { Start: connectedTo(name) };
	const workflow = new Workflow({ nodes, connections, active: false, nodeTypes });
	const task = (items: INodeExecutionData[]) => ({ data: { main: [items] } });
	const runData = { Start: [task(input)], [name]: runs.map(task) };
	const data = { resultData: { runData } } as unknown as IRunExecutionData;
	const condition = hint.displayCondition ?? '';
	await workflow.expression.acquireIsolate?.();
	return workflow.expression.getParameterValue(
		condition,
		...([data, runIndex, 0, name, input, 'manual', {}] as const),
	);
}

/** The nodes that have operations. */
async function actionNodes(): Promise<INodeType[]> {
	const modules = await Promise.all(
		filesIn('nodes', '.node.ts').map(
			async (file) => (await import(`../../${file}`)) as Record<string, new () => INodeType>,
		),
	);
	const nodes = modules.flatMap((module) => Object.values(module).map((Node) => new Node()));
	return nodes.filter(({ description }) => description.hints);
}

/** The operations of a node, each with the names of its options. */
const operationsOf = ({ properties }: INodeTypeDescription) =>
	properties
		.filter(({ name }) => name === 'operation')
		.flatMap(({ options = [], displayOptions }) =>
			(options as INodePropertyOptions[]).map(({ value }) => {
				const resource = String(displayOptions?.show?.resource?.[0]);
				const collection = properties.find(
					({ name, displayOptions: { show } = {} }) =>
						name === 'options' &&
						show?.operation?.includes(value) &&
						(show.resource === undefined || show.resource.includes(resource)),
				);
				const options = (collection?.options ?? []).map(({ name }) => name);
				return { resource, operation: String(value), options };
			}),
		);

const whole = { json: { id: 'gen_1', status: 'completed' } };
const partial = {
	json: { id: 'gen_2', status: 'partially_completed', warning: 'Only a part' },
};

test.each(['MediaGen Generation', 'My "odd" node 2'])(
	'a partial result has a yellow bar, in a node named %s',
	async (name) => {
		expect(await isShown(name, [[whole, partial]])).toBe(true);
		expect(await isShown(name, [[whole, partial]], { input: [] })).toBe(true);
		expect(await isShown(name, [[whole]])).toBe(false);
		expect(await isShown(name, [[]])).toBe(false);
		expect(await isShown(name, [])).toBe(false);
		expect(await isShown(name, [], { input: [] })).toBe(false);
	},
);

test('it appears at its own run', async () => {
	const runs = [[whole], [partial]];
	expect(await isShown('A', runs, { runIndex: 0 })).toBe(false);
	expect(await isShown('A', runs, { runIndex: 1 })).toBe(true);
});

test('it is a warning at the output', () => {
	expect(partialResultHint).toMatchObject({
		type: 'warning',
		location: 'outputPane',
		whenToDisplay: 'afterExecution',
	});
});

describe('many outputs without a limit', () => {
	const many = Array.from({ length: 20 }, () => whole);
	const create = {
		resource: 'generation',
		operation: 'generateImage',
		options: {},
		parameters: {},
	};
	const shown = async (items: INodeExecutionData[], parameters: INodeParameters) =>
		await isShown('A', [items], { hint: noLimitHint, parameters });

	test('are pointed out, by the items times what each one makes', async () => {
		expect(await shown(many, create)).toBe(true);
		expect(await shown(many.slice(1), create)).toBe(false);
		expect(await shown(many.slice(0, 5), { ...create, parameters: { count: 4 } })).toBe(true);
		expect(await shown(many.slice(0, 5), { ...create, parameters: { count: 3 } })).toBe(false);
	});

	test.each([
		['a limit', { ...create, options: { maxCredits: 100 } }],
		['a dry run', { ...create, options: { dryRun: true } }],
		['an operation that makes nothing', { ...create, operation: 'getAll' }],
	])('are not pointed out with %s', async (_, parameters) => {
		expect(await shown(many, parameters)).toBe(false);
	});

	test('are pointed out by every operation that has the option, and by no other', async () => {
		const offering: string[] = [];
		const pointedOut: string[] = [];
		for (const { description } of await actionNodes()) {
			for (const { resource, operation, options } of operationsOf(description)) {
				const name = `${resource}/${operation}`;
				if (options.includes('maxCredits')) offering.push(name);
				if (await shown(many, { ...create, resource, operation })) pointedOut.push(name);
			}
		}
		expect(offering.length).toBeGreaterThanOrEqual(7);
		expect(pointedOut).toEqual(offering);
	});
});
