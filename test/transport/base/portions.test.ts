import { PORTION, Portions } from '../../../src/transport/base/portions';
import { VirtualClock } from '../../../testing/virtualClock';

/** Tasks that end when the test ends them. */
function setUp() {
	const clock = new VirtualClock();
	const portions = new Portions();
	const begun: number[] = [];
	const ends: Array<() => void> = [];
	const run = async (task: number) =>
		await portions.run(clock, async () => {
			begun.push(task);
			await new Promise<void>((resolve) => ends.push(resolve));
			return task;
		});
	const runAll = (from: number, to: number) =>
		Array.from({ length: to - from }, async (_, index) => await run(from + index));
	const endAll = () => ends.splice(0).forEach((end) => end());
	/** The two sleeps between portions. */
	const rest = async () => {
		await clock.quiet();
		await clock.pass(1);
		await clock.pass(1);
	};
	return { clock, portions, begun, ends, runAll, endAll, rest };
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

test('the next portion begins when all of the one before have ended and others had their turn', async () => {
	const { clock, begun, ends, runAll, endAll, rest } = setUp();
	const all = runAll(0, 2 * PORTION + 50);
	expect(begun).toEqual(numbers(PORTION));
	for (const end of ends.splice(0, PORTION - 1)) end();
	await rest();
	expect(begun).toHaveLength(PORTION);
	endAll();
	await clock.quiet();
	await clock.pass(1);
	expect(begun).toHaveLength(PORTION);
	await clock.pass(1);
	expect(begun).toEqual(numbers(2 * PORTION));
	endAll();
	await rest();
	endAll();
	expect(await clock.run(Promise.all(all))).toEqual(numbers(2 * PORTION + 50));
});

test('a portion takes no time, and nor does the one after it when nobody waits', async () => {
	const { clock, begun, runAll, endAll } = setUp();
	const first = runAll(0, PORTION);
	endAll();
	await clock.run(Promise.all(first));
	const second = runAll(PORTION, 2 * PORTION);
	expect(begun).toHaveLength(2 * PORTION);
	endAll();
	await clock.run(Promise.all(second));
	expect(clock.sleeps).toEqual([]);
});

test('who comes while others wait goes behind them, and one who comes later joins a portion that has room', async () => {
	const { clock, begun, runAll, endAll, rest } = setUp();
	void runAll(0, PORTION + 1);
	endAll();
	await clock.quiet();
	void runAll(PORTION + 1, PORTION + 2);
	expect(begun).toHaveLength(PORTION);
	await rest();
	expect(begun).toEqual(numbers(PORTION + 2));
	void runAll(PORTION + 2, 2 * PORTION + 1);
	expect(begun).toEqual(numbers(2 * PORTION));
});

test('a task that fails rejects, and those behind it go on', async () => {
	const clock = new VirtualClock();
	const portions = new Portions();
	const all = numbers(PORTION + 1).map(
		async (task) =>
			await portions.run(clock, async () => {
				if (task < PORTION) throw new Error('no');
				return task;
			}),
	);
	const settled = await clock.run(Promise.allSettled(all));
	expect(settled.slice(0, PORTION).every(({ status }) => status === 'rejected')).toBe(true);
	expect(settled[PORTION]).toEqual({ status: 'fulfilled', value: PORTION });
});
