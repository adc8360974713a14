import { fail, ok, type Result } from '../base/result';
import type { Channel, Clock, Random, Resource } from '../base/types';
import { WaitQueue } from '../base/waitQueue';
import { WakeUp } from '../base/wakeUp';
import { LIMITS } from '../api';
import type { OtherClients } from './otherClients';
import { MINUTE_MS, scattered, TUNING } from './tuning';

/**
 * Which of the limits on running jobs one counts for (specification: Limits): `media` for Concurrent
 * media jobs, `agent` for Live Agent runs.
 */
export type SlotKind = 'media' | 'agent';

/** Leave to send one creation. */
export interface Slot {
	/** The service has accepted the job, which may need no slot. */
	accepted(job: Resource): void;
	/** The service has refused the job (429), and asks to wait for so long. Releases the slot. */
	refused(retryAfterMs?: number): void;
	/** Releasing it twice does nothing. */
	release(): void;
	/** Nobody waits for the job: it keeps its slot until somebody needs one and a list shows its end. */
	leave(): void;
}

interface SlotOptions {
	/** How long it waits at most while no other job of its kind is accepted, in ms. */
	timeoutMs: number;
	/** `false`: it takes no slot, and only its request is counted. */
	takesSlot: SlotKind | false;
	/** When its wait began, if it was refused since. */
	since?: number;
}

/** How often the queues are looked at while somebody waits in them. */
const RECHECK_MS = 1_000;

/** For so long a creation that has no answer yet holds up the next one. */
const PATIENCE_MS = 1_000;

/** For so long it counts as one that takes a slot: it may hang as long as *Timeout* of the node allows. */
const HANGS_AFTER_MS = MINUTE_MS;

/** The longest time between two probes. */
const MAX_PROBE_GAP_MS = 16 * MINUTE_MS;

/**
 * The slots of one kind, and who waits for one. How many there are is not known for certain: others may use
 * some, and only a refusal shows where they end. Times are in ms on the monotonic clock.
 */
class SlotPool {
	readonly queue = new WaitQueue<Result<Slot>>(fail({ kind: 'cancelled' }));
	/** Creations that have leave to be sent and are not accepted or refused yet, and since when. */
	readonly underWay = new Map<Slot, number>();
	/** The ids of our jobs that hold a slot while somebody waits for them. */
	readonly awaited = new Set<string>();
	/** The ids of those that nobody waits for any more, and since when. */
	readonly left = new Map<string, number>();
	/** No more are used than ran when a creation was refused; `Infinity` where nothing is known of that. */
	ceiling = Infinity;
	/** Until then nothing goes out, as the service has asked. */
	pausedUntil = -Infinity;
	/** When it was last refused and told when to come back; `Infinity` if it was not told that. */
	hintedAt = Infinity;
	/** From when on one creation may be sent although no slot seems to be free. */
	probeAt = -Infinity;
	probeGapMs = MINUTE_MS;
	/** When a job was last accepted. */
	acceptedAt = -Infinity;
	private size = 1;

	/** @param countsJobs whether jobs hold its slots; otherwise only requests do, until they are answered */
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

	/** Slots of jobs that run, whoever waits for them. */
	get running(): number {
		return this.awaited.size + this.left.size;
	}

	inUse(now: number): number {
		return this.underWaySince(now - HANGS_AFTER_MS) + this.running;
	}

	/** Whether we shall notice the end of all that our slots are used for. */
	isFullInSight(now: number): boolean {
		return this.underWaySince(now - HANGS_AFTER_MS) + this.awaited.size >= this.limit;
	}

	private underWaySince(moment: number): number {
		return [...this.underWay.values()].filter((since) => since > moment).length;
	}

	/** Whether the next creation waits for the answers to those under way. */
	awaitsAnswer(now: number): boolean {
		if (!this.countsJobs) return false;
		return this.underWaySince(now - PATIENCE_MS) >= Math.max(1, this.running);
	}

	planProbe(now: number): void {
		this.probeAt = now + scattered(this.probeGapMs, this.random);
	}
}

