import { ENDPOINTS, LIMITS } from '../api';
import { offAbort, onAbort } from '../base/abort';
import { BoundedMap } from '../base/boundedMap';
import { getOrCreate } from '../base/getOrCreate';
import { fail, ok, type Failed, type Result } from '../base/result';
import {
	asText,
	isResource,
	type Channel,
	type Clock,
	type Resource,
	type Send,
} from '../base/types';
import { WakeUp } from '../base/wakeUp';
import { requestResource, type Client } from './client';
import {
	isMedia,
	jobState,
	lacksOutputs,
	readerPath,
	RunningWords,
	type TerminalStatuses,
} from './jobState';
import type { OtherClients } from './otherClients';
import { mustBeList, pageOf } from './pages';
import type { RateLimiter } from './rateLimiter';
import { isGone, isRefusal, meaningOf, refusalOf } from './statuses';
import { MINUTE_MS, TUNING } from './tuning';
import {
	JobDurations,
	isPollDue,
	MIN_POLL_GAP_MS,
	backoffMs,
	singleReadGapMs,
	type TimeSpan,
	type PolledJob,
} from './pollSchedule';

/** The time between two ticks, at each of which the poller decides what to read next. */
const TICK_MS = 250;

/** A service that names each job's model differently must not fill the memory. */
const MAX_KINDS = 1_000;

/** A list that takes longer counts as failed, so that no wait depends on it. */
const LIST_TIMEOUT_MS = 10_000;

/** Single reads that may go out at once after a pause: as many as a plan has slots by default. */
const READ_BURST = 5;

/** Jobs of one kind usually take about the same time. */
const kindOf = ({ object, mode, model }: Resource) => [object, mode, model].map(asText).join(' ');

/**
 * Waits for jobs to end: one poller for each workspace in a process, with a `JobWait` for each job that an
 * item waits for. Every 250 ms (`tick`) it decides what to request:
 *
 * - A *list* shows all generations at once. It goes out when a poll of the jobs that it shows is *due*
 *   (`pollSchedule.ts`). One list is in flight at a time, and each that fails makes the next one wait longer.
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
 * A wait ends with the end of its job, at its deadline, by a cancel, by a refusal that will not change, or by
 * three answers in a row that are no job; never by a fault of the network or of the service. A request that
 * fails or hangs holds up no other wait. Times are in ms on the monotonic clock.
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
		const durations = getOrCreate(this.durationsByKind, kindOf(job), () => new JobDurations());
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
			wait.isMissedByList = wait.isDue(this.clock.monotonic(), this.rateLimiter.requestsPerMinute);
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
		const toRead = [...this.waits]
			.filter((wait) => wait.needsRead(shownByLists.has(wait), now, requestsPerMinute))
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

/** How long a wait goes on after its deadline for the answer to its last read. */
const LAST_READ_MS = MINUTE_MS;

/**
 * At this age a job that lists show as running is also read by itself, and again whenever its age has
 * doubled: a service may show old lists for ever.
 */
const LISTS_DOUBTED_AFTER_MS = 3 * MINUTE_MS;

/** So many reads may be refused for a reason that may pass: a new job may be unknown for a moment. */
const MAX_REFUSED = 3;

/** So many answers in a row may have a status of success and be no job. */
const MAX_UNREADABLE = 3;

/** Whether a read that has failed says nothing about the job: no answer, or an answer that may pass. */
function isInconclusive(read: Failed): boolean {
	const { failure } = read;
	if (failure.kind === 'status')
		return meaningOf(failure.status).again !== 'never' || !isRefusal(read);
	return failure.kind === 'noResponse'
		? failure.unsent !== 'local'
		: failure.kind === 'badResponse';
}

/** Whether a refusal may pass: the service does not know the job yet, or n8n could not send the request. */
const mayPass = ({ failure }: Failed) =>
	failure.kind === 'noResponse' || (failure.kind === 'status' && isGone(failure.status));

/** The reads that have failed since the last one that showed the job. */
interface FailedReads {
	/** How many of the last ones in a row say nothing about the job. */
	unanswered: number;
	/** How many of the last ones in a row had an answer that is no job. */
	unreadable: number;
	/** How many were refused. */
	refused: number;
}

/**
 * Whether a list or an event that shows the end of a job shows all that belongs to it: completed media with
 * all of their outputs. Any other end is believed only of a single read. An item whose job has failed may be
 * paid for again, so a list alone never decides that.
 */
