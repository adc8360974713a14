import { fail, ok, type Result } from '../base/result';
import { MINUTE_MS } from '../base/times';
import type { Channel, Clock, Random, Resource } from '../base/types';
import { WaitQueue } from '../base/waitQueue';
import { WakeUp } from '../base/wakeUp';
import { LIMITS } from '../api';
import type { OtherClients } from './sharing';
import { scattered, TUNING } from './tuning';

/**
 * The limit on running jobs that a job counts for (specification: Limits): `media` for Concurrent media jobs,
 * `agent` for Live Agent runs.
 */
export type SlotKind = 'media' | 'agent';

/**
 * A permit to send one creation, and then the slot of its job:
 *
 * - Its answer: `accepted`; after a 429 `refused`; after any other `release`, as nothing was made.
 * - Of an accepted one: `release` once its job has ended, `abandon` if nobody waits for that any more.
 */
export interface Slot {
	/** The service has accepted the creation. Its job may need no slot. */
	accepted(job: Resource): void;
	/** The service has refused the creation with 429, and asks to wait for so long. Gives the slot back. */
	refused(retryAfterMs?: number): void;
	/** Gives the slot back. Calling it again does nothing. */
	release(): void;
	/** Nobody waits for the job any more. It keeps its slot until a list shows its end. */
	abandon(): void;
}

interface SlotOptions {
	/** How long it may wait while no other job of its kind is accepted, in ms. */
	timeoutMs: number;
	/** The kind of slot that its job takes. `false`: none, and only its request is counted. */
	takesSlot: SlotKind | false;
	/** When its wait began, for a creation that was refused and waits again. */
	since?: number;
}

/** How often the queues are checked while a creation waits in them. */
const RECHECK_MS = 1_000;

/** For so long the next creation waits for the answer to the one before it. */
const ANSWER_PATIENCE_MS = 1_000;

/**
 * For so long a creation without an answer counts as a job that takes a slot. It may hang as long as
 * *Timeout* of the node allows.
 */
const HANGS_AFTER_MS = MINUTE_MS;

/** The longest time between two probes. */
const MAX_PROBE_GAP_MS = 16 * MINUTE_MS;

/**
 * The slots of one kind, and the creations that wait for one. Nobody knows for certain how many slots there
 * are: others may use some, and only a refusal shows where they end. Times are in ms on the monotonic clock.
 */
class SlotPool {
	readonly queue = new WaitQueue<Result<Slot>>(fail({ kind: 'cancelled' }));
	/** Creations that may be sent and were neither accepted nor refused yet, and since when. */
	readonly underWay = new Map<Slot, number>();
	/** The ids of our jobs that hold a slot and that an item waits for. */
	readonly awaited = new Set<string>();
	/** The ids of our jobs that hold a slot and that nobody waits for any more, and since when. */
	readonly abandoned = new Map<string, number>();
	/**
	 * So many slots were in use when a creation was last refused: no more are taken to exist. `Infinity` as
	 * long as none was, or as something else explains that it was.
	 */
	observedLimit = Infinity;
	/** Until then no creation is sent: the last refusal has named this time. */
	pausedUntil = -Infinity;
	/** When a creation was last refused, if that named a time to come back; else `Infinity`. */
	refusedWithHintAt = Infinity;
	/** From then on one creation may be sent although no slot seems to be free, as a probe (rule 3). */
	probeAt = -Infinity;
	probeGapMs = MINUTE_MS;
	/** When a job was last accepted. */
	acceptedAt = -Infinity;
	private size = 1;

	/** @param countsJobs whether jobs hold the slots. Otherwise only requests do, until they are answered */
	constructor(
		limit: number,
		private readonly random: Random,
		readonly countsJobs = true,
	) {
		this.limit = limit;
	}

	get limit(): number {
		return this.size;
	}

	/** A fraction is rounded down. */
	set limit(limit: number) {
		this.size = Math.max(1, Math.floor(limit));
	}

	/** How many slots our running jobs hold, whether or not an item waits for them. */
	get running(): number {
		return this.awaited.size + this.abandoned.size;
	}

	inUse(now: number): number {
		return this.unansweredSince(now - HANGS_AFTER_MS) + this.running;
	}

	/**
	 * Whether items wait for as many jobs as there are slots. Then we learn of each slot that becomes free.
	 */
	isFullOfAwaitedJobs(now: number): boolean {
		return this.unansweredSince(now - HANGS_AFTER_MS) + this.awaited.size >= this.limit;
	}

	private unansweredSince(moment: number): number {
		return [...this.underWay.values()].filter((since) => since > moment).length;
	}

	/** Whether the next creation waits for the answers to those that were sent (rule 1). */
	awaitsAnswer(now: number): boolean {
		if (!this.countsJobs) return false;
		return this.unansweredSince(now - ANSWER_PATIENCE_MS) >= Math.max(1, this.running);
	}

	scheduleProbe(now: number): void {
		this.probeAt = now + scattered(this.probeGapMs, this.random);
	}
}

