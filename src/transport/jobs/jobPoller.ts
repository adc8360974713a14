import { offAbort, onAbort, type AbortListener } from '../base/abortListeners';
import { fail, ok, type Result } from '../base/result';
import type { Channel, Clock, Resource } from '../base/types';
import { WakeUp } from '../base/wakeUp';
import type { Client } from '../http/client';
import type { JobWatch } from '../limits/jobSlots';
import type { OtherClients } from '../limits/otherClients';
import type { RateLimiter } from '../limits/rateLimiter';
import { GIVE_UP_MS, MINUTE_MS, TUNING } from '../limits/tuning';
import { isGeneration, jobState, type TerminalStatuses } from './jobState';
import { idleUntil, idleWorthAList, KnownDurations, type Durations, type Span } from './pollRule';
import { isComplete, isLocal, isNotFound, isTransient, readJob, readNewest } from './readJob';

/** Between two polls, in ms: the time in which the default rate allows one request. */
const MIN_GAP_MS = 1_000;

/** The largest part of the requests of a minute that polls by age take. */
const MAX_SHARE = 0.5;

/** Time limit of the poll that a deadline calls for, in ms. */
const FINAL_POLL_MS = MINUTE_MS;

/** Reads of a job that may end with 404 or fail in n8n before its wait fails: a new job may be unknown for a moment. */
const MAX_FAILED_READS = 3;

/** After this many lists in a row without a response, jobs are read one by one. */
const MAX_FAILED_LISTS = 2;

/** Jobs read one by one in a single poll, as many as the default number of slots; the others follow in the next. */
const MAX_READS = 5;

/** What is known of a job besides its resource. */
export interface WaitOptions {
	/** The statuses that end an agent run. */
	terminalStatuses?: TerminalStatuses;
	/**
	 * Where the job is read, if not at the endpoint of its kind: the key may only be allowed to read
	 * it there.
	 */
	path?: string;
	/** Whether the job may have ended long ago, so that it is polled at once. */
	isOld?: boolean;
}

/** A caller that waits for a job to end. Times are in ms on the monotonic clock. */
interface Waiter extends WaitOptions {
	job: Resource;
	channel: Channel;
	durations: Durations;
	startedAt: number;
	deadline: number;
	/** The age at which it was last seen running; 0 before the first look. */
	ran: number;
	/** When it is looked at again at the latest. */
	dueAt: number;
	/** When it was last asked for, with or without a response. */
	askedAt: number;
	/** When its final poll is given up; `undefined` before the deadline. */
	finalPollBy?: number;
	failedReads: number;
	/** Whether an event has said that the job has ended. */
	isPushed: boolean;
	resolve: (result: Result<Resource>) => void;
	/** What the signal of the channel calls. */
	cancel: AbortListener;
}

/** The service may send anything here, such as an object that cannot be converted to a string. */
const nameOf = (value: unknown): string => (typeof value === 'string' ? value : typeof value);

/** Jobs that usually take about the same time. */
const kindOf = ({ object, mode, model }: Resource) => [object, mode, model].map(nameOf).join(' ');

/** What a request has brought: nothing usable, a job that still runs, or anything else. */
type Answer = 'none' | 'running' | 'other';

/** When a job may end; `undefined` where that is not known. */
function spanOf({ durations, startedAt, ran, isOld }: Waiter): Span | undefined {
	const span = isOld ? undefined : durations.span(ran);
	return span && { from: startedAt + span.from, to: startedAt + span.to };
}

/** When a job is due that is read by itself. */
function dueAlone(waiter: Waiter): number {
	const span = spanOf(waiter);
	if (!span) return waiter.dueAt;
	return Math.min(waiter.dueAt, idleUntil([span], waiter.startedAt + waiter.ran, TUNING.idleMs));
}

/**
 * Waits for jobs to end. One poller per workspace and process: a single list request covers all
 * generations in flight, jobs missing from it are read one by one, and every waiter settles as soon
 * as its job has ended. When to look, `pollRule.ts` says. A wait ends only with the job's end, a
 * final refusal, the deadline or a cancel, never with a transient fault.
 */
export class JobPoller implements JobWatch {
	private readonly waiters = new Set<Waiter>();

	private readonly known = new KnownDurations();

	private readonly wakeUp: WakeUp;

	private isPolling = false;

	/** For whom a list is requested next, whether or not any job is due. */
	private listFor: Channel | undefined;

	/** When the newest poll was over, and how long after it the next may be. */
	private polledAt = -Infinity;

	private gapMs = MIN_GAP_MS;

	/** When the newest list was requested. */
	private listedAt = -Infinity;

	/** Polls in a row without a response, and lists. */
	private unanswered = 0;

	private failedLists = 0;

	constructor(
		private readonly client: Client,
		private readonly rateLimiter: RateLimiter,
		private readonly clock: Clock,
		private readonly others: OtherClients,
	) {
		this.wakeUp = new WakeUp(clock, () => this.step());
	}

