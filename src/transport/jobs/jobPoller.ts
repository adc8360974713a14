import { offAbort, onAbort } from '../base/abortListeners';
import type { Client } from '../http/client';
import { POLICIES, type Tuning } from '../limits/policies';
import type { RateLimiter } from '../limits/rateLimiter';
import { SharedUse } from '../limits/sharedUse';
import { jobState, type TerminalStatuses } from './jobState';
import { Sweep } from './sweep';
import { PollLoop } from './pollLoop';
import { PollTimes } from './pollTimes';
import { isComplete } from './readJob';
import { PollSchedule } from './pollSchedule';
import { fail, ok, type Result } from '../base/result';
import type { Clock, Channel, Resource } from '../base/types';
import { Kinds, type WaitResult, type Waiter } from './waiter';

/** What is known of a job besides its resource. */
export interface WaitOptions {
	/** The statuses that end an agent run. */
	terminalStatuses?: TerminalStatuses;
	/**
	 * Where the job is read, if not at the endpoint of its kind: the key may only be allowed to read
	 * it there.
	 */
	path?: string;
	/** Whether the job may have ended long ago, so that it is polled at once. */
	isOld?: boolean;
}

/**
 * Waits for jobs to end. One poller per workspace and process: a single list request covers all
 * generations in flight, jobs missing from it are read one by one, and every waiter settles as soon
 * as its job has ended. A wait ends only with the job's end, a final refusal, the deadline or a
 * cancel, never with a transient fault.
 */
export class JobPoller {
	private readonly waiters = new Set<Waiter>();

	private readonly schedule: PollSchedule;

	private readonly sweep: Sweep;

	private readonly loop: PollLoop;

	private readonly kinds = new Kinds();

	constructor(
		client: Client,
		rateLimiter: RateLimiter,
		private readonly clock: Clock,
		sharedUse = new SharedUse(),
		/** Called after each sweep: a list may show that slots are free. */
		onSwept: () => void = () => {},
		/** How many creations wait for a slot. */
		pendingCreations: () => number = () => 0,
		tuning: Tuning['polling'] = POLICIES.polling,
	) {
		this.schedule = new PollSchedule(tuning);
		this.sweep = new Sweep(client, clock, this.schedule, sharedUse, tuning);
		const times = new PollTimes(rateLimiter, this.schedule, pendingCreations, tuning);
		this.loop = new PollLoop(this.waiters, this.sweep, times, clock, onSwept, tuning);
	}

	/** Waits until the job has ended, well or badly, and returns it as it is then. */
	wait(
		channel: Channel,
		job: Resource,
		timeoutMs: number,
		{ terminalStatuses, path, isOld = false }: WaitOptions = {},
	): Promise<Result<WaitResult>> {
		if (jobState(job, terminalStatuses) !== 'running')
			return Promise.resolve(ok({ job, endedAtFirstPoll: true }));
		if (channel.signal?.aborted) return Promise.resolve(fail({ kind: 'cancelled' }, job));
		return new Promise<Result<WaitResult>>((resolve) => {
			const startedAt = this.clock.monotonic();
			const cancel = () => {
				if (!this.remove(waiter)) return;
				return () => resolve(fail({ kind: 'cancelled' }, waiter.job));
			};
			onAbort(channel.signal, cancel);
			const kind = this.kinds.of(job);
			const nextPollAt = isOld ? startedAt : startedAt + this.schedule.next(kind, 0);
			const deadline = startedAt + timeoutMs;
			const waiter: Waiter = {
				job,
				kind,
				channel,
				path,
				terminalStatuses,
				isOld,
				startedAt,
				deadline,
				nextPollAt,
				dueAt: nextPollAt,
				lastReadAt: -Infinity,
				finalPollBy: undefined,
				runningAge: 0,
				pushed: false,
				failedReads: 0,
				settle: (result) => {
					offAbort(channel.signal, cancel);
					if (this.remove(waiter)) resolve(result);
				},
			};
			this.waiters.add(waiter);
			const range = this.schedule.endRange(kind, 0);
			const mayEndAt = range ? startedAt + range.from : Infinity;
			this.loop.added(Math.min(nextPollAt, deadline, mayEndAt));
		});
	}

	/**
	 * Waits until an abandoned job no longer occupies its slot, or for as long as a creation waits for one. `false` if the
	 * channel was cancelled first.
	 */
	async waitUntilEnded(channel: Channel, job: Resource): Promise<boolean> {
		const ended = await this.wait(channel, job, POLICIES.concurrency.giveUpAfterMs, {
			isOld: true,
		});
		return ended.ok || ended.failure.kind !== 'cancelled';
	}

	/**
	 * Passes on the state of a job that was learned elsewhere, such as from a verified event. A wait
	 * for the job ends at once if the job has ended, or polls at once if its outputs are missing
	 * here.
	 */
	notify(job: Resource): void {
		for (const waiter of [...this.waiters]) {
			if (waiter.job.id !== job.id) continue;
			const now = this.clock.monotonic();
			waiter.pushed = jobState(job, waiter.terminalStatuses) !== 'running';
			if (this.sweep.observe(waiter, job, now, isComplete)) continue;
			waiter.nextPollAt = now;
			this.loop.wake();
		}
	}

	/** Ends a wait, and the loop with the last one. @returns `false` if it had ended before */
	private remove(waiter: Waiter): boolean {
		const isRemoved = this.waiters.delete(waiter);
		if (isRemoved && this.waiters.size === 0) this.loop.wake();
		return isRemoved;
	}

	/**
	 * Requests a list for a channel that waits for a slot used by other clients, and passes the
	 * result to all waiters.
	 */
	requestList(channel: Channel): Promise<boolean> {
		return this.loop.requestList(channel);
	}
}
