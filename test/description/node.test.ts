import {
	Workflow,
	type INodeExecutionData,
	type INodeType,
	type INodeTypes,
	type IRunExecutionData,
} from 'n8n-workflow';
import { partialResultHint } from '../../src/description/node';
import { NODE } from '../support/nodeContext';

const start = { ...NODE, id: 'start', name: 'Start' };

/** Whether the editor shows the hint: it evaluates the condition like this (`getNodeHints` of n8n-editor-ui 2.41). */
async function isShown(
	name: string,
	runs: INodeExecutionData[][],
	{ runIndex = 0, input = [{ json: {} }] } = {},
): Promise<unknown> {
	const type = { description: { properties: [] } } as unknown as INodeType;
	const nodeTypes = { getByNameAndVersion: () => type } as unknown as INodeTypes;
	const nodes = [start, { ...NODE, name }];
	const connections = { Start: { main: [[{ node: name, type: 'main' as const, index: 0 }]] } };
	const workflow = new Workflow({ nodes, connections, active: false, nodeTypes });
	const task = (items: INodeExecutionData[]) => ({ data: { main: [items] } });
	const runData = { Start: [task(input)], [name]: runs.map(task) };
	const data = { resultData: { runData } } as unknown as IRunExecutionData;
	const condition = partialResultHint.displayCondition ?? '';
	await workflow.expression.acquireIsolate?.();
	return workflow.expression.getParameterValue(
		condition,
		...([data, runIndex, 0, name, input, 'manual', {}] as const),
	);
}

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

test('it stands at the run that it belongs to', async () => {
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
