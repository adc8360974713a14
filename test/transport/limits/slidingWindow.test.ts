import fc from 'fast-check';
import { SlidingWindow } from '../../../src/transport/limits/slidingWindow';

const MINUTE = 60_000;

/** The most of these moments that any window of this length holds, its end not included. */
function mostWithin(moments: number[], length: number): number {
	const sorted = [...moments].sort((a, b) => a - b);
	let first = 0;
	let most = 0;
	for (const [index, at] of sorted.entries()) {
		while ((sorted[first] ?? at) + length <= at) first += 1;
		most = Math.max(most, index - first + 1);
	}
	return most;
}

test('never more than the limit in any window, wherever the server counts between asking and answering', () => {
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
				const answerUntil = (time: number) => {
					inFlight.sort((a, b) => a - b);
					while ((inFlight[0] ?? Infinity) <= time) window.release(inFlight.shift() ?? time);
				};
				let now = 0;
				for (const { pause, takes, counted: part } of wanted) {
					now += pause;
					answerUntil(now);
					while (!window.tryAcquire(now, limit)) {
						now = Math.min(window.nextFree(now, limit) ?? Infinity, inFlight[0] ?? Infinity);
						answerUntil(now);
					}
					counted.push(now + takes * part);
					inFlight.push(now + takes);
				}
				expect(mostWithin(counted, MINUTE)).toBeLessThanOrEqual(limit);
			},
		),
	);
});

test('a place falls free a whole window after the answer, not after the request', () => {
	const window = new SlidingWindow(MINUTE);
	expect(window.tryAcquire(0, 1)).toBe(true);
	expect(window.tryAcquire(MINUTE * 2, 1)).toBe(false);
	expect(window.nextFree(MINUTE * 2, 1)).toBeUndefined();
	window.release(MINUTE * 2);
	expect(window.nextFree(MINUTE * 2, 1)).toBe(MINUTE * 3);
	expect(window.tryAcquire(MINUTE * 3 - 1, 1)).toBe(false);
	expect(window.tryAcquire(MINUTE * 3, 1)).toBe(true);
});

test('a limit that was changed holds from the next request on', () => {
	const window = new SlidingWindow(MINUTE);
	const enter = (limit: number) => window.tryAcquire(0, limit);
	expect([enter(2), enter(2), enter(2)]).toEqual([true, true, false]);
	expect(enter(3)).toBe(true);
	expect(enter(1)).toBe(false);
});

test('with a limit below 1 it is known when the next one may be tried', () => {
	const window = new SlidingWindow(MINUTE);
	window.tryAcquire(0, 1);
	window.release(0);
	expect(window.nextFree(0, 0)).toBe(MINUTE);
	expect(window.used(MINUTE)).toBe(0);
});
