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
	/** How long it waits at most, in ms. */
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

/** The longest time between two tries. */
const MAX_TRY_GAP_MS = 16 * MINUTE_MS;

/** Creations of one kind: those that wait, those under way, and the jobs that occupy slots. */
class Lane {
	readonly queue = new WaitQueue<Result<Slot>>(fail({ kind: 'cancelled' }));
	/** Creations that have leave to be sent and are not accepted or refused yet, and since when. */
	readonly underWay = new Map<Slot, number>();
	/** The ids of our jobs that occupy a slot while somebody waits for them. */
	readonly held = new Set<string>();
	/** The ids of those that nobody waits for any more, and since when. */
	readonly left = new Map<string, number>();
	/** The most slots that we use: after a refusal as many as we used then, until a list explains it. */
	most = Infinity;
	pausedUntil = -Infinity;
	/** From when on one may be tried although no slot seems to be free. */
	tryAt = -Infinity;
	tryGapMs = MINUTE_MS;
	acceptedAt = -Infinity;

	constructor(
		readonly kind: SlotKind | false,
		public limit: number,
	) {}

	/** Jobs of ours that run, whoever waits for them. */
	get running(): number {
		return this.held.size + this.left.size;
	}

	/** Whether the next creation waits for the answers to those under way. */
	awaitsAnswer(now: number): boolean {
		const awaited = [...this.underWay.values()].filter((since) => now - since < PATIENCE_MS);
		return this.kind !== false && awaited.length >= Math.max(1, this.running);
	}

