import type { Client } from './client';
import type { Gate } from './gate';
import { isGeneration, jobState, type Endings } from './job';
import { hasAll, isPassing, isUnknown, readNewest, readJob } from './lookup';
import { Pace } from './pace';
import { fail, ok, type Result } from './result';
import type { Clock, Line, Resource } from './types';

/** A job just created may be unknown to a part of the service for a moment; so often is that believed. */
const UNKNOWN_ALLOWED = 3;

/** Jobs read one by one in a single look, at most: the rest have their turn at the next. */
const SINGLES_A_LOOK = 5;

/** Two looks are never closer than this, in milliseconds; nor do they use up more than this part of the requests a minute. */
const SHORTEST_MS = 2_000;
const BUDGET_PART = 0.5;

/** Longest time between two looks when they bring no answer, in milliseconds. */
const LONGEST_BACKOFF_MS = 60_000;

/** How a wait has ended: the job, and whether it had ended already at the first look. */
export interface Ended {
	job: Resource;
	atFirstLook: boolean;
}

interface Waiter {
	job: Resource;
	line: Line;
	/** Milliseconds since the epoch, as are the next two. */
	since: number;
	deadline: number;
	nextLook: number;
	endings: Endings | undefined;
	path: string | undefined;
	/** Age when it was last seen running, in milliseconds; 0 before the first look. */
	running: number;
	unknown: number;
	settle: (result: Result<Ended>) => void;
}

/**
 * Is job X done? One watcher for each workspace in a process: a single list request answers for all generations in
 * flight, what it lacks is read one by one, and every waiter is answered as soon as its job has ended. Polling never
 * fails a wait for a passing fault; only the job's end, a final refusal, the deadline or a cancel ends it.
 */
export class Watch {
	private readonly waiters = new Set<Waiter>();

	private readonly pace = new Pace();

	/** Ends the sleep before the next look when something has changed; `undefined` while nobody sleeps. */
	private nap: AbortController | undefined;

	private looking = false;

	private lastLook = -Infinity;

	private misses = 0;

	constructor(
		private readonly client: Client,
		private readonly gate: Gate,
		private readonly clock: Clock,
	) {}

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
			const onAbort = () => waiter.settle(fail({ kind: 'cancelled' }, waiter.job));
			const nextLook = since + this.pace.next(modelOf(job), 0);
			const waiter: Waiter = {
				...{ job, line, since, deadline, endings, path, nextLook, running: 0, unknown: 0 },
				settle: (result) => {
					line.signal?.removeEventListener('abort', onAbort);
					if (!this.waiters.delete(waiter)) return;
					resolve(result);
					this.nap?.abort();
				},
			};
			line.signal?.addEventListener('abort', onAbort, { once: true });
			this.waiters.add(waiter);
			this.nap?.abort();
			if (!this.looking) void this.look();
		});
	}

	/**
	 * Tells a job as someone else has learned that it is, such as a verified event: a wait for it ends at once if it has ended,
	 * or looks at once if the news do not hold the outputs.
	 */
	tell(job: Resource): void {
		for (const waiter of [...this.waiters]) {
			if (waiter.job.id !== job.id || this.saw(waiter, job, hasAll)) continue;
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
		for (const waiter of this.waiters) {
			due = Math.min(due, waiter.nextLook);
			deadline = Math.min(deadline, waiter.deadline);
		}
		const earliest = this.lastLook + this.shortest();
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
		const generations = [...this.waiters].filter(({ job }) => isGeneration(job));
		const answered = generations.length > 1 ? await this.readPage(generations) : new Set<Waiter>();
		let missed = !answered;
		if (answered) {
			const now = this.clock.now();
			const isDue = (waiter: Waiter) => waiter.nextLook <= now && !answered.has(waiter);
			const singles = [...this.waiters].filter(isDue).slice(0, SINGLES_A_LOOK);
			const reads = singles.map(async (waiter) => await this.readOne(waiter));
			missed = (await Promise.all(reads)).includes(false);
		}
		this.misses = missed ? this.misses + 1 : 0;
		this.schedule();
	}

	private schedule(): void {
		const now = this.clock.now();
		for (const waiter of this.waiters) {
			if (waiter.nextLook > now) continue;
			waiter.nextLook = waiter.since + this.pace.next(modelOf(waiter.job), now - waiter.since);
		}
	}

	/** Which of the waiters the newest generations answer; `undefined` when no answer came. */
	private async readPage(waiters: Waiter[]): Promise<Set<Waiter> | undefined> {
		const [first] = waiters;
		const page = first && (await readNewest(this.client, first.line));
		if (!page?.ok) return page && isPassing(page) ? undefined : new Set();
		return new Set(waiters.filter((one) => this.saw(one, page.value.get(one.job.id), hasAll)));
	}

	/** @returns whether an answer came */
	private async readOne(waiter: Waiter): Promise<boolean> {
		// To the end of the row, so that all have their turn when there are more than one look reads.
		if (this.waiters.delete(waiter)) this.waiters.add(waiter);
		const answer = await readJob(this.client, waiter.line, waiter.job, waiter.path);
		if (answer.ok) return this.saw(waiter, answer.value);
		if (isPassing(answer)) return false;
		waiter.unknown += 1;
		const isBelieved = isUnknown(answer) && waiter.unknown < UNKNOWN_ALLOWED;
		if (!isBelieved) waiter.settle(fail(answer.failure, waiter.job));
		return true;
	}

	/** Takes note of a job as it is now. `false` when it was not there or not whole. */
	private saw(waiter: Waiter, now?: Resource, isWhole?: (job: Resource) => boolean): boolean {
		if (!now) return false;
		const job = { ...now, id: waiter.job.id, object: waiter.job.object ?? now.object };
		const state = jobState(job, waiter.endings);
		if (state === 'good' && isWhole && !isWhole(job)) return false;
		const age = this.clock.now() - waiter.since;
		waiter.job = job;
		if (state === 'running') {
			waiter.running = age;
			return true;
		}
		if (state === 'good') this.pace.learn(modelOf(job), waiter.running, age);
		waiter.settle(ok({ job, atFirstLook: waiter.running === 0 }));
		return true;
	}
}

const modelOf = ({ object, model }: Resource): string => `${String(object)} ${String(model)}`;
