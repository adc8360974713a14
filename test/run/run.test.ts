import type { IExecuteSingleFunctions, INodeExecutionData } from 'n8n-workflow';
import { ENDPOINTS } from '../../src/contract';
import { Run, halt } from '../../src/run/run';
import { currentRun, joinRun } from '../../src/run/nodeInput';
import type { Prepared } from '../../src/run/item';
import { fail, ok, type Result } from '../../src/base/result';
import { nodeContext, nodeRun, type NodeRun } from '../support/nodeContext';
import { LOST } from '../../testing/answers';
import { hostWith, runOf, settingsWith, workspaceWith } from '../../testing/run';
import { VirtualClock } from '../../testing/virtualClock';

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

test('a run is not doomed once all its items have joined, and is before', () => {
	const run = nodeRun({ items: items(2) });
	const first = join(run, 0);
	expect(currentRun(first)?.isRejected).toBe(true);
	join(run, 1);
	expect(currentRun(first)?.isRejected).toBe(false);
});

test('one faulty item dooms the run', () => {
	const run = nodeRun({ items: items(2) });
	const first = join(run, 0, FAULTY);
	join(run, 1);
	expect(currentRun(first)?.isRejected).toBe(true);
});

test('in portions, items that have not started yet doom nothing', () => {
	const interval = { requestOptions: { batching: { run: { batchInterval: 10 } } } };
	const run = nodeRun({ items: items(2), parameters: () => interval });
	const first = join(run, 0);
	const run = currentRun(first);
	expect(run?.isRejected).toBe(false);
	run?.beginItem(0);
	expect(currentRun(join(run, 1))).toBe(run);
});

test('as a tool the call is counted, not the items of the agent', () => {
	const agent = nodeRun({ items: items(5) });
	const tool = nodeRun({ ...agent, inputData: { ai_tool: [items(1)] } });
	expect(currentRun(join(tool, 0))?.isRejected).toBe(false);
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

	test('also when n8n gives up on the item that had joined', () => {
		const run = nodeRun({ items: items(2) });
		const before = currentRun(join(run, 0));
		before?.beginItem(0);
		expect(currentRun(join(run, 1))).not.toBe(before);
	});
});

describe('a custom key is known to be shared before anything is sent', () => {
	const keyed: Result<Prepared> = ok({
		request: { method: 'POST', path: '/' },
		settings: settingsWith({ idempotency: 'custom', idempotencyKey: 'order 7' }),
	});

	/** Items of one run, and which of them may go on. */
	function run(prepared: Array<Result<Prepared>>) {
		const run = new Run(prepared.length, false);
		for (const [item, each] of prepared.entries()) run.add(item, each);
		const passed: number[] = [];
		const claim = (item: number) => void run.keyClaimed(item).then(() => passed.push(item));
		const quiet = async () => await new VirtualClock().quiet();
		return { run, passed, claim, quiet };
	}

	test('each item waits until all with a key have claimed theirs', async () => {
		const { passed, claim, quiet } = run([keyed, keyed, PREPARED, keyed]);
		claim(0);
		claim(3);
		await quiet();
		expect(passed).toEqual([]);
		claim(1);
		await quiet();
		expect([...passed].sort()).toEqual([0, 1, 3]);
	});

	test('one that ends without a claim, as its file cannot be read, holds up nobody', async () => {
		const { run, passed, claim, quiet } = run([keyed, keyed]);
		claim(0);
		run.endItem(1);
		await quiet();
		expect(passed).toEqual([0]);
	});

	test('invalid items are not waited for', async () => {
		const { passed, claim, quiet } = run([keyed, FAULTY]);
		claim(0);
		await quiet();
		expect(passed).toEqual([0]);
	});
});

describe('silence', () => {
	function run() {
		const clock = new VirtualClock();
		const run = new Run(2, false);
		const note = async (isAnswered: boolean, tookMs: number) => {
			const sentAt = clock.monotonic();
			await clock.pass(tookMs);
			run.noteAnswer(isAnswered, sentAt, clock);
		};
		return { clock, run, note };
	}

	test('of a minute and a half halts the run, counted from when the first request went out', async () => {
		const { run, note } = run();
		await note(false, 89_000);
		expect([run.halted, run.isSilent]).toEqual([undefined, false]);
		await note(false, 1_000);
		expect(run.halted).toEqual({ cause: 'the service gave no answer', credits: false });
		expect([run.isSilent, run.stopSignal(undefined).aborted]).toEqual([true, true]);
	});

	test('ends with any answer of the service', async () => {
		const { run, note } = run();
		await note(false, 89_000);
		await note(true, 0);
		await note(false, 89_000);
		expect(run.halted).toBeUndefined();
	});

	test('in which nothing is asked does not count', async () => {
		const { clock, run, note } = run();
		await clock.pass(600_000);
		await note(false, 1_000);
		expect(run.halted).toBeUndefined();
	});
});

test.each([
	['an upload', 403, ENDPOINTS.createFile, false],
	['an upload', 401, ENDPOINTS.createFile, true],
	['the creation', 403, undefined, true],
	['the creation', 400, undefined, false],
	['the creation', 503, undefined, false],
])('%s that is refused with %i: whether the run is halted', (_what, status, endpoint, isHalted) => {
	const item = runOf({
		host: hostWith(async () => LOST),
		workspace: workspaceWith(new VirtualClock()),
	});
	const failure = { kind: 'status', status, serviceError: {}, outcomeUnknown: false } as const;
	halt(item, { ...fail(failure), endpoint });
	expect(item.run.halted !== undefined).toBe(isHalted);
});
