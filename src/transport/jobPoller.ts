import { ENDPOINTS, LIMITS } from '../api';
import { BoundedMap } from '../base/boundedMap';
import { fail, ok, type Result } from '../base/result';
import {
	asText,
	isResource,
	type Channel,
	type Clock,
	type Resource,
	type Send,
} from '../base/types';
import { WakeUp } from '../base/wakeUp';
import { UNANSWERED, type Client } from './client';
import { jobState, RunningWords } from './jobState';
import {
	Durations,
	isLookDue,
	JobWait,
	MIN_GAP_MS,
	pauseAfter,
	readGapMs,
	type Polling,
	type WaitOptions,
} from './jobWait';
import type { OtherClients } from './otherClients';
import { mustBeList, pageOf } from './pages';
import type { RateLimiter } from './rateLimiter';
import { refusalOf } from './statuses';
import { MINUTE_MS, TUNING } from './tuning';

/** How often it is decided what to read next. */
const TICK_MS = 250;

/** A service that names each job's model differently must not fill the memory. */
const MAX_KINDS = 1_000;

/** A list that takes longer counts as failed, so that it holds up nobody. */
const PATIENCE_MS = 10_000;

/** Reads that may go out at once after a pause: as many as the default number of slots. */
const READS_AT_ONCE = 5;

/** Names the jobs that usually take about the same time. */
const kindOf = ({ object, mode, model }: Resource) => [object, mode, model].map(asText).join(' ');

/**
 * Waits for jobs to end, one poller for a workspace and process. Each tick decides what to read:
 *
 * - A list answers for all generations in flight, if there are several. It is due as soon as one of them is
 *   (`isLookDue`). One is under way at a time, and each that fails makes the next wait longer.
 * - A job is read by itself if no list looks after it: it is the only one or no generation, the list has left
 *   it out or shown its end without all that belongs to it, lists get no answer, or they have shown the job
 *   as running for so long that they may be wrong. All these reads together take half of the requests of a
 *   minute: one every `readGapMs`, and a few at once after a pause. Lists and last reads at a deadline take
 *   nothing from that.
 *
 * A wait (`jobWait.ts`) ends with the end of its job, at its deadline, by a cancel, by a refusal that will
 * not change, or by three answers in a row that are no job: never by a fault of the network or of the
 * service. Whatever fails holds up only itself. Times are in ms on the monotonic clock.
 */
