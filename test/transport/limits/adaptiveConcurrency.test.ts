import { AdaptiveConcurrency } from '../../../src/transport/limits/adaptiveConcurrency';
import { VirtualClock } from '../../../testing/virtualClock';

/** Others hold most places: one of ours is left, and so many refusals in a row have made the tries rare. */
async function content() {
	const clock = new VirtualClock();
	const concurrency = new AdaptiveConcurrency(clock, () => 0.5);
	for (let refusals = 0; refusals < 6; refusals += 1) concurrency.refused(1);
	return { clock, room: concurrency, refusedAt: clock.monotonic() };
}

test('who has a place and was refused often tries for more only after four jobs of his, or three minutes', async () => {
	const { clock, room: concurrency, refusedAt } = await content();
	expect(concurrency.probeAt - refusedAt).toBe(180_000);
	await clock.pass(179_000);
	expect(concurrency.admits(1)).toBe(false);
	await clock.pass(1_000);
	expect(concurrency.admits(1)).toBe(true);
});

test('four jobs taken since the refusal allow the next try', async () => {
	const { clock, room: concurrency, refusedAt } = await content();
	await clock.pass(70_000);
	for (let taken = 0; taken < 3; taken += 1) concurrency.accepted(1);
	expect(concurrency.admits(1)).toBe(false);
	concurrency.accepted(1);
	expect(concurrency.probeAt - refusedAt).toBeLessThanOrEqual(60_000);
	expect(concurrency.admits(1)).toBe(true);
});

test('who has none tries every minute or so, and every two after many refusals', () => {
	const clock = new VirtualClock();
	const concurrency = new AdaptiveConcurrency(clock, () => 0.5);
	const waits = Array.from({ length: 9 }, () => {
		concurrency.refused(0);
		return concurrency.probeAt - clock.monotonic();
	});
	expect(waits.slice(5)).toEqual([60_000, 60_000, 120_000, 120_000]);
});

test('when the service last took a job is known, and at first that it never did', () => {
	const clock = new VirtualClock();
	const concurrency = new AdaptiveConcurrency(clock, () => 0.5);
	expect(concurrency.lastAccepted).toBe(-Infinity);
	concurrency.accepted(1);
	expect(concurrency.lastAccepted).toBe(clock.monotonic());
});
