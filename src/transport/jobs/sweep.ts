import type { Client } from '../client/client';
import { isGeneration, jobState } from './jobState';
import { isComplete, isLocal, isTransient, isNotFound, readNewest, readJob } from './readJob';
import type { PollSchedule } from './pollSchedule';
import { fail, ok } from '../base/result';
import type { Clock, Channel, Resource } from '../base/types';
import type { Waiter } from './waiter';

/** A job just created may be unknown to a part of the service for a moment, or n8n unable to send; so often is that believed. */
const UNKNOWN_ALLOWED = 3;

/** After so many lists in a row that brought no answer, jobs are read one by one instead. */
const LISTS_ALLOWED = 2;

/** Jobs read one by one in a single look, at most: the rest have their turn at the next. */
const SINGLES_A_LOOK = 5;

/**
 * What one look brings: a single list request answers for all generations in flight, and what it lacks is read one by one. Who is
 * answered for is told, or looked at again when his kind of job may have ended.
 */
export class Sweep {
	private missedLists = 0;

	constructor(
		private readonly client: Client,
		private readonly clock: Clock,
		private readonly schedule: PollSchedule,
	) {}

	/** @returns whether every request was answered */
	async run(waiters: Set<Waiter>): Promise<boolean> {
		const generations = [...waiters].filter(({ job }) => isGeneration(job));
		const answered = generations.length > 1 ? await this.readPage(generations) : new Set<Waiter>();
		if (!answered) return false;
		const now = this.clock.monotonic();
		const isDue = (waiter: Waiter) => waiter.nextPollAt <= now && !answered.has(waiter);
		const singles = [...waiters].filter(isDue).slice(0, SINGLES_A_LOOK);
		const reads = singles.map(async (waiter) => {
			// To the end of the row, so that all have their turn when there are more than one look reads.
			if (waiters.delete(waiter)) waiters.add(waiter);
			return await this.readOne(waiter);
		});
		return !(await Promise.all(reads)).includes(false);
	}

	/**
	 * Takes note of a job as it was at a moment, on the monotonic clock. `false` when it was not there, not whole, or nothing that
	 * can be made sense of. Never throws: one strange job must not stop the looks at all others.
	 */
	observe(...news: Parameters<Sweep['note']>): boolean {
		try {
			return this.note(...news);
		} catch {
			return false;
		}
	}

	private note(
		waiter: Waiter,
		seen: Resource | undefined,
		at: number,
		isWhole?: (job: Resource) => boolean,
	): boolean {
		if (!seen) return false;
		const job = { ...seen, id: waiter.job.id, object: waiter.job.object };
		const state = jobState(job, waiter.terminalStatuses);
		if (state !== 'running' && isWhole && !isWhole(job)) return false;
		const age = Math.max(0, at - waiter.since);
		waiter.job = job;
		waiter.askedAt = at;
		if (state === 'running') {
			waiter.running = age;
			waiter.nextPollAt = waiter.since + this.schedule.next(waiter.kind, age);
			return true;
		}
		if (state === 'good' && !waiter.isOld)
			this.schedule.learn(waiter.kind, waiter.running, age, waiter.pushed);
		waiter.settle(ok({ job, endedAtFirstPoll: waiter.running === 0 }));
		return true;
	}

	/** Which of the waiters the newest generations answer; `undefined` when no answer came. */
	private async readPage(waiters: Waiter[]): Promise<Set<Waiter> | undefined> {
		const [first] = waiters;
		if (!first) return new Set();
		const sending = this.timed(first.channel);
		const page = await readNewest(this.client, sending.line);
		this.missedLists = page.ok ? 0 : this.missedLists + 1;
		if (!page.ok) {
			const isTold = !isTransient(page) || this.missedLists > LISTS_ALLOWED;
			if (isTold) return new Set();
			for (const waiter of waiters) waiter.askedAt = sending.at();
			return undefined;
		}
		const found = (one: Waiter) =>
			this.observe(one, page.value.get(one.job.id), sending.at(), isComplete);
		return new Set(waiters.filter(found));
	}

	/** @returns whether an answer came */
	private async readOne(waiter: Waiter): Promise<boolean> {
		const sending = this.timed(waiter.channel);
		const answer = await readJob(this.client, sending.line, waiter.job, waiter.path);
		waiter.askedAt = sending.at();
		if (answer.ok) return this.observe(waiter, answer.value, sending.at());
		if (isTransient(answer)) return false;
		waiter.unknown += 1;
		const mayPass = isNotFound(answer) || isLocal(answer);
		const isBelieved = mayPass && waiter.unknown < UNKNOWN_ALLOWED;
		if (!isBelieved) waiter.settle(fail(answer.failure, waiter.job));
		return true;
	}

	/** A look shows how things were when it was sent, however long it stood in the queue before. */
	private timed(channel: Channel): { line: Channel; at: () => number } {
		let at = this.clock.monotonic();
		const send: Channel['send'] = async (request) => {
			at = this.clock.monotonic();
			return await channel.send(request);
		};
		return { line: { ...channel, send }, at: () => at };
	}
}
