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
	leave(): void;
}

interface SlotOptions {
	/** How long it waits at most, in ms. */
	timeoutMs: number;
	/** Whether the job takes one of the workspace's slots; `false`: only its request is counted. */
	takesSlot: boolean;
	/** When its wait began, if it was refused since. */
	since?: number;
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
 *    refused since that list came. A slot of our own that is freed counts at once.
 * 2. Otherwise one creation a minute is tried, whatever the lists show of others, so that no wait
 *    hangs; but none is tried while our own jobs use all slots.
 * 3. While creations wait, a list goes out every 10 s ± 25 %, unless jobs that somebody here waits
 *    for use all slots.
 * 4. A job that nobody waits for keeps its slot until a list that was requested later does not show
 *    it as running: for half an hour at most, and not while lists get no answer for a minute.
 * 5. A creation that is refused although no others are seen shows that the plan has fewer slots: no
 *    more are used than ran then, and one more with each that is tried and accepted.
 * 6. What the service asks to wait is waited; the first time, one is tried right after it.
 * 7. A wait ends after 30 minutes without an accepted job of ours that takes a slot, or at its own
 *    timeout, which alone counts while our own jobs use all slots.
 *
 * Creations that take no slot are not refused for want of one; as many of their requests are under
 * way at once as there are slots. All times are in ms on the monotonic clock.
 */
export class JobSlots {
	private readonly jobLane = new Lane();
	/** For creations that take no slot. */
	private readonly requestLane = new Lane();
	/** The ids of our jobs that occupy a slot while somebody waits for them. */
	private readonly held = new Set<string>();
	/** The ids of those that nobody waits for any more, and since when. */
	private readonly left = new Map<string, number>();
	/** The most slots that we use: after a refusal as many as we used then, until a list explains it. */
	private most = Infinity;
	private pausedUntil = -Infinity;
	/** From when on one may be tried, whatever the lists show. */
	private tryAt = -Infinity;
	/** Whether one was tried since the last was accepted. */
	private hasTried = false;
	private listAt = -Infinity;
	private tryGap = MINUTE_MS; private wasTry = false; private yielded = 0; why = { tryRefused: 0 };
	private readonly wakeUp: WakeUp;

	constructor(
		/** At least 1. */
		public limit: number,
		private readonly clock: Clock,
		private readonly random: Random,
		private readonly others: OtherClients,
		/** Requests a list of what runs in the workspace, and passes it to `others`. */
		private readonly list: (channel: Channel) => void,
		private readonly listGap: () => number = () => 0,
	) {
		this.wakeUp = new WakeUp(clock, () => this.tick());
		others.onListed = (areSeen) => this.onListed(areSeen);
	}

	/** Fails with `cancelled` or `noSlot`. */
	acquire(channel: Channel, options: SlotOptions): Promise<Result<Slot>> {
		const { timeoutMs, takesSlot, since = this.clock.monotonic() } = options;
		const { queue } = takesSlot ? this.jobLane : this.requestLane;
		const pending = queue.wait(channel, since, timeoutMs);
		this.serve();
		return pending;
	}

	/** Slots that we use for what somebody waits for. */
	private get inUse(): number {
		return this.jobLane.underWay + this.held.size;
	}

	private get taken(): number {
		return this.inUse + this.left.size;
	}

	/** How many more jobs may go out, as far as lists and refusals show. */
	private get free(): number {
		return Math.min(this.limit - this.others.count, this.most) - this.taken - this.yielded;
	}

	private serve(): void {
		const now = this.clock.monotonic();
		const { jobLane, requestLane } = this;
		while (requestLane.queue.size > 0 && requestLane.underWay < this.limit) this.grant(requestLane);
		while (jobLane.queue.size > 0 && this.taken < this.limit && now >= this.pausedUntil) {
			if (process.env.UNDERWAY && jobLane.underWay >= Math.max(1, this.held.size + this.left.size)) break;
			const isTry = this.free <= 0;
			if (isTry && now < this.tryAt) break;
			// Who gets slots beside others has no reason to try for more.
			if (process.env.TRYDOUBLE && isTry) this.tryGap = Math.min(this.tryGap * 2, 16 * MINUTE_MS);
			if (isTry || this.others.count > 0) this.tryAt = now + scattered(process.env.TRYDOUBLE ? this.tryGap : MINUTE_MS, this.random);
			this.hasTried ||= isTry; this.wasTry = isTry;
			this.grant(jobLane);
		}
		const { next } = jobLane.queue;
		if (next && this.inUse < this.limit && now >= this.listAt) {
			this.planList(now);
			this.list(next.channel);
		}
		if (jobLane.queue.size + requestLane.queue.size > 0) this.wakeUp.set(now + TICK_MS);
	}

