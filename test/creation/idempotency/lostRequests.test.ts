import { ExecutionSum } from '../../../src/creation/credits/ledger';
import {
	LostOfWorkflow,
	LostRequests,
	type Requester,
} from '../../../src/creation/idempotency/lostRequests';
import {
	newMemory,
	type ItemMemory,
	type NodeMemory,
	type ItemState,
} from '../../../src/creation/idempotency/itemState';
import { VirtualClock } from '../../model/virtualClock';

const DAY = 86_400_000;

const created = (id: string, keyNumber = 0): ItemState => ({
	is: 'created',
	keyNumber,
	job: { id },
});
const sent = (key: string): ItemState => ({
	is: 'sent',
	keyNumber: 0,
	key,
	path: '/generations',
	body: {},
	firstSentAt: 0,
	isInFlight: false,
	mayBeCarriedOut: true,
});

const memoryOf = (keySeed: string, state: ItemState, requestHash = 'a cat'): ItemMemory => ({
	...newMemory(),
	keySeed,
	requestHash,
	state,
});

const owner = (execution: string, more: Partial<Requester> = {}): Requester => ({
	execution,
	isManual: true,
	nodeId: 'w/n',
	credential: 'c',
	startDataHash: () => 'order 1',
	...more,
});

const known = (nodeMemory: NodeMemory, requester: Requester) => {
	return { nodeMemory, executionSum: new ExecutionSum({}), requester };
};

function setUp(isShared = false) {
	const clock = new VirtualClock();
	return { clock, lost: new LostRequests(isShared, clock) };
}

test('of equal requests one with a job is taken, then one of the same kind, then the one lost first; each once', () => {
	const { lost } = setUp();
	lost.add(memoryOf('1', sent('of production')), owner('1', { isManual: false }));
	lost.add(memoryOf('2', sent('first')), owner('2'));
	lost.add(memoryOf('3', sent('second')), owner('3'));
	lost.add(memoryOf('4', created('gen_4')), owner('4', { isManual: false }));
	const taken = Array.from({ length: 5 }, () => lost.take('a cat', owner('9'))?.keySeed);
	expect(taken).toEqual(['4', '2', '3', '1', undefined]);
});

test.each<[name: string, by: Partial<Requester>, isShared: boolean, found: boolean]>([
	['the execution itself, which knows it by its own memory', { execution: '1' }, false, false],
	['another node with the same credential', { nodeId: 'w/other' }, false, true],
	['the node with another credential', { credential: 'other' }, false, true],
	['another node with another one', { nodeId: 'w/other', credential: 'other' }, false, false],
	['whatever order, in the editor', { startDataHash: () => 'order 2' }, false, true],
	['another order, in production', { startDataHash: () => 'order 2' }, true, false],
	['the same order, in production', {}, true, true],
])('what was lost is found by: %s', (_name, by, isShared, found) => {
	const { lost } = setUp(isShared);
	lost.add(memoryOf('1', created('gen_1')), owner('1'));
	const asking = { ...owner('2'), ...by };
	expect(lost.take('a cat', asking)?.keySeed).toBe(found ? '1' : undefined);
});

test('retries of one order all find what it has paid for, and the key of what has no job', () => {
	const { lost } = setUp(true);
	lost.add(memoryOf('1', created('gen_1')), owner('1'));
	lost.add(memoryOf('2', { is: 'new', keyNumber: 2 }, 'a dog'), owner('1'));
	for (const [requestHash, keySeed] of [
		['a cat', '1'],
		['a dog', '2'],
	] as const)
		for (const retry of ['2', '3', '4'])
			expect(lost.take(requestHash, owner(retry))?.keySeed).toBe(keySeed);
});

test('what certainly has no job, no click takes', () => {
	const { lost } = setUp();
	lost.add(memoryOf('2', { is: 'new', keyNumber: 2 }), owner('1'));
	expect(lost.take('a cat', owner('2'))).toBeUndefined();
});