	/** Slots that we use. */
	get taken(): number {
		return this.underWay.size + this.running;
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
 * 2. Otherwise one creation a minute is tried, whatever the lists show, so that no wait hangs; while
 *    others are seen half as often after each try, until one is accepted. None is tried while our own
 *    jobs use all slots.
 * 3. A slot of our own that is freed counts at once. While others are seen, every second of them, except
 *    our last one, is left to them until the next list, so that whoever has more comes down.
 * 4. While creations wait, a list goes out every 10 s ± 25 %, unless jobs that somebody here waits
 *    for use all slots.
 * 5. A job that nobody waits for keeps its slot until a list that was requested later does not show
 *    it as running: for half an hour at most, and not while lists get no answer for a minute.
 * 6. A creation that is refused although no others are seen shows that the plan has fewer slots: no
 *    more are used than ran then, and one more with each that is tried and accepted.
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
	private readonly media: Lane;
	private readonly agent = new Lane('agent', LIMITS.liveAgentRuns);
	/** For creations that take no slot. */
	private readonly requests: Lane;
	/** Slots of our own that are left to others until the next list. */
	private offered = 0;
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
		this.media = new Lane('media', limit);
		this.requests = new Lane(false, limit);
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

	/** Fails with `cancelled` or `noSlot`. */
	acquire(channel: Channel, options: SlotOptions): Promise<Result<Slot>> {
		const { timeoutMs, takesSlot, since = this.clock.monotonic() } = options;
		const lane = this.lanes.find(({ kind }) => kind === takesSlot) ?? this.requests;
		const pending = lane.queue.wait(channel, since, timeoutMs);
		this.serve();
		return pending;
	}

	/** The service has accepted a job, which needs no slot or may have one already. */
	accepted(lane: Lane, { id }: Resource): void {
		this.others.created(id);
		lane.acceptedAt = this.clock.monotonic();
		if (lane.kind) {
			// A repeated key may give a job that nobody waited for any more.
			lane.left.delete(id);
			lane.held.add(id);
			lane.tryGapMs = MINUTE_MS;
			lane.most = Math.max(lane.most, lane.running);
		}
		this.serve();
	}

	refused(lane: Lane, retryAfterMs = 0): void {
		if (lane.kind) {
			const now = this.clock.monotonic();
			lane.most = lane.taken;
			lane.tryAt = now + scattered(lane.tryGapMs, this.random);
			lane.pausedUntil = Math.max(lane.pausedUntil, now + retryAfterMs);
		}
		this.serve();
	}

	/** A job that somebody waited for has ended, or nobody waits for it any more. */
	freed(lane: Lane, id: string, isRunning: boolean): void {
		const now = this.clock.monotonic();
		if (lane.held.delete(id) && lane === this.media) {
			if (isRunning) lane.left.set(id, now);
			else if (this.others.seen(now) > 0 && lane.held.size > 0)
				this.offered += Number(this.random() < TUNING.offeredShare);
		}
		this.serve();
	}

	private get lanes(): Lane[] {
		return [this.media, this.agent, this.requests];
	}

	/** How many more creations may go out, as far as lists and refusals show. */
	private freeIn(lane: Lane): number {
		const usable = Math.min(lane.limit, lane.most) - lane.taken;
		if (lane !== this.media) return usable;
		const left = lane.limit - this.others.count - lane.taken;
		return Math.min(usable, left) - this.offered;
	}

	serve(): void {
		const now = this.clock.monotonic();
		for (const lane of this.lanes) this.serveLane(lane, now);
		const { next } = this.media.queue;
		const inUse = this.media.underWay.size + this.media.held.size;
		const needsList = inUse < this.media.limit && !this.media.awaitsAnswer(now);
		if (next && needsList && now >= this.listAt) {
			this.planList(now);
			this.list(next.channel);
		}
		if (this.lanes.some(({ queue }) => queue.size > 0)) this.wakeUp.set(now + RECHECK_MS);
	}

	private serveLane(lane: Lane, now: number): void {
		while (lane.queue.size > 0 && lane.taken < lane.limit && now >= lane.pausedUntil) {
			if (lane.awaitsAnswer(now)) return;
			const isTry = this.freeIn(lane) <= 0;
			if (isTry && now < lane.tryAt) return;
			if (isTry && lane === this.media && this.others.seen(now) > 0)
				lane.tryGapMs = Math.min(2 * lane.tryGapMs, MAX_TRY_GAP_MS);
			// Who gets slots beside others has no reason to try for more.
			if (isTry || this.others.count > 0) lane.tryAt = now + scattered(lane.tryGapMs, this.random);
			const slot = new HeldSlot(this, lane);
			lane.underWay.set(slot, now);
			lane.queue.grant(ok(slot));
		}
	}

	private planList(now: number): void {
		this.listAt = now + scattered(TUNING.listWhileWaitingMs, this.random);
	}

	private onListed(): void {
		const { others, media } = this;
		const now = this.clock.monotonic();
		for (const [id, since] of media.left)
			if (since < others.listedAt && !others.isRunning(id)) media.left.delete(id);
		// The list shows what the refusal was about.
		if (others.seen(now) > 0) media.most = Infinity;
		this.offered = 0;
		this.planList(now);
		this.serve();
	}

	private tick(): void {
		const now = this.clock.monotonic();
		const { media, others } = this;
		const isBlind = now - Math.max(others.listedAt, media.queue.next?.since ?? now) >= MINUTE_MS;
		// A list may show dead jobs as running for ever.
		for (const [id, since] of media.left)
			if (isBlind || now - since >= GIVE_UP_MS) media.left.delete(id);
		for (const lane of this.lanes) {
			const usesAll = lane.kind !== false && lane.taken >= lane.limit;
			const longest = usesAll ? Infinity : GIVE_UP_MS;
			lane.queue.expire(
				({ since, timeoutMs }) =>
					now >= Math.max(since, lane.acceptedAt) + Math.min(longest, timeoutMs),
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
		private readonly lane: Lane,
	) {}

	accepted(job: Resource): void {
		this.answered();
		if (!this.lane.held.has(job.id)) this.jobId = job.id;
		this.slots.accepted(this.lane, job);
	}

	refused(retryAfterMs?: number): void {
		this.answered();
		this.slots.refused(this.lane, retryAfterMs);
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
		else this.slots.freed(this.lane, jobId, isRunning);
	}

	private answered(): void {
		this.lane.underWay.delete(this);
	}
}
