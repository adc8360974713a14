import { SlotLimit } from '../../../src/transport/limits/slotLimit';
import { VirtualClock } from '../../../testing/virtualClock';

const MINUTES = 60_000;

function setUp() {
	const clock = new VirtualClock();
	return { clock, slots: new SlotLimit(clock) };
}

test('what is configured, until a creation is refused while fewer jobs run', () => {
	const { slots } = setUp();
	expect(slots.of(5)).toBe(5);
	expect(slots.explains(2, false)).toBe(true);
	expect(slots.of(5)).toBe(2);
	expect(slots.of(1)).toBe(1);
});

test('grows with the jobs that are seen to run', () => {
	const { slots } = setUp();
	slots.explains(2, false);
	slots.seen(1, 5);
	expect(slots.of(5)).toBe(2);
	slots.seen(3, 5);
	expect(slots.of(5)).toBe(3);
	// One of them was on its way, and is refused.
	expect(slots.explains(2, false)).toBe(true);
	expect(slots.of(5)).toBe(2);
	slots.seen(5, 5);
	expect([slots.of(6), slots.probeAt]).toEqual([6, Infinity]);
});

test('is probed after a minute, then ever more seldom, at most every five minutes', async () => {
	const { clock, slots } = setUp();
	slots.explains(2, false);
	const delays: number[] = [];
	for (let probes = 0; probes < 5; probes += 1) {
		const delay = slots.probeAt - clock.monotonic();
		delays.push(Math.round(delay / 1_000));
		await clock.pass(delay - 1);
		// As many as are known to run say nothing new.
		slots.seen(2, 5);
		// Of several creations that are refused at once, only one counts.
		slots.refused();
		await clock.pass(1);
		slots.refused();
		slots.refused();
	}
	expect(delays).toEqual([60, 121, 241, 300, 300]);
});

test.each([
	['the rate is the likelier reason', 2, true],
	['nothing runs', 0, false],
])('says nothing of a refusal where %s', (_why, running, isRateLikely) => {
	const { slots } = setUp();
	expect(slots.explains(running, isRateLikely)).toBe(false);
	expect(slots.of(5)).toBe(5);
});

test('a refusal while fewer jobs run than before shows that it was the rate, for five minutes', async () => {
	const { clock, slots } = setUp();
	slots.explains(3, false);
	expect(slots.explains(1, false)).toBe(false);
	expect(slots.of(5)).toBe(5);
	expect(slots.explains(3, false)).toBe(false);
	await clock.pass(5 * MINUTES);
	expect(slots.explains(3, false)).toBe(true);
});

test('a refusal while all of them are taken is explained, also at a high rate, and teaches nothing', async () => {
	const { clock, slots } = setUp();
	slots.explains(2, false);
	const { probeAt } = slots;
	await clock.pass(10_000);
	expect([slots.explains(2, true), slots.explains(3, true), slots.explains(3, false)]).toEqual([
		true,
		true,
		true,
	]);
	expect([slots.of(5), slots.probeAt]).toEqual([2, probeAt]);
});
