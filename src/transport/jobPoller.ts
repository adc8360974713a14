import { ENDPOINTS, LIMITS } from '../api';
import { BoundedMap } from '../base/boundedMap';
import { fail, ok, type Failed, type Result } from '../base/result';
import {
	asText,
	isResource,
	type Channel,
	type Clock,
	type Resource,
	type Send,
} from '../base/types';
import { onAbort } from '../base/abort';
import { WakeUp } from '../base/wakeUp';
import { requestResource, type Client } from './client';
import { pageOf } from './pages';
import { isGone, isRefusal, meaningOf, refusalOf } from './statuses';
import type { OtherClients } from './otherClients';
import type { RateLimiter } from './rateLimiter';
import { MINUTE_MS, TUNING } from './tuning';
import {
	isGeneration,
	isMedia,
	jobState,
	lacksOutputs,
	readerPath,
	statedReason,
	type TerminalStatuses,
} from './jobState';
import { Durations, idleWorthALook, isWorthALook } from './pollRule';

/**
 * The shortest time between two lists, or two looks that failed; it doubles with each in a row that fails.
 */
const MIN_GAP_MS = 1_000;

/** How often it is decided what to read next. */
const POLL_TICK_MS = 250;

/** Of the requests of a minute, for reads of single jobs by age. */
const MAX_SHARE = 0.5;

/** Time limit of the look that a deadline calls for. */
const FINAL_LOOK_MS = MINUTE_MS;

/** Reads that may end with 404 or fail in n8n: a new job may be unknown for a moment. */
const MAX_FAILED_READS = 3;

/** Answers in a row that are no job, although their status says that they are. */
const MAX_UNREADABLE = 3;

/** Reads that may go out at once: as many as the default number of slots. */
const MAX_READS = 5;

/** A list that takes longer counts as failed, so that it holds up nobody. */
const LIST_PATIENCE_MS = 10_000;

/**
 * The age from which a job that lists show as running is also read by itself, and again whenever
 * its age has doubled: a list may be stale for ever.
 */
const READ_FROM_AGE_MS = 3 * MINUTE_MS;

/** A service that names each job's model differently must not fill the memory. */
const MAX_KINDS = 1_000;

/**
 * With these a job holds a slot (specification: States and transitions). One with an unknown word, such as
 * `canceled`, may have ended: it is waited for, and holds nothing.
 */
const KNOWN_RUNNING = new Set<unknown>(['queued', 'pending']);

interface WaitOptions {
	terminalStatuses?: TerminalStatuses;
	/** Where the key may read the job, if not at the endpoint of its kind. */
	path?: string;
}

/** A caller that waits for a job to end. Times are in ms on the monotonic clock. */
interface Waiter {
	options: WaitOptions;
	job: Resource;
	channel: Channel;
	durations: Durations;
	startedAt: number;
	deadline: number;
	/** When its last look is given up; `Infinity` before the deadline. */
	giveUpAt: number;
	/** The age at which it was last seen running; 0 before the first look. */
	lastSeenRunningAge: number;
	/** When it is looked at again at the latest, by a list or by itself. */
	dueAt: number;
	/** Whether the newest list has not shown it, or not all that belongs to its end. */
	isUnlisted: boolean;
	/** When the newest read of it by itself was sent that has been answered. */
	readAt: number;
	isReading: boolean;
	/** Before this it is not read again, because reads of it have failed. */
	notBefore: number;
	/** Reads in a row without an answer. */
	unanswered: number;
	/** Reads in a row whose answer was no job. */
	unreadable: number;
	/** Reads that were refused, or failed in n8n. */
	failedReads: number;
	/** Whether an event has said that the job has ended. */
	endedByEvent: boolean;
	resolve: (result: Result<Resource>) => void;
	dispose: () => void;
}

/** Names the jobs that usually take about the same time. */
const groupOf = ({ object, mode, model }: Resource) => [object, mode, model].map(asText).join(' ');

/** Whether a failure says nothing about the job. */
function isTransient(failed: Failed): boolean {
	const { failure } = failed;
	if (failure.kind === 'status')
		return meaningOf(failure.status).again !== 'never' || !isRefusal(failed);
	return failure.kind === 'noResponse'
		? failure.unsent !== 'local'
		: failure.kind === 'badResponse';
}

