import { ENDPOINTS, LIMITS } from '../api';
import { BoundedMap, getOrCreate } from '../base/maps';
import { fail, ok, type Result } from '../base/result';
import { MINUTE_MS } from '../base/times';
import {
	asText,
	isResource,
	type Channel,
	type Clock,
	type Resource,
	type Send,
} from '../base/types';
import { WakeUp } from '../base/wakeUp';
import type { Client } from './client';
import { jobState, RunningWords } from './jobState';
import {
	backoffMs,
	isPollDue,
	JobDurations,
	JobWait,
	MIN_POLL_GAP_MS,
	singleReadGapMs,
	type Polling,
	type WaitOptions,
} from './jobWait';
import type { OtherClients, RateLimiter } from './sharing';
import { mustBeList, pageOf } from './pages';
import { refusalOf } from './statuses';
import { TUNING } from './tuning';

/** The time between two ticks, at each of which the poller decides what to read next. */
const TICK_MS = 250;

/** A service that names each job's model differently must not fill the memory. */
const MAX_KINDS = 1_000;

/** A list that takes longer counts as failed, so that no wait depends on it. */
const LIST_TIMEOUT_MS = 10_000;

/** Single reads that may go out at once after a pause: as many as a plan has slots by default. */
const READ_BURST = 5;

/** Jobs of one kind usually take about the same time. */
const jobKindOf = ({ object, mode, model }: Resource) =>
	[object, mode, model].map(asText).join(' ');

/**
 * Waits for jobs to end: one poller for each workspace in a process, with a `JobWait` (`jobWait.ts`) for each
 * job that an item waits for. Every 250 ms (`tick`) it decides what to request:
 *
 * - A *list* shows all generations at once. It goes out when a poll of the jobs that it shows is *due*
 *   (`isPollDue`). One list is in flight at a time, and each that fails makes the next one wait longer.
 * - A *single read* shows one job. All single reads together take half of the requests of a minute, and five
 *   may go out at once after a pause. With 60 requests a minute that is one every 2 s. A read at a deadline
 *   goes out in any case, and takes nothing from that half.
 *
 * A job is *covered* while lists are relied on to show its end: it is a generation, and another one is waited
 * for too, or others use the workspace, whom only a list shows. It is *missed* if the newest list should have
 * shown its end and did not, or not with all its outputs. A single read goes out for a job that is missed,
 * for one that is not covered and due, for one whose deadline has come, and for one that lists have shown as
 * running for so long that they may be wrong. So one image is read by itself; of ten images a list shows
 * which have ended, and only an image that it misses is read by itself.
 *
 * What ends a wait stands at `JobWait`. A request that fails or hangs holds up no other wait. Times are in ms
 * on the monotonic clock.
 */
export class JobPoller {
	private readonly waits = new Set<JobWait>();
	private readonly polling: Polling;
	private readonly durationsByKind = new BoundedMap<string, JobDurations>(MAX_KINDS);
	/** The list that has no answer yet; `sentAt` is `Infinity` while it waits for its turn to be sent. */
	private listInFlight: { sentAt: number } | undefined;
	/** How many lists have failed in a row, and whether the last of them was refused with 429. */
	private listFailures = 0;
	private isListThrottled = false;
	private nextListAt = -Infinity;
	/** When each channel last sent a list. */
	private readonly lastListAt = new WeakMap<Send, number>();
	/** When the next single read may go out, at the pace of `singleReadGapMs`. */
	private nextReadAt = -Infinity;
	private readonly wakeUp: WakeUp;

	constructor(
		private readonly client: Client,
		private readonly rateLimiter: RateLimiter,
		private readonly clock: Clock,
		private readonly others: OtherClients,
	) {
		const runningWords = new RunningWords();
		this.polling = { client, clock, rateLimiter, others, runningWords, waits: this.waits };
		const onFault = (fault: unknown) => {
			for (const wait of this.waits) wait.failWith(fault);
		};
		this.wakeUp = new WakeUp(clock, () => this.tick(), onFault);
	}

