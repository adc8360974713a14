import { fail, ok, type Result } from '../base/result';
import type { Channel, Clock, Random, Resource } from '../base/types';
import { WaitQueue } from '../base/waitQueue';
import { WakeUp } from '../base/wakeUp';
import { LIMITS } from '../api';
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
 * The slots of one kind: a semaphore whose true size is not known, because others hold permits of it, and
 * refusals show where it ends. What takes no slot has one too, of a known size.
 */
class SlotPool {
	readonly queue = new WaitQueue<Result<Slot>>(fail({ kind: 'cancelled' }));
	/** Creations that have leave to be sent and are not accepted or refused yet, and since when. */
	private readonly unanswered = new Map<Slot, number>();
	/** The ids of our jobs that occupy a slot while somebody waits for them. */
	private readonly awaited = new Set<string>();
	/** The ids of those that nobody waits for any more, and since when. */
	private readonly left = new Map<string, number>();
	/**
	 * No more are used than ran when a creation was refused; `Infinity` before, and once others explain it.
	 */
	private ceiling = Infinity;
	private pausedUntil = -Infinity;
	/** From when on one creation may be sent as a probe although no slot seems to be free. */
	private probeAt = -Infinity;
	/** A minute to 16: doubled by each probe beside others, reset by an accepted job. */
	private probeGapMs = MINUTE_MS;
	private acceptedAt = -Infinity;
	private size = 1;

