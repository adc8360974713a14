import { historyOf, knownHistoryOf } from '../../../src/transport/run/keys';
import { answer } from '../../../testing/answers';
import { hostWith, runOf, workspaceWith } from '../../../testing/run';
import { VirtualClock } from '../../../testing/virtualClock';

const DAY = 86_400_000;

const [first, second] = [{ id: 'gen_1', object: 'generation' }, { id: 'gen_2' }];

const clock = new VirtualClock();

/** An item that asks for something, in a workspace of its own unless one is given. */
const asking = (fingerprint: string, workspace = workspaceWith(clock)) =>
	runOf({
		host: hostWith(async () => answer(200)),
		workspace,
		memory: { state: { is: 'new', firstKey: 0 }, fingerprint },
	});

test('a job that nobody was given is given once, to whoever asks for the same', () => {
	const cat = asking('a cat');
	historyOf(cat).addUndelivered(first, 'former');
	expect(knownHistoryOf(asking('a dog', cat.workspace))).toBeUndefined();
	const again = knownHistoryOf(asking('a cat', cat.workspace));
	expect(again?.takeUndelivered('new')).toBe(first);
	expect(again?.takeUndelivered('new')).toBeUndefined();
});

test('of several the oldest comes first, and one that fails to be delivered again is there again', () => {
	const cat = historyOf(asking('a cat'));
	for (const job of [first, second, first]) cat.addUndelivered(job, 'former');
	expect(cat.takeUndelivered('new')).toBe(first);
	cat.addUndelivered(first, 'former');
	const taken = [1, 2, 3].map(() => cat.takeUndelivered('new'));
	expect(taken).toEqual([second, first, undefined]);
});

test('one that was delivered after all, such as by Retry Execution, is not given to anybody else', () => {
	const cat = historyOf(asking('a cat'));
	for (const job of [first, second]) cat.addUndelivered(job, 'former');
	for (const id of ['gen_1', 'gen_3']) cat.noteDelivery({ id });
	expect([1, 2].map(() => cat.takeUndelivered('new'))).toEqual([second, undefined]);
});

test('one of the execution itself stays with its item', () => {
	const cat = historyOf(asking('a cat'));
	cat.addUndelivered(first, 'former');
	expect(cat.takeUndelivered('former')).toBeUndefined();
	expect(cat.takeUndelivered('new')).toBe(first);
});

test.each([
	['a day later', DAY, undefined],
	['within a day', DAY - 1, first],
	['with the clock set back', -1, undefined],
])('%s', (_, later, job) => {
	const cat = asking('a cat');
	const now = jest.spyOn(clock, 'now').mockReturnValue(0);
	historyOf(cat).addUndelivered(first, 'former');
	now.mockReturnValue(later);
	expect(knownHistoryOf(cat)?.takeUndelivered('new')).toBe(job);
	now.mockRestore();
});

test('each workspace has its own, the same every time', () => {
	const [one, other] = [asking('a cat'), asking('a cat')];
	historyOf(one).addUndelivered(first, 'former');
	expect(knownHistoryOf(other)).toBeUndefined();
	expect(knownHistoryOf(one)?.takeUndelivered('new')).toBe(first);
});