/** Whether a failure may be for now only: the job is not known yet, or n8n's database is busy. */
const mayRecover = ({ failure }: Failed) =>
	failure.kind === 'noResponse' || (failure.kind === 'status' && isGone(failure.status));

/**
 * Whether an ended job as a list or an event shows it is all that there is to know of it: it has failed
 * for a reason that is stated, or media have all of their outputs. Otherwise it must be read by itself.
 */
function isComplete(job: Resource): boolean {
	if (job.status === 'failed') return statedReason(job) !== undefined;
	return job.status === 'completed' && isMedia(job) && !lacksOutputs(job);
}

/** When jobs will probably end, as far as that is known. */
const spansOf = (waiters: readonly Waiter[]) =>
	waiters.flatMap(({ durations, startedAt, lastSeenRunningAge }) => {
		const span = durations.span(lastSeenRunningAge);
		return span ? [{ from: startedAt + span.from, to: startedAt + span.to }] : [];
	});

/** When a request was sent, which may have been queued before: its answer shows the state of then. */
interface Sending {
	isSent: boolean;
	sentAt: number;
	onSending: () => void;
}

/** What comes of a request that throws. */
const UNANSWERED = fail({
	kind: 'noResponse',
	reason: 'the request failed',
	attempts: 1,
	outcomeUnknown: false,
});

/**
 * A token bucket: a read every `gapMs`, and up to `burst` at once after a pause. Times in ms on the monotonic
 * clock.
 */
class ReadBudget {
	private nextAt = -Infinity;

	constructor(private readonly burst: number) {}

	/** @returns whether a read may go out now */
	take(now: number, gapMs: number): boolean {
		if (now < this.nextAt - (this.burst - 1) * gapMs) return false;
		this.nextAt = Math.max(now, this.nextAt) + gapMs;
		return true;
	}

	giveBack(gapMs: number): void {
		this.nextAt -= gapMs;
	}
}

/** What is left to wait after so many failures in a row. */
const backoffMs = (failures: number) =>
	failures === 0 ? 0 : Math.min(MINUTE_MS, MIN_GAP_MS * 2 ** failures);

/**
 * Waits for jobs to end, one poller per workspace and process. A single list request covers all
 * generations in flight; jobs that it does not show are read one by one. `pollRule.ts` says when. A
 * wait ends with the job's end, a final refusal, three answers in a row that are no job, the deadline
 * or a cancel, never with a transient fault.
 *
 * Whatever fails holds up only itself: a job whose reads fail or hang is read more rarely, and so are
 * lists, while jobs are then read one by one. Lists go out over the channels of the waits in turn,
 * because the time limit and proxy of a channel are those of its node. A list may end a wait, but
 * only the job itself lets it last: it is read at its deadline, and from time to time before.
 */
export class JobPoller {
	private readonly waiters = new Set<Waiter>();
	private readonly known = new BoundedMap<string, Durations>(MAX_KINDS);
	private readonly wakeUp: WakeUp;

	/** The list that is on its way, if its answer is still awaited. */
	private listOut: Sending | undefined;
	/** Lists in a row without an answer. */
	private unansweredLists = 0;
	/**
	 * Whether the last one was refused for the requests of the minute: then reading each job is no way out.
	 */
	private isListThrottled = false;
	private nextListAt = -Infinity;
	/** When the newest list that has been answered was sent. */
	private listedAt = -Infinity;
	/** When each way of sending last sent a list. */
	private readonly listSentAt = new WeakMap<Send, number>();
	/** Keeps reads by age within their share of the requests. */
	private readonly budget = new ReadBudget(MAX_READS);

	constructor(
		private readonly client: Client,
		private readonly rateLimiter: RateLimiter,
		private readonly clock: Clock,
		private readonly others: OtherClients,
	) {
		this.wakeUp = new WakeUp(clock, () => this.tick());
	}