export class JobPoller {
	private readonly waits = new Set<JobWait>();
	private readonly polling: Polling;
	private readonly known = new BoundedMap<string, Durations>(MAX_KINDS);
	/** The list whose answer is awaited. Before it is sent, it may be queued. */
	private awaitedList: { sentAt: number } | undefined;
	/** Lists that have failed in a row, and whether the last of them was refused with 429. */
	private failedLists = 0;
	private isListThrottled = false;
	private nextListAt = -Infinity;
	private readonly lastListOver = new WeakMap<Send, number>();
	/** When the next read of a single job is due, at the pace of their share. */
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
		const durations = this.known.get(kindOf(job)) ?? new Durations();
		this.known.set(kindOf(job), durations);
		this.wakeUp.set(this.clock.monotonic() + TICK_MS);
		return new Promise((resolve) => {
			new JobWait(this.polling, channel, job, timeoutMs, options, durations, resolve);
		});
	}

	/**
	 * Passes on a job as a verified event shows it. A wait for it ends at once if the job has ended, or
	 * looks at once if its outputs are missing here.
	 */
	notify(job: Resource): void {
		for (const wait of [...this.waits].filter((each) => each.job.id === job.id))
			wait.see(job, this.clock.monotonic(), 'event');
	}

	/** A job that somebody waits for, as it was last seen. */
	seen(id: string): Resource | undefined {
		return [...this.waits].find(({ job }) => job.id === id)?.job;
	}

	/** Requests a list, whether or not any job is due, unless lists must wait. */
	list(channel: Channel): void {
		if (this.mayList(this.clock.monotonic())) void this.requestList([channel]);
	}

	get isIdle(): boolean {
		return this.waits.size === 0;
	}

	/** Awaits no request, because deadlines must hold even while one hangs. */
	private tick(): void {
		const now = this.clock.monotonic();
		for (const wait of this.waits) wait.checkDeadline(now);
		if (this.awaitedList && now - this.awaitedList.sentAt >= PATIENCE_MS)
			this.listFailed(now, false);
		const listable = this.listable(now);
		if (listable.length > 0 && this.mayList(now)) {
			const shown = listable.filter(({ isUnlisted }) => !isUnlisted);
			if (isLookDue(shown, now, this.rateLimiter))
				void this.requestList(listable.map(({ channel }) => channel));
		}
		// A list that is about to be answered may show the jobs.
		if (!this.awaitedList) this.readSingly(listable, now);
		if (!this.isIdle) this.wakeUp.set(now + TICK_MS);
	}

	/**
	 * Those whose jobs a list covers. A single one is read by itself, unless others use the workspace:
	 * then a list shows them, too.
	 */
	private listable(now: number): JobWait[] {
		const listed = [...this.waits].filter(({ isListed }) => isListed);
		return listed.length > 1 || now < this.others.thereUntil ? listed : [];
	}

	private mayList(now: number): boolean {
		return !this.awaitedList && now >= this.nextListAt;
	}

	/**
	 * Requests a full page of the newest generations over the channel that was used least recently: its time
	 * limit and proxy are those of its node, which may be wrong.
	 */
	private async requestList(channels: readonly Channel[]): Promise<void> {
		const usedAt = ({ send }: Channel) => this.lastListOver.get(send) ?? -Infinity;
		const channel = channels.reduce((least, each) => (usedAt(each) < usedAt(least) ? each : least));
		this.lastListOver.set(channel.send, this.clock.monotonic());
		const list = { sentAt: Infinity };
		this.awaitedList = list;
		const onSending = () => {
			list.sentAt = this.clock.monotonic();
		};
		const query = { limit: LIMITS.listLimit.max };
		const request = { method: 'GET', path: ENDPOINTS.listGenerations.path, query } as const;
		const page = await this.client
			.request(channel, request, { retry: false, onSending, validate: mustBeList })
			.catch(() => UNANSWERED);
		const now = this.clock.monotonic();
		// One that was given up may be answered after all, while the next is under way.
		const isAwaited = this.awaitedList === list;
		if (isAwaited) this.awaitedList = undefined;
		if (page.ok) {
			this.failedLists = 0;
			this.nextListAt = Math.max(list.sentAt + this.listGapMs(now), now + MIN_GAP_MS);
			this.listed(pageOf(page.value.body).entries.filter(isResource), list.sentAt);
		} else if (isAwaited && page.failure.kind !== 'cancelled')
			this.listFailed(now, refusalOf(page) === 'throttled');
	}

	private listFailed(now: number, isThrottled: boolean): void {
		this.awaitedList = undefined;
		this.isListThrottled = isThrottled;
		this.failedLists += 1;
		this.nextListAt = now + pauseAfter(this.failedLists);
	}

	/**
	 * Between two lists. While others are there, who has more jobs lists more often: it has more ends to see.
	 */
	private listGapMs(now: number): number {
		if (now >= this.others.thereUntil) return MIN_GAP_MS;
		const jobs = Math.max(TUNING.leastJobsToList, this.listable(now).length);
		return MINUTE_MS / (this.rateLimiter.requestsPerMinute * TUNING.listShareOfJob * jobs);
	}

	private listed(jobs: readonly Resource[], sentAt: number): void {
		const byId = new Map(jobs.map((job) => [job.id, job]));
		for (const wait of this.waits) {
			const job = byId.get(wait.job.id);
			if (job) wait.see(job, sentAt, 'list');
			wait.isUnlisted = wait.isDue(this.clock.monotonic());
		}
		const { runningWords } = this.polling;
		const idsWhere = (isRunning: boolean) =>
			jobs.filter((job) => runningWords.holdsSlot(job) === isRunning).map(({ id }) => id);
		this.others.listed(idsWhere(true), sentAt, idsWhere(false));
	}

	/** Reads the due jobs that no list looks after, longest ago first, so that each has its turn. */
	private readSingly(listable: readonly JobWait[], now: number): void {
		// Refused for the requests of the minute, lists have no better way out.
		const areListsLost = this.failedLists > 0 && !this.isListThrottled;
		const covered = new Set(areListsLost ? [] : listable);
		const due = [...this.waits]
			.filter((wait) => wait.needsRead(covered.has(wait), now))
			.sort((one, other) => one.readAt - other.readAt);
		if (due.length === 0) return;
		const gapMs = readGapMs(this.rateLimiter);
		for (const wait of due) {
			// At their deadlines they are read once each, however many they are.
			if (now >= wait.deadline) void wait.read();
			else if (now >= this.nextReadAt - (READS_AT_ONCE - 1) * gapMs) {
				this.nextReadAt = Math.max(now, this.nextReadAt) + gapMs;
				void this.readOne(wait, gapMs);
			}
		}
	}

	/** @param tookMs what it has taken of the share of all reads */
	private async readOne(wait: JobWait, tookMs: number): Promise<void> {
		await wait.read();
		// One that has ended its wait makes room for the next.
		if (wait.isOver) this.nextReadAt -= tookMs;
	}
}
