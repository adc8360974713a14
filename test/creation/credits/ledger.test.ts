import { fail, ok } from '../../../src/base/result';
import type { Item } from '../../../src/creation/item';
import type { ItemState } from '../../../src/creation/idempotency/itemState';
import {
	accountOf,
	addEntry,
	ExecutionSum,
	settleEntry,
	takeBack,
	ledgerOf,
	type LedgerEntry,
} from '../../../src/creation/credits/ledger';
import { isTodayGuessed } from '../../../src/creation/credits/today';
import { Run } from '../../../src/creation/run';
import { LOST } from '../../model/answers';
import { hostWith, runOf, workspaceWith } from '../../model/run';
import { VirtualClock } from '../../model/virtualClock';

const KEY = 'shared';
const BODY = { mode: 'image', model: 'm', prompt: 'a cat' };
const MADE = { id: 'gen_1', object: 'generation', status: 'queued', estimated_credits: 3 };

const lost = fail({ kind: 'noResponse', reason: 'lost', attempts: 1, outcomeUnknown: true });

/** What is known of an item whose request went out and was not answered. */
const open: ItemState = {
	is: 'sent',
	keyNumber: 0,
	key: KEY,
	path: '/generations',
	body: BODY,
	firstSentAt: 1,
	isInFlight: false,
	mayBeCarriedOut: true,
};

/** Whether what is heard is a job. */
const isJob = (heard: unknown): heard is boolean => typeof heard === 'boolean';

/** Items of one run that ask for the same under a key that they share. */
function setUp() {
	const clock = new VirtualClock();
	const workspace = workspaceWith(clock);
	const host = hostWith(async () => LOST as never);
	const run = new Run();
	const executionSum = new ExecutionSum({});
	const itemOf = (itemIndex: number) => runOf({ host, workspace, run, executionSum, itemIndex });
	const ofDay = () =>
		[...ledgerOf({ workspace }).entries].reduce((sum, { credits }) => sum + credits, 0);
	const sums = () => [executionSum.reserved, ofDay(), accountOf(run).bought];
	workspace.prices.learnFromAnswer({ endpoint: itemOf(9).spec.endpoint, body: BODY }, MADE);
	return { clock, itemOf, sums };
}

test('a creation counts with its expected price until its answer says what it has reserved', () => {
	const { itemOf, sums } = setUp();
	const item = itemOf(0);
	const entry = addEntry(item, BODY, KEY, false);
	expect(sums()).toEqual([0, 3, []]);
	item.memory.state = open;
	if (entry) settleEntry(item, entry, BODY, lost, false);
	expect(sums()).toEqual([3, 3, []]);
	const again = addEntry(item, BODY, KEY, false);
	expect(sums()).toEqual([3, 3, []]);
	item.executionSum.subtractOpen(item);
	item.memory.state = { is: 'created', keyNumber: 0, job: { id: 'gen_1' } };
	if (again) settleEntry(item, again, BODY, ok({ job: { ...MADE, estimated_credits: 5 } }), true);
	expect(sums()).toEqual([5, 5, [5]]);
	if (again) takeBack(item, again);
	expect(sums()).toEqual([0, 0, []]);
});

test('where only a guess is known of it, what was lost makes guesses of both sums', () => {
	const { itemOf, sums } = setUp();
	const item = itemOf(0);
	item.settings = { ...item.settings, maxCredits: 50, maxCreditsPerDay: 100 };
	item.run.today.set(item.workspace, { credits: 30, ids: new Set(), began: 0, askedAt: 0 });
	const dearer = { ...BODY, parameters: { quality: 'high' } };
	const entry = addEntry(item, dearer, KEY, false);
	expect(sums()).toEqual([0, 3, []]);
	item.memory.state = open;
	if (entry) settleEntry(item, entry, dearer, lost, false);
	expect(sums()).toEqual([3, 3, []]);
	expect([item.executionSum.isGuess, isTodayGuessed(item)]).toEqual([true, true]);
	item.executionSum.subtractOpen(item);
	expect(item.executionSum.isGuess).toBe(false);
});