/**
 * The concurrent job slots of a workspace (specification: Limits). A creation holds a slot from its request
 * on. The slot is free again once the job is seen with a status that holds none, or once it is missing in a
 * list that was requested after its item had stopped waiting for it.
 *
 * 1. A creation is sent while there are free slots: fewer jobs of ours, and of others in the newest list,
 *    than slots. While others use the workspace we take only our part of the slots. No more creations are
 *    without an answer at the same time than jobs of ours run, but at least one: if there are fewer slots
 *    than we know, few are refused.
 * 2. A refused creation shows that there are no more slots than our jobs hold, and the time to come back that
 *    it names is kept. That there are no more is believed until a list explains the refusal otherwise: by
 *    jobs of others, or, if it has named a time and no job runs at all, by too many requests in the minute.
 * 3. All this may be wrong. So once a minute a creation is sent as a probe although no slot seems to be free,
 *    unless our items wait for as many jobs as there are slots. Beside others the time between probes
 *    doubles, until one is accepted. An accepted creation counts for more than any list: the next one is sent
 *    at once.
 * 4. While creations wait, a list is requested every 10 s ± 25 %, because only a list shows what rules 1 and
 *    2 ask for.
 *
 * No list shows agent runs, so only refusals and probes count for them, and a run that nobody waits for gives
 * its slot back. Creations without a slot are never refused for lack of one: as many of their requests are
 * under way at the same time as there are slots for media. All times are in ms on the monotonic clock.
 */
export class JobSlots {
	private readonly media: SlotPool;
	private readonly agent: SlotPool;
	/** For creations that take no slot. */
	private readonly requests: SlotPool;
	private readonly pools: readonly SlotPool[];
	/** When the next list may be requested. */
	private nextListAt = -Infinity;
	private readonly wakeUp: WakeUp;

	constructor(
		limit: number,
		private readonly clock: Clock,
		private readonly random: Random,
		private readonly others: OtherClients,
		/** Requests a list of the running jobs, which is then passed to `others`. */
		private readonly requestList: (channel: Channel) => void,
		/** If a request could not be sent at once, what is known of the slots could be old by then. */
		private readonly rateLimiter: { readonly hasRoom: boolean } = { hasRoom: true },
	) {
		this.media = new SlotPool(limit, random);
		this.agent = new SlotPool(LIMITS.liveAgentRuns, random);
		this.requests = new SlotPool(limit, random, false);
		this.pools = [this.media, this.agent, this.requests];
		const onFault = (fault: unknown) => {
			for (const { queue } of this.pools) queue.rejectAll(fault);
		};
		this.wakeUp = new WakeUp(clock, () => this.tick(), onFault);
		others.onJobsWithoutSlot = (ids) => this.onJobsWithoutSlot(ids);
		others.onListed = () => this.onListed();
	}

	/** The number of slots for media, at least 1. */
	get limit(): number {
		return this.media.limit;
	}

	set limit(limit: number) {
		this.media.limit = limit;
		this.requests.limit = limit;
	}

	/**
	 * Waits until a creation may be sent. Fails with `cancelled` if the channel is aborted, and with `noSlot`
	 * if no job of its kind was accepted for `timeoutMs`. The slot must be given back in every case.
	 */
	acquire(channel: Channel, options: SlotOptions): Promise<Result<Slot>> {
		const { timeoutMs, takesSlot, since = this.clock.monotonic() } = options;
		const pool = takesSlot ? this[takesSlot] : this.requests;
		const pending = pool.queue.wait(channel, since, timeoutMs);
		this.serve();
		return pending;
	}

	/** Lets all creations go that may be sent now. */
	serve(): void {
		const now = this.clock.monotonic();
		for (const pool of this.pools) this.servePool(pool, now);
		this.requestListIfNeeded(now);
		if (this.pools.some(({ queue }) => queue.size > 0)) this.wakeUp.set(now + RECHECK_MS);
	}

	private servePool(pool: SlotPool, now: number): void {
		while (this.canSendNext(pool, now)) {
			const isFree = this.freeSlots(pool, now) > 0;
			if (!isFree && now < pool.probeAt) return;
			this.grant(pool, now, !isFree);
		}
	}

	/** Whether a creation may be sent now if a slot is free for it. */
	private canSendNext(pool: SlotPool, now: number): boolean {
		if (pool.queue.size === 0 || pool.isFullOfAwaitedJobs(now)) return false;
		if (now < pool.pausedUntil || pool.awaitsAnswer(now)) return false;
		return pool !== this.media || this.rateLimiter.hasRoom;
	}

	/** How many more creations may be sent, as far as lists (rule 1) and refusals (rule 2) show. */
	private freeSlots(pool: SlotPool, now: number): number {
		const inUse = pool.inUse(now);
		const thereAre = Math.min(pool.limit, pool.observedLimit);
		if (pool !== this.media || now >= this.others.thereUntil) return thereAre - inUse;
		const leftByOthers = pool.limit - this.others.count(now);
		const ourPart = Math.ceil(pool.limit * TUNING.partBesideOthers);
		return Math.min(thereAre, leftByOthers, ourPart) - inUse;
	}

