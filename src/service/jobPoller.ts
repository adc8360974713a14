import { ENDPOINTS, LIMITS, textOf } from '../contract';
import { BoundedMap } from '../base/boundedMap';
import { fail, ok, type Failed, type Result } from '../base/result';
import {
	asText,
	isRecord,
	isResource,
	type ApiRequest,
	type Channel,
	type Clock,
	type Resource,
} from '../base/types';
import { onAbort, WakeUp } from '../base/waiting';
import { requestResource, type Client } from './client';
import { pageOf } from './pages';
import { isGone, isRefusal, meaningOf } from './statuses';
import type { OtherClients } from './otherClients';
import type { RateLimiter } from './rateLimiter';
import { MINUTE_MS, TUNING } from './tuning';
import {
	isGeneration,
	jobState,
	outputsIn,
	readerPath,
	statedReason,
	type TerminalStatuses,
} from './jobState';
import { Durations, idleWorthALook, isWorthALook } from './pollRule';

/** Between two polls: the default rate allows one request in this time. */
const MIN_GAP_MS = 1_000;

const TICK_MS = 250;

/** Of the requests of a minute, for looks by age. */
const MAX_SHARE = 0.5;

/** Time limit of the look that a deadline calls for. */
const FINAL_LOOK_MS = MINUTE_MS;

/** Reads that may end with 404 or fail in n8n: a new job may be unknown for a moment. */
const MAX_FAILED_READS = 3;

/** Jobs that one poll reads one by one: as many as the default number of slots. */
const MAX_READS = 5;

/** A service that names each job's model differently must not fill the memory. */
const MAX_KINDS = 1_000;

interface WaitOptions {
	terminalStatuses?: TerminalStatuses;
	/** Where the key may read the job, if not at the endpoint of its kind. */
	path?: string;
	/** Whether the job may have ended long ago, so that it is looked at at once. */
	isOld?: boolean;
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
	ran: number;
	/** When it is looked at again at the latest. */
	dueAt: number;
	/** When the last poll began that has asked for it. */
	askedAt: number;
	failedReads: number;
	/** Whether an event has said that the job has ended. */
	isPushed: boolean;
	resolve: (result: Result<Resource>) => void;
	dispose: () => void;
}

/** Names the jobs that usually take about the same time. */
const groupOf = ({ object, mode, model }: Resource) => [object, mode, model].map(asText).join(' ');

