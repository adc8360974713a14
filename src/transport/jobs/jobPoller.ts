import { onAbort } from '../base/abortListeners';
import type { Client } from '../client/client';
import type { Gate } from '../limits/rateLimiter';
import { jobState, type Endings } from './jobState';
import { Look } from './sweep';
import { LookTimes } from './pollTimes';
import { hasAll } from './readJob';
import { Pace } from './pollSchedule';
import { fail, ok, type Result } from '../base/result';
import type { Clock, Line, Resource } from '../base/types';
import { kindOf, type Ended, type Waiter } from './waiter';

export type { Ended } from './waiter';

/** Longest sleep while a look is under way, in milliseconds: most are cut short, and each leaves a timer of n8n's behind. */
const LONGEST_NAP_MS = 15_000;

/** How long a job that nobody waits for is believed to hold its place, in milliseconds, once somebody needs it. */
const HELD_MS = 1_800_000;

export interface WaitOptions {
	/** What ends an agent run. */
	endings?: Endings;
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
export class Watch {
	private readonly waiters = new Set<Waiter>();

	private readonly pace = new Pace();

	private readonly looker: Look;

	private readonly times: LookTimes;

	/** Ends the sleep before the next look when something has changed; `undefined` while nobody sleeps. */
	private nap: AbortController | undefined;

	/** When that sleep ends by itself, on the monotonic clock. */
	private napUntil = Infinity;

	private isRunning = false;

	private isLooking = false;

	constructor(
		client: Client,
		gate: Gate,
		private readonly clock: Clock,
	) {
		this.looker = new Look(client, clock, this.pace);
		this.times = new LookTimes(gate, this.pace);
	}

	/** Waits until the job has ended and answers it as it is then, good or bad. */
	async wait(
		line: Line,
		job: Resource,
		timeoutMs: number,
		{ endings, path, isOld = false }: WaitOptions = {},
	): Promise<Result<Ended>> {
		if (jobState(job, endings) !== 'running') return ok({ job, atFirstLook: true });
		if (line.signal?.aborted) return fail({ kind: 'cancelled' }, job);
		return await new Promise<Result<Ended>>((resolve) => {
			const since = this.clock.monotonic();
			const cancel = () => waiter.settle(fail({ kind: 'cancelled' }, waiter.job));
			const dispose = onAbort(line.signal, cancel);
			const kind = kindOf(job);
			const nextLook = isOld ? since : since + this.pace.next(kind, 0);
			const deadline = since + timeoutMs;
			const waiter: Waiter = {
				...{ job, kind, line, path, endings, isOld, since, deadline, nextLook },
				...{ askedAt: -Infinity, lastLookBy: undefined, running: 0, told: false, unknown: 0 },
				settle: (result) => {
					dispose();
					if (!this.waiters.delete(waiter)) return;
					resolve(result);
					if (this.waiters.size === 0) this.nap?.abort();
				},
			};
			this.waiters.add(waiter);
			// Not for each of thousands: going through all of them takes time.
			if (Math.min(nextLook, deadline) < this.napUntil) this.nap?.abort();
			if (!this.isRunning) void this.run();
		});
	}

	/** Waits until a job that nobody waits for no longer holds its place. `false` when the line was cancelled first. */
	async hasEnded(line: Line, job: Resource): Promise<boolean> {
		const ended = await this.wait(line, job, HELD_MS, { isOld: true });
		return ended.ok || ended.failure.kind !== 'cancelled';
	}

	/**
	 * Tells a job as someone else has learned that it is, such as a verified event: a wait for it ends at once if it has ended,
	 * or looks at once if the news do not hold the outputs.
	 */
	tell(job: Resource): void {
		for (const waiter of [...this.waiters]) {
			if (waiter.job.id !== job.id) continue;
			const now = this.clock.monotonic();
			waiter.told = jobState(job, waiter.endings) !== 'running';
			if (this.looker.saw(waiter, job, now, hasAll)) continue;
			waiter.nextLook = now;
			this.nap?.abort();
		}
	}

	/** Runs as long as anybody waits. Should it ever fail, it fails all waits, lest they hang. */
	private async run(): Promise<void> {
		this.isRunning = true;
		this.times.forgetFaults();
		try {
			// Who begins to wait at the same moment is looked at together.
			await Promise.resolve();
			while (this.waiters.size > 0) await this.step();
		} catch {
			for (const waiter of [...this.waiters]) {
				const failure = { kind: 'answer', status: 200, problem: 'it cannot be read' } as const;
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
			this.nap = new AbortController();
			this.napUntil = this.clock.monotonic() + wait;
			// A whole millisecond at least, lest rounding turns this into a loop that never sleeps.
			await this.clock.sleep(Math.max(1, wait), this.nap.signal);
			this.nap = undefined;
		}
		this.expire();
		if (this.waiters.size === 0 || this.isLooking) return;
		if (this.times.next(this.waiters) <= this.clock.monotonic()) void this.look();
	}

	private untilNextStep(): number {
		const now = this.clock.monotonic();
		const next = this.isLooking ? now + LONGEST_NAP_MS : this.times.next(this.waiters);
		return Math.min(next, this.times.deadline(this.waiters)) - now;
	}

	private expire(): void {
		const now = this.clock.monotonic();
		for (const waiter of [...this.waiters]) {
			if (!this.times.isOver(waiter, now, this.isLooking)) continue;
			waiter.settle(fail({ kind: 'deadline', waitedMs: now - waiter.since }, waiter.job));
		}
	}

	private async look(): Promise<void> {
		this.isLooking = true;
		let isAnswered = false;
		try {
			isAnswered = await this.looker.at(this.waiters);
		} catch {
			// What throws has brought no answer. The next look may.
		} finally {
			this.isLooking = false;
			this.times.looked(this.waiters, this.clock.monotonic(), isAnswered);
			this.nap?.abort();
		}
	}
}
