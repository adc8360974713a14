import type { IExecuteSingleFunctions, INodeExecutionData } from 'n8n-workflow';
import { batchOf, joinBatch } from '../../../src/transport/run/batch';
import type { Prepared } from '../../../src/transport/run/item';
import { fail, ok, type Result } from '../../../src/transport/base/result';
import { nodeContext, nodeRun, type NodeRun } from '../../support/nodeContext';
import { settingsWith } from '../../../testing/run';

const items = (count: number): INodeExecutionData[] =>
	Array.from({ length: count }, () => ({ json: {} }));

const PREPARED: Result<Prepared> = ok({
	request: { method: 'GET', path: '/' },
	settings: settingsWith(),
});
const FAULTY: Result<Prepared> = fail({ kind: 'input', field: 'Prompt', problem: 'is empty' });

function join(run: NodeRun, item: number, prepared = PREPARED): IExecuteSingleFunctions {
	const context = nodeContext(run, item);
	joinBatch(context, item).add(item, prepared);
	return context;
}

test('a run is not doomed once all its items have joined, and is before', () => {
	const run = nodeRun({ items: items(2) });
	const first = join(run, 0);
	expect(batchOf(first)?.isRejected).toBe(true);
	join(run, 1);
	expect(batchOf(first)?.isRejected).toBe(false);
});

test('one faulty item dooms the run', () => {
	const run = nodeRun({ items: items(2) });
	const first = join(run, 0, FAULTY);
	join(run, 1);
	expect(batchOf(first)?.isRejected).toBe(true);
});

test('in portions, items that have not started yet doom nothing', () => {
	const interval = { requestOptions: { batching: { batch: { batchInterval: 10 } } } };
	const run = nodeRun({ items: items(2), parameters: () => interval });
	const first = join(run, 0);
	const batch = batchOf(first);
	expect(batch?.isRejected).toBe(false);
	batch?.beginItem(0);
	expect(batchOf(join(run, 1))).toBe(batch);
});

test('as a tool the call is counted, not the items of the agent', () => {
	const agent = nodeRun({ items: items(5) });
	const tool = nodeRun({ ...agent, inputData: { ai_tool: [items(1)] } });
	expect(batchOf(join(tool, 0))?.isRejected).toBe(false);
});

test('two calls of a tool within one item of an agent never share a batch', () => {
	const agent = nodeRun({ items: items(1) });
	const [a, b] = [1, 2].map(() => nodeRun({ ...agent, inputData: { ai_tool: [items(1)] } }));
	const first = join(a as NodeRun, 0);
	const second = join(b as NodeRun, 0, FAULTY);
	expect(batchOf(first)).not.toBe(batchOf(second));
	expect(batchOf(first)?.isRejected).toBe(false);
});

describe('Retry On Fail begins a new batch', () => {
	test('when the first item joins again', () => {
		const run = nodeRun({ items: items(2) });
		const before = batchOf(join(run, 0));
		join(run, 1);
		expect(batchOf(join(run, 0))).not.toBe(before);
	});

	test('also when n8n gave up on the first item before, and does not now', () => {
		const run = nodeRun({ items: items(2) });
		const before = batchOf(join(run, 1));
		const first = join(run, 0);
		join(run, 1);
		expect(batchOf(first)).not.toBe(before);
		expect(batchOf(first)?.beginItem(0)).toBe(PREPARED);
		expect(batchOf(first)?.beginItem(1)).toBe(PREPARED);
	});

	test('also when n8n gives up on the item that had joined', () => {
		const run = nodeRun({ items: items(2) });
		const before = batchOf(join(run, 0));
		before?.beginItem(0);
		expect(batchOf(join(run, 1))).not.toBe(before);
	});
});
