import type { Client } from '../http/client';
import { POLICIES, type Tuning } from '../limits/policies';
import { isGeneration, jobState } from './jobState';
import { isComplete, isLocal, isTransient, isNotFound, readNewest, readJob } from './readJob';
import type { PollSchedule } from './pollSchedule';
import { fail, ok } from '../base/result';
import type { Clock, Channel, Resource } from '../base/types';
import type { SharedUse } from '../limits/sharedUse';
import type { Waiter } from './waiter';

/**
 * One round of polling: a single list request covers all generations in flight, and jobs missing from it are read one
 * by one when they are due.
 */
export class Sweep {
	private failedLists = 0;

	constructor(
		private readonly client: Client,
		private readonly clock: Clock,
		private readonly schedule: PollSchedule,
		private readonly sharedUse: SharedUse,
		private readonly tuning: Tuning['polling'] = POLICIES.polling,
	) {}

	/** @returns whether every request got a response */
	async run(waiters: Set<Waiter>, onBehalfOf?: Channel): Promise<boolean> {
		const generations = [...waiters].filter(({ job }) => isGeneration(job));
		const channel = onBehalfOf ?? generations[0]?.channel;
		const isListed = onBehalfOf !== undefined || generations.length > 1;
		const page =
			channel && isListed ? await this.readPage(generations, channel) : new Set<Waiter>();
		// A single job does not depend on a list that was requested for the sake of the slots.
		const answered = page ?? (generations.length > 1 ? undefined : new Set<Waiter>());
		if (!answered) return false;
		const now = this.clock.monotonic();
		const isDue = (waiter: Waiter) =>
			Math.min(waiter.nextPollAt, waiter.dueAt) <= now && !answered.has(waiter);
		const due = [...waiters].filter(isDue).slice(0, this.tuning.maxReadsPerSweep);
		const reads = due.map(async (waiter) => {
			// Moves it to the end, so that each is read in turn when more are due than one sweep reads.
			if (waiters.delete(waiter)) waiters.add(waiter);
			return await this.readOne(waiter);
		});
		return !(await Promise.all(reads)).includes(false);
	}

	/**
	 * Takes in the state of a job at a time on the monotonic clock. `false` if the job is missing, incomplete or
	 * unreadable. Never throws: one malformed job must not stop the polling of all others.
	 */
	observe(...args: Parameters<Sweep['update']>): boolean {
		try {
			return this.update(...args);
		} catch {
			return false;
		}
	}

	private update(
		waiter: Waiter,
		observed: Resource | undefined,
		at: number,
		isUsable?: (job: Resource) => boolean,
	): boolean {
		if (!observed) return false;
		const job = { ...observed, id: waiter.job.id, object: waiter.job.object };
		const state = jobState(job, waiter.terminalStatuses);
		if (state !== 'running' && isUsable && !isUsable(job)) return false;
		const age = Math.max(0, at - waiter.startedAt);
		waiter.job = job;
		waiter.lastReadAt = at;
		if (state === 'running') {
			waiter.runningAge = age;
			waiter.nextPollAt = waiter.startedAt + this.schedule.next(waiter.kind, age);
			return true;
		}
		if (state === 'good' && !waiter.isOld)
			this.schedule.learn(waiter.kind, waiter.runningAge, age, waiter.pushed);
		waiter.settle(ok({ job, endedAtFirstPoll: waiter.runningAge === 0 }));
		return true;
	}

	/** Which of the waiters the list of newest generations covers; `undefined` without a response. */
	private async readPage(waiters: Waiter[], own: Channel): Promise<Set<Waiter> | undefined> {
		const { channel, sentAt } = this.recordSendTime(own);
		const page = await readNewest(this.client, channel);
		this.failedLists = page.ok ? 0 : this.failedLists + 1;
		if (!page.ok) {
			const mustReadSingly = !isTransient(page) || this.failedLists > this.tuning.maxFailedLists;
			if (mustReadSingly) return new Set();
			for (const waiter of waiters) waiter.lastReadAt = sentAt();
			return undefined;
		}
		const running = [...page.value.values()].filter((job) => jobState(job) === 'running');
		this.sharedUse.listed(
			new Set(page.value.keys()),
			running.map(({ id }) => id),
			sentAt(),
		);
		const isCovered = (waiter: Waiter) =>
			this.observe(waiter, page.value.get(waiter.job.id), sentAt(), isComplete);
		return new Set(waiters.filter(isCovered));
	}

	/** @returns whether there was a response */
	private async readOne(waiter: Waiter): Promise<boolean> {
		const { channel, sentAt } = this.recordSendTime(waiter.channel);
		const read = await readJob(this.client, channel, waiter.job, waiter.path);
		waiter.lastReadAt = sentAt();
		if (read.ok) {
			const isObserved = this.observe(waiter, read.value, sentAt());
			const age = waiter.lastReadAt - waiter.startedAt;
			const next = waiter.startedAt + this.schedule.nextAlone(waiter.kind, age);
			waiter.nextPollAt = Math.min(waiter.nextPollAt, next);
			return isObserved;
		}
		if (isTransient(read)) return false;
		waiter.nextPollAt = waiter.lastReadAt + this.tuning.minIntervalMs;
		waiter.failedReads += 1;
		const mayRecover =
			(isNotFound(read) || isLocal(read)) && waiter.failedReads < this.tuning.maxFailedReads;
		if (!mayRecover) waiter.settle(fail(read.failure, waiter.job));
		return true;
	}

	/** A response shows the state at the time of sending, however long the request was queued before. */
	private recordSendTime(channel: Channel): { channel: Channel; sentAt: () => number } {
		let at = this.clock.monotonic();
		const send: Channel['send'] = async (request) => {
			at = this.clock.monotonic();
			return await channel.send(request);
		};
		return { channel: { ...channel, send }, sentAt: () => at };
	}
}
