import { CreditGate } from '../../../src/transport/limits/creditGate';
import { channelOf } from '../../../testing/answers';
import { VirtualClock } from '../../../testing/virtualClock';

describe('when credits have run out', () => {
	const channel = (signal?: AbortSignal) =>
		channelOf(async () => ({ noResponse: 'nothing is sent' }), 'a', signal);

	test('all waiting items share one attempt every 20 seconds, and all continue when one succeeds', async () => {
		const clock = new VirtualClock();
		const creditGate = new CreditGate(clock);
		const started = clock.monotonic();
		creditGate.markEmpty();
		const tried: number[] = [];
		const wait = async () => {
			expect(await creditGate.mayTry(channel(), started + 3_600_000)).toBe(true);
			tried.push(clock.monotonic() - started);
			if (tried.length === 3) creditGate.markAvailable();
		};
		await clock.run(Promise.all(Array.from({ length: 10 }, wait)));
		expect(tried.slice(0, 3)).toEqual([20_000, 40_000, 60_000]);
		expect(tried.slice(3)).toEqual(Array.from({ length: 7 }, () => 60_000));
	});

	test('a wait ends at its deadline, and at once when cancelled', async () => {
		const clock = new VirtualClock();
		const creditGate = new CreditGate(clock);
		expect(await creditGate.mayTry(channel(), 0)).toBe(true);
		creditGate.markEmpty();
		const deadline = clock.monotonic() + 5_000;
		expect(await clock.run(creditGate.mayTry(channel(), deadline))).toBe(false);
		expect(clock.monotonic()).toBe(deadline);
		const abort = new AbortController();
		const waiting = creditGate.mayTry(channel(abort.signal), clock.monotonic() + 3_600_000);
		await clock.quiet();
		abort.abort();
		expect(await clock.run(waiting)).toBe(false);
		expect(clock.monotonic()).toBe(deadline);
	});
});