	/** Waits until the job has ended, well or badly, and returns it as it is then. */
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
			const durations = this.known.of(kindOf(job));
			const waiter: Waiter = {
				...options,
				job,
				channel,
				durations,
				startedAt,
				deadline: startedAt + timeoutMs,
				ran: 0,
				dueAt: options.isOld ? startedAt : startedAt + durations.nextLook(0),
				askedAt: -Infinity,
				failedReads: 0,
				isPushed: false,
				resolve,
				cancel: () => {
					if (this.remove(waiter)) return () => resolve(fail({ kind: 'cancelled' }, waiter.job));
				},
			};
			onAbort(channel.signal, waiter.cancel);
			if (this.waiters.size === 0) this.unanswered = 0;
			this.waiters.add(waiter);
			// Only this one: each step goes through all waiters, maybe thousands.
			const { from = Infinity } = spanOf(waiter) ?? {};
			this.wakeUp.set(Math.min(waiter.dueAt, waiter.deadline, from));
		});
	}

	/**
	 * Passes on the state of a job that was learned elsewhere, such as from a verified event. A wait
	 * for the job ends at once if the job has ended, or polls at once if its outputs are missing
	 * here.
	 */
	notify(job: Resource): void {
		for (const waiter of [...this.waiters]) {
			if (waiter.job.id !== job.id) continue;
			const now = this.clock.monotonic();
			waiter.isPushed = jobState(job, waiter.terminalStatuses) !== 'running';
			if (this.observe(waiter, job, now, isComplete)) continue;
			waiter.dueAt = now;
			this.wakeUp.set(now);
		}
	}

	hasEnded(job: Resource): boolean {
		return jobState(job) !== 'running';
	}

	async untilEnded(channel: Channel, job: Resource): Promise<boolean> {
		const ended = await this.wait(channel, job, GIVE_UP_MS, { isOld: true });
		return ended.ok || ended.failure.kind !== 'cancelled';
	}

	/** Requests a list as soon as the poll that is under way, if any, is over. */
	list(channel: Channel): void {
		this.listFor = channel;
		if (!this.isPolling) void this.poll();
	}

	/** Whether nobody waits for a job. */
	get isIdle(): boolean {
		return this.waiters.size === 0;
	}

	private settle(waiter: Waiter, result: Result<Resource>): void {
		offAbort(waiter.channel.signal, waiter.cancel);
		if (this.remove(waiter)) waiter.resolve(result);
	}

	/** Ends a wait. @returns `false` if it had ended before */
	private remove(waiter: Waiter): boolean {
		const isRemoved = this.waiters.delete(waiter);
		if (isRemoved && this.waiters.size === 0) this.wakeUp.clear();
		return isRemoved;
	}

	/** Does not await the poll, because deadlines must hold even while a request hangs. */
	private step(): void {
		const now = this.clock.monotonic();
		for (const waiter of [...this.waiters]) this.checkDeadline(waiter, now);
		if (!this.isPolling && this.nextPollAt() <= now) void this.poll();
		this.schedule();
	}

	private schedule(): void {
		if (this.waiters.size === 0) return;
		let at = this.isPolling ? Infinity : this.nextPollAt();
		for (const { finalPollBy, deadline } of this.waiters)
			at = Math.min(at, finalPollBy ?? deadline);
		this.wakeUp.set(at);
	}

	/**
	 * If the job was not asked for shortly before the deadline, for instance because the machine was
	 * asleep, a final poll decides.
	 */
	private checkDeadline(waiter: Waiter, now: number): void {
		if (now < waiter.deadline) return;
		waiter.finalPollBy ??= now + FINAL_POLL_MS;
		const isUpToDate = waiter.askedAt > waiter.deadline - this.gapByAgeMs && !this.isPolling;
		if (isUpToDate || now >= waiter.finalPollBy) {
			const waitedMs = now - waiter.startedAt;
			this.settle(waiter, fail({ kind: 'deadline', waitedMs }, waiter.job));
		} else waiter.dueAt = Math.min(waiter.dueAt, now);
	}

	/** Time between two polls by age that take no more than their share of the requests. */
	private get gapByAgeMs(): number {
		return Math.max(MIN_GAP_MS, MINUTE_MS / (this.rateLimiter.limit * MAX_SHARE));
	}

	/** The jobs that one list covers. A single one is read by itself. */
	private get listable(): Waiter[] {
		const generations = [...this.waiters].filter(({ job }) => isGeneration(job));
		return generations.length > 1 ? generations : [];
	}

	/** When the first job is due. Faults do not delay the final poll of a wait. */
	private nextPollAt(): number {
		const listable = new Set(this.listable);
		let due = Infinity;
		let { unanswered } = this;
		for (const waiter of this.waiters) {
			due = Math.min(due, listable.has(waiter) ? waiter.dueAt : dueAlone(waiter));
			if (waiter.finalPollBy !== undefined) unanswered = 0;
		}
		due = Math.max(due, this.polledAt + this.gapByAgeMs);
		due = Math.min(due, this.idleListAt([...listable]));
		const gap = Math.max(this.gapMs, Math.min(MINUTE_MS, this.gapMs * 2 ** unanswered));
		return Math.max(due, this.polledAt + gap);
	}

	/** When the slots of jobs that have probably ended are worth a list. */
	private idleListAt(listable: readonly Waiter[]): number {
		const spans = listable.map(spanOf).filter((span) => span !== undefined);
		const usual = listable.map(({ durations }) => durations.usual);
		const idleMs = idleWorthAList(usual, this.rateLimiter.requestsPerMinute);
		return idleUntil(spans, this.listedAt, idleMs);
	}

	private async poll(): Promise<void> {
		this.isPolling = true;
		this.polledAt = this.clock.monotonic();
		let isAnswered = false;
		try {
			const answers = await this.pollOnce();
			isAnswered = !answers.includes('none');
			const running = answers.filter((answer) => answer === 'running').length;
			this.gapMs = Math.max(MIN_GAP_MS, running * this.gapByAgeMs);
		} catch {
			// Counts as a poll without a response. The next one may succeed.
		}
		this.isPolling = false;
		if (!isAnswered) this.polledAt = this.clock.monotonic();
		this.unanswered = isAnswered ? 0 : this.unanswered + 1;
		if (this.listFor) void this.poll();
		else this.step();
	}

	/** Requests a list if one is due, and reads jobs one by one that it does not show. */
	private async pollOnce(): Promise<Answer[]> {
		const now = this.clock.monotonic();
		const { listable } = this;
		const isListDue =
			listable.some(({ dueAt }) => dueAt <= now) || this.idleListAt(listable) <= now;
		const channel = this.listFor ?? (isListDue ? listable[0]?.channel : undefined);
		this.listFor = undefined;
		const list = channel && (await this.readList(channel, listable));
		const settled = list?.settled ?? new Set(listable);
		const isDue = (waiter: Waiter) => !settled.has(waiter) && dueAlone(waiter) <= now;
		const due = [...this.waiters].filter(isDue).slice(0, MAX_READS);
		const reads = due.map(async (waiter) => await this.readOne(waiter));
		return [list?.answer ?? 'other', ...(await Promise.all(reads))];
	}

	/** @returns what the list has brought, and which jobs need not be read by themselves for now */
	private async readList(
		own: Channel,
		listable: readonly Waiter[],
	): Promise<{ answer: Answer; settled: Set<Waiter> }> {
		const { channel, sentAt } = this.recordSendTime(own);
		const page = await readNewest(this.client, channel);
		this.failedLists = page.ok ? 0 : this.failedLists + 1;
		if (!page.ok) {
			const isHopeless = !isTransient(page) || this.failedLists > MAX_FAILED_LISTS;
			if (isHopeless) return { answer: 'other', settled: new Set() };
			for (const waiter of listable) waiter.askedAt = sentAt();
			return { answer: 'none', settled: new Set(listable) };
		}
		this.listedAt = sentAt();
		const shown = (waiter: Waiter) =>
			this.observe(waiter, page.value.get(waiter.job.id), sentAt(), isComplete);
		const settled = new Set(listable.filter(shown));
		const running = [...page.value.values()].filter((job) => jobState(job) === 'running');
		this.others.listed(
			running.map(({ id }) => id),
			sentAt(),
		);
		return { answer: 'other', settled };
	}

	private async readOne(waiter: Waiter): Promise<Answer> {
		// Moves it to the end, so that each is read in turn when more are due than one poll reads.
		if (this.waiters.delete(waiter)) this.waiters.add(waiter);
		const { channel, sentAt } = this.recordSendTime(waiter.channel);
		const read = await readJob(this.client, channel, waiter.job, waiter.path);
		waiter.askedAt = sentAt();
		if (read.ok) {
			if (!this.observe(waiter, read.value, sentAt())) return 'none';
			return this.waiters.has(waiter) ? 'running' : 'other';
		}
		if (isTransient(read)) return 'none';
		waiter.dueAt = waiter.askedAt + TUNING.minLookMs;
		waiter.failedReads += 1;
		const mayRecover = (isNotFound(read) || isLocal(read)) && waiter.failedReads < MAX_FAILED_READS;
		if (!mayRecover) this.settle(waiter, fail(read.failure, waiter.job));
		return 'other';
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

	/**
	 * Takes in the state of a job at a time on the monotonic clock. `false` if it is missing, does not
	 * do, or cannot be read. Never throws: one malformed job must not stop the polling of all others.
	 */
	private observe(
		waiter: Waiter,
		observed: Resource | undefined,
		at: number,
		doesDo: (job: Resource) => boolean = () => true,
	): boolean {
		try {
			if (!observed) return false;
			const job = { ...observed, id: waiter.job.id, object: waiter.job.object };
			const state = jobState(job, waiter.terminalStatuses);
			if (state !== 'running' && !doesDo(job)) return false;
			const { durations, startedAt, ran, isOld, isPushed } = waiter;
			const age = Math.max(0, at - startedAt);
			waiter.job = job;
			waiter.askedAt = at;
			if (state === 'running') {
				waiter.ran = age;
				waiter.dueAt = startedAt + durations.nextLook(age);
				return true;
			}
			if (state === 'good' && !isOld) durations.learn(ran, age, isPushed);
			this.settle(waiter, ok(job));
			return true;
		} catch {
			return false;
		}
	}
}
