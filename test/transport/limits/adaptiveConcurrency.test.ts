import { AdaptiveConcurrency } from '../../../src/transport/limits/adaptiveConcurrency';
import { SharedUse } from '../../../src/transport/limits/sharedUse';
import { seeded } from '../../../testing/random';
import { VirtualClock } from '../../../testing/virtualClock';

const LIMIT = 5;

function setUp(random = () => 0.5) {
	const clock = new VirtualClock();
	const sharedUse = new SharedUse();
	const concurrency = new AdaptiveConcurrency(clock, random, sharedUse);
	const admits = (inUse: number) => concurrency.admits({ limit: LIMIT, inUse });
	const refused = (inUse: number, hintMs?: number, isRateLikely = true) =>
		concurrency.refused({ limit: LIMIT, inUse }, isRateLikely, hintMs);
	/** @returns whether the list shows that the last refusal was about the request rate */
	const list = (running: string[], ended: string[] = []) => {
		sharedUse.listed(new Set([...running, ...ended]), running, clock.monotonic());
		return concurrency.listed({ limit: LIMIT, inUse: 0 });
	};
	return { clock, sharedUse, concurrency, admits, refused, list };
}

test('the slots that a list shows others to use are not ours, and are when two lists no longer show them', async () => {
	const { clock, concurrency, admits, list } = setUp();
	list(['a', 'b']);
	expect([admits(2), admits(3)]).toEqual([true, false]);
	await clock.pass(5_000);
	list([]);
	expect([admits(2), admits(3)]).toEqual([true, false]);
	expect(concurrency.nextListAt(-Infinity) - clock.monotonic()).toBe(10_000);
	await clock.pass(10_000);
	list([]);
	expect([admits(4), admits(5)]).toEqual([true, false]);
});

test.each([
	[5, 3],
	[4, 2],
	[1, 1],
])(
	'of %i slots that others have all left, %i are taken before a second list',
	async (limit, most) => {
		const { clock, concurrency, list } = setUp();
		list(['a', 'b', 'c', 'd', 'e'].slice(0, limit));
		await clock.pass(5_000);
		list([]);
		const counts = Array.from({ length: limit + 1 }, (_, inUse) => inUse);
		expect(counts.filter((inUse) => concurrency.admits({ limit, inUse }))).toEqual(
			counts.slice(0, most),
		);
	},
);

test('our own jobs in a list are not those of others', () => {
	const { concurrency, admits, list } = setUp();
	concurrency.accepted('a', { limit: LIMIT, inUse: 1 });
	list(['a', 'b']);
	expect([admits(3), admits(4)]).toEqual([true, false]);
});

test('after a refusal the limit is what runs now, until a list newer than it', async () => {
	const { clock, concurrency, admits, refused, list } = setUp();
	list([]);
	await clock.pass(1_000);
	refused(2);
	expect([admits(1), admits(2)]).toEqual([true, false]);
	expect(concurrency.nextListAt(-Infinity) - clock.monotonic()).toBe(2_000);
	await clock.pass(2_000);
	list(['a', 'b']);
	expect([admits(2), admits(3)]).toEqual([true, false]);
});

test('a refusal was about the rate if the lists around it show slots that nobody has taken', async () => {
	const { clock, admits, refused, list } = setUp();
	list(['a']);
	await clock.pass(1_000);
	refused(1);
	await clock.pass(1_000);
	expect(list(['a'])).toBe(true);
	expect(admits(1)).toBe(false);
	await clock.pass(2_000);
	expect(admits(1)).toBe(true);
});

test.each([
	['run', ['a', 'b', 'c', 'd'], []],
	['have ended meanwhile', ['a'], ['b', 'c', 'd']],
])(
	'it was about the slots if others took them in between, also if those %s',
	async (_name, running, ended) => {
		const { clock, refused, list } = setUp();
		list(['a']);
		await clock.pass(1_000);
		refused(1);
		await clock.pass(1_000);
		expect(list(running, ended)).toBe(false);
	},
);