/**
 * The concurrent job slots of a workspace (specification: Limits). A slot is held from the request until a
 * look shows the job as anything but running, or a list no more that was requested after its item had stopped
 * waiting for it.
 *
 * 1. A creation goes out while our jobs, and those of others in the newest list, are fewer than the slots;
 *    beside others, while ours are fewer than our part. No more creations are under way than jobs of ours
 *    run, and at least one, so that few are refused where slots are fewer than we know.
 * 2. One that is refused shows that there are no more slots than our jobs hold, until a list shows jobs of
 *    others that explain it, or that nobody has any: then it was the requests of the minute, if the service
 *    has said when to come back. What the service asks to wait is waited.
 * 3. All this may be wrong. So one creation a minute is a probe: it goes out although no slot seems to be
 *    free, unless our items wait for as many jobs as there are slots. Beside others it comes half as often
 *    after each, until one is accepted. One that is accepted weighs more than any list: the next goes out at
 *    once.
 * 4. While creations wait, a list goes out every 10 s ± 25 %: only a list shows what rules 1 and 2 ask for.
 *
 * No list shows agent runs, so of these only refusals and probes count; one that nobody waits for gives its
 * slot back. Creations that take no slot are not refused for want of one: as many of their requests are under
 * way at once as there are slots for media. All times are in ms on the monotonic clock.
 */
export class JobSlots {
	private readonly media: SlotPool;
	private readonly agent: SlotPool;
	/** For creations that take no slot. */
	private readonly requests: SlotPool;
	private readonly pools: readonly SlotPool[];
	/** When the next list may go out. */
	private listAt = -Infinity;
	private readonly wakeUp: WakeUp;

	constructor(
		limit: number,
		private readonly clock: Clock,
		private readonly random: Random,
		private readonly others: OtherClients,
		/** Requests a list of what runs in the workspace, and passes it to `others`. */
		private readonly list: (channel: Channel) => void,
		/** Where a request would not be sent at once, what is known of the slots may be old once it is. */
		private readonly rateLimiter: { readonly hasRoom: boolean } = { hasRoom: true },
	) {
		this.media = new SlotPool(limit, random);
		this.agent = new SlotPool(LIMITS.liveAgentRuns, random);
		this.requests = new SlotPool(limit, random, false);
		this.pools = [this.media, this.agent, this.requests];
		this.wakeUp = new WakeUp(clock, () => this.tick());
		others.onIdle = (ids) => this.onIdle(ids);
		others.onListed = () => this.onListed();
	}

	/** Slots for media, at least 1. */
	get limit(): number {
		return this.media.limit;
	}

	set limit(limit: number) {
		this.media.limit = limit;
		this.requests.limit = limit;
	}

	/**
	 * Waits for leave to send one creation. Fails with `cancelled` if the channel is aborted, and with
	 * `noSlot` after `timeoutMs` without an accepted job of its kind. Release the slot in every case.
	 */
	acquire(channel: Channel, options: SlotOptions): Promise<Result<Slot>> {
		const { timeoutMs, takesSlot, since = this.clock.monotonic() } = options;
		const pool = takesSlot ? this[takesSlot] : this.requests;
		const pending = pool.queue.wait(channel, since, timeoutMs);
		this.serve();
		return pending;
	}

	/** Lets out what may go. */
	serve(): void {
		const now = this.clock.monotonic();
		for (const pool of this.pools) while (this.mayCreate(pool, now)) this.grant(pool, now);
		this.listWhereNeeded(now);
		if (this.pools.some(({ queue }) => queue.size > 0)) this.wakeUp.set(now + RECHECK_MS);
	}

	private mayCreate(pool: SlotPool, now: number): boolean {
		if (pool.queue.size === 0 || pool.isFullInSight(now)) return false;
		if (now < pool.pausedUntil || pool.awaitsAnswer(now)) return false;
		if (pool === this.media && !this.rateLimiter.hasRoom) return false;
		return this.freeIn(pool, now) > 0 || now >= pool.probeAt;
	}

