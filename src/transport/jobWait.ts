import { onAbort } from '../base/abort';
import { fail, ok, type Failed, type Result } from '../base/result';
import type { Channel, Clock, Resource } from '../base/types';
import { requestResource, UNANSWERED, type Client } from './client';
import {
	isGeneration,
	isMedia,
	jobState,
	lacksOutputs,
	readerPath,
	type RunningWords,
	type TerminalStatuses,
} from './jobState';
import type { OtherClients } from './otherClients';
import type { RateLimiter } from './rateLimiter';
import { isGone, isRefusal, meaningOf } from './statuses';
import { MINUTE_MS, TUNING } from './tuning';

/** The shortest time between two lists, or two looks that failed. */
export const MIN_GAP_MS = 1_000;

/** After so many looks in a row that failed, until the next. */
export const pauseAfter = (failures: number): number =>
	Math.min(MINUTE_MS, MIN_GAP_MS * 2 ** failures);

/** Of the requests of a minute, for reads of single jobs. */
const SHARE_OF_READS = 0.5;

/** Between two reads of single jobs, whichever they are. */
export const readGapMs = ({ requestsPerMinute }: RateLimiter): number =>
	MINUTE_MS / (requestsPerMinute * SHARE_OF_READS);

/** In between something happens; in ms. */
interface Span {
	from: number;
	to: number;
}

/** What is known of how long the jobs of one kind take. Ages are in ms since the wait began. */
export class Durations {
	/** The newest ends: the ages at which a job was last seen running, and seen ended. */
	private ends: Array<{ lastSeenRunning: number; ended: number }> = [];
	private shortest = 0;
	/** The longest that one probably takes; `Infinity` where that is not known. */
	longest = Infinity;
	/** Whether the last end came by an event. */
	private isEndedByEvent = false;

	/** A job ended between two looks, or an event told at `ended`. */
	learn(lastSeenRunning: number, ended: number, byEvent: boolean): void {
		this.isEndedByEvent = byEvent;
		this.ends = [...this.ends, { lastSeenRunning, ended }].slice(-TUNING.knownEnds);
		const lowestEnd = Math.min(...this.ends.map((end) => end.ended));
		const highestRun = Math.max(...this.ends.map((end) => end.lastSeenRunning));
		this.longest = Math.max(lowestEnd, highestRun);
		// If one duration explains all ends, it lies between these two, and each look narrows the span.
		// Otherwise the shortest was a little shorter than it was seen to be.
		this.shortest = highestRun < lowestEnd ? highestRun : lowestEnd * (1 - TUNING.lookShare);
	}

	/**
	 * At which ages a job will probably end that was still running at this one; `undefined` where
	 * nothing is known, and where an event is expected.
	 */
	span(age: number): Span | undefined {
		if (this.longest === Infinity || this.isEndedByEvent) return undefined;
		return age < this.longest
			? { from: Math.max(age, this.shortest), to: this.longest }
			: { from: age, to: age * (1 + TUNING.lookShare) };
	}

	/** At which age it is looked at again at the latest. */
	nextLook(age: number): number {
		const { minLookMs, maxLookMs, lookShare } = TUNING;
		const eventBy = this.longest + minLookMs;
		if (this.isEndedByEvent && age < eventBy) return eventBy;
		if (this.span(age)) return age + maxLookMs;
		return age + Math.min(maxLookMs, Math.max(minLookMs, age * lookShare));
	}
}

/** What matters of a job for the next look at it. Times are in ms on the monotonic clock. */
export interface Watched {
	/** When it is looked at again at the latest. */
	dueAt: number;
	/** When it will probably end; `undefined` where nothing is known. */
	expectedEnd: Span | undefined;
	/** For how long one of its kind probably runs at most; `Infinity` where nothing is known. */
	longestMs: number;
}

/** How long the slot of a job that ends in this span has probably stood idle by now. */
function idleBy({ from, to }: Span, now: number): number {
	if (now <= from) return 0;
	return now >= to ? now - (from + to) / 2 : (now - from) ** 2 / (2 * (to - from));
}

/**
 * Whether a request is due that shows these jobs: one of them has waited long enough, or their slots have
 * probably stood idle for `TUNING.idleMs` each, or for a shorter time and no further end is near. Where the
 * requests of a minute do not suffice for a creation of each job and a list for every other one, they are
 * looked at once all have probably ended.
 */