test('without lists each refusal in a row doubles the time to the next probe; a hint replaces it', () => {
	const { clock, concurrency, refused } = setUp();
	concurrency.listRequested(false);
	const waits: number[] = [];
	for (let count = 0; count < 7; count += 1) {
		refused(0);
		waits.push(concurrency.nextProbeAt - clock.monotonic());
	}
	expect(waits).toEqual([2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 120_000]);
	refused(0, 7_000);
	expect(concurrency.nextProbeAt - clock.monotonic()).toBe(7_000);
});

test('without lists one more is probed at a time', async () => {
	const { clock, concurrency, admits, refused } = setUp();
	concurrency.listRequested(false);
	refused(2);
	await clock.pass(2_000);
	expect([admits(2), admits(2)]).toEqual([true, false]);
});

test('jobs that a list shows unchanged for five minutes are doubted, and forgotten when the doubt proves right', async () => {
	const { clock, concurrency, admits, list } = setUp();
	const stuck = ['a', 'b', 'c', 'd', 'e'];
	list(stuck);
	await clock.pass(299_000);
	list(stuck);
	expect(admits(0)).toBe(false);
	await clock.pass(1_000);
	expect([admits(0), admits(0)]).toEqual([true, false]);
	concurrency.accepted('own', { limit: LIMIT, inUse: 1 });
	list(['own', ...stuck]);
	expect(admits(0)).toBe(true);
});

test('the random numbers come from the given source', () => {
	const [first, second] = [setUp(seeded(1)), setUp(seeded(1))];
	for (const { concurrency, refused } of [first, second]) {
		concurrency.listRequested(false);
		refused(0);
	}
	expect(first.concurrency.nextProbeAt).toBe(second.concurrency.nextProbeAt);
});

test('the time of the last accepted job is known; at first there is none', () => {
	const { clock, concurrency } = setUp();
	expect(concurrency.lastAccepted).toBe(-Infinity);
	concurrency.accepted('a', { limit: LIMIT, inUse: 1 });
	expect(concurrency.lastAccepted).toBe(clock.monotonic());
});

describe('after a time without jobs, when nobody knows who else is there', () => {
	test('half of the slots are used until a list sent after the first job has shown the others', () => {
		const { clock, concurrency, admits, list } = setUp();
		expect([admits(0), admits(1), admits(2)]).toEqual([true, true, false]);
		expect(concurrency.nextListAt(-Infinity) - clock.monotonic()).toBe(2_000);
		concurrency.accepted('own', { limit: LIMIT, inUse: 1 });
		expect(concurrency.nextListAt(-Infinity)).toBe(clock.monotonic());
		list(['own', 'a', 'b']);
		expect([admits(2), admits(3)]).toEqual([true, false]);
	});

	test('all are used when it shows nobody, and when no list can be had', () => {
		const alone = setUp();
		expect([alone.admits(0), alone.admits(4)]).toEqual([true, false]);
		alone.list([]);
		expect(alone.admits(4)).toBe(true);
		const blind = setUp();
		expect([blind.admits(0), blind.admits(4)]).toEqual([true, false]);
		blind.concurrency.listRequested(false);
		expect(blind.admits(4)).toBe(true);
	});

	test('a list that does not come holds nothing back for longer than 15 s', async () => {
		const { clock, admits } = setUp();
		expect([admits(0), admits(4)]).toEqual([true, false]);
		await clock.pass(14_999);
		expect(admits(4)).toBe(false);
		await clock.pass(1);
		expect(admits(4)).toBe(true);
	});

	test('a list of less than a window ago is enough', async () => {
		const { clock, admits, list } = setUp();
		list([]);
		await clock.pass(60_249);
		expect([admits(0), admits(4)]).toEqual([true, true]);
		await clock.pass(1);
		expect([admits(0), admits(4)]).toEqual([true, false]);
	});
});