	constructor(
		readonly kind: SlotKind | false,
		limit: number,
		private readonly random: Random,
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

	get inUse(): number {
		return this.unanswered.size + this.running;
	}

	/** Slots of ours whose end we shall notice. */
	get inSight(): number {
		return this.unanswered.size + this.awaited.size;
	}

	/** How many more may be used, as far as refusals show. */
	get free(): number {
		return Math.min(this.limit, this.ceiling) - this.inUse;
	}

	/**
	 * Whether the next creation waits for the answers to those under way: no more go out than jobs of ours
	 * run.
	 */
	awaitsAnswer(now: number): boolean {
		const underWay = [...this.unanswered.values()].filter((since) => now - since < PATIENCE_MS);
		return this.kind !== false && underWay.length >= Math.max(1, this.running);
	}

	/** Whether somebody waits whose creation could be sent now if there is a slot. */
	isReady(now: number): boolean {
		const isOpen = this.inUse < this.limit && now >= this.pausedUntil;
		return this.queue.size > 0 && isOpen && !this.awaitsAnswer(now);
	}

	mayProbe(now: number): boolean {
		return now >= this.probeAt;
	}

	planProbe(now: number): void {
		this.probeAt = now + scattered(this.probeGapMs, this.random);
	}

	probeMoreRarely(): void {
		this.probeGapMs = Math.min(2 * this.probeGapMs, MAX_PROBE_GAP_MS);
	}

	/** An accepted job has shown a slot of which nobody knew: there may be more. */
	probeAtOnce(): void {
		this.probeAt = -Infinity;
	}

	/** The refusals are explained by what others use. */
	forgetCeiling(): void {
		this.ceiling = Infinity;
	}

	grant(slot: Slot, now: number): void {
		this.unanswered.set(slot, now);
		this.queue.grant(ok(slot));
	}

	answered(slot: Slot): void {
		this.unanswered.delete(slot);
	}

	has(id: string): boolean {
		return this.awaited.has(id);
	}

	accepted(id: string, now: number): void {
		this.acceptedAt = now;
		if (this.kind === false) return;
		// A repeated key may give a job that nobody waited for any more.
		this.left.delete(id);
		this.awaited.add(id);
		this.probeGapMs = MINUTE_MS;
		if (this.running > this.ceiling) this.probeAtOnce();
		this.ceiling = Math.max(this.ceiling, this.running);
	}

	refused(retryAfterMs: number, now: number): void {
		if (this.kind === false) return;
		this.ceiling = this.inUse;
		this.planProbe(now);
		this.pausedUntil = Math.max(this.pausedUntil, now + retryAfterMs);
	}

	ended(id: string): void {
		this.awaited.delete(id);
		this.left.delete(id);
	}

	/** @param now since when nobody waits for the job */
	leave(id: string, now: number): void {
		if (this.awaited.delete(id)) this.left.set(id, now);
	}

	endLeft(hasEnded: (id: string, since: number) => boolean): void {
		for (const [id, since] of this.left) if (hasEnded(id, since)) this.left.delete(id);
	}

	/** Ends the waits that have lasted too long. @param others how many jobs of others run */
	expire(now: number, others: number): void {
		const usesAll = this.kind !== false && this.inUse >= this.limit;
		const longest = usesAll ? Infinity : GIVE_UP_MS;
		this.queue.expire(
			({ since, timeoutMs }) =>
				now >= Math.max(since, this.acceptedAt) + Math.min(longest, timeoutMs),
			({ since }) => fail({ kind: 'noSlot', waitedMs: now - since, others }),
		);
	}
}

/**
 * The concurrent job slots of a workspace (specification: Limits). A slot is held from the request
 * until the job has ended.
 *
 * 1. A creation goes out if our own jobs and those of others are fewer than the slots, none was refused since
 * that
 *    list came, and its request would be sent at once. Of creations that take a slot no more are under way
 * than jobs
 *    of ours run, and at least one: each that is accepted shows that there may be room for another. One that
 * gets no
 *    answer for a second is not waited for.
 * 2. While others are there, we use our part of the slots, rounded up, so that whoever has none finds one
 * free.
 * 3. Whatever the lists show, one creation a minute is sent as a probe, so that no wait hangs; beside others
 * half as
 *    often after each, until one is accepted. If no slot was known for that, the next goes out at once: an
 * accepted
 *    creation weighs more than a list. None is sent while our own jobs use all slots.
 * 4. While creations wait, a list goes out every 10 s ± 25 %, unless jobs that somebody here waits for use
 * all slots.
 * 5. A job whose list shows it as anything but running holds no slot. One that nobody waits for keeps its own
 * until a
 *    list that was requested later does not show it as running: for half an hour at most, and not while lists
 * get no
 *    answer for a minute.
 * 6. A creation that is refused although no others are seen shows that the plan has fewer slots: no more are
 * used
 *    than ran then, and one more with each probe that is accepted.
 * 7. What the service asks to wait is waited.
 * 8. A wait ends after 30 minutes without an accepted job of ours of its kind, or at its own timeout, which
 * alone
 *    counts while our own jobs use all slots.
 *
 * No list shows agent runs, so rules 2, 4 and 5 are only about media. An agent run that nobody waits for
 * gives its slot back: the next finds out by a refusal whether it still lives. Creations that take no slot
 * are not refused for want of one; as many of their requests are under way at once as there are slots for
 * media. All times are in ms on the monotonic clock.
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
		/** Whether a request would be sent at once: after a wait, what is known of the slots may be old. */
		private readonly hasRoom: () => boolean = () => true,
	) {
		this.media = new SlotPool('media', limit, random);
		this.agent = new SlotPool('agent', LIMITS.liveAgentRuns, random);
		this.requests = new SlotPool(false, limit, random);
		this.wakeUp = new WakeUp(clock, () => this.tick());
		others.onListed = (idle) => this.onListed(idle);
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
	 * `noSlot` after `timeoutMs` without an accepted job of its kind, or after 30 min without an accepted job
	 * unless our own jobs use all slots. Release the slot in every case.
	 */
	acquire(channel: Channel, options: SlotOptions): Promise<Result<Slot>> {
		const { timeoutMs, takesSlot, since = this.clock.monotonic() } = options;
		const pool = this.pools.find(({ kind }) => kind === takesSlot) ?? this.requests;
		const pending = pool.queue.wait(channel, since, timeoutMs);
		this.serve();
		return pending;
	}

	accepted(pool: SlotPool, { id }: Resource): void {
		const now = this.clock.monotonic();
		this.others.created(id);
		pool.accepted(id, now);
		if (pool === this.media) this.weighAgainstList(now);
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
		if (pool === this.media && !this.hasRoom()) return false;
		return this.freeIn(pool, now) > 0 || pool.mayProbe(now);
	}

	/** How many more creations may go out, as far as lists and refusals show. */
	private freeIn(pool: SlotPool, now: number): number {
		const { free, limit, inUse } = pool;
		if (pool !== this.media || !this.others.areThere(now)) return free;
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

	/** An accepted creation weighs more than a list that had no slot for it. */
	private weighAgainstList(now: number): void {
		const { media, others } = this;
		if (media.running + others.count(now) > media.limit) media.probeAtOnce();
	}

	private listWhereNeeded(now: number): void {
		const { next } = this.media.queue;
		const mayChange = this.media.inSight < this.media.limit && !this.media.awaitsAnswer(now);
		if (!next || !mayChange || now < this.listAt) return;
		this.planList(now);
		this.list(next.channel);
	}

	private planList(now: number): void {
		this.listAt = now + scattered(TUNING.listWhileWaitingMs, this.random);
	}

	private onListed(idle: readonly string[]): void {
		const { others, media } = this;
		const now = this.clock.monotonic();
		for (const id of idle) media.ended(id);
		media.endLeft((id, since) => since < others.listedAt && !others.isRunning(id));
		// The list shows what the refusal was about.
		if (others.areThere(now)) media.forgetCeiling();
		this.planList(now);
		this.serve();
	}

	private tick(): void {
		const now = this.clock.monotonic();
		const { media, others } = this;
		const isBlind = now - Math.max(others.listedAt, media.queue.next?.since ?? now) >= MINUTE_MS;
		// A list may show dead jobs as running for ever.
		media.endLeft((_id, since) => isBlind || now - since >= GIVE_UP_MS);
		for (const pool of this.pools) pool.expire(now, others.count(now));
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
