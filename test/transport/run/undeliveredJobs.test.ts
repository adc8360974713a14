import { UndeliveredJobs, undeliveredOf } from '../../../src/transport/run/memory';
import { workspaceWith } from '../../../testing/run';
import { VirtualClock } from '../../../testing/virtualClock';

const DAY = 86_400_000;

const [first, second] = [{ id: 'gen_1', object: 'generation' }, { id: 'gen_2' }];

test('a job that nobody was given is given once, to whoever asks for the same', () => {
	const jobs = new UndeliveredJobs();
	jobs.add('a cat', first, 0, 'former');
	expect(jobs.take('a dog', 1, 'new')).toBeUndefined();
	expect(jobs.take('a cat', 1, 'new')).toBe(first);
	expect(jobs.take('a cat', 1, 'new')).toBeUndefined();
});

test('of several the oldest comes first, and one that fails to be delivered again is there again', () => {
	const jobs = new UndeliveredJobs();
	jobs.add('a cat', first, 0, 'former');
	jobs.add('a cat', second, 1, 'former');
	jobs.add('a cat', first, 2, 'former');
	expect(jobs.take('a cat', 3, 'new')).toBe(first);
	jobs.add('a cat', first, 4, 'former');
	expect([
		jobs.take('a cat', 5, 'new'),
		jobs.take('a cat', 5, 'new'),
		jobs.take('a cat', 5, 'new'),
	]).toEqual([second, first, undefined]);
});

test('one that was delivered after all, such as by Retry Execution, is not given to anybody else', () => {
	const jobs = new UndeliveredJobs();
	jobs.add('a cat', first, 0, 'former');
	jobs.add('a cat', second, 0, 'former');
	jobs.remove('gen_1');
	jobs.remove('gen_3');
	expect([jobs.take('a cat', 1, 'new'), jobs.take('a cat', 1, 'new')]).toEqual([second, undefined]);
});

test('one of the execution itself stays with its item', () => {
	const jobs = new UndeliveredJobs();
	jobs.add('a cat', first, 0, 'former');
	expect(jobs.take('a cat', 1, 'former')).toBeUndefined();
	expect(jobs.take('a cat', 1, 'new')).toBe(first);
});

test.each([
	['a day later', DAY, undefined],
	['within a day', DAY - 1, first],
	['with the clock set back', -1, undefined],
])('%s', (_, now, job) => {
	const jobs = new UndeliveredJobs();
	jobs.add('a cat', first, 0, 'former');
	expect(jobs.take('a cat', now, 'new')).toBe(job);
});

test('each workspace has its own, the same every time', () => {
	const [one, other] = [1, 2].map(() => workspaceWith(new VirtualClock()));
	if (!one || !other) throw new Error('two workspaces');
	undeliveredOf(one).add('a cat', first, 0, 'former');
	expect(undeliveredOf(other).take('a cat', 0, 'new')).toBeUndefined();
	expect(undeliveredOf(one).take('a cat', 0, 'new')).toBe(first);
});