	/**
	 * Waits until a job has ended, well or badly. Fails with the job as it was last seen: at the
	 * deadline, when cancelled, when it cannot be read. Not `async`: thousands may wait.
	 */
	wait(
		channel: Channel,
		job: Resource,
		timeoutMs: number,
		options: WaitOptions = {},
	): Promise<Result<Resource>> {
		if (jobState(job, options.terminalStatuses) !== 'running') return Promise.resolve(ok(job));
		if (channel.signal?.aborted) return Promise.resolve(fail({ kind: 'cancelled' }, job));
		return new Promise((resolve) => {
			const startedAt = this.clock.monotonic();
			const durations = this.known.get(groupOf(job)) ?? new Durations();
			this.known.set(groupOf(job), durations);
			const waiter: Waiter = {
				options,
				job,
				channel,
				durations,
				startedAt,
				deadline: startedAt + timeoutMs,
				giveUpAt: Infinity,
				lastSeenRunningAge: 0,
				dueAt: this.nextLook(durations, startedAt, 0),
				isUnlisted: false,
				readAt: -Infinity,
				isReading: false,
				notBefore: -Infinity,
				unanswered: 0,
				unreadable: 0,
				failedReads: 0,
				endedByEvent: false,
				resolve,
				dispose: onAbort(channel.signal, () =>
					this.settle(waiter, fail({ kind: 'cancelled' }, waiter.job)),
				),
			};
			this.waiters.add(waiter);
			this.wakeUp.set(startedAt + POLL_TICK_MS);
		});
	}

	/**
	 * Passes on a job as a verified event shows it. A wait for it ends at once if the job has ended, or
	 * looks at once if its outputs are missing here.
	 */
	notify(job: Resource): void {
		for (const waiter of [...this.waiters].filter((each) => each.job.id === job.id)) {
			waiter.endedByEvent = jobState(job, waiter.options.terminalStatuses) !== 'running';
			this.observe(waiter, job, this.clock.monotonic());
		}
	}

	/** Requests a list, whether or not any job is due, unless lists must wait. */
	list(channel: Channel): void {
		const now = this.clock.monotonic();
		if (this.mayList(now)) void this.sendList(channel, now);
	}

	get isIdle(): boolean {
		return this.waiters.size === 0;
	}

	private settle(waiter: Waiter, result: Result<Resource>): void {
		waiter.dispose();
		this.waiters.delete(waiter);
		waiter.resolve(result);
	}

	/** Awaits no request, because deadlines must hold even while one hangs. */
	private tick(): void {
		const now = this.clock.monotonic();
		for (const waiter of this.waiters) this.checkDeadline(waiter, now);
		const { listOut, listable } = this;
		if (listOut?.isSent && now - listOut.sentAt >= LIST_PATIENCE_MS) this.listFailed(now);
		const shown = listable.filter(({ isUnlisted }) => !isUnlisted);
		if (this.mayList(now) && shown.length > 0 && this.isDue(shown, this.listedAt, now))
			void this.sendList(this.channelFor(listable), now);
		// A list that is about to be answered may show the jobs.
		if (!this.listOut) this.readDue(listable, now);
		if (!this.isIdle) this.wakeUp.set(now + POLL_TICK_MS);
	}

	/** A last read decides: the job may have ended since, or while the machine was asleep. */
	private checkDeadline(waiter: Waiter, now: number): void {
		const { deadline, startedAt, readAt, job } = waiter;
		if (now < deadline) return;
		waiter.dueAt = now;
		waiter.giveUpAt = Math.min(waiter.giveUpAt, now + FINAL_LOOK_MS);
		if (readAt >= deadline || now >= waiter.giveUpAt)
			this.settle(waiter, fail({ kind: 'deadline', waitedMs: deadline - startedAt }, job));
	}

	/** Between two looks by age, in ms, so that they take no more than their share of the requests. */
	private get gapByAgeMs(): number {
		return MINUTE_MS / (this.rateLimiter.limit * MAX_SHARE);
	}

	/**
	 * Between two lists. While others are there, who has more jobs lists more often: it has more ends to see.
	 */
	private get listGapMs(): number {
		if (!this.others.areThere(this.clock.monotonic())) return MIN_GAP_MS;
		const jobs = Math.max(TUNING.leastJobsToList, this.generations.length);
		return MINUTE_MS / (this.rateLimiter.requestsPerMinute * TUNING.listShareOfJob * jobs);
	}

