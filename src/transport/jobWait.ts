import { offAbort, onAbort } from '../base/abort';
import { fail, ok, type Failed, type Result } from '../base/result';
import { MINUTE_MS } from '../base/times';
import type { Channel, Clock, Resource } from '../base/types';
import { requestResource, type Client } from './client';
import {
	isMedia,
	jobState,
	lacksOutputs,
	readerOf,
	readerPath,
	type RunningWords,
	type TerminalStatuses,
} from './jobState';
import type { OtherClients, RateLimiter } from './sharing';
import { isGone, isRefusal, meaningOf } from './statuses';
import { TUNING } from './tuning';

/** The shortest time between two lists, and after a look that has failed. */
export const MIN_POLL_GAP_MS = 1_000;

/** The pause after so many looks in a row that have failed. */
export const backoffMs = (failures: number): number =>
	Math.min(MINUTE_MS, MIN_POLL_GAP_MS * 2 ** failures);

/** The part of the requests of a minute that reads of single jobs may take. */
const SHARE_OF_READS = 0.5;

/** The time between two reads of single jobs, whichever jobs they are. */
export const singleReadGapMs = (requestsPerMinute: number): number =>
	MINUTE_MS / (requestsPerMinute * SHARE_OF_READS);

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

export interface WaitOptions {
	terminalStatuses?: TerminalStatuses;
	/** The path at which the key may read the job, if it is not that of its kind. */
	path?: string;
}

/** What the waits of a workspace share. */
export interface Polling {
	client: Client;
	clock: Clock;
	rateLimiter: RateLimiter;
	others: OtherClients;
	runningWords: RunningWords;
	/** The waits that have not ended. */
	waits: Set<JobWait>;
}

/** The reads that have failed since the last one that showed the job. */
interface FailedReads {
	/** How many of the last ones in a row say nothing about the job. */
	unanswered: number;
	/** How many of the last ones in a row had an answer that is no job. */
	unreadable: number;
	/** How many were refused. */
	refused: number;
}

const NONE_FAILED: FailedReads = { unanswered: 0, unreadable: 0, refused: 0 };

/**
 * The wait of an item for one job. A *look* is what either a list or a single read shows of the job. The
 * poller (`jobPoller.ts`) decides when one is due, shows the job as lists and events have it (`observe`), and
 * has it read by itself (`read`). The wait ends
 *
 * - with the end of the job (`observe`)
 * - at its deadline, after a last read (`checkDeadline`)
 * - by a refusal that will not change, or by three answers in a row that are no job (`readFailed`); by no
 *   other fault of the network or of the service
 * - by a cancel, or by a fault of our own (`failWith`).
 *
 * The words *due*, *covered* and *missed* are those of the poller. Times are in ms on the monotonic clock.
 */