/** Whether a failure says nothing about the job. */
export function isTransient(failed: Failed): boolean {
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
 * Whether an ended job as shown by a list or an event is complete: with its outputs, and with a
 * reason if it failed wholly or in part. Otherwise it must be read by itself.
 */
function isComplete(job: Resource): boolean {
	const hasReason = statedReason(job) !== undefined;
	if (job.status === 'failed') return hasReason;
	if (job.status === 'partially_completed' && !hasReason) return false;
	const hasUrl = outputsIn(job).some((output) => isRecord(output) && textOf(output.url));
	return hasUrl || !('outputs' in job || 'output' in job || isGeneration(job));
}

/** When jobs will probably end, as far as that is known. */
const spansOf = (waiters: readonly Waiter[]) =>
	waiters.flatMap(({ durations, startedAt, ran, options }) => {
		const span = options.isOld ? undefined : durations.span(ran);
		return span ? [{ from: startedAt + span.from, to: startedAt + span.to }] : [];
	});

/**
 * Waits for jobs to end, one poller per workspace and process. A single list request covers all
 * generations in flight; jobs that it does not show are read one by one. `pollRule.ts` says when. A
 * wait ends with the job's end, a final refusal, the deadline or a cancel, never with a transient
 * fault.
 */
export class JobPoller {
	private readonly waiters = new Set<Waiter>();
	private readonly known = new BoundedMap<string, Durations>(MAX_KINDS);
	private readonly wakeUp: WakeUp;

	private isPolling = false;
	private nextPollAt = -Infinity;
	/** Polls in a row without a response. */
	private unanswered = 0;
	private listedAt = -Infinity;

	constructor(
		private readonly client: Client,
		private readonly rateLimiter: RateLimiter,
		private readonly clock: Clock,
		private readonly others: OtherClients,
	) {
		this.wakeUp = new WakeUp(clock, () => this.tick());
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
				ran: 0,
				dueAt: options.isOld ? startedAt : this.nextLook(durations, startedAt, 0),
				askedAt: -Infinity,
				failedReads: 0,
				isPushed: false,
				resolve,
				dispose: onAbort(channel.signal, () =>
					this.settle(waiter, fail({ kind: 'cancelled' }, waiter.job)),
				),
			};
			if (this.waiters.size === 0) this.unanswered = 0;
			this.waiters.add(waiter);
			this.wakeUp.set(startedAt + TICK_MS);
		});
	}

	/**
	 * Passes on a job as a verified event shows it. A wait for it ends at once if the job has ended, or
	 * looks at once if its outputs are missing here.
	 */
	notify(job: Resource): void {
		for (const waiter of [...this.waiters].filter((each) => each.job.id === job.id)) {
			waiter.isPushed = jobState(job, waiter.options.terminalStatuses) !== 'running';
			this.observe(waiter, job, this.clock.monotonic(), isComplete(job));
		}
	}

	/** Requests a list, whether or not any job is due. */
	list(channel: Channel): void {
		void this.readList(channel).catch(() => {});
	}

	get isIdle(): boolean {
		return this.waiters.size === 0;
	}

	private settle(waiter: Waiter, result: Result<Resource>): void {
		waiter.dispose();
		this.waiters.delete(waiter);
		waiter.resolve(result);
	}

	/** Does not await the poll, because deadlines must hold even while a request hangs. */
	private tick(): void {
		const now = this.clock.monotonic();
		for (const waiter of this.waiters) this.checkDeadline(waiter, now);
		if (!this.isPolling && now >= this.nextPollAt) void this.poll();
		if (!this.isIdle) this.wakeUp.set(now + TICK_MS);
	}

	/** A last look decides: the job may have ended since, or while the machine was asleep. */
	private checkDeadline(waiter: Waiter, now: number): void {
		const { deadline, startedAt, askedAt, job } = waiter;
		if (now < deadline) return;
		waiter.dueAt = now;
		waiter.giveUpAt = Math.min(waiter.giveUpAt, now + FINAL_LOOK_MS);
		if (askedAt >= deadline || now >= waiter.giveUpAt)
			this.settle(waiter, fail({ kind: 'deadline', waitedMs: deadline - startedAt }, job));
	}

	/** Between two looks by age, in ms, so that they take no more than their share of the requests. */
	private get gapByAgeMs(): number {
		return MINUTE_MS / (this.rateLimiter.limit * MAX_SHARE);
	}

	private nextLook(durations: Durations, startedAt: number, age: number): number {
		return startedAt + Math.max(durations.nextLook(age), age + this.gapByAgeMs);
	}

	/** Those whose jobs a list covers. A single one is read by itself. */
	private get listable(): Waiter[] {
		const generations = [...this.waiters].filter(({ job }) => isGeneration(job));
		return generations.length > 1 ? generations : [];
	}

	/** Whether a request is due that shows these jobs, which were last looked at then. */
	private isDue(waiters: readonly Waiter[], lookedAt: number, now: number): boolean {
		if (waiters.some(({ dueAt }) => dueAt <= now)) return true;
		const takes = waiters.map(({ durations }) => durations.longest);
		const idleMs = idleWorthALook(takes, this.rateLimiter.requestsPerMinute);
		return isWorthALook(spansOf(waiters), lookedAt, now, idleMs);
	}

	/** Requests a list if one is due, and reads the due jobs that it does not show or cover. */
	private async poll(): Promise<void> {
		const now = this.clock.monotonic();
		const { listable } = this;
		const channel = this.isDue(listable, this.listedAt, now) ? listable[0]?.channel : undefined;
		const due = () =>
			[...this.waiters]
				.filter(({ job }) => channel || listable.length === 0 || !isGeneration(job))
				.filter((waiter) => this.isDue([waiter], waiter.startedAt + waiter.ran, now));
		if (!channel && due().length === 0) return;

		let reading: Waiter[] = [];
		const look = async () => {
			const hasList = !channel || (await this.readList(channel));
			// Longest ago first, so that each has its turn.
			reading = due()
				.sort((one, other) => one.askedAt - other.askedAt)
				.slice(0, MAX_READS);
			const reads = reading.map(async (waiter) => await this.readOne(waiter));
			return [hasList, ...(await Promise.all(reads))].every(Boolean);
		};
		this.isPolling = true;
		const isAnswered = await look().catch(() => false);
		this.isPolling = false;
		this.unanswered = isAnswered ? 0 : this.unanswered + 1;
		const running = reading.filter((waiter) => this.waiters.has(waiter)).length;
		const gapMs = Math.max(MIN_GAP_MS, running * this.gapByAgeMs);
		const backoffMs = Math.min(MINUTE_MS, MIN_GAP_MS * 2 ** this.unanswered);
		this.nextPollAt = this.clock.monotonic() + Math.max(gapMs, backoffMs);
	}

	/** Reads the newest generations, one full page of the list. @returns whether there was an answer */
	private async readList(channel: Channel): Promise<boolean> {
		const query = { limit: LIMITS.listLimit.max };
		const request = { method: 'GET', path: ENDPOINTS.listGenerations.path, query } as const;
		const timed = this.timed(channel);
		const page = await this.client.request(timed, request, { retry: false });
		if (!page.ok) return !isTransient(page);
		const jobs = pageOf(page.value.body).entries.filter(isResource);
		const byId = new Map(jobs.map((job) => [job.id, job]));
		this.listedAt = timed.sentAt;
		for (const waiter of this.waiters) {
			const job = byId.get(waiter.job.id);
			if (job) this.observe(waiter, job, timed.sentAt, isComplete(job));
		}
		const running = jobs.filter((job) => jobState(job) === 'running').map(({ id }) => id);
		this.others.listed(running, timed.sentAt);
		return true;
	}

	/** @returns whether there was an answer */
	private async readOne(waiter: Waiter): Promise<boolean> {
		const { job, options, channel } = waiter;
		const request = { method: 'GET', path: options.path ?? readerPath(job) } as const;
		const timed = this.timed(channel);
		const read = await requestResource(this.client, timed, request, { retry: false });
		waiter.askedAt = timed.sentAt;
		if (read.ok) {
			this.observe(waiter, read.value, timed.sentAt);
			return true;
		}
		if (isTransient(read)) return false;
		waiter.dueAt = timed.sentAt + TUNING.minLookMs;
		waiter.failedReads += 1;
		if (!mayRecover(read) || waiter.failedReads >= MAX_FAILED_READS)
			this.settle(waiter, fail(read.failure, waiter.job));
		return true;
	}

	/** A response shows the state when its request was sent, which may have been queued before. */
	private timed(channel: Channel): Channel & { sentAt: number } {
		const timed = {
			...channel,
			sentAt: this.clock.monotonic(),
			send: async (request: ApiRequest) => {
				timed.sentAt = this.clock.monotonic();
				return await channel.send(request);
			},
		};
		return timed;
	}

	/** @param isWhole whether the job need not be read by itself if it has ended */
	private observe(waiter: Waiter, observed: Resource, at: number, isWhole = true): void {
		if (!this.waiters.has(waiter)) return;
		const { durations, startedAt, options, isPushed } = waiter;
		const job = { ...observed, id: waiter.job.id, object: waiter.job.object };
		const state = jobState(job, options.terminalStatuses);
		const age = Math.max(0, at - startedAt);
		if (state === 'running') {
			Object.assign(waiter, { job, askedAt: at, ran: age });
			waiter.dueAt = this.nextLook(durations, startedAt, age);
		} else if (isWhole) {
			if (state === 'good' && !options.isOld) durations.learn(waiter.ran, age, isPushed);
			this.settle(waiter, ok(job));
		} else waiter.dueAt = at;
	}
}