	/**
	 * Waits until a job has ended, well or badly. Fails, with the job as it was last seen, at the deadline,
	 * when cancelled, and when the job cannot be read. Not `async`: see `WaitQueue`.
	 */
	wait(
		channel: Channel,
		job: Resource,
		timeoutMs: number,
		options: WaitOptions = {},
	): Promise<Result<Resource>> {
		if (jobState(job, options.terminalStatuses) !== 'running') return Promise.resolve(ok(job));
		if (channel.signal?.aborted) return Promise.resolve(fail({ kind: 'cancelled' }, job));
		const durations = getOrCreate(this.durationsByKind, jobKindOf(job), () => new JobDurations());
		this.wakeUp.set(this.clock.monotonic() + TICK_MS);
		return new Promise((resolve, reject) => {
			const settle = { resolve, reject };
			new JobWait(this.polling, channel, job, timeoutMs, options, durations, settle);
		});
	}

	/**
	 * A verified event shows a job. A wait for this job ends at once if the job has ended; if the event
	 * leaves outputs out, the job is read at once.
	 */
	notify(job: Resource): void {
		for (const wait of [...this.waits].filter((each) => each.job.id === job.id))
			wait.observe(job, this.clock.monotonic(), 'event');
	}

	/** A job as it was last seen, if an item waits for it. */
	seen(id: string): Resource | undefined {
		return [...this.waits].find(({ job }) => job.id === id)?.job;
	}

	/** Requests a list although no job is due, unless lists must pause. */
	list(channel: Channel): void {
		if (this.canList(this.clock.monotonic())) void this.requestList([channel]);
	}

	get isIdle(): boolean {
		return this.waits.size === 0;
	}

	/** Does not await the requests that it makes: deadlines must hold even while one of them hangs. */
	private tick(): void {
		const now = this.clock.monotonic();
		const { requestsPerMinute } = this.rateLimiter;
		for (const wait of this.waits) wait.checkDeadline(now);
		if (this.listInFlight && now - this.listInFlight.sentAt >= LIST_TIMEOUT_MS)
			this.listFailed(now, false);
		const covered = this.coveredByLists(now);
		if (covered.length > 0 && this.canList(now)) {
			const expected = covered.filter(({ isMissedByList }) => !isMissedByList);
			if (isPollDue(expected, now, requestsPerMinute))
				void this.requestList(covered.map(({ channel }) => channel));
		}
		// The answer to a list under way may make single reads needless.
		if (!this.listInFlight) this.readSingly(covered, now, requestsPerMinute);
		if (!this.isIdle) this.wakeUp.set(now + TICK_MS);
	}

	/** A generation alone is read by itself: a list would show no more, unless others use the workspace. */
	private coveredByLists(now: number): JobWait[] {
		const generations = [...this.waits].filter(({ isGeneration }) => isGeneration);
		return generations.length > 1 || now < this.others.thereUntil ? generations : [];
	}

	private canList(now: number): boolean {
		return !this.listInFlight && now >= this.nextListAt;
	}

	/**
	 * Requests a full page of the newest generations. Each list goes over the channel that has had none for
	 * the longest time: a channel has the proxy and the time limit of its node, and with these the list may
	 * fail.
	 */
	private async requestList(channels: readonly Channel[]): Promise<void> {
		try {
			await this.readList(channels);
		} catch {
			// Nobody awaits a list. Its jobs are read by themselves instead, each for its own item.
			this.listFailed(this.clock.monotonic(), false);
		}
	}

