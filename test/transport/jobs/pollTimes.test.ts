import { PollSchedule } from '../../../src/transport/jobs/pollSchedule';
import { PollTimes } from '../../../src/transport/jobs/pollTimes';
import type { Waiter } from '../../../src/transport/jobs/waiter';
import { RateLimiter } from '../../../src/transport/limits/rateLimiter';
import { SharedUse } from '../../../src/transport/limits/sharedUse';
import { channelOf, LOST } from '../../../testing/answers';
import { VirtualClock } from '../../../testing/virtualClock';

const KIND = 'image m';

/** Five jobs that have just been accepted, of a kind that takes 6 to 10 s. */
function fiveOf(startedAt: number): Waiter[] {
	return Array.from({ length: 5 }, (_, index) => ({
		job: { id: `gen_${index}`, object: 'generation', status: 'queued' },
		kind: KIND,
		channel: channelOf(async () => LOST),
		path: undefined,
		terminalStatuses: undefined,
		isOld: false,
		startedAt,
		deadline: Infinity,
		nextPollAt: startedAt + 60_000,
		dueAt: startedAt + 60_000,
		lastReadAt: -Infinity,
		finalPollBy: undefined,
		runningAge: 0,
		pushed: false,
		failedReads: 0,
		settle: () => {},
	}));
}

/** When the next poll goes out, in ms after the jobs were accepted, with others in the workspace. */
function nextPoll(pendingCreations: number): number {
	const clock = new VirtualClock();
	const schedule = new PollSchedule();
	schedule.learn(KIND, 0, 6_000);
	schedule.learn(KIND, 9_900, 10_000);
	const sharedUse = new SharedUse();
	const now = clock.monotonic();
	sharedUse.listed(new Set(['other']), ['other'], now);
	const rateLimiter = new RateLimiter(clock, 60, sharedUse);
	const times = new PollTimes(rateLimiter, schedule, () => pendingCreations);
	times.swept([], now, true);
	return times.next(fiveOf(now)) - now;
}

test('with others, the fewer creations follow the sooner a poll is worth its request', () => {
	// Thirty requests a minute are less than the creations of half an hour need: one poll for all five.
	expect(nextPoll(1_000)).toBeGreaterThan(9_500);
	// When these are the last jobs, the minute holds more requests than they can use.
	expect(nextPoll(0)).toBeLessThan(8_500);
});