	private grant(lane: Lane): void {
		lane.queue.grant(ok(new JobSlots.HeldSlot(this, lane)));
	}

	private planList(now: number): void {
		this.listAt = now + scattered(Math.max(TUNING.listWhileWaitingMs, this.listGap()), this.random);
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

		/** The job occupies the slot, unless it needs none or has another one. */
		accepted({ id }: Resource): void {
			const { slots, lane } = this;
			const { held, left, others } = slots;
			this.answered();
			others.created(id);
			lane.acceptedAt = slots.clock.monotonic();
			// A repeated key may give a job that nobody waited for any more.
			left.delete(id);
			if (lane === slots.jobLane && !held.has(id)) held.add((this.jobId = id));
			if (lane === slots.jobLane) { slots.hasTried = false; slots.tryGap = MINUTE_MS; }
			slots.most = Math.max(slots.most, held.size + left.size);
			slots.serve();
		}

		refused(retryAfterMs?: number): void {
			this.answered();
			if (this.lane === this.slots.jobLane) this.slots.noteRefusal(retryAfterMs);
			this.slots.serve();
		}

		leave(): void {
			const { held, left, clock } = this.slots;
			if (held.delete(this.jobId)) left.set(this.jobId, clock.monotonic());
			this.slots.serve();
		}

		release(): void {
			this.answered();
			if (this.slots.held.delete(this.jobId) && this.slots.others.most > 0 && this.slots.held.size >= Number(process.env.YKEEP ?? 1) && this.slots.random() < Number(process.env.YIELD ?? 0)) this.slots.yielded += 1;
			this.slots.serve();
		}

		answered(): void {
			if (this.isUnderWay) this.lane.underWay -= 1;
			this.isUnderWay = false;
		}
	};

	private noteRefusal(retryAfterMs: number | undefined): void {
		const now = this.clock.monotonic();
		this.most = this.taken;
		// A service may name the next moment each time.
		const followsHint = retryAfterMs !== undefined && !this.hasTried;
		this.tryAt = now + (followsHint && !process.env.NOHINT ? retryAfterMs : scattered(process.env.TRYDOUBLE ? this.tryGap : MINUTE_MS, this.random));
		this.why.tryRefused += Number(this.wasTry); if (process.env.WHY) console.error(this.wasTry ? 'try' : this.held.size + '+' + this.left.size + ' others ' + this.others.count + ' age ' + Math.round((now - this.others.listedAt)/1000));
		this.pausedUntil = Math.max(this.pausedUntil, now + (retryAfterMs ?? 0));
	}

	private onListed(areOthersSeen: boolean): void {
		const { others, left } = this;
		for (const [id, since] of left)
			if (since < others.listedAt && !others.isRunning(id)) left.delete(id);
		// The list shows what the refusal was about.
		if (areOthersSeen) this.most = Infinity;
		this.yielded = 0;
		this.planList(this.clock.monotonic());
		this.serve();
	}

	private tick(): void {
		const now = this.clock.monotonic();
		const { jobLane, requestLane, left, others } = this;
		const isBlind = now - Math.max(others.listedAt, jobLane.queue.next?.since ?? now) >= MINUTE_MS;
		// A list may show dead jobs as running for ever.
		for (const [id, since] of left) if (isBlind || now - since >= GIVE_UP_MS) left.delete(id);
		const usesAll = this.taken >= this.limit;
		for (const lane of [jobLane, requestLane]) {
			const longest = usesAll && lane === jobLane ? Infinity : GIVE_UP_MS;
			lane.queue.expire(
				({ since, timeoutMs }) =>
					now >= Math.max(since, lane.acceptedAt) + Math.min(longest, timeoutMs),
				({ since }) => fail({ kind: 'noSlot', waitedMs: now - since, others: others.count }),
			);
		}
		this.serve();
	}
}