const isComplete = (job: Resource) =>
	job.status === 'completed' && isMedia(job) && !lacksOutputs(job);

interface WaitOptions {
	terminalStatuses?: TerminalStatuses;
	/** The path at which the key may read the job, if it is not that of its kind. */
	path?: string;
}

/** What the waits of a workspace share. */
interface Polling {
	client: Client;
	clock: Clock;
	rateLimiter: RateLimiter;
	others: OtherClients;
	runningWords: RunningWords;
	/** The waits that have not ended. */
	waits: Set<JobWait>;
}

/**
 * The wait of an item for one job: what was seen of the job, when to look at it next, and what ends the wait.
 * The words *due*, *covered* and *missed* are those of the poller. Times are in ms on the monotonic clock.
 */
class JobWait implements PolledJob {
	/** Whether the list of generations shows the job. */
	readonly isGeneration: boolean;
	readonly deadline: number;
	dueAt: number;
	/** When the newest single read was sent that has been answered. */
	readAt = -Infinity;
	/** Whether the newest list should have shown the end of the job, and did not, or not all of it. */
	isMissedByList = false;
	private readonly startedAt: number;
	/** When the job was last seen running; at first, when the wait began. */
	private seenRunningAt: number;
	/** When the job was first seen with the status that it has now. */
	private inStatusSince: number;
	private isReading = false;
	private failed: FailedReads | undefined;
	private readsPausedUntil = -Infinity;
	/** From the deadline on: when the wait ends even if its last read has no answer. */
	private lastReadUntil = Infinity;
	private isEndedByEvent = false;

	/**
	 * @param job the job as it was last seen
	 * @param durations how long jobs of its kind take
	 * @param settle ends its promise: with the result of the wait, or with what our own code has thrown
	 */
	constructor(
		private readonly polling: Polling,
		readonly channel: Channel,
		public job: Resource,
		timeoutMs: number,
		private readonly options: WaitOptions,
		private readonly durations: JobDurations,
		private readonly settle: {
			resolve: (result: Result<Resource>) => void;
			reject: (fault: unknown) => void;
		},
	) {
		this.isGeneration = job.object === 'generation';
		this.startedAt = polling.clock.monotonic();
		this.deadline = this.startedAt + timeoutMs;
		this.seenRunningAt = this.startedAt;
		this.inStatusSince = this.startedAt;
		this.dueAt = this.nextPollAfter(0);
		onAbort(channel.signal, this.cancel);
		polling.waits.add(this);
	}

	get longestMs(): number {
		return this.durations.longest;
	}

	/** When the job will probably end; `undefined` as long as nothing is known. */
	get expectedEnd(): TimeSpan | undefined {
		const span = this.durations.span(this.seenRunningAt - this.startedAt);
		return span && { from: this.startedAt + span.from, to: this.startedAt + span.to };
	}

	/**
	 * At the deadline a last read decides: the job may have ended since it was last seen, for example while
	 * the machine was asleep.
	 */
	checkDeadline(now: number): void {
		if (now < this.deadline) return;
		this.dueAt = now;
		this.lastReadUntil = Math.min(this.lastReadUntil, now + LAST_READ_MS);
		if (this.readAt < this.deadline && now < this.lastReadUntil) return;
		const waitedMs = this.deadline - this.startedAt;
		const inStatusMs = Math.max(0, this.deadline - this.inStatusSince);
		this.end(fail({ kind: 'deadline', waitedMs, inStatusMs }, this.job));
	}

	/** Whether it is time for a look at this job, regardless of all others. */
	isDue(now: number, requestsPerMinute: number): boolean {
		return isPollDue([this], now, requestsPerMinute);
	}

	/** Whether a single read of the job is to go out. */
	needsRead(isCovered: boolean, now: number, requestsPerMinute: number): boolean {
		if (this.isReading || now < this.readsPausedUntil) return false;
		const listsDoubtedFrom =
			this.startedAt + Math.max(LISTS_DOUBTED_AFTER_MS, 2 * (this.readAt - this.startedAt));
		if (now >= this.deadline || now >= listsDoubtedFrom) return true;
		return isCovered ? this.isMissedByList : this.isDue(now, requestsPerMinute);
	}

