import { fail, ok, type Result } from '../base/result';
import type { Channel, Clock, Random, Resource } from '../base/types';
import { WaitQueue, WakeUp } from '../base/waiting';
import type { OtherClients } from './otherClients';
import { GIVE_UP_MS, MINUTE_MS, scattered, TUNING } from './tuning';

/** Leave to send one creation. */
export interface Slot {
	/** The service has accepted the job, which may need no slot. */
	accepted(job: Resource): void;
	/** The service has refused the job (429), and asks to wait for so long. Releases the slot. */
	refused(retryAfterMs?: number): void;
	/** Releasing it twice does nothing. */
	release(): void;
	/** Nobody waits for the job: it keeps its slot until somebody needs one and a list shows its end. */
	leave(job: Resource): void;
}

interface SlotOptions {
	/** How long it waits at most, in ms. */
	timeoutMs: number;
	/** Whether the job takes one of the workspace's slots; `false`: only its request is counted. */
	takesSlot: boolean;
	/** When its wait began, if it was refused since. */
	since?: number;
}

/** What the slots need to know of jobs. */
export interface JobWatch {
	hasEnded(job: Resource): boolean;
	/** Requests a list of what runs in the workspace, and passes it to `OtherClients`. */
	list(channel: Channel): void;
}

/** Creations of one kind that wait, and how many are under way: sent, and not accepted or refused yet. */
class Lane {
	underWay = 0;
	acceptedAt = -Infinity;
	readonly queue = new WaitQueue<Result<Slot>>(fail({ kind: 'cancelled' }));
}

const TICK_MS = 1_000;

/**
 * The concurrent job slots of a workspace (specification: Limits, Concurrent media jobs). A slot is
 * held from the request until the job has ended.
 *
 * 1. A creation goes out if own jobs and those of others are fewer than the slots, and none was
 *    refused since that list was requested. A slot of our own that is freed counts at once.
 * 2. Otherwise one creation a minute is tried, whatever the lists show of others, so that no wait
 *    hangs; but none is tried while our own jobs use all slots.
 * 3. While creations wait for slots that others use, a list goes out every 10 s ± 25 %; while they
 *    wait for those of own jobs that nobody waits for, every 3 s.
 * 4. One that is refused although no others were seen for a minute shows that the plan has fewer
 *    slots: no more are used than ran then, and one more with each that is tried and accepted.
 * 5. What the service asks to wait is waited; the first time, one is tried right after it.
 * 6. A wait ends after 30 minutes without an accepted job of ours that takes a slot, or at its own
 *    timeout, which alone counts while our own jobs use all slots.
 *
 * Creations that take no slot are not refused for want of one; as many of their requests are under
 * way at once as there are slots. All times are in ms on the monotonic clock.
 */
export class JobSlots {
	private readonly jobLane = new Lane();
	/** For creations that take no slot. */
	private readonly requestLane = new Lane();
	/**
	 * The ids of our jobs that occupy a slot, and since when nobody waits for them; `Infinity` while
	 * somebody does. One that nobody waits for occupies its slot until a list that was requested later
	 * shows that it has ended, and for half an hour at most.
	 */
	private readonly held = new Map<string, number>();
	private refusedAt = -Infinity;
	/** The most slots that we use: after a refusal as many as we used then, until a list explains it. */
	private most = Infinity;
	private pausedUntil = -Infinity;
	/** Whether one was tried since the last was accepted. */
	private hasTried = false;
	/** When one is tried, whatever the lists show; `Infinity` while none waits. */
	private tryAt = Infinity;
	private listAt = -Infinity;
	private readonly wakeUp: WakeUp;

	constructor(
		/** At least 1. */
		public limit: number,
		private readonly clock: Clock,
		private readonly random: Random,
		private readonly others: OtherClients,
		private readonly jobs: JobWatch,
	) {
		this.wakeUp = new WakeUp(clock, () => this.tick());
		others.onListed = () => this.onListed();
	}

	/** Fails with `cancelled` or `noSlot`. */
	acquire(channel: Channel, options: SlotOptions): Promise<Result<Slot>> {
		const { timeoutMs, takesSlot, since = this.clock.monotonic() } = options;
		const { queue } = takesSlot ? this.jobLane : this.requestLane;
		const pending = queue.wait(channel, since, timeoutMs);
		this.serve();
		return pending;
	}

	private get taken(): number {
		return this.jobLane.underWay + this.held.size;
	}

	/** How many jobs hold a slot that nobody waits for. */
	private get left(): number {
		return [...this.held.values()].filter((since) => since < Infinity).length;
	}

	/** As `taken`, without jobs that nobody waits for where no list would show their end. */
	private get inUse(): number {
		const hasLists = this.clock.monotonic() - this.others.listedAt < MINUTE_MS;
		return hasLists ? this.taken : this.taken - this.left;
	}

	/** How many more jobs may go out, as far as lists and refusals show. */
	private get free(): number {
		return Math.min(this.limit - this.others.count, this.most) - this.taken;
	}