test('a day after it was lost it is forgotten, whatever the clock on the wall says', async () => {
	const { clock, lost } = setUp();
	const wall = jest.spyOn(clock, 'now');
	lost.add(memoryOf('1', created('gen_1')), owner('1'));
	wall.mockReturnValue(-DAY);
	await clock.pass(DAY - 1);
	lost.forgetOld();
	expect(lost.take('a cat', owner('2'))).toBeDefined();
	lost.add(memoryOf('1', created('gen_1')), owner('1'));
	await clock.pass(DAY);
	lost.forgetOld();
	expect(lost.take('a cat', owner('2'))).toBeUndefined();
});

test('when there are too many, the oldest are forgotten, whatever they ask for', () => {
	const { lost } = setUp();
	lost.add(memoryOf('1', created('gen_1')), owner('1'));
	lost.add(memoryOf('2', created('gen_2'), 'a dog'), owner('1'));
	lost.add(memoryOf('3', created('gen_3')), owner('1'));
	for (let number = 4; number <= 20_002; number += 1)
		lost.add(memoryOf(`${number}`, created(`gen_${number}`), `${number}`), owner('1'));
	expect(lost.take('a dog', owner('2'))).toBeUndefined();
	expect(lost.take('a cat', owner('2'))?.keySeed).toBe('3');
	expect(lost.take('a cat', owner('2'))).toBeUndefined();
});

test('what is about another request by now is not given for the one that was lost', () => {
	const { lost } = setUp();
	const memory = memoryOf('1', { is: 'new', keyNumber: 1 });
	lost.add(memory, owner('1'));
	// A further try of the same execution, in which an expression gives something else.
	Object.assign(memory, { requestHash: 'a dog', keySeed: '2', state: created('gen_dog', 1) });
	expect(lost.take('a cat', owner('2'))).toBeUndefined();
	lost.remove(memory);
	expect(lost.take('a dog', owner('2'))).toBeUndefined();
});

describe('a run that ends', () => {
	const end = (...runs: Array<[item: string, isGood: boolean, hasFailed: boolean]>) => {
		const lost = new LostOfWorkflow(new VirtualClock());
		const nodeMemory: NodeMemory = { runId: 'run', items: {} };
		for (const [item, isGood, hasFailed] of runs) {
			const memory = nodeMemory.items[item] ?? memoryOf(item, created(`gen ${item}`), item);
			nodeMemory.items[item] = memory;
			memory.endedIn = isGood ? '1' : undefined;
			lost.runEnded(known(nodeMemory, owner('1')), [memory], hasFailed);
		}
		const isLost = (content: string) => lost.editor.take(content, owner('2')) !== undefined;
		return Object.keys(nodeMemory.items).filter(isLost);
	};

	test('loses what has not ended well; with a run that fails all earlier rounds are lost, until it is mended', () => {
		expect(end(['a', true, false], ['b', false, false])).toEqual(['b']);
		expect(end(['a', true, false], ['b', false, true])).toEqual(['a', 'b']);
		expect(end(['a', true, false], ['b', false, true], ['b', true, false])).toEqual([]);
	});

	test('of a retry for which n8n has no memory leaves that to the next retry', () => {
		const lost = new LostOfWorkflow(new VirtualClock());
		const memory = memoryOf('a', created('gen_1'));
		const nodeMemory = { runId: 'run', startedIn: '2', startedInRetry: true, items: { a: memory } };
		lost.runEnded(known(nodeMemory, owner('2', { isManual: false })), [memory], true);
		expect(lost.production.take('a cat', owner('3', { isManual: false }))).toBe(memory);
	});

	test.each([true, false])('is lost when it is stopped later, in the editor: %s', (isManual) => {
		const lost = new LostOfWorkflow(new VirtualClock());
		const memory = { ...memoryOf('a', created('gen_1')), endedIn: '1' };
		const nodeMemory: NodeMemory = { runId: 'run', items: { a: memory } };
		const stop = new AbortController();
		const by = known(nodeMemory, owner('1', { isManual }));
		lost.watch(stop.signal, by);
		lost.runEnded(by, [memory], false);
		expect(lost.editor.take('a cat', owner('2'))).toBeUndefined();
		stop.abort();
		expect(lost.editor.take('a cat', owner('2'))).toBe(memory);
		const retry = lost.production.take('a cat', owner('3', { isManual: false }));
		expect(retry).toBe(isManual ? undefined : memory);
	});
});
