import type { IExecuteSingleFunctions, INodeExecutionData } from 'n8n-workflow';
import { currentRun, joinRun, readParameter } from '../../src/run/nodeInput';
import type { Prepared } from '../../src/run/item';
import { ok, type Result } from '../../src/base/result';
import { settingsWith } from '../model/run';
import { nodeContext, nodeRun, valueAt, type NodeRun } from '../support/nodeContext';

const items = (count: number): INodeExecutionData[] =>
	Array.from({ length: count }, () => ({ json: {} }));

const PREPARED: Result<Prepared> = ok({
	request: { method: 'GET', path: '/' },
	settings: settingsWith(),
});

function join(run: NodeRun, item: number): IExecuteSingleFunctions {
	const context = nodeContext(run, item);
	joinRun(context, item).add(item, PREPARED);
	return context;
}

test('two calls of a tool within one item of an agent never share a run', () => {
	const agent = nodeRun({ items: items(1) });
	const [first, second] = [1, 2].map(() => {
		const call = nodeRun({ ...agent, inputData: { ai_tool: [items(1)] } });
		return currentRun(join(call, 0));
	});
	expect(first).not.toBe(second);
});

test.each([
	['when the first item joins again', [0, 1]],
	['also when n8n gave up on the first item before, and does not now', [1]],
])('Retry On Fail begins a new run %s', (_, joinedBefore) => {
	const run = nodeRun({ items: items(2) });
	const [before] = joinedBefore.map((item) => currentRun(join(run, item)));
	const first = join(run, 0);
	join(run, 1);
	expect(currentRun(first)).not.toBe(before);
	for (const item of [0, 1]) expect(currentRun(first)?.beginItem(item)).toBe(PREPARED);
});

test.each([
	['a text', 'a cat', 'a cat'],
	['a collection of values', { waitTimeout: 5, persona: { value: 'p' } }, undefined],
	['an expression', '={{ $json.prompt }}', 'evaluated'],
	['a collection with an expression', { waitTimeout: '={{ 5 }}' }, 'evaluated'],
	['a locator in a collection', { persona: { __rl: true, value: '={{ 5 }}' } }, 'evaluated'],
	['nothing', undefined, 'fallback'],
])('a parameter is evaluated where there is something to evaluate: %s', (_, stored, read) => {
	const getNodeParameter = (
		name: string,
		fallback?: unknown,
		options?: { rawExpressions?: boolean },
	) => (options?.rawExpressions ? (valueAt({ field: stored }, name) ?? fallback) : 'evaluated');
	const context = Object.assign(nodeContext(nodeRun()), { getNodeParameter });
	const value = readParameter(context as IExecuteSingleFunctions, 'field', 'fallback');
	expect(value).toEqual(read ?? stored);
});