export function isLookDue(
	jobs: readonly Watched[],
	now: number,
	limiter: Pick<RateLimiter, 'requestsPerMinute'>,
): boolean {
	if (jobs.some(({ dueAt }) => dueAt <= now)) return true;
	const spans = jobs.map(({ expectedEnd }) => expectedEnd).filter((span) => span !== undefined);
	const idle = spans.reduce((sum, span) => sum + idleBy(span, now), 0);
	if (idle === 0) return false;
	const endsPerMinute = jobs.reduce((sum, { longestMs }) => sum + MINUTE_MS / longestMs, 0);
	const isMinuteShort = 1.5 * endsPerMinute > limiter.requestsPerMinute;
	const idleMs = isMinuteShort ? Infinity : TUNING.idleMs * jobs.length;
	const isEndNear = spans.some(({ from, to }) => now < to && from < now + idleMs);
	return idle >= idleMs || !isEndNear;
}

/** For so long the read that decides at the deadline is waited for. */
const LAST_READ_MS = MINUTE_MS;

/**
 * The age from which a job that lists show as running is also read by itself, and again whenever its age has
 * doubled: a list may be stale for ever.
 */
const DOUBTED_FROM_MS = 3 * MINUTE_MS;

/** Reads that may end with 404 or fail in n8n: a new job may be unknown for a moment. */
const MAX_REFUSED = 3;

/** Answers in a row that are no job, although their status says that they are. */
const MAX_UNREADABLE = 3;

/** Whether a failure says nothing about the job. */
function isTransient(read: Failed): boolean {
	const { failure } = read;
	if (failure.kind === 'status')
		return meaningOf(failure.status).again !== 'never' || !isRefusal(read);
	return failure.kind === 'noResponse'
		? failure.unsent !== 'local'
		: failure.kind === 'badResponse';
}

/** Whether a failure may be for now only: the job is not known yet, or n8n's database is busy. */
const mayRecover = ({ failure }: Failed) =>
	failure.kind === 'noResponse' || (failure.kind === 'status' && isGone(failure.status));

interface FailedReads {
	/** In a row, without an answer that says anything about the job. */
	unanswered: number;
	/** In a row, whose answer was no job. */
	unreadable: number;
	refused: number;
}

/**
 * Whether an ended job as a list or an event shows it is all that there is to know of it: media that have all
 * of their outputs. Otherwise it is read by itself: an item whose job has failed is paid for again, so a list
 * alone never says so.
 */
const isComplete = (job: Resource) =>
	job.status === 'completed' && isMedia(job) && !lacksOutputs(job);

export interface WaitOptions {
	terminalStatuses?: TerminalStatuses;
	/** Where the key may read the job, if not at the endpoint of its kind. */
	path?: string;
}

/** What the waits of a workspace share. */
export interface Polling {
	client: Client;
	clock: Clock;
	rateLimiter: RateLimiter;
	others: OtherClients;
	runningWords: RunningWords;
	/** Those that have not ended. */
	waits: Set<JobWait>;
}

/**
 * Somebody who waits for the end of one job: what was seen of the job, when it is looked at next, and what
 * ends the wait. The poller asks all of them in turn. Times are in ms on the monotonic clock.
 */
export class JobWait implements Watched {
	/** Whether lists show its job. */
	readonly isListed: boolean;
	readonly deadline: number;
	dueAt: number;
	/** When the newest read of the job by itself was sent that has been answered. */
	readAt = -Infinity;
	/** Whether the newest list has left it due: without the job, or without all that belongs to its end. */
	isUnlisted = false;
	private readonly startedAt: number;
	/** When a look has last shown the job running; at first, when the wait began. */
	private seenRunningAt: number;
	/** When a look has first shown the status that it has now. */
	private inStatusSince: number;
	private isReading = false;
	/** The reads that have failed since the last one that was answered. */
	private failed: FailedReads | undefined;
	private notReadBefore = -Infinity;
	/** When the last read is given up, from the deadline on. */
	private lastReadUntil = Infinity;
	private isEndedByEvent = false;
	private readonly dispose: () => void;

	/**
	 * @param job as it was last seen
	 * @param durations what is known of jobs of its kind
	 * @param resolve hears how the wait has ended
	 */
	constructor(
		private readonly polling: Polling,
		readonly channel: Channel,
		public job: Resource,
		timeoutMs: number,
		private readonly options: WaitOptions,
		private readonly durations: Durations,
		private readonly resolve: (result: Result<Resource>) => void,
	) {
		this.isListed = isGeneration(job);
		this.startedAt = polling.clock.monotonic();
		this.deadline = this.startedAt + timeoutMs;
		this.seenRunningAt = this.startedAt;
		this.inStatusSince = this.startedAt;
		this.dueAt = this.nextLookAfter(0);
		this.dispose = onAbort(channel.signal, () => this.end(fail({ kind: 'cancelled' }, this.job)));
		polling.waits.add(this);
	}

	get isOver(): boolean {
		return !this.polling.waits.has(this);
	}

	get longestMs(): number {
		return this.durations.longest;
	}

	/** When the job will probably end, as far as that is known. */
	get expectedEnd(): Span | undefined {
		const span = this.durations.span(this.seenRunningAt - this.startedAt);
		return span && { from: this.startedAt + span.from, to: this.startedAt + span.to };
	}

