import { ENDPOINTS, LIMITS } from '../contract';
import type { Client } from './client';
import { isGeneration, jobState, readerPath } from './job';
import { pollBackoff } from './pollInterval';
import { fail, ok, type Failed, type Result } from './result';
import { isRecord, isResource, type Clock, type Line, type Resource } from './types';

/** A job just created may be unknown to a part of the service for a moment; so often is that believed. */
const UNKNOWN_ALLOWED = 3;

/** Jobs read one by one in a single look, at most: the rest have their turn at the next. */
const SINGLES_A_LOOK = 5;

interface Waiter {
	job: Resource;
	line: Line;
	since: number;
	/** Milliseconds since the epoch. */
	deadline: number;
	unknown: number;
	settle: (result: Result<Resource>) => void;
}

/**
 * Is job X done? One watcher for each workspace in a process: a single list request answers for all generations in
 * flight, what it lacks is read one by one, and every waiter is answered as soon as its job has ended. Polling never
 * fails a wait for a passing fault; only the job's end, a final refusal, the deadline or a cancel ends it.
 */
export class Watch {
	private readonly waiters = new Set<Waiter>();

	private looking = false;

	private misses = 0;

	private lookedAt = 0;

	/** Ends the sleep between two looks, because it was planned for other waiters. */
	private replan = () => {};

	constructor(
		private readonly client: Client,
		private readonly clock: Clock,
	) {}

	/**
	 * Waits until the job has ended and answers it as it is then, good or bad.
	 * @param deadline milliseconds since the epoch
	 */
	async wait(line: Line, job: Resource, deadline: number): Promise<Result<Resource>> {
		if (jobState(job) !== 'running') return ok(job);
		if (line.signal?.aborted) return fail({ kind: 'cancelled' }, job);
		return await new Promise<Result<Resource>>((resolve) => {
			const now = this.clock.now();
			const onAbort = () => {
				waiter.settle(fail({ kind: 'cancelled' }, waiter.job));
				this.replan();
			};
			const waiter: Waiter = {
				job,
				line,
				since: now,
				deadline,
				unknown: 0,
				settle: (result) => {
					line.signal?.removeEventListener('abort', onAbort);
					if (this.waiters.delete(waiter)) resolve(result);
				},
			};
			line.signal?.addEventListener('abort', onAbort, { once: true });
			this.waiters.add(waiter);
			if (this.looking) this.replan();
			else void this.look();
		});
	}

	private async look(): Promise<void> {
		this.looking = true;
		this.misses = 0;
		while (this.waiters.size > 0) {
			const plan = new AbortController();
			this.replan = () => plan.abort();
			await this.clock.sleep(this.untilNextLook(), plan.signal);
			this.expire();
			if (![...this.waiters].some((waiter) => this.dueAt(waiter) <= this.clock.now())) continue;
			await this.lookOnce();
			this.lookedAt = this.clock.now();
		}
		this.looking = false;
	}

	private dueAt({ since }: Waiter): number {
		const from = Math.max(this.lookedAt, since);
		return from + pollBackoff(from - since, this.misses);
	}

	/** The youngest job sets the pace; the nearest deadline is never overslept. */
	private untilNextLook(): number {
		const due = [...this.waiters].map((waiter) => Math.min(this.dueAt(waiter), waiter.deadline));
		return Math.max(0, Math.ceil(Math.min(...due) - this.clock.now()));
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
		const page = generations.length > 1 ? await this.readPage(generations) : 'unread';
		let missed = page === 'missed';
		if (!missed) {
			const singles = [...this.waiters].filter((waiter) => typeof page === 'string' || !page.has(waiter));
			const reads = singles.slice(0, SINGLES_A_LOOK).map(async (one) => await this.readOne(one));
			missed = (await Promise.all(reads)).includes('missed');
		}
		this.misses = missed ? this.misses + 1 : 0;
	}

	/** One request for all generations in flight; tells which waiters it has answered. */
	private async readPage(waiters: Waiter[]): Promise<Set<Waiter> | 'missed' | 'unread'> {
		const line = waiters[0]?.line;
		if (!line) return 'unread';
		const query = { limit: LIMITS.listLimit.max };
		const request = { method: 'GET', path: ENDPOINTS.listGenerations.path, query } as const;
		const page = await this.client.request(line, request, { once: true });
		if (!page.ok) return isPassing(page) ? 'missed' : 'unread';
		const entries = isRecord(page.value.body) ? page.value.body.data : undefined;
		const seen = new Map<string, Resource>();
		for (const entry of Array.isArray(entries) ? entries : []) {
			if (isResource(entry)) seen.set(entry.id, entry);
		}
		return new Set(waiters.filter((waiter) => this.saw(waiter, seen.get(waiter.job.id), hasAll)));
	}

	private async readOne(waiter: Waiter): Promise<'read' | 'missed'> {
		// To the end of the row, so that all have their turn when there are more than one look reads.
		if (this.waiters.delete(waiter)) this.waiters.add(waiter);
		const request = { method: 'GET', path: readerPath(waiter.job) } as const;
		const answer = await this.client.request(waiter.line, request, { once: true });
		if (answer.ok) {
			this.saw(waiter, answer.value.body as Resource);
			return 'read';
		}
		if (isPassing(answer)) return 'missed';
		waiter.unknown += 1;
		const believed = isUnknown(answer) && waiter.unknown < UNKNOWN_ALLOWED;
		if (!believed) waiter.settle(fail(answer.failure, waiter.job));
		return 'read';
	}

	/** Takes note of a job as it is now. `false` when it was not there or not whole. */
	private saw(waiter: Waiter, now?: Resource, whole?: (job: Resource) => boolean): boolean {
		if (!now) return false;
		const job = { ...now, id: waiter.job.id, object: waiter.job.object };
		const state = jobState(job);
		if (state === 'good' && whole && !whole(job)) return false;
		waiter.job = job;
		if (state !== 'running') waiter.settle(ok(job));
		return true;
	}
}

/** Whether a list entry carries its outputs, so that it need not be read by itself. */
const hasAll = (job: Resource): boolean =>
	Array.isArray(job.outputs) && job.outputs.some((output) => isRecord(output) && output.url);

const isUnknown = ({ failure }: Failed) => failure.kind === 'status' && failure.status === 404;

/** Faults that say nothing about the job. */
function isPassing({ failure }: Failed): boolean {
	if (failure.kind === 'status') return failure.status === 429 || failure.unclear;
	return failure.kind === 'lost' || failure.kind === 'answer' || failure.kind === 'cancelled';
}
