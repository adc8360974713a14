import { TopUpGate, type CreditWait } from '../../src/transport/topUpGate';
import { channelOf } from '../model/answers';
import { VirtualClock } from '../model/virtualClock';

const channel = (signal?: AbortSignal) =>
	channelOf(async () => ({ noResponse: 'nothing is sent' }), 'a', signal);

const MINUTE = 60_000;

/** A workspace that has just been found empty, and items that try until they succeed. */
function empty() {
	const clock = new VirtualClock();
	const gate = new TopUpGate(clock);
	const began = clock.monotonic();
	const attempts: number[] = [];
	gate.refused();
	/** @param succeeds whether an attempt that begins at this time, in ms from now, does */
	const item = async (
		succeeds: (at: number) => boolean,
		wasRefused: boolean,
		until = 60 * MINUTE,
	): Promise<boolean> => {
		let wasRefusedBefore = wasRefused;
		while (await gate.mayTry(channel(), began + until, wasRefusedBefore)) {
			const at = clock.monotonic() - began;
			attempts.push(at);
			await clock.sleep(300);
			if (succeeds(at)) {
				gate.succeeded(wasRefusedBefore);
				return true;
			}
			gate.refused();
			wasRefusedBefore = true;
		}
		return false;
	};
	return { clock, gate, began, attempts, item };
}

describe('while a workspace is empty', () => {
	test('all go on at the first success of an attempt that was refused before', async () => {
		const { clock, attempts, item } = empty();
		const succeeds = (at: number) => at >= 55_000;
		await clock.run(
			Promise.all(Array.from({ length: 10 }, async () => await item(succeeds, true))),
		);
		expect(attempts.slice(0, 3)).toEqual([20_000, 40_000, 60_000]);
		expect(attempts.slice(3)).toEqual(Array.from({ length: 9 }, () => 60_300));
	});

	test('after the success of an item that was never refused, which may be cheaper, one more tries', async () => {
		const { clock, attempts, item } = empty();
		const cheap = item(() => true, false);
		const dear = Array.from({ length: 9 }, async () => await item(() => false, true));
		await clock.pass(MINUTE - 1);
		expect(attempts).toEqual([20_000, 20_300, 41_000]);
		await clock.run(Promise.all([cheap, ...dear]));
	});

	test('no item is given up without a trial of its own, like all others', async () => {
		const { clock, attempts, item } = empty();
		let credits = 830;
		const buys = () => {
			const canBuy = credits >= 10;
			if (canBuy) credits -= 10;
			return canBuy;
		};
		const dear = item(() => false, false, 5 * MINUTE);
		const cheap = Array.from({ length: 80 }, async () => await item(buys, false, 10_000));
		expect(await clock.run(Promise.all(cheap))).not.toContain(false);
		expect(await clock.run(dear)).toBe(false);
		expect(attempts[0]).toBe(20_000);
	});
});

test('a wait of one that was refused ends at its deadline, and any at once when cancelled; no timer is left', async () => {
	const clock = new VirtualClock();
	const gate = new TopUpGate(clock);
	expect(await gate.mayTry(channel(), 0)).toBe(true);
	gate.refused();
	const deadline = clock.monotonic() + 5_000;
	expect(await clock.run(gate.mayTry(channel(), deadline, true))).toBe(false);
	expect(clock.monotonic()).toBe(deadline);
	const abort = new AbortController();
	const waiting = gate.mayTry(channel(abort.signal), clock.monotonic() + 3_600_000);
	await clock.quiet();
	abort.abort();
	expect(await clock.run(waiting)).toBe(false);
	expect(clock.monotonic()).toBe(deadline);
	await clock.pass(1_000);
	expect(clock.sleeping).toBe(0);
});

test('trials that end together, long after the newest one has begun, let one more try, and no more', async () => {
	const { clock, gate } = empty();
	const waits = Array.from({ length: 9 }, (): CreditWait => ({}));
	const tried: CreditWait[] = [];
	for (const wait of waits) {
		const waiting = gate.awaitCredits(channel(), wait, 60 * MINUTE);
		void waiting.then(() => tried.push(wait));
	}
	await clock.pass(MINUTE + 1_000);
	expect(tried).toHaveLength(3);
	// Such as those of an execution that has waited for slots, and is stopped.
	for (const wait of [...tried]) wait.endTrial?.();
	await clock.pass(1_000);
	expect(tried).toHaveLength(4);
	await clock.pass(60 * MINUTE);
});