	private async readList(channels: readonly Channel[]): Promise<void> {
		const usedAt = ({ send }: Channel) => this.lastListAt.get(send) ?? -Infinity;
		const channel = channels.reduce((least, each) => (usedAt(each) < usedAt(least) ? each : least));
		this.lastListAt.set(channel.send, this.clock.monotonic());
		const list = { sentAt: Infinity };
		this.listInFlight = list;
		const onSending = () => {
			list.sentAt = this.clock.monotonic();
		};
		const query = { limit: LIMITS.listLimit.max };
		const request = { method: 'GET', path: ENDPOINTS.listGenerations.path, query } as const;
		const options = { retry: false, onSending, validate: mustBeList };
		const page = await this.client.request(channel, request, options);
		const now = this.clock.monotonic();
		// A list that was given up may be answered after all, while the next one is under way.
		const isInFlight = this.listInFlight === list;
		if (isInFlight) this.listInFlight = undefined;
		if (page.ok) {
			this.listFailures = 0;
			this.nextListAt = Math.max(list.sentAt + this.listGapMs(now), now + MIN_POLL_GAP_MS);
			this.listed(pageOf(page.value.body).entries.filter(isResource), list.sentAt);
		} else if (isInFlight && page.failure.kind !== 'cancelled')
			this.listFailed(now, refusalOf(page) === 'throttled');
	}

	private listFailed(now: number, isThrottled: boolean): void {
		this.listInFlight = undefined;
		this.isListThrottled = isThrottled;
		this.listFailures += 1;
		this.nextListAt = now + backoffMs(this.listFailures);
	}

	/**
	 * The time between two lists. While others use the workspace, a process with more jobs lists more often,
	 * because it has more ends to see.
	 */
	private listGapMs(now: number): number {
		if (now >= this.others.thereUntil) return MIN_POLL_GAP_MS;
		const jobs = Math.max(TUNING.leastJobsToList, this.coveredByLists(now).length);
		return MINUTE_MS / (this.rateLimiter.requestsPerMinute * TUNING.listShareOfJob * jobs);
	}

	private listed(jobs: readonly Resource[], sentAt: number): void {
		const byId = new Map(jobs.map((job) => [job.id, job]));
		for (const wait of this.waits) {
			const job = byId.get(wait.job.id);
			if (job) wait.observe(job, sentAt, 'list');
			const now = this.clock.monotonic();
			wait.isMissedByList = isPollDue([wait], now, this.rateLimiter.requestsPerMinute);
		}
		const { runningWords } = this.polling;
		const idsWhere = (isRunning: boolean) =>
			jobs.filter((job) => runningWords.holdsSlot(job) === isRunning).map(({ id }) => id);
		this.others.listed(idsWhere(true), sentAt, idsWhere(false));
	}

	/**
	 * Reads jobs by themselves. The job that was read the longest ago comes first, so that each has its turn.
	 */
	private readSingly(covered: readonly JobWait[], now: number, requestsPerMinute: number): void {
		// Lists that get no answer cover nothing. If they are refused for the requests of the minute, single
		// reads would be refused too.
		const areListsLost = this.listFailures > 0 && !this.isListThrottled;
		const shownByLists = new Set(areListsLost ? [] : covered);
		const isDue = (wait: JobWait) =>
			shownByLists.has(wait) ? wait.isMissedByList : isPollDue([wait], now, requestsPerMinute);
		const toRead = [...this.waits]
			.filter((wait) => wait.needsRead(isDue(wait), now))
			.sort((one, other) => one.readAt - other.readAt);
		if (toRead.length === 0) return;
		const gapMs = singleReadGapMs(requestsPerMinute);
		for (const wait of toRead) {
			// At its deadline a job is read once in any case, however many deadlines come together.
			if (now >= wait.deadline) void wait.read();
			else if (now >= this.nextReadAt - (READ_BURST - 1) * gapMs) {
				this.nextReadAt = Math.max(now, this.nextReadAt) + gapMs;
				void this.readOne(wait, gapMs);
			}
		}
	}

	/** @param tookMs the time for which the read has put off the next one */
	private async readOne(wait: JobWait, tookMs: number): Promise<void> {
		await wait.read();
		// The job is not read again, so another one may be read in its place.
		if (!this.waits.has(wait)) this.nextReadAt -= tookMs;
	}
}