export class JobWait {
	/** Whether the list of generations shows the job. */
	readonly isGeneration: boolean;
	readonly deadline: number;
	/** When the job is looked at again, whatever is known of its end. */
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
	private failed = NONE_FAILED;
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
		this.dueAt = this.nextLookAfter(0);
		onAbort(channel.signal, this.cancel);
		polling.waits.add(this);
	}

	/** At which age the end of a job of its kind was seen, in the mean; `Infinity` as long as none was. */
	get seenEndedMs(): number {
		return this.durations.seenEndedMs;
	}

	/** When the job will probably end; `undefined` as long as nothing is known. */
	get expectedEnd(): TimeSpan | undefined {
		const span = this.durations.span(this.seenRunningAt - this.startedAt);
		return span && { from: this.startedAt + span.from, to: this.startedAt + span.to };
	}

	/**
	 * Whether a single read of the job is to go out.
	 * @param isDue whether it is time for one, regardless of deadline, pauses and wrong lists
	 */
	needsRead(isDue: boolean, now: number): boolean {
		if (this.isReading || now < this.readsPausedUntil) return false;
		const listsDoubtedFrom =
			this.startedAt + Math.max(LISTS_DOUBTED_AFTER_MS, 2 * (this.readAt - this.startedAt));
		return isDue || now >= this.deadline || now >= listsDoubtedFrom;
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
		this.failed = NONE_FAILED;
		this.readAt = sentAt;
		this.observe(read.value, sentAt, 'read');
	}

	/**
	 * The job was seen by a single read, in a list or in an event.
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

		// It still runs, and is looked at again later.
		if (state === 'running') {
			if (shown.status !== this.job.status) this.inStatusSince = at;
			this.job = job;
			this.isMissedByList = false;
			this.seenRunningAt = Math.max(this.seenRunningAt, at);
			this.dueAt = this.nextLookAfter(Math.max(0, at - this.startedAt));
			return;
		}

		// It has ended, but not all that belongs to its end is shown: it is read by itself at once.
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

	/** When a job that ran at this age is looked at next. */
	private nextLookAfter(age: number): number {
		const gapMs = singleReadGapMs(this.polling.rateLimiter.requestsPerMinute);
		return this.startedAt + Math.max(this.durations.nextLookAge(age), age + gapMs);
	}

	private readFailed(read: Failed, sentAt: number): void {
		// After the deadline there is no further read, whatever comes of this one.
		if (sentAt >= this.deadline) this.readAt = sentAt;
		const saysNothing = isInconclusive(read);
		const isUnreadable = read.failure.kind === 'badResponse';
		const { unanswered, unreadable, refused } = this.failed;
		this.failed = {
			unanswered: saysNothing ? unanswered + 1 : 0,
			unreadable: isUnreadable ? unreadable + 1 : 0,
			refused: saysNothing ? refused : refused + 1,
		};
		const isRefused = !saysNothing && (!mayPass(read) || this.failed.refused >= MAX_REFUSED);
		if (isRefused || this.failed.unreadable >= MAX_UNREADABLE)
			return this.end({ ...fail(read.failure, this.job), endpoint: readerOf(this.job.object) });
		const pauseMs = saysNothing ? backoffMs(this.failed.unanswered) : TUNING.minLookMs;
		this.readsPausedUntil = this.polling.clock.monotonic() + pauseMs;
		// The pause holds for lists too: a list may not show the job either.
		this.dueAt = Math.max(this.dueAt, this.readsPausedUntil);
	}

	/**
	 * At the deadline a last read decides: the job may have ended since it was last seen, for example while
	 * the machine was asleep. The wait ends once that read has an answer, or after a minute without one.
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

/**
 * Whether a list or an event that shows the end of a job shows all that belongs to it: completed media with
 * all of their outputs. Any other end is believed only of a single read. An item whose job has failed may be
 * paid for again, so a list alone never decides that.
 */
const isComplete = (job: Resource) =>
	job.status === 'completed' && isMedia(job) && !lacksOutputs(job);

/** Something happens between these two moments. */
export interface TimeSpan {
	from: number;
	to: number;
}

/**
 * How long the jobs of one kind take, learned from those that have ended. What this buys: a list goes out
 * when jobs have ended, and not before. Without it a job of two minutes takes 8.5 requests instead of 3.9,
 * and a hundred jobs of 5 s take 5 % longer (docs/performance.md).
 *
 * An age is the time since the wait for a job began.
 */
export class JobDurations {
	/** The newest ends: at which age a job was last seen running, and at which it was seen ended. */
	private ends: Array<{ lastSeenRunning: number; ended: number }> = [];
	private shortest = 0;
	/** The longest that a job probably takes; `Infinity` as long as none has ended. */
	private longest = Infinity;
	/** The mean age at which an end was seen; `Infinity` as long as none was. */
	seenEndedMs = Infinity;
	/** Whether an event told of the last end. */
	private isEndedByEvent = false;

