import { sleep } from 'n8n-workflow';
import { systemClock } from '../../../src/transport/base/clock';
import { create } from '../../../src/transport/operations/create';
import { CreditGate } from '../../../src/transport/limits/creditGate';
import { RateLimiter } from '../../../src/transport/limits/rateLimiter';
import type { Clock } from '../../../src/transport/base/types';
import { answer, lineOf } from '../../../testing/answers';
import { ModelService } from '../../../testing/modelService';
import { hostWith, runOf, workspaceWith } from '../../../testing/run';
import { VirtualClock } from '../../../testing/virtualClock';

jest.mock('n8n-workflow', () => ({
	...jest.requireActual<object>('n8n-workflow'),
	sleep: jest.fn(async () => {}),
}));

const HOUR = 3_600_000;
const WEEK = 168 * HOUR;

test('the spans of the real clock do not come from the wall clock', () => {
	const wall = jest.spyOn(Date, 'now').mockReturnValue(0);
	const before = systemClock.monotonic();
	expect(systemClock.now()).toBe(0);
	wall.mockReturnValue(HOUR);
	expect(systemClock.monotonic() - before).toBeLessThan(HOUR);
	expect(systemClock.monotonic()).toBeGreaterThanOrEqual(before);
	wall.mockRestore();
});

test('the real clock sleeps as long as Node can where it is told to sleep longer, and not at all without a number', async () => {
	for (const ms of [WEEK * 10, 2 ** 31, Infinity]) await systemClock.sleep(ms);
	await systemClock.sleep(WEEK * 10, new AbortController().signal);
	expect(jest.mocked(sleep).mock.calls).toEqual(Array.from({ length: 4 }, () => [2 ** 31 - 1]));
	jest.mocked(sleep).mockClear();
	for (const ms of [Number.NaN, -1, 0]) await systemClock.sleep(ms);
	expect(sleep).not.toHaveBeenCalled();
});

describe.each([
	['back by an hour', -HOUR],
	['back by a week', -WEEK],
	['forward by an hour', HOUR],
	['forward by a week', WEEK],
])('the wall clock is set %s', (_name, jump) => {
	test('while requests wait for the rate limit: they go on as if nothing had happened', async () => {
		const moments = async (by: number) => {
			const clock = new VirtualClock();
			const rateLimiter = new RateLimiter(clock, 3);
			const began = clock.monotonic();
			const entered: number[] = [];
			const all = Array.from({ length: 9 }, async () => {
				await rateLimiter.acquire(lineOf(async () => answer(200)));
				entered.push(clock.monotonic() - began);
				rateLimiter.release();
			});
			clock.after(20_000, () => clock.setWall(by));
			clock.after(70_000, () => rateLimiter.throttled(30_000));
			clock.after(75_000, () => clock.setWall(by));
			await clock.run(Promise.all(all));
			return entered;
		};
		expect(await moments(jump)).toEqual(await moments(0));
	});

	test('during a run of 12 items: as many requests, as long, and no early deadline', async () => {
		const story = async (by: number) => {
			const clock = new VirtualClock();
			// The service has a clock of its own, which nobody sets.
			const itsClock: Clock = {
				now: () => clock.monotonic(),
				monotonic: () => clock.monotonic(),
				sleep: async (ms, signal) => await clock.sleep(ms, signal),
			};
			const model = new ModelService(itsClock, { jobMs: () => 90_000 });
			const workspace = workspaceWith(clock);
			const host = hostWith(model.send);
			const began = clock.monotonic();
			for (const at of [1_000, 45_000, 100_000]) clock.after(at, () => clock.setWall(by));
			const all = Array.from({ length: 12 }, async (_, itemIndex) => {
				return await create(runOf({ host, workspace, itemIndex, prompt: `picture ${itemIndex}` }));
			});
			const results = await clock.run(Promise.all(all));
			expect(results.every((result) => result.ok)).toBe(true);
			return { took: clock.monotonic() - began, requests: model.log.length };
		};
		expect(await story(jump)).toEqual(await story(0));
	});

	test('while items wait for a top-up: they try as often, and give up at the same moment', async () => {
		const story = async (by: number) => {
			const clock = new VirtualClock();
			const creditGate = new CreditGate(clock);
			const began = clock.monotonic();
			const tries: number[] = [];
			creditGate.markEmpty();
			for (const at of [5_000, 65_000]) clock.after(at, () => clock.setWall(by));
			const channel = lineOf(async () => answer(200));
			const wait = async () => {
				while (await creditGate.mayTry(channel, began + 150_000))
					tries.push(clock.monotonic() - began);
			};
			await clock.run(wait());
			return [...tries, clock.monotonic() - began];
		};
		expect(await story(jump)).toEqual(await story(0));
	});
});
