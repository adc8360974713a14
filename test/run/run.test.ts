import type { IExecuteSingleFunctions, INodeExecutionData } from 'n8n-workflow';
import { ENDPOINTS } from '../../src/contract';
import { halt } from '../../src/run/run';
import { currentRun, joinRun } from '../../src/run/nodeInput';
import type { Prepared } from '../../src/run/item';
import { fail, ok, type Result } from '../../src/base/result';
import { nodeContext, nodeRun, type NodeRun } from '../support/nodeContext';
import { LOST } from '../model/answers';
import { hostWith, runOf, settingsWith, workspaceWith } from '../model/run';
import { VirtualClock } from '../model/virtualClock';

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

describe('Retry On Fail begins a new run', () => {
	test('when the first item joins again', () => {
		const run = nodeRun({ items: items(2) });
		const before = currentRun(join(run, 0));
		join(run, 1);
		expect(currentRun(join(run, 0))).not.toBe(before);
	});

	test('also when n8n gave up on the first item before, and does not now', () => {
		const run = nodeRun({ items: items(2) });
		const before = currentRun(join(run, 1));
		const first = join(run, 0);
		join(run, 1);
		expect(currentRun(first)).not.toBe(before);
		expect(currentRun(first)?.beginItem(0)).toBe(PREPARED);
		expect(currentRun(first)?.beginItem(1)).toBe(PREPARED);
	});
});

const anItem = () =>
	runOf({ host: hostWith(async () => LOST), workspace: workspaceWith(new VirtualClock()) });

test.each([
	['an upload', 403, ENDPOINTS.createFile, false],
	['an upload', 401, ENDPOINTS.createFile, true],
	['the creation', 400, undefined, false],
	['the creation', 503, undefined, false],
])('%s that is refused with %i: whether the run is halted', (_what, status, endpoint, isHalted) => {
	const item = anItem();
	const failure = { kind: 'status', status, serviceError: {}, outcomeUnknown: false } as const;
	halt(item, { ...fail(failure), endpoint });
	expect(item.run.halted !== undefined).toBe(isHalted);
});
