import { sleep } from 'n8n-workflow';
import { systemClock } from '../../src/base/clock';
import type { Clock } from '../../src/base/types';
import { ModelService } from '../model/modelService';
import { createJob, hostWith, runOf, workspaceWith } from '../model/run';
import { VirtualClock } from '../model/virtualClock';

jest.mock('n8n-workflow', () => ({ sleep: jest.fn(async () => {}) }));

const HOUR = 3_600_000;
const WEEK = 168 * HOUR;

test('durations on the real clock do not come from the wall clock', () => {
	const wall = jest.spyOn(Date, 'now').mockReturnValue(0);
	const before = systemClock.monotonic();
	expect(systemClock.now()).toBe(0);
	wall.mockReturnValue(HOUR);
	expect(systemClock.monotonic() - before).toBeLessThan(HOUR);
	expect(systemClock.monotonic()).toBeGreaterThanOrEqual(before);
	wall.mockRestore();
});

test('the real clock caps a sleep at the longest timer of Node, and does not sleep for NaN', async () => {
	for (const ms of [WEEK * 10, 2 ** 31, Infinity]) await systemClock.sleep(ms);
	await systemClock.sleep(WEEK * 10, new AbortController().signal);
	expect(jest.mocked(sleep).mock.calls).toEqual(Array.from({ length: 4 }, () => [2 ** 31 - 1]));
	jest.mocked(sleep).mockClear();
	for (const ms of [Number.NaN, -1, 0]) await systemClock.sleep(ms);
	expect(sleep).not.toHaveBeenCalled();
});

test.each([
	['back by a week', -WEEK],
	['forward by a week', WEEK],
])(
	'the wall clock is set %s during a run of 12 items: the same requests in the same time, and no early deadline',
	async (_name, jump) => {
		const simulate = async (by: number) => {
			const clock = new VirtualClock();
			// The service has its own clock, which is not set.
			const serviceClock: Clock = {
				now: () => clock.monotonic(),
				monotonic: () => clock.monotonic(),
				sleep: async (ms, signal) => await clock.sleep(ms, signal),
			};
			const model = new ModelService(serviceClock, { jobMs: () => 90_000 });
			const workspace = workspaceWith(clock);
			const host = hostWith(model.send);
			const startedAt = clock.monotonic();
			for (const at of [1_000, 45_000, 100_000]) clock.after(at, () => clock.setWall(by));
			const all = Array.from({ length: 12 }, async (_, itemIndex) => {
				return await createJob(
					runOf({ host, workspace, itemIndex, prompt: `picture ${itemIndex}` }),
				);
			});
			const results = await clock.run(Promise.all(all));
			expect(results.every((result) => result.ok)).toBe(true);
			return { took: clock.monotonic() - startedAt, requests: model.log.length };
		};
		expect(await simulate(jump)).toEqual(await simulate(0));
	},
);