test('a refused row does not look through what thousands of others have reserved', () => {
	const ownKeys = () => {
		throw new Error('All amounts are looked through');
	};
	const sum = new ExecutionSum({});
	sum.stored.amounts = new Proxy({}, { ownKeys });
	sum.addJob('gen_1', 2);
	expect([sum.reserved, sum.isGuess]).toEqual([2, false]);
});

describe('two items that send one request under a key that they share, after an answer was lost', () => {
	/** What each of them hears then: a job, and whether it was paid for now; no answer again; a refusal. */
	type Heard = boolean | 'lost' | 'refused';

	test.each<[first: Heard, second: Heard, credits: number[]]>([
		[true, false, [3]],
		['lost', 'lost', []],
		['lost', 'refused', []],
		[false, true, [3]],
		['lost', true, [3]],
		[true, 'lost', [3]],
		[false, false, []],
	])('%s and %s: %j are paid for', (first, second, paid) => {
		const { itemOf, sums } = setUp();
		const [one, other] = [itemOf(0), itemOf(1)];
		const entered = addEntry(one, BODY, KEY, false);
		one.memory.state = open;
		if (entered) settleEntry(one, entered, BODY, lost, false);
		const [ofOne, ofOther] = [addEntry(one, BODY, KEY, false), addEntry(other, BODY, KEY, false)];
		expect(sums()).toEqual([3, 3, []]);
		const hear = (item: Item, entry: LedgerEntry | undefined, heard: Heard) => {
			if (heard === 'lost') item.memory.state = open;
			if (entry)
				settleEntry(
					item,
					entry,
					BODY,
					isJob(heard) ? ok({ job: MADE }) : lost,
					isJob(heard) && heard,
				);
		};
		hear(one, ofOne, first);
		hear(other, ofOther, second);
		const [, ofDay, bought] = sums();
		expect(bought).toEqual(paid);
		// What was lost may be the same job or another one: it counts until its item asks again.
		const isOpen = second === 'lost' || !isJob(second);
		expect(ofDay).toBe(paid.length * 3 + (isOpen ? 3 : 0));
	});
});

test('what is sent when its key has expired counts, and what was open under the key does not', async () => {
	const { clock, itemOf, sums } = setUp();
	const [yesterday, today] = [itemOf(0), itemOf(1)];
	const entry = addEntry(yesterday, BODY, KEY, false);
	yesterday.memory.state = open;
	if (entry) settleEntry(yesterday, entry, BODY, lost, false);
	await clock.run(clock.sleep(30 * 3_600_000));
	expect(addEntry(today, BODY, KEY, false)).toMatchObject({ credits: 3 });
	expect(sums()[1]).toBe(3);
});

test('what is taken over counts as it did before, also while it has no answer, and once', () => {
	const { itemOf } = setUp();
	const item = itemOf(0);
	const [before, now] = [new ExecutionSum({}), new ExecutionSum({})];
	item.memory.state = open;
	before.countOpen(item, 7, true);
	before.addJob('gen_1', 5);
	now.countAsIn(before.stored, item);
	expect([now.reserved, now.isGuess]).toEqual([7, true]);
	now.subtractOpen(item);
	item.memory.state = { is: 'created', keyNumber: 0, job: { id: 'gen_1' } };
	for (let time = 1; time <= 2; time += 1) now.countAsIn(before.stored, item);
	expect([now.reserved, now.isGuess]).toEqual([5, false]);
});

test.each(['__proto__', 'constructor', 'gen_1'])(
	'a job counts once in its execution, whatever its ID, also after n8n has stored it: %s',
	(id) => {
		const flow: Record<string, unknown> = {};
		expect(new ExecutionSum(flow).addJob(id, 3)).toBe(3);
		const stored = JSON.parse(JSON.stringify(flow)) as Record<string, unknown>;
		const sum = new ExecutionSum(stored);
		expect([sum.addJob(id, 3), sum.addJob(id, 5), sum.reserved]).toEqual([0, 2, 5]);
	},
);
