import fc from '../../support/fastCheck';
import { SlidingWindow } from '../../../src/transport/limits/rateLimiter';

const MINUTE = 60_000;

/** The largest number of these times within any window of this length, excluding its end. */
function maxWithin(times: number[], length: number): number {
	const sorted = [...times].sort((a, b) => a - b);
	let first = 0;
	let max = 0;
	for (const [index, at] of sorted.entries()) {
		while ((sorted[first] ?? at) + length <= at) first += 1;
		max = Math.max(max, index - first + 1);
	}
	return max;
}

test('never more than the limit in any window, whenever between request and response the server counts', () => {
	const request = fc.record({
		pause: fc.integer({ min: 0, max: 5_000 }),
		takes: fc.integer({ min: 0, max: 90_000 }),
		counted: fc.double({ min: 0, max: 1, noNaN: true }),
	});
	fc.assert(
		fc.property(
			fc.integer({ min: 1, max: 20 }),
			fc.array(request, { maxLength: 200 }),
			(limit, wanted) => {
				const window = new SlidingWindow(MINUTE);
				const counted: number[] = [];
				const inFlight: number[] = [];
				const respondUntil = (time: number) => {
					inFlight.sort((a, b) => a - b);
					while ((inFlight[0] ?? Infinity) <= time) window.release(inFlight.shift() ?? time);
				};
				let now = 0;
				for (const { pause, takes, counted: part } of wanted) {
					now += pause;
					respondUntil(now);
					while (!window.tryAcquire(now, limit)) {
						now = Math.min(window.nextFree(now, limit) ?? Infinity, inFlight[0] ?? Infinity);
						respondUntil(now);
					}
					counted.push(now + takes * part);
					inFlight.push(now + takes);
				}
				expect(maxWithin(counted, MINUTE)).toBeLessThanOrEqual(limit);
			},
		),
	);
});

test('a request leaves the window a full minute after its response, not after it was sent', () => {
	const window = new SlidingWindow(MINUTE);
	expect(window.tryAcquire(0, 1)).toBe(true);
	expect(window.tryAcquire(MINUTE * 2, 1)).toBe(false);
	expect(window.nextFree(MINUTE * 2, 1)).toBeUndefined();
	window.release(MINUTE * 2);
	expect(window.nextFree(MINUTE * 2, 1)).toBe(MINUTE * 3);
	expect(window.tryAcquire(MINUTE * 3 - 1, 1)).toBe(false);
	expect(window.tryAcquire(MINUTE * 3, 1)).toBe(true);
});

test('a changed limit applies from the next request on', () => {
	const window = new SlidingWindow(MINUTE);
	const tryAcquire = (limit: number) => window.tryAcquire(0, limit);
	expect([tryAcquire(2), tryAcquire(2), tryAcquire(2)]).toEqual([true, true, false]);
	expect(tryAcquire(3)).toBe(true);
	expect(tryAcquire(1)).toBe(false);
});

test('a limit below 1 counts as 1 when asked for the next free time', () => {
	const window = new SlidingWindow(MINUTE);
	window.tryAcquire(0, 1);
	window.release(0);
	expect(window.nextFree(0, 0)).toBe(MINUTE);
	expect(window.used(MINUTE)).toBe(0);
});
