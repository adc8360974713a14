import type { IExecuteSingleFunctions, INodeExecutionData } from 'n8n-workflow';
import { ENDPOINTS } from '../../src/contract';
import { halt, Run, whyStopped } from '../../src/run/run';
import { currentRun, joinRun } from '../../src/run/nodeInput';
import type { Prepared } from '../../src/run/item';
import { fail, ok, type Failure, type Result } from '../../src/base/result';
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
const FAULTY: Result<Prepared> = fail({ kind: 'input', field: 'Prompt', problem: 'is empty' });

function join(run: NodeRun, item: number, prepared = PREPARED): IExecuteSingleFunctions {
	const context = nodeContext(run, item);
	joinRun(context, item).add(item, prepared);
	return context;
}

test('one faulty item dooms the run', () => {
	const run = nodeRun({ items: items(2) });
	const first = join(run, 0, FAULTY);
	join(run, 1);
	expect(currentRun(first)?.isRejected).toBe(true);
});

test('two calls of a tool within one item of an agent never share a run', () => {
	const agent = nodeRun({ items: items(1) });
	const [a, b] = [1, 2].map(() => nodeRun({ ...agent, inputData: { ai_tool: [items(1)] } }));
	const first = join(a as NodeRun, 0);
	const second = join(b as NodeRun, 0, FAULTY);
	expect(currentRun(first)).not.toBe(currentRun(second));
	expect(currentRun(first)?.isRejected).toBe(false);
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

describe('one own key for different requests', () => {
	const keyed = (ownRequest: string | undefined, idempotencyKey = 'order 7'): Result<Prepared> =>
		ok({
			request: { method: 'POST', path: '/' },
			settings: settingsWith({ idempotency: 'custom', idempotencyKey }),
			ownRequest,
		});

	/** The items of a run that goes on when one fails, and those that are refused. */
	function refusedOf(...items: Array<Result<Prepared>>) {
		const run = new Run(items.length, false, true);
		for (const [item, prepared] of items.entries()) run.add(item, prepared);
		return { run, refused: run.invalid };
	}

	test('is refused for the later item and the first, before any has started, and for no other', () => {
		const cat = keyed('a cat');
		const { run, refused } = refusedOf(cat, cat, keyed('a dog'), keyed('a cow', 'order 8'));
		expect(refused).toEqual([0, 2]);
		for (const item of refused)
			expect(run.rejectionOf(item)).toMatchObject({
				failure: {
					kind: 'input',
					field: 'Own Key',
					problem: 'is the same for items 1 and 3, which make different requests',
					hint: expect.stringMatching(/^Give each request a key of its own/) as string,
				},
			});
	});

	test('halts the whole run where it does not go on', () => {
		const run = new Run(3, false);
		for (const [item, name] of ['a cat', 'a dog', undefined].entries()) run.add(item, keyed(name));
		expect(run.isRejected).toBe(true);
		expect(run.rejectionOf(2)).toMatchObject({ failure: { kind: 'skipped' } });
	});
});

const anItem = () =>
	runOf({ host: hostWith(async () => LOST), workspace: workspaceWith(new VirtualClock()) });

test.each([
	['an upload', 403, ENDPOINTS.createFile, false],
	['an upload', 401, ENDPOINTS.createFile, true],
	['the creation', 403, undefined, true],
	['the creation', 400, undefined, false],
	['the creation', 503, undefined, false],
])('%s that is refused with %i: whether the run is halted', (_what, status, endpoint, isHalted) => {
	const item = anItem();
	const failure = { kind: 'status', status, serviceError: {}, outcomeUnknown: false } as const;
	halt(item, { ...fail(failure), endpoint });
	expect(item.run.halted !== undefined).toBe(isHalted);
});

test.each<[string, Failure]>([
	['no answer', { kind: 'noResponse', reason: 'x', attempts: 7, outcomeUnknown: true }],
	['a 503', { kind: 'status', status: 503, serviceError: {}, outcomeUnknown: true }],
	['a page', { kind: 'badResponse', status: 200, problem: 'x' }],
])('%s halts the run where it was an outage, and not by itself', (_, failure) => {
	const alone = anItem();
	halt(alone, fail(failure));
	expect(alone.run.halted).toBeUndefined();
	const item = anItem();
	halt(item, fail({ ...failure, isOutage: true } as Failure));
	expect(item.run.halted).toEqual({ cause: 'the service gave no answer', becomesRow: false });
	expect(item.run.stopSignal(undefined).aborted).toBe(true);
});

describe('an item that was stopped', () => {
	const stopped = (outcomeUnknown: boolean) => fail({ kind: 'cancelled', outcomeUnknown });

	test.each([true, false])('by a halt says why, whatever it was at (%s)', (outcomeUnknown) => {
		const item = anItem();
		item.run.halt({ cause: 'the service gave no answer', becomesRow: false });
		expect(whyStopped(item, stopped(outcomeUnknown))).toMatchObject({
			failure: { kind: 'skipped', cause: 'the service gave no answer' },
		});
	});

	test('by a cancel says that, also where the run was halted before', () => {
		const item = anItem();
		item.host.channel.signal = AbortSignal.abort();
		item.run.halt({ cause: 'x', becomesRow: false });
		expect(whyStopped(item, stopped(true))).toEqual(stopped(true));
	});
});