	private serve(): void {
		const now = this.clock.monotonic();
		const { jobLane, requestLane } = this;
		while (requestLane.queue.size > 0 && requestLane.underWay < this.limit) this.grant(requestLane);
		while (jobLane.queue.size > 0 && this.inUse < this.limit && now >= this.pausedUntil) {
			const isTry = this.free <= 0;
			if (isTry && now < this.tryAt) break;
			// Who gets slots beside others has no reason to try for more.
			if (isTry || this.others.count > 0) this.tryAt = this.aMinuteFrom(now);
			this.hasTried ||= isTry;
			this.grant(jobLane);
		}
		this.findOut(now);
		if (jobLane.queue.size + requestLane.queue.size > 0) this.wakeUp.set(now + TICK_MS);
	}

	private grant(lane: Lane): void {
		lane.queue.grant(ok(new JobSlots.HeldSlot(this, lane)));
	}

	/** A class, not closures: thousands of items may hold one. Its methods are part of the slots. */
	private static readonly HeldSlot = class implements Slot {
		isUnderWay = true;
		jobId = '';

		constructor(
			readonly slots: JobSlots,
			readonly lane: Lane,
		) {
			lane.underWay += 1;
		}

		answered(): void {
			if (this.isUnderWay) this.lane.underWay -= 1;
			this.isUnderWay = false;
		}

		/** Unless it needs no slot, or has another one, a job occupies the slot that it was created with. */
		hold(job: Resource): void {
			const { jobLane, held, others, jobs } = this.slots;
			others.created(job.id);
			const needsNone = this.lane !== jobLane || jobs.hasEnded(job);
			if (this.isUnderWay && !needsNone && !held.has(job.id))
				held.set((this.jobId = job.id), Infinity);
			this.answered();
		}

		accepted(job: Resource): void {
			const { slots, lane } = this;
			lane.acceptedAt = slots.clock.monotonic();
			if (lane === slots.jobLane) slots.hasTried = false;
			this.hold(job);
			slots.most = Math.max(slots.most, slots.held.size);
			slots.serve();
		}

		refused(retryAfterMs?: number): void {
			this.answered();
			if (this.lane === this.slots.jobLane) this.slots.noteRefusal(retryAfterMs);
			this.slots.serve();
		}

		leave(job: Resource): void {
			const { held, clock } = this.slots;
			this.hold(job);
			if (held.has(this.jobId)) held.set(this.jobId, clock.monotonic());
			this.slots.serve();
		}

		release(): void {
			this.answered();
			this.slots.held.delete(this.jobId);
			this.jobId = '';
			this.slots.serve();
		}
	};

	/** Asks for a list where one can show a slot to be free that somebody waits for. */
	private findOut(now: number): void {
		const { next } = this.jobLane.queue;
		if (!next) {
			this.tryAt = Infinity;
			return;
		}
		if (this.tryAt === Infinity && this.inUse < this.limit) this.tryAt = this.aMinuteFrom(now);
		const isUnknown = this.others.count > 0 || this.refusedAt > this.others.listedAt;
		if (now < this.listAt || !(isUnknown || this.left > 0)) return;
		this.listAt = this.nextListAfter(now);
		this.jobs.list(next.channel);
	}

	private nextListAfter(now: number): number {
		const { minLookMs, listWhileWaitingMs } = TUNING;
		const isBesideOthers = this.others.count > 0 || this.most < Infinity;
		return now + (isBesideOthers ? scattered(listWhileWaitingMs, this.random) : minLookMs);
	}

	private aMinuteFrom(now: number): number {
		return now + scattered(MINUTE_MS, this.random);
	}

	private onListed(): void {
		const { listedAt, seenAt } = this.others;
		for (const [id, since] of this.held)
			if (since < listedAt && !this.others.isRunning(id)) this.held.delete(id);
		// The list shows what the refusal was about.
		if (listedAt > this.refusedAt && listedAt - seenAt < MINUTE_MS) this.most = Infinity;
		this.listAt = this.nextListAfter(this.clock.monotonic());
		this.serve();
	}

	private tick(): void {
		const now = this.clock.monotonic();
		// A list may show dead jobs as running for ever.
		for (const [id, since] of this.held) if (now - since >= GIVE_UP_MS) this.held.delete(id);
		const usesAll = this.inUse >= Math.max(1, Math.min(this.limit, this.most));
		for (const lane of [this.jobLane, this.requestLane]) {
			const longest = usesAll && lane === this.jobLane ? Infinity : GIVE_UP_MS;
			lane.queue.expire(
				({ since, timeoutMs }) =>
					now >= Math.max(since, lane.acceptedAt) + Math.min(longest, timeoutMs),
				({ since }) => fail({ kind: 'noSlot', waitedMs: now - since, others: this.others.count }),
			);
		}
		this.serve();
	}

	private noteRefusal(retryAfterMs: number | undefined): void {
		const now = this.clock.monotonic();
		this.refusedAt = now;
		this.most = this.taken;
		// A service may name the next moment each time.
		const followsHint = retryAfterMs !== undefined && !this.hasTried;
		this.tryAt = followsHint ? now + retryAfterMs : this.aMinuteFrom(now);
		this.pausedUntil = Math.max(this.pausedUntil, now + (retryAfterMs ?? 0));
	}
}