	private grant(pool: SlotPool, now: number, isProbe: boolean): void {
		const isCrowded = pool === this.media && this.others.count(now) > 0;
		if (isProbe && isCrowded) pool.probeGapMs = Math.min(2 * pool.probeGapMs, MAX_PROBE_GAP_MS);
		// Beside others the time until the next probe starts again, even if the slot was free.
		if (isProbe || isCrowded) pool.scheduleProbe(now);
		const slot = new HeldSlot(this, pool);
		pool.underWay.set(slot, now);
		pool.queue.grant(ok(slot));
	}

	/** Rule 4. */
	private requestListIfNeeded(now: number): void {
		const { media } = this;
		const { next } = media.queue;
		if (!next || now < this.nextListAt) return;
		if (media.isFullOfAwaitedJobs(now) || media.awaitsAnswer(now)) return;
		this.scheduleList(now);
		this.requestList(next.channel);
	}

	private scheduleList(now: number): void {
		this.nextListAt = now + scattered(TUNING.listWhileWaitingMs, this.random);
	}

	accepted(pool: SlotPool, { id }: Resource): void {
		const { media, others } = this;
		const now = this.clock.monotonic();
		others.created(id);
		const ofOthers = others.count(now);
		pool.acceptedAt = now;
		if (pool.countsJobs) {
			// A repeated key may lead to a job that nobody waited for any more.
			pool.abandoned.delete(id);
			pool.awaited.add(id);
			pool.probeGapMs = MINUTE_MS;
			// Rule 3: it has a slot although the last refusal, or the newest list, shows none.
			const isBeyondRefusals = pool.running > pool.observedLimit;
			const isBeyondLists = pool === media && media.running + ofOthers > media.limit;
			if (isBeyondRefusals || isBeyondLists) pool.probeAt = -Infinity;
			pool.observedLimit = Math.max(pool.observedLimit, pool.running);
		}
		this.serve();
	}

	refused(pool: SlotPool, retryAfterMs: number): void {
		const now = this.clock.monotonic();
		if (pool.countsJobs) {
			pool.observedLimit = pool.inUse(now);
			pool.refusedWithHintAt = retryAfterMs > 0 ? now : Infinity;
			pool.scheduleProbe(now);
			pool.pausedUntil = Math.max(pool.pausedUntil, now + retryAfterMs);
		}
		this.serve();
	}

	/**
	 * A slot is given back.
	 * @param isRunning whether its job still runs although nobody waits for it any more
	 */
	freed(pool: SlotPool, id: string, isRunning: boolean): void {
		const now = this.clock.monotonic();
		const wasAwaited = pool.awaited.delete(id);
		// Until a list shows the end of the job, the next creation would be refused.
		if (wasAwaited && isRunning && pool === this.media) {
			pool.abandoned.set(id, now);
			pool.scheduleProbe(now);
		}
		this.serve();
	}

	/** Jobs were seen that hold no slot. */
	private onJobsWithoutSlot(ids: readonly string[]): void {
		for (const id of ids) {
			this.media.awaited.delete(id);
			this.media.abandoned.delete(id);
		}
	}

	private onListed(): void {
		const { others, media } = this;
		const now = this.clock.monotonic();
		for (const [id, since] of media.abandoned)
			if (since < others.listedAt && !others.isRunning(id)) media.abandoned.delete(id);
		// Rule 2: does the list explain the last refusal? Jobs of others count, also if they were there until
		// now.
		const wasForOthers = others.mayExplainRefusal;
		const wasForRequests =
			others.listedAt >= media.refusedWithHintAt && media.inUse(now) + others.count(now) === 0;
		if (wasForOthers || wasForRequests) media.observedLimit = Infinity;
		this.scheduleList(now);
		this.serve();
	}

	private tick(): void {
		const now = this.clock.monotonic();
		const others = this.others.count(now);
		for (const { queue, acceptedAt } of this.pools)
			queue.expire(
				({ since, timeoutMs }) => now >= Math.max(since, acceptedAt) + timeoutMs,
				({ since }) => fail({ kind: 'noSlot', waitedMs: now - since, others }),
			);
		this.serve();
	}
}

/** A class instead of closures, because thousands of items may hold one. */
class HeldSlot implements Slot {
	/**
	 * The id of the job that holds the slot. `undefined` before the job is accepted, and if another item has
	 * the slot of the same job.
	 */
	private jobId: string | undefined;

	constructor(
		private readonly slots: JobSlots,
		private readonly pool: SlotPool,
	) {}

	accepted(job: Resource): void {
		this.pool.underWay.delete(this);
		if (!this.pool.awaited.has(job.id)) this.jobId = job.id;
		this.slots.accepted(this.pool, job);
	}

	refused(retryAfterMs = 0): void {
		this.pool.underWay.delete(this);
		this.slots.refused(this.pool, retryAfterMs);
	}

	abandon(): void {
		this.free(true);
	}

	release(): void {
		this.free(false);
	}

	private free(isRunning: boolean): void {
		this.pool.underWay.delete(this);
		const { jobId } = this;
		this.jobId = undefined;
		if (jobId === undefined) this.slots.serve();
		else this.slots.freed(this.pool, jobId, isRunning);
	}
}
