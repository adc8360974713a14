import { fail, ok, type Result } from '../base/result';
import type { Channel, Clock, Random, Resource } from '../base/types';
import { WaitQueue } from '../base/waitQueue';
import { WakeUp } from '../base/wakeUp';
import { LIMITS } from '../contract';
import type { OtherClients } from './otherClients';
import { GIVE_UP_MS, MINUTE_MS, scattered, TUNING } from './tuning';

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

/** The longest time between two probes. */
const MAX_PROBE_GAP_MS = 16 * MINUTE_MS;

/**
 * A semaphore whose true size is not known: others hold permits of it, and refusals show where it ends. What takes no
 * slot has one too, of a known size.
 */
class SlotPool {
	readonly queue = new WaitQueue<Result<Slot>>(fail({ kind: 'cancelled' }));
	/** Creations that have leave to be sent and are not accepted or refused yet, and since when. */
	readonly unanswered = new Map<Slot, number>();
	/** The ids of our jobs that occupy a slot while somebody waits for them. */
	readonly awaitedJobs = new Set<string>();
	/** The ids of those that nobody waits for any more, and since when. */
	readonly unawaitedJobs = new Map<string, number>();
	/** Learned from refusals; `Infinity` until one, and again once a list shows that others hold the slots. */
	ceiling = Infinity;
	pausedUntil = -Infinity;
	/** From when on one creation may probe for a slot although none seems to be free, in ms on the monotonic clock. */
	probeAt = -Infinity;
	/** Backoff between probes, in ms: a minute to 16, doubled while others are seen, reset by an accepted job. */
	probeGapMs = MINUTE_MS;
	acceptedAt = -Infinity;

	constructor(
		readonly kind: SlotKind | false,
		public limit: number,
	) {}

	/** Jobs of ours that run, whoever waits for them. */
	get running(): number {
		return this.awaitedJobs.size + this.unawaitedJobs.size;
	}

	/** Whether the next creation waits for the answers to those under way. */
	awaitsAnswer(now: number): boolean {
		const awaited = [...this.unanswered.values()].filter((since) => now - since < PATIENCE_MS);
		return this.kind !== false && awaited.length >= Math.max(1, this.running);
	}

	/** Slots that we use. */
	get inUse(): number {
		return this.unanswered.size + this.running;
	}
}

/**
 * The concurrent job slots of a workspace (specification: Limits). A slot is held from the request
 * until the job has ended.
 *
 * 1. A creation goes out if our own jobs and those of others are fewer than the slots, and none was
 *    refused since that list came. Of creations that take a slot no more are under way than jobs of
 *    ours run, and at least one: each that is accepted shows that there may be room for another. One
 *    that gets no answer for a second is not waited for.
 * 2. Otherwise one creation a minute is sent as a probe, whatever the lists show, so that no wait hangs;
 *    while others are seen half as often after each probe, until one is accepted. Each probe sets when
 *    the next may go out before its own answer is known, so beside others, or dead jobs that lists show
 *    as running, even accepted ones are about two minutes apart. None is sent while our own jobs use all
 *    slots.
 * 3. A slot of our own that is freed counts at once. While others are seen, every second of them, except
 *    our last one, is left to them until the next list, so that whoever has more comes down.
 * 4. While creations wait, a list goes out every 10 s ± 25 %, unless jobs that somebody here waits
 *    for use all slots.
 * 5. A job that nobody waits for keeps its slot until a list that was requested later does not show
 *    it as running: for half an hour at most, and not while lists get no answer for a minute.
 * 6. A creation that is refused although no others are seen shows that the plan has fewer slots: no
 *    more are used than ran then, and one more with each probe that is accepted.
 * 7. What the service asks to wait is waited.
 * 8. A wait ends after 30 minutes without an accepted job of ours of its kind, or at its own timeout,
 *    which alone counts while our own jobs use all slots.
 *
 * No list shows agent runs, so rules 3 to 5 are only about media. One that nobody waits for gives its slot
 * back: the next finds out by a refusal whether it still lives. Creations that
 * take no slot are not refused for want of one; as many of their requests are under way at once as
 * there are slots for media. All times are in ms on the monotonic clock.
 */
export class JobSlots {
	private readonly media: SlotPool;
	private readonly agent = new SlotPool('agent', LIMITS.liveAgentRuns);
	/** For creations that take no slot. */
	private readonly requests: SlotPool;
	/** Slots of our own that are left to others until the next list. */
	private yielded = 0;
	private listAt = -Infinity;
	private readonly wakeUp: WakeUp;