	/** A job has ended between two looks, or an event has told its end. */
	learn(lastSeenRunning: number, ended: number, byEvent: boolean): void {
		this.isEndedByEvent = byEvent;
		this.ends = [...this.ends, { lastSeenRunning, ended }].slice(-TUNING.knownEnds);
		this.seenEndedMs = this.ends.reduce((sum, end) => sum + end.ended, 0) / this.ends.length;
		const earliestEnd = Math.min(...this.ends.map((end) => end.ended));
		const latestRun = Math.max(...this.ends.map((end) => end.lastSeenRunning));
		if (latestRun < earliestEnd) {
			// One duration explains all ends. It lies between these two, and each look narrows the span.
			this.shortest = latestRun;
			this.longest = earliestEnd;
		} else {
			// Jobs take differently long. The shortest had ended a little before somebody looked.
			this.shortest = earliestEnd * (1 - TUNING.lookShare);
			this.longest = latestRun;
		}
	}

	/**
	 * At which ages a job will probably end that still ran at this age; `undefined` as long as nothing is
	 * known, and where an event is expected to tell it.
	 */
	span(age: number): TimeSpan | undefined {
		if (this.longest === Infinity || this.isEndedByEvent) return undefined;
		return age < this.longest
			? { from: Math.max(age, this.shortest), to: this.longest }
			: { from: age, to: age * (1 + TUNING.lookShare) };
	}

	/** The age at which a job that ran at this age is looked at again, whatever is known of its end. */
	nextLookAge(age: number): number {
		const { minLookMs, maxLookMs, lookShare } = TUNING;
		const eventBy = this.longest + minLookMs;
		if (this.isEndedByEvent && age < eventBy) return eventBy;
		if (this.span(age)) return age + maxLookMs;
		return age + Math.min(maxLookMs, Math.max(minLookMs, age * lookShare));
	}
}

/** What counts of a running job for the next look at it. */
type PolledJob = Pick<JobWait, 'dueAt' | 'expectedEnd' | 'seenEndedMs'>;

/**
 * How long the slot of a job that ends within this span has been idle by now, in the mean: its end is as
 * probable at any moment of the span as at any other.
 */
function idleSlotMs({ from, to }: TimeSpan, now: number): number {
	if (now <= from) return 0;
	return now >= to ? now - (from + to) / 2 : (now - from) ** 2 / (2 * (to - from));
}

/**
 * Whether it is time for a request that shows these jobs:
 *
 * - One of them has waited for its look long enough.
 * - Or the slots of those that have probably ended have been idle for `TUNING.idleMs` for each running job:
 *   of five jobs for 1.5 s in all, such as one slot for a second and another for half of that.
 * - Or they have been idle for a shorter time, and no other job is about to end.
 *
 * If a minute has too few requests to create each job and to list after every second end, which is one and a
 * half for each job, only the first and the last of these count: the jobs are looked at once all of them have
 * probably ended. How many are created in a minute follows from when ends are seen, and not from how long
 * jobs take: whoever sees them late has requests left to look more often.
 */
export function isPollDue(
	jobs: readonly PolledJob[],
	now: number,
	requestsPerMinute: number,
): boolean {
	if (jobs.some(({ dueAt }) => dueAt <= now)) return true;
	const spans = jobs.map(({ expectedEnd }) => expectedEnd).filter((span) => span !== undefined);
	const idle = spans.reduce((sum, span) => sum + idleSlotMs(span, now), 0);
	if (idle === 0) return false;
	const endsPerMinute = jobs.reduce((sum, { seenEndedMs }) => sum + MINUTE_MS / seenEndedMs, 0);
	const isMinuteShort = 1.5 * endsPerMinute > requestsPerMinute;
	const idleMs = isMinuteShort ? Infinity : TUNING.idleMs * jobs.length;
	const isEndNear = spans.some(({ from, to }) => now < to && from < now + idleMs);
	return idle >= idleMs || !isEndNear;
}
