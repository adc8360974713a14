import { Batch } from '../../src/run/run';
import { ItemKeys, noteDelivery } from '../../src/run/keys';
import { answer } from '../../testing/answers';
import { hostWith, runOf, workspaceWith } from '../../testing/run';
import { VirtualClock } from '../../testing/virtualClock';

const DAY = 86_400_000;

const [first, second] = [{ id: 'gen_1', object: 'generation' }, { id: 'gen_2' }];

/** What manual executions do with the jobs of one request, in a process of their own. */
function processWith(clock = new VirtualClock()) {
	const workspace = workspaceWith(clock);
	const itemOf = (runId: string, fingerprint = 'a cat') =>
		runOf({
			host: hostWith(async () => answer(200)),
			workspace,
			batch: new Batch(1, false),
			node: { runId, items: {} },
			memory: { state: { is: 'new', firstKey: 0 }, fingerprint },
			origin: { runId, isManual: true },
		});
	return {
		fails: (job: { id: string }) => noteDelivery(itemOf('former'), job, false),
		delivers: (id: string) => noteDelivery(itemOf('former'), { id }, true),
		takes: (runId = 'new', fingerprint = 'a cat') =>
			new ItemKeys(itemOf(runId, fingerprint), fingerprint).takeUndelivered(),
	};
}

test('a job that nobody was given is given once, to whoever asks for the same', () => {
	const executions = processWith();
	executions.fails(first);
	expect(executions.takes('new', 'a dog')).toBeUndefined();
	expect(executions.takes()).toEqual(first);
	expect(executions.takes()).toBeUndefined();
});

test('of several the oldest comes first, and one that fails to be delivered again is there again', () => {
	const executions = processWith();
	for (const job of [first, second, first]) executions.fails(job);
	expect(executions.takes()).toEqual(first);
	executions.fails(first);
	expect([1, 2, 3].map(() => executions.takes())).toEqual([second, first, undefined]);
});

test('one that was delivered after all, such as by Retry Execution, is not given to anybody else', () => {
	const executions = processWith();
	for (const job of [first, second]) executions.fails(job);
	for (const id of ['gen_1', 'gen_3']) executions.delivers(id);
	expect([1, 2].map(() => executions.takes())).toEqual([second, undefined]);
});

test('one of the execution itself stays with its item', () => {
	const executions = processWith();
	executions.fails(first);
	expect(executions.takes('former')).toBeUndefined();
	expect(executions.takes()).toEqual(first);
});

test.each([
	['a day later', DAY, undefined],
	['within a day', DAY - 1, first],
	['with the clock set back', -1, undefined],
])('%s', (_, later, job) => {
	const clock = new VirtualClock();
	const began = clock.now();
	const executions = processWith(clock);
	executions.fails(first);
	jest.spyOn(clock, 'now').mockReturnValue(began + later);
	expect(executions.takes()).toEqual(job);
});

test('each workspace has its own', () => {
	const [one, other] = [processWith(), processWith()];
	one.fails(first);
	expect(other.takes()).toBeUndefined();
	expect(one.takes()).toEqual(first);
});