	constructor(
		limit: number,
		private readonly clock: Clock,
		private readonly random: Random,
		private readonly others: OtherClients,
		/** Requests a list of what runs in the workspace, and passes it to `others`. */
		private readonly list: (channel: Channel) => void,
	) {
		this.media = new SlotPool('media', limit);
		this.requests = new SlotPool(false, limit);
		this.wakeUp = new WakeUp(clock, () => this.tick());
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
	 * `noSlot` after `timeoutMs` without an accepted job of its kind, or after 30 min without an accepted job unless our own jobs use all
	 * slots. Release the slot in every case.
	 */
	acquire(channel: Channel, options: SlotOptions): Promise<Result<Slot>> {
		const { timeoutMs, takesSlot, since = this.clock.monotonic() } = options;
		const pool = this.pools.find(({ kind }) => kind === takesSlot) ?? this.requests;
		const pending = pool.queue.wait(channel, since, timeoutMs);
		this.serve();
		return pending;
	}

	/** The service has accepted a job, which needs no slot or may have one already. */
	accepted(pool: SlotPool, { id }: Resource): void {
		this.others.created(id);
		pool.acceptedAt = this.clock.monotonic();
		if (pool.kind) {
			// A repeated key may give a job that nobody waited for any more.
			pool.unawaitedJobs.delete(id);
			pool.awaitedJobs.add(id);
			pool.probeGapMs = MINUTE_MS;
			pool.ceiling = Math.max(pool.ceiling, pool.running);
		}
		this.serve();
	}

	refused(pool: SlotPool, retryAfterMs = 0): void {
		if (pool.kind) {
			const now = this.clock.monotonic();
			pool.ceiling = pool.inUse;
			pool.probeAt = now + scattered(pool.probeGapMs, this.random);
			pool.pausedUntil = Math.max(pool.pausedUntil, now + retryAfterMs);
		}
		this.serve();
	}

	/** A job that somebody waited for has ended, or nobody waits for it any more. */
	freed(pool: SlotPool, id: string, isRunning: boolean): void {
		const now = this.clock.monotonic();
		if (pool.awaitedJobs.delete(id) && pool === this.media) {
			if (isRunning) pool.unawaitedJobs.set(id, now);
			else if (this.others.seen(now) > 0 && pool.awaitedJobs.size > 0)
				this.yielded += Number(this.random() < TUNING.yieldedShare);
		}
		this.serve();
	}

	private get pools(): SlotPool[] {
		return [this.media, this.agent, this.requests];
	}

	/** How many more creations may go out, as far as lists and refusals show. */
	private freeIn(pool: SlotPool): number {
		const usable = Math.min(pool.limit, pool.ceiling) - pool.inUse;
		if (pool !== this.media) return usable;
		const left = pool.limit - this.others.count - pool.inUse;
		return Math.min(usable, left) - this.yielded;
	}

	serve(): void {
		const now = this.clock.monotonic();
		for (const pool of this.pools) this.servePool(pool, now);
		const { next } = this.media.queue;
		const awaited = this.media.unanswered.size + this.media.awaitedJobs.size;
		const needsList = awaited < this.media.limit && !this.media.awaitsAnswer(now);
		if (next && needsList && now >= this.listAt) {
			this.planList(now);
			this.list(next.channel);
		}
		if (this.pools.some(({ queue }) => queue.size > 0)) this.wakeUp.set(now + RECHECK_MS);
	}

	private servePool(pool: SlotPool, now: number): void {
		while (pool.queue.size > 0 && pool.inUse < pool.limit && now >= pool.pausedUntil) {
			if (pool.awaitsAnswer(now)) return;
			const isProbe = this.freeIn(pool) <= 0;
			if (isProbe && now < pool.probeAt) return;
			if (isProbe && pool === this.media && this.others.seen(now) > 0)
				pool.probeGapMs = Math.min(2 * pool.probeGapMs, MAX_PROBE_GAP_MS);
			// While others are listed, a slot that was free also starts the wait before the next probe.
			if (isProbe || this.others.count > 0)
				pool.probeAt = now + scattered(pool.probeGapMs, this.random);
			const slot = new HeldSlot(this, pool);
			pool.unanswered.set(slot, now);
			pool.queue.grant(ok(slot));
		}
	}

	private planList(now: number): void {
		this.listAt = now + scattered(TUNING.listWhileWaitingMs, this.random);
	}

	private onListed(): void {
		const { others, media } = this;
		const now = this.clock.monotonic();
		for (const [id, since] of media.unawaitedJobs)
			if (since < others.listedAt && !others.isRunning(id)) media.unawaitedJobs.delete(id);
		// The list shows what the refusal was about.
		if (others.seen(now) > 0) media.ceiling = Infinity;
		this.yielded = 0;
		this.planList(now);
		this.serve();
	}

	private tick(): void {
		const now = this.clock.monotonic();
		const { media, others } = this;
		const isBlind = now - Math.max(others.listedAt, media.queue.next?.since ?? now) >= MINUTE_MS;
		// A list may show dead jobs as running for ever.
		for (const [id, since] of media.unawaitedJobs)
			if (isBlind || now - since >= GIVE_UP_MS) media.unawaitedJobs.delete(id);
		for (const pool of this.pools) {
			const usesAll = pool.kind !== false && pool.inUse >= pool.limit;
			const longest = usesAll ? Infinity : GIVE_UP_MS;
			pool.queue.expire(
				({ since, timeoutMs }) =>
					now >= Math.max(since, pool.acceptedAt) + Math.min(longest, timeoutMs),
				({ since }) => fail({ kind: 'noSlot', waitedMs: now - since, others: others.count }),
			);
		}
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
		this.answered();
		if (!this.pool.awaitedJobs.has(job.id)) this.jobId = job.id;
		this.slots.accepted(this.pool, job);
	}

	refused(retryAfterMs?: number): void {
		this.answered();
		this.slots.refused(this.pool, retryAfterMs);
	}

	leave(): void {
		this.free(true);
	}

	release(): void {
		this.free(false);
	}

	private free(isRunning: boolean): void {
		this.answered();
		const { jobId } = this;
		this.jobId = undefined;
		if (jobId === undefined) this.slots.serve();
		else this.slots.freed(this.pool, jobId, isRunning);
	}

	private answered(): void {
		this.pool.unanswered.delete(this);
	}
}
