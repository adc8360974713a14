import { onAbort } from '../base/abortListeners';
import type { Client } from '../client/client';
import type { RateLimiter } from '../limits/rateLimiter';
import { jobState, type TerminalStatuses } from './jobState';
import { Sweep } from './sweep';
import { PollTimes } from './pollTimes';
import { isComplete } from './readJob';
import { PollSchedule } from './pollSchedule';
import { fail, ok, type Result } from '../base/result';
import type { Clock, Channel, Resource } from '../base/types';
import { kindOf, type WaitResult, type Waiter } from './waiter';

export type { WaitResult as Ended } from './waiter';

/** Longest sleep while a look is under way, in milliseconds: most are cut short, and each leaves a timer of n8n's behind. */
const LONGEST_NAP_MS = 15_000;

/** How long a job that nobody waits for is believed to hold its place, in milliseconds, once somebody needs it. */
const HELD_MS = 1_800_000;

export interface WaitOptions {
	/** What ends an agent run. */
	terminalStatuses?: TerminalStatuses;
	/** Where the job is read, if not where its kind is: the key may be allowed to read it only there. */
	path?: string;
	/** Whether the job may have ended long ago, so that it is looked at at once. */
	isOld?: boolean;
}

/**
 * Is job X done? One watcher for each workspace in a process: a single list request answers for all generations in
 * flight, what it lacks is read one by one, and every waiter is answered as soon as its job has ended. Polling never
 * fails a wait for a passing fault; only the job's end, a final refusal, the deadline or a cancel ends it.
 */
export class JobPoller {
	private readonly waiters = new Set<Waiter>();

	private readonly schedule = new PollSchedule();

	private readonly sweep: Sweep;

	private readonly times: PollTimes;

	/** Ends the sleep before the next look when something has changed; `undefined` while nobody sleeps. */
	private sleepAbort: AbortController | undefined;

	/** When that sleep ends by itself, on the monotonic clock. */
	private sleepingUntil = Infinity;

	private isRunning = false;

	private isSweeping = false;

	constructor(
		client: Client,
		rateLimiter: RateLimiter,
		private readonly clock: Clock,
	) {
		this.sweep = new Sweep(client, clock, this.schedule);
		this.times = new PollTimes(rateLimiter, this.schedule);
	}

	/** Waits until the job has ended and answers it as it is then, good or bad. */
	async wait(
		channel: Channel,
		job: Resource,
		timeoutMs: number,
		{ terminalStatuses, path, isOld = false }: WaitOptions = {},
	): Promise<Result<WaitResult>> {
		if (jobState(job, terminalStatuses) !== 'running') return ok({ job, endedAtFirstPoll: true });
		if (channel.signal?.aborted) return fail({ kind: 'cancelled' }, job);
		return await new Promise<Result<WaitResult>>((resolve) => {
			const since = this.clock.monotonic();
			const cancel = () => waiter.settle(fail({ kind: 'cancelled' }, waiter.job));
			const dispose = onAbort(channel.signal, cancel);
			const kind = kindOf(job);
			const nextLook = isOld ? since : since + this.schedule.next(kind, 0);
			const deadline = since + timeoutMs;
			const waiter: Waiter = {
				job,
				kind,
				channel,
				path,
				terminalStatuses,
				isOld,
				since,
				deadline,
				nextPollAt: nextLook,
				askedAt: -Infinity,
				lastLookBy: undefined,
				running: 0,
				pushed: false,
				unknown: 0,
				settle: (result) => {
					dispose();
					if (!this.waiters.delete(waiter)) return;
					resolve(result);
					if (this.waiters.size === 0) this.sleepAbort?.abort();
				},
			};
			this.waiters.add(waiter);
			// Not for each of thousands: going through all of them takes time.
			if (Math.min(nextLook, deadline) < this.sleepingUntil) this.sleepAbort?.abort();
			if (!this.isRunning) void this.poll();
		});
	}

	/** Waits until a job that nobody waits for no longer holds its place. `false` when the line was cancelled first. */
	async hasEnded(channel: Channel, job: Resource): Promise<boolean> {
		const ended = await this.wait(channel, job, HELD_MS, { isOld: true });
		return ended.ok || ended.failure.kind !== 'cancelled';
	}

	/**
	 * Tells a job as someone else has learned that it is, such as a verified event: a wait for it ends at once if it has ended,
	 * or looks at once if the news do not hold the outputs.
	 */
	notify(job: Resource): void {
		for (const waiter of [...this.waiters]) {
			if (waiter.job.id !== job.id) continue;
			const now = this.clock.monotonic();
			waiter.pushed = jobState(job, waiter.terminalStatuses) !== 'running';
			if (this.sweep.observe(waiter, job, now, isComplete)) continue;
			waiter.nextPollAt = now;
			this.sleepAbort?.abort();
		}
	}

	/** Runs as long as anybody waits. Should it ever fail, it fails all waits, lest they hang. */
	private async poll(): Promise<void> {
		this.isRunning = true;
		this.times.forgetFaults();
		try {
			// Who begins to wait at the same moment is looked at together.
			await Promise.resolve();
			while (this.waiters.size > 0) await this.step();
		} catch {
			for (const waiter of [...this.waiters]) {
				const failure = { kind: 'badResponse', status: 200, problem: 'it cannot be read' } as const;
				waiter.settle(fail(failure, waiter.job));
			}
		} finally {
			this.isRunning = false;
		}
	}

	/** Deadlines hold even while a look hangs, so that nothing here waits for one. */
	private async step(): Promise<void> {
		const wait = this.untilNextStep();
		if (wait > 0) {
			this.sleepAbort = new AbortController();
			this.sleepingUntil = this.clock.monotonic() + wait;
			// A whole millisecond at least, lest rounding turns this into a loop that never sleeps.
			await this.clock.sleep(Math.max(1, wait), this.sleepAbort.signal);
			this.sleepAbort = undefined;
		}
		this.expire();
		if (this.waiters.size === 0 || this.isSweeping) return;
		if (this.times.next(this.waiters) <= this.clock.monotonic()) void this.sweepAll();
	}

	private untilNextStep(): number {
		const now = this.clock.monotonic();
		const next = this.isSweeping ? now + LONGEST_NAP_MS : this.times.next(this.waiters);
		return Math.min(next, this.times.deadline(this.waiters)) - now;
	}

	private expire(): void {
		const now = this.clock.monotonic();
		for (const waiter of [...this.waiters]) {
			if (!this.times.isOver(waiter, now, this.isSweeping)) continue;
			waiter.settle(fail({ kind: 'deadline', waitedMs: now - waiter.since }, waiter.job));
		}
	}

	private async sweepAll(): Promise<void> {
		this.isSweeping = true;
		let isAnswered = false;
		try {
			isAnswered = await this.sweep.run(this.waiters);
		} catch {
			// What throws has brought no answer. The next look may.
		} finally {
			this.isSweeping = false;
			this.times.swept(this.waiters, this.clock.monotonic(), isAnswered);
			this.sleepAbort?.abort();
		}
	}
}