	private nextLook(durations: Durations, startedAt: number, age: number): number {
		return startedAt + Math.max(durations.nextLook(age), age + this.gapByAgeMs);
	}

	private get generations(): Waiter[] {
		return [...this.waiters].filter(({ job }) => isGeneration(job));
	}

	/**
	 * Those whose jobs a list covers. A single one is read by itself, unless others use the workspace:
	 * then a list shows them, too.
	 */
	private get listable(): Waiter[] {
		const { generations } = this;
		const isShared = this.others.areThere(this.clock.monotonic());
		return generations.length > 1 || isShared ? generations : [];
	}

	/** Whether a request is due that shows these jobs, which were last looked at then. */
	private isDue(waiters: readonly Waiter[], lookedAt: number, now: number): boolean {
		if (waiters.some(({ dueAt }) => dueAt <= now)) return true;
		const takes = waiters.map(({ durations }) => durations.longest);
		const idleMs = idleWorthALook(takes, this.rateLimiter.requestsPerMinute);
		return isWorthALook(spansOf(waiters), lookedAt, now, idleMs);
	}

	private mayList(now: number): boolean {
		return !this.listOut && now >= this.nextListAt;
	}

	/** That of the wait whose way of sending was used least recently. */
	private channelFor(waiters: readonly Waiter[]): Channel {
		const usedAt = ({ channel }: Waiter) => this.listSentAt.get(channel.send) ?? -Infinity;
		const [first] = [...waiters].sort((one, other) => usedAt(one) - usedAt(other));
		return (first as Waiter).channel;
	}

	private listFailed(now: number, isThrottled = false): void {
		this.listOut = undefined;
		this.isListThrottled = isThrottled;
		this.unansweredLists += 1;
		this.nextListAt = now + backoffMs(this.unansweredLists);
	}

	/** Requests the newest generations, one full page of the list. */
	private async sendList(channel: Channel, now: number): Promise<void> {
		const sending = this.sending();
		this.listOut = sending;
		this.listSentAt.set(channel.send, now);
		const query = { limit: LIMITS.listLimit.max };
		const request = { method: 'GET', path: ENDPOINTS.listGenerations.path, query } as const;
		const page = await this.client
			.request(channel, request, { retry: false, onSending: sending.onSending })
			.catch((): Failed => UNANSWERED);
		const isAwaited = this.listOut === sending;
		const end = this.clock.monotonic();
		if (page.ok) {
			if (isAwaited) this.listOut = undefined;
			this.unansweredLists = 0;
			this.nextListAt = Math.max(sending.sentAt + this.listGapMs, end + MIN_GAP_MS);
			this.listed(page.value.body, sending.sentAt);
		} else if (isAwaited && page.failure.kind === 'cancelled') this.listOut = undefined;
		else if (isAwaited) this.listFailed(end, refusalOf(page) === 'throttled');
	}

	/** @param sentAt when the list was requested */
	private listed(body: unknown, sentAt: number): void {
		const jobs = pageOf(body).entries.filter(isResource);
		const byId = new Map(jobs.map((job) => [job.id, job]));
		this.listedAt = Math.max(this.listedAt, sentAt);
		for (const waiter of this.waiters) {
			const job = byId.get(waiter.job.id);
			if (job) this.observe(waiter, job, sentAt);
			waiter.isUnlisted = this.isDueAlone(waiter, this.clock.monotonic());
		}
		const idsWhere = (isRunning: boolean) =>
			jobs.filter((job) => KNOWN_RUNNING.has(job.status) === isRunning).map(({ id }) => id);
		this.others.listed(idsWhere(true), sentAt, idsWhere(false));
	}

	private isDueAlone(waiter: Waiter, now: number): boolean {
		return this.isDue([waiter], waiter.startedAt + waiter.lastSeenRunningAge, now);
	}

	/** Whether a job is to be read by itself. */
	private needsRead(waiter: Waiter, isListed: boolean, now: number): boolean {
		const { startedAt, readAt, deadline, notBefore, isReading, isUnlisted } = waiter;
		if (isReading || now < notBefore) return false;
		const staleFrom = Math.max(READ_FROM_AGE_MS, 2 * (readAt - startedAt));
		if (now >= deadline || now - startedAt >= staleFrom) return true;
		return isListed ? isUnlisted : this.isDueAlone(waiter, now);
	}