	/** At the deadline a last read decides: the job may have ended since, or while the machine was asleep. */
	checkDeadline(now: number): void {
		if (now < this.deadline) return;
		this.dueAt = now;
		this.lastReadUntil = Math.min(this.lastReadUntil, now + LAST_READ_MS);
		if (this.readAt < this.deadline && now < this.lastReadUntil) return;
		const waitedMs = this.deadline - this.startedAt;
		const inStatusMs = Math.max(0, this.deadline - this.inStatusSince);
		this.end(fail({ kind: 'deadline', waitedMs, inStatusMs }, this.job));
	}

	/** Whether a look at this job alone is due. */
	isDue(now: number): boolean {
		return isLookDue([this], now, this.polling.rateLimiter);
	}

	/**
	 * Whether the job is to be read by itself.
	 * @param isCovered whether lists look after it
	 */
	needsRead(isCovered: boolean, now: number): boolean {
		if (this.isReading || now < this.notReadBefore) return false;
		const doubtedFrom =
			this.startedAt + Math.max(DOUBTED_FROM_MS, 2 * (this.readAt - this.startedAt));
		if (now >= this.deadline || now >= doubtedFrom) return true;
		return isCovered ? this.isUnlisted : this.isDue(now);
	}

	/** Reads the job by itself. */
	async read(): Promise<void> {
		const { client, clock } = this.polling;
		const path = this.options.path ?? readerPath(this.job);
		let sentAt = clock.monotonic();
		const onSending = () => {
			sentAt = clock.monotonic();
		};
		this.isReading = true;
		const request = { method: 'GET', path } as const;
		const options = { retry: false, onSending };
		const read = await requestResource(client, this.channel, request, options).catch(
			() => UNANSWERED,
		);
		this.isReading = false;
		if (!read.ok) return this.readFailed(read, sentAt);
		this.failed = undefined;
		this.readAt = sentAt;
		this.see(read.value, sentAt, 'read');
	}

	/** Takes note of the job as it was at that time; only a read shows all of it for certain. */
	see(shown: Resource, at: number, by: 'read' | 'list' | 'event'): void {
		if (this.isOver) return;
		const job = { ...shown, id: this.job.id, object: this.job.object };
		const state = jobState(job, this.options.terminalStatuses);
		const { others, runningWords } = this.polling;
		if (state === 'good' && this.isListed) runningWords.learn(this.job);
		if (!runningWords.holdsSlot(job)) others.onIdle([job.id]);
		if (by === 'event') this.isEndedByEvent = state !== 'running';
		if (state === 'running') {
			if (shown.status !== this.job.status) this.inStatusSince = at;
			this.job = job;
			this.isUnlisted = false;
			this.seenRunningAt = Math.max(this.seenRunningAt, at);
			this.dueAt = this.nextLookAfter(Math.max(0, at - this.startedAt));
			return;
		}
		if (by !== 'read' && !isComplete(job)) {
			this.dueAt = at;
			return;
		}
		if (state === 'good') this.learn(at);
		this.end(ok(job));
	}

	private learn(endedAt: number): void {
		const ranFor = this.seenRunningAt - this.startedAt;
		const tookAtMost = Math.max(0, endedAt - this.startedAt);
		this.durations.learn(ranFor, tookAtMost, this.isEndedByEvent);
	}

	private nextLookAfter(age: number): number {
		return (
			this.startedAt +
			Math.max(this.durations.nextLook(age), age + readGapMs(this.polling.rateLimiter))
		);
	}

	private readFailed(read: Failed, sentAt: number): void {
		// At the deadline one read is enough, whatever comes of it.
		if (sentAt >= this.deadline) this.readAt = sentAt;
		const isOpen = isTransient(read);
		this.failed ??= { unanswered: 0, unreadable: 0, refused: 0 };
		const { failed } = this;
		failed.unreadable = read.failure.kind === 'badResponse' ? failed.unreadable + 1 : 0;
		failed.unanswered = isOpen ? failed.unanswered + 1 : 0;
		failed.refused += isOpen ? 0 : 1;
		const isRefused = !isOpen && (!mayRecover(read) || failed.refused >= MAX_REFUSED);
		if (isRefused || failed.unreadable >= MAX_UNREADABLE)
			return this.end(fail(read.failure, this.job));
		const pauseMs = isOpen ? pauseAfter(failed.unanswered) : TUNING.minLookMs;
		this.notReadBefore = this.polling.clock.monotonic() + pauseMs;
		// Nor does it call for a list that may not show the job either.
		this.dueAt = Math.max(this.dueAt, this.notReadBefore);
	}

	private end(result: Result<Resource>): void {
		this.dispose();
		this.polling.waits.delete(this);
		this.resolve(result);
	}
}
