import { onAbort } from './aborts';
import type { Client } from './client';
import type { Gate } from './gate';
import { jobState, type Endings } from './job';
import { Look } from './look';
import { hasAll } from './lookup';
import { Pace } from './pace';
import { fail, ok, type Result } from './result';
import type { Clock, Line, Resource } from './types';
import { kindOf, type Ended, type Waiter } from './waiter';

export type { Ended } from './waiter';

/** Two looks are never closer than this, in milliseconds; nor do they use up more than this part of the requests a minute. */
const SHORTEST_MS = 2_000;
const BUDGET_PART = 0.5;

/** Longest time between two looks when they bring no answer, in milliseconds. */
const LONGEST_BACKOFF_MS = 60_000;

/**
 * Is job X done? One watcher for each workspace in a process: a single list request answers for all generations in
 * flight, what it lacks is read one by one, and every waiter is answered as soon as its job has ended. Polling never
 * fails a wait for a passing fault; only the job's end, a final refusal, the deadline or a cancel ends it.
 */
export class Watch {
	private readonly waiters = new Set<Waiter>();

	private readonly pace = new Pace();

	private readonly looker: Look;

	/** Ends the sleep before the next look when something has changed; `undefined` while nobody sleeps. */
	private nap: AbortController | undefined;

	/** When that sleep ends by itself, in milliseconds since the epoch. */
	private napUntil = Infinity;

	private looking = false;

	private lastLook = -Infinity;

	private misses = 0;

	constructor(
		client: Client,
		private readonly gate: Gate,
		private readonly clock: Clock,
	) {
		this.looker = new Look(client, clock, this.pace);
	}

	/**
	 * Waits until the job has ended and answers it as it is then, good or bad.
	 * @param deadline milliseconds since the epoch
	 * @param endings what ends an agent run
	 * @param path where the job is read, if not where its kind is: the key may be allowed to read it only there
	 */
	async wait(
		line: Line,
		job: Resource,
		deadline: number,
		endings?: Endings,
		path?: string,
	): Promise<Result<Ended>> {
		if (jobState(job, endings) !== 'running') return ok({ job, atFirstLook: true });
		if (line.signal?.aborted) return fail({ kind: 'cancelled' }, job);
		return await new Promise<Result<Ended>>((resolve) => {
			const since = this.clock.now();
			const cancel = () => waiter.settle(fail({ kind: 'cancelled' }, waiter.job));
			const dispose = onAbort(line.signal, cancel);
			const kind = kindOf(job);
			const nextLook = since + this.pace.next(kind, 0);
			const waiter: Waiter = {
				...{
					job,
					kind,
					line,
					since,
					deadline,
					endings,
					path,
					nextLook,
					running: 0,
					told: false,
					unknown: 0,
				},
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
			if (!this.looking) void this.look();
		});
	}

	/**
	 * Tells a job as someone else has learned that it is, such as a verified event: a wait for it ends at once if it has ended,
	 * or looks at once if the news do not hold the outputs.
	 */
	tell(job: Resource): void {
		for (const waiter of [...this.waiters]) {
			if (waiter.job.id !== job.id) continue;
			waiter.told = jobState(job, waiter.endings) !== 'running';
			if (this.looker.saw(waiter, job, this.clock.now(), hasAll)) continue;
			waiter.nextLook = this.clock.now();
			this.nap?.abort();
		}
	}

	private async look(): Promise<void> {
		this.looking = true;
		this.misses = 0;
		while (this.waiters.size > 0) {
			const wait = this.untilNextLook();
			if (wait > 0) {
				this.nap = new AbortController();
				this.napUntil = this.clock.now() + wait;
				await this.clock.sleep(wait, this.nap.signal);
				this.nap = undefined;
			}
			this.expire();
			if (this.waiters.size === 0 || this.untilNextLook() > 0) continue;
			await this.lookOnce();
			this.lastLook = this.clock.now();
		}
		this.looking = false;
	}

	/** The job that is due first sets the time, within the bounds; the nearest deadline is never overslept. */
	private untilNextLook(): number {
		const now = this.clock.now();
		let due = Infinity;
		let deadline = Infinity;
		let step = Infinity;
		for (const waiter of this.waiters) {
			due = Math.min(due, waiter.nextLook);
			deadline = Math.min(deadline, waiter.deadline);
			step = Math.min(step, this.pace.step(waiter.kind));
		}
		const earliest = this.lastLook + Math.max(step, this.shortest());
		return Math.min(Math.max(due, earliest), deadline) - now;
	}

	/** The least time between two looks: it respects the request budget, and doubles while looks bring no answer. */
	private shortest(): number {
		const budget = 60_000 / (this.gate.requestsPerMinute * BUDGET_PART);
		return Math.min(LONGEST_BACKOFF_MS, Math.max(SHORTEST_MS, budget) * 2 ** this.misses);
	}

	private expire(): void {
		const now = this.clock.now();
		for (const waiter of [...this.waiters]) {
			if (now < waiter.deadline) continue;
			waiter.settle(fail({ kind: 'deadline', waitedMs: now - waiter.since }, waiter.job));
		}
	}

	private async lookOnce(): Promise<void> {
		const isAnswered = await this.looker.at(this.waiters);
		this.misses = isAnswered ? 0 : this.misses + 1;
		this.schedule();
	}

	/** Whom the look did not reach is looked at again. */
	private schedule(): void {
		const now = this.clock.now();
		for (const waiter of this.waiters) {
			if (waiter.nextLook > now) continue;
			waiter.nextLook = waiter.since + this.pace.next(waiter.kind, now - waiter.since);
		}
	}
}