	/** Reads the due jobs that no list shows, longest ago first, so that each has its turn. */
	private readDue(listable: readonly Waiter[], now: number): void {
		const areListsLost = this.unansweredLists > 0 && !this.isListThrottled;
		const listed = new Set(areListsLost ? [] : listable);
		const due = [...this.waiters]
			.filter((waiter) => this.needsRead(waiter, listed.has(waiter), now))
			.sort((one, other) => one.readAt - other.readAt);
		for (const waiter of due) {
			// At their deadlines they are read once each, however many they are.
			if (now >= waiter.deadline || this.budget.take(now, this.gapByAgeMs))
				void this.readOne(waiter);
		}
	}

	private async readOne(waiter: Waiter): Promise<void> {
		const { job, channel } = waiter;
		const request = { method: 'GET', path: waiter.options.path ?? readerPath(job) } as const;
		const sending = this.sending();
		const options = { retry: false, onSending: sending.onSending };
		waiter.isReading = true;
		const read = await requestResource(this.client, channel, request, options).catch(
			(): Failed => UNANSWERED,
		);
		waiter.isReading = false;
		if (read.ok) {
			const sound = { unanswered: 0, unreadable: 0, failedReads: 0 };
			Object.assign(waiter, sound, { readAt: sending.sentAt });
			this.observe(waiter, read.value, sending.sentAt, true);
			// It has made room for the next one.
			if (!this.waiters.has(waiter)) this.budget.giveBack(this.gapByAgeMs);
			return;
		}
		this.readFailed(waiter, read, sending.sentAt);
	}

	private readFailed(waiter: Waiter, read: Failed, sentAt: number): void {
		const now = this.clock.monotonic();
		// At the deadline one read is enough, whatever comes of it.
		if (sentAt >= waiter.deadline) waiter.readAt = sentAt;
		waiter.unreadable = read.failure.kind === 'badResponse' ? waiter.unreadable + 1 : 0;
		if (waiter.unreadable >= MAX_UNREADABLE)
			return this.settle(waiter, fail(read.failure, waiter.job));
		if (isTransient(read)) {
			waiter.unanswered += 1;
			waiter.notBefore = now + backoffMs(waiter.unanswered);
			// Nor does it call for a list that may not show it either.
			waiter.dueAt = Math.max(waiter.dueAt, waiter.notBefore);
			return;
		}
		waiter.unanswered = 0;
		waiter.notBefore = sentAt + TUNING.minLookMs;
		waiter.dueAt = Math.max(waiter.dueAt, waiter.notBefore);
		waiter.failedReads += 1;
		if (!mayRecover(read) || waiter.failedReads >= MAX_FAILED_READS)
			this.settle(waiter, fail(read.failure, waiter.job));
	}

	private sending(): Sending {
		const sending: Sending = {
			isSent: false,
			sentAt: this.clock.monotonic(),
			onSending: () => {
				sending.isSent = true;
				sending.sentAt = this.clock.monotonic();
			},
		};
		return sending;
	}

	/** @param isRead whether it was read by itself, which shows all of it */
	private observe(waiter: Waiter, observed: Resource, at: number, isRead = false): void {
		if (!this.waiters.has(waiter)) return;
		const { durations, startedAt, options, endedByEvent } = waiter;
		const job = { ...observed, id: waiter.job.id, object: waiter.job.object };
		const state = jobState(job, options.terminalStatuses);
		const age = Math.max(0, at - startedAt);
		if (state === 'running') {
			waiter.job = job;
			waiter.lastSeenRunningAge = Math.max(waiter.lastSeenRunningAge, age);
			waiter.isUnlisted = false;
			waiter.dueAt = this.nextLook(durations, startedAt, age);
		} else if (isRead || isComplete(job)) {
			if (state === 'good') durations.learn(waiter.lastSeenRunningAge, age, endedByEvent);
			this.settle(waiter, ok(job));
		} else waiter.dueAt = at;
	}
}