	/** Reads the job by itself. Nobody awaits that: what throws is thrown on by the wait. */
	async read(): Promise<void> {
		try {
			await this.readJob();
		} catch (fault) {
			this.failWith(fault);
		}
	}

	private async readJob(): Promise<void> {
		const { client, clock } = this.polling;
		const path = this.options.path ?? readerPath(this.job);
		let sentAt = clock.monotonic();
		const onSending = () => {
			sentAt = clock.monotonic();
		};
		this.isReading = true;
		const request = { method: 'GET', path } as const;
		const options = { retry: false, onSending };
		const read = await requestResource(client, this.channel, request, options);
		this.isReading = false;
		if (!read.ok) return this.readFailed(read, sentAt);
		this.failed = undefined;
		this.readAt = sentAt;
		this.observe(read.value, sentAt, 'read');
	}

	/**
	 * The job was seen by a single read, in a list or in an event. That means, in this order:
	 *
	 * 1. A word for a running job may be learned, and whether the job holds a slot is passed on.
	 * 2. The job still runs: it is looked at again later.
	 * 3. The job has ended, but not all that belongs to its end is shown: it is read by itself at once.
	 * 4. The job has ended: how long it took is learned if it ended well, and the wait ends.
	 *
	 * @param at when the request was sent that shows the job; of an event, when it came
	 */
	observe(shown: Resource, at: number, by: 'read' | 'list' | 'event'): void {
		if (!this.polling.waits.has(this)) return;
		const job = { ...shown, id: this.job.id, object: this.job.object };
		const state = jobState(job, this.options.terminalStatuses);
		const { others, runningWords } = this.polling;

		if (state === 'good' && this.isGeneration) runningWords.learn(this.job);
		if (!runningWords.holdsSlot(job)) others.onJobsWithoutSlot([job.id]);
		if (by === 'event') this.isEndedByEvent = state !== 'running';

		if (state === 'running') {
			if (shown.status !== this.job.status) this.inStatusSince = at;
			this.job = job;
			this.isMissedByList = false;
			this.seenRunningAt = Math.max(this.seenRunningAt, at);
			this.dueAt = this.nextPollAfter(Math.max(0, at - this.startedAt));
			return;
		}

		if (by !== 'read' && !isComplete(job)) {
			this.dueAt = at;
			return;
		}

		if (state === 'good') {
			const ranFor = this.seenRunningAt - this.startedAt;
			const tookAtMost = Math.max(0, at - this.startedAt);
			this.durations.learn(ranFor, tookAtMost, this.isEndedByEvent);
		}
		this.end(ok(job));
	}

	private nextPollAfter(age: number): number {
		const gapMs = singleReadGapMs(this.polling.rateLimiter.requestsPerMinute);
		return this.startedAt + Math.max(this.durations.nextPoll(age), age + gapMs);
	}

	private readFailed(read: Failed, sentAt: number): void {
		// After the deadline there is no further read, whatever comes of this one.
		if (sentAt >= this.deadline) this.readAt = sentAt;
		const isOpen = isInconclusive(read);
		this.failed ??= { unanswered: 0, unreadable: 0, refused: 0 };
		const { failed } = this;
		failed.unreadable = read.failure.kind === 'badResponse' ? failed.unreadable + 1 : 0;
		failed.unanswered = isOpen ? failed.unanswered + 1 : 0;
		failed.refused += isOpen ? 0 : 1;
		const isRefused = !isOpen && (!mayPass(read) || failed.refused >= MAX_REFUSED);
		if (isRefused || failed.unreadable >= MAX_UNREADABLE)
			return this.end(fail(read.failure, this.job));
		const pauseMs = isOpen ? backoffMs(failed.unanswered) : TUNING.minLookMs;
		this.readsPausedUntil = this.polling.clock.monotonic() + pauseMs;
		// The pause holds for lists too: a list may not show the job either.
		this.dueAt = Math.max(this.dueAt, this.readsPausedUntil);
	}

	private readonly cancel = () => this.end(fail({ kind: 'cancelled' }, this.job));

	/** Ends the wait with what our own code has thrown. */
	failWith(fault: unknown): void {
		this.leave();
		this.settle.reject(fault);
	}

	private end(result: Result<Resource>): void {
		this.leave();
		this.settle.resolve(result);
	}

	private leave(): void {
		offAbort(this.channel.signal, this.cancel);
		this.polling.waits.delete(this);
	}
}
