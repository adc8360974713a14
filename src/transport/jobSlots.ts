import type { Result } from '../base/result';
import type { Channel, Clock, Random, Resource } from '../base/types';
import { WakeUp } from '../base/wakeUp';
import { LIMITS } from '../api';
import type { OtherClients } from './otherClients';
import { SlotPool } from './slotPool';
import { scattered, TUNING } from './tuning';

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

/**
 * The concurrent job slots of a workspace (specification: Limits). A slot is held from the request until a
 * look shows the job as anything but running, or a list no more that was requested after its item had stopped
 * waiting for it.
 *
 * 1. A creation goes out while our jobs, and those of others in the newest list, are fewer than the slots;
 *    beside others, while ours are fewer than our part. No more creations are under way than jobs of ours
 *    run, and at least one, so that few are refused where slots are fewer than we know.
 * 2. One that is refused shows that there are no more slots than our jobs hold, until a list shows jobs of
 *    others that explain it. What the service asks to wait is waited.
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

	accepted(pool: SlotPool, { id }: Resource): void {
		const now = this.clock.monotonic();
		this.others.created(id);
		pool.accepted(id, now);
		const { media, others } = this;
		if (pool === media && media.running + others.count(now) > media.limit) media.probeAtOnce();
		this.serve();
	}

	refused(pool: SlotPool, retryAfterMs: number): void {
		pool.refused(retryAfterMs, this.clock.monotonic());
		this.serve();
	}

	/** A job that somebody waited for has ended, or nobody waits for it any more. */
	freed(pool: SlotPool, id: string, isRunning: boolean): void {
		if (isRunning && pool === this.media) pool.leave(id, this.clock.monotonic());
		else pool.ended(id);
		this.serve();
	}

	serve(): void {
		const now = this.clock.monotonic();
		for (const pool of this.pools) while (this.mayCreate(pool, now)) this.grant(pool, now);
		this.listWhereNeeded(now);
		if (this.pools.some(({ queue }) => queue.size > 0)) this.wakeUp.set(now + RECHECK_MS);
	}

	private get pools(): SlotPool[] {
		return [this.media, this.agent, this.requests];
	}

	private mayCreate(pool: SlotPool, now: number): boolean {
		if (!pool.isReady(now)) return false;
		if (pool === this.media && !this.rateLimiter.hasRoom) return false;
		return this.freeIn(pool, now) > 0 || pool.mayProbe(now);
	}

	/** How many more creations may go out, as far as lists and refusals show. */
	private freeIn(pool: SlotPool, now: number): number {
		const { free, limit, inUse } = pool;
		if (pool !== this.media || now >= this.others.thereUntil) return free;
		const part = Math.ceil(limit * TUNING.partBesideOthers);
		return Math.min(free, limit - this.others.count(now) - inUse, part - inUse);
	}

	private grant(pool: SlotPool, now: number): void {
		const isProbe = this.freeIn(pool, now) <= 0;
		const isCrowded = pool === this.media && this.others.count(now) > 0;
		if (isProbe && isCrowded) pool.probeMoreRarely();
		// Beside others, a slot that was free also starts the wait before the next probe.
		if (isProbe || isCrowded) pool.planProbe(now);
		pool.grant(new HeldSlot(this, pool), now);
	}

	private listWhereNeeded(now: number): void {
		const { media } = this;
		const { next } = media.queue;
		if (!next || now < this.listAt || media.isFullInSight || media.awaitsAnswer(now)) return;
		this.planList(now);
		this.list(next.channel);
	}

	private planList(now: number): void {
		this.listAt = now + scattered(TUNING.listWhileWaitingMs, this.random);
	}

	/** Jobs are seen that hold no slot. */
	private onIdle(ids: readonly string[]): void {
		for (const id of ids) this.media.ended(id);
	}

	private onListed(): void {
		const { others, media } = this;
		const now = this.clock.monotonic();
		media.endLeft((id, since) => since < others.listedAt && !others.isRunning(id));
		// The list shows what the refusal was about.
		if (now < others.thereUntil) media.forgetCeiling();
		this.planList(now);
		this.serve();
	}

	private tick(): void {
		const now = this.clock.monotonic();
		for (const pool of this.pools) pool.expire(now, this.others.count(now));
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
		this.pool.answered(this);
		if (!this.pool.has(job.id)) this.jobId = job.id;
		this.slots.accepted(this.pool, job);
	}

	refused(retryAfterMs = 0): void {
		this.pool.answered(this);
		this.slots.refused(this.pool, retryAfterMs);
	}

	leave(): void {
		this.free(true);
	}

	release(): void {
		this.free(false);
	}

	private free(isRunning: boolean): void {
		this.pool.answered(this);
		const { jobId } = this;
		this.jobId = undefined;
		if (jobId === undefined) this.slots.serve();
		else this.slots.freed(this.pool, jobId, isRunning);
	}
}