	/** How many more creations may go out, as far as lists and refusals show. */
	private freeIn(pool: SlotPool, now: number): number {
		const { limit, ceiling } = pool;
		const inUse = pool.inUse(now);
		const free = Math.min(limit, ceiling) - inUse;
		if (pool !== this.media || now >= this.others.thereUntil) return free;
		const part = Math.ceil(limit * TUNING.partBesideOthers);
		return Math.min(free, limit - this.others.count(now) - inUse, part - inUse);
	}

	private grant(pool: SlotPool, now: number): void {
		const isProbe = this.freeIn(pool, now) <= 0;
		const isCrowded = pool === this.media && this.others.count(now) > 0;
		if (isProbe && isCrowded) pool.probeGapMs = Math.min(2 * pool.probeGapMs, MAX_PROBE_GAP_MS);
		// Beside others, a slot that was free also starts the wait before the next probe.
		if (isProbe || isCrowded) pool.planProbe(now);
		const slot = new HeldSlot(this, pool);
		pool.underWay.set(slot, now);
		pool.queue.grant(ok(slot));
	}

	private listWhereNeeded(now: number): void {
		const { media } = this;
		const { next } = media.queue;
		if (!next || now < this.listAt || media.isFullInSight(now) || media.awaitsAnswer(now)) return;
		this.planList(now);
		this.list(next.channel);
	}

	private planList(now: number): void {
		this.listAt = now + scattered(TUNING.listWhileWaitingMs, this.random);
	}

	accepted(pool: SlotPool, { id }: Resource): void {
		const { media, others } = this;
		const now = this.clock.monotonic();
		others.created(id);
		pool.acceptedAt = now;
		if (pool.countsJobs) {
			// A repeated key may give a job that nobody waited for any more.
			pool.left.delete(id);
			pool.awaited.add(id);
			pool.probeGapMs = MINUTE_MS;
			// It has shown a slot of which nobody knew: there may be more.
			const isUnknown = pool.running > pool.ceiling;
			const isTaken = pool === media && media.running + others.count(now) > media.limit;
			if (isUnknown || isTaken) pool.probeAt = -Infinity;
			pool.ceiling = Math.max(pool.ceiling, pool.running);
		}
		this.serve();
	}

	refused(pool: SlotPool, retryAfterMs: number): void {
		const now = this.clock.monotonic();
		if (pool.countsJobs) {
			pool.ceiling = pool.inUse(now);
			pool.hintedAt = retryAfterMs > 0 ? now : Infinity;
			pool.planProbe(now);
			pool.pausedUntil = Math.max(pool.pausedUntil, now + retryAfterMs);
		}
		this.serve();
	}

	/** A slot is given back. @param isRunning whether its job still runs, for which nobody waits any more */
	freed(pool: SlotPool, id: string, isRunning: boolean): void {
		const now = this.clock.monotonic();
		const wasAwaited = pool.awaited.delete(id);
		// Until a list shows its end, the next creation would be refused.
		if (wasAwaited && isRunning && pool === this.media) {
			pool.left.set(id, now);
			pool.planProbe(now);
		}
		this.serve();
	}

	/** Jobs are seen that hold no slot. */
	private onIdle(ids: readonly string[]): void {
		for (const id of ids) {
			this.media.awaited.delete(id);
			this.media.left.delete(id);
		}
	}

	private onListed(): void {
		const { others, media } = this;
		const now = this.clock.monotonic();
		for (const [id, since] of media.left)
			if (since < others.listedAt && !others.isRunning(id)) media.left.delete(id);
		// The list shows what the refusal was about: jobs of others; or no jobs, as none runs, and the
		// service has said when it is over.
		const isOfOthers = now < others.thereUntil;
		const isOfRequests =
			others.listedAt >= media.hintedAt && media.inUse(now) + others.count(now) === 0;
		if (isOfOthers || isOfRequests) media.ceiling = Infinity;
		this.planList(now);
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

/** A class, not closures: thousands of items may hold one. */
class HeldSlot implements Slot {
	/** The job that occupies the slot: none before it is accepted, or where another item has its slot. */
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

	leave(): void {
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
