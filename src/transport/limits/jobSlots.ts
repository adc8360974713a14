import { fail, ok, type Result } from '../base/result';
import type { Channel, Clock, Random, Resource } from '../base/types';
import { WaitQueue, type Waiting } from '../base/waitQueue';
import { WakeUp } from '../base/wakeUp';
import type { OtherClients } from './otherClients';
import { GIVE_UP_MS, MINUTE_MS, scattered, TUNING } from './tuning';

/** Leave to send one creation. */
export interface Slot {
	/** The service has accepted the job. The slot is free at once if it needs none. */
	accepted(job: Resource): void;
	/**
	 * The service has refused the job (429): releases the slot.
	 * @param retryAfterMs how long the service asks to wait
	 */
	refused(retryAfterMs?: number): void;
	/** Releasing it twice does nothing. */
	release(): void;
	/**
	 * The job runs on unattended: it keeps its slot until somebody else needs one and finds that it has
	 * ended.
	 */
	leave(job: Resource): void;
}

/** What one creation needs. */
export interface SlotOptions {
	/** How long it waits at most, in ms. */
	timeoutMs: number;
	/** Whether the job takes one of the workspace's slots; `false`: only its request is counted. */
	holdsJob: boolean;
	/**
	 * When it first asked for a slot, on the monotonic clock, if it was refused since: a refusal does not
	 * begin its wait anew. Default: now.
	 */
	since?: number;
}

/** What the slots need to know of jobs. */
export interface JobWatch {
	hasEnded(job: Resource): boolean;
	/** Waits until a job has ended or cannot be read. `false` if the channel was cancelled first. */
	untilEnded(channel: Channel, job: Resource): Promise<boolean>;
	/** Requests a list of what runs in the workspace, and passes it to `OtherClients`. */
	list(channel: Channel): void;
}

interface Unattended {
	job: Resource;
	slot: Slot;
	isWatched: boolean;
}

/** Creations that wait, and how many are under way or hold a slot. */
class Lane {
	inUse = 0;

	readonly queue: WaitQueue<Result<Slot>>;

	constructor(onEmpty: () => void) {
		this.queue = new WaitQueue<Result<Slot>>(fail({ kind: 'cancelled' }), onEmpty);
	}
}

/** What a slot reports to the slots that it is one of. */
interface Issuer {
	release(slot: HeldSlot): void;
	accepted(slot: HeldSlot, job: Resource): void;
	refused(slot: HeldSlot, retryAfterMs: number | undefined): void;
	leave(slot: HeldSlot, job: Resource): void;
}

class HeldSlot implements Slot {
	isHeld = true;

	/** The job that occupies it. */
	jobId: string | undefined;

	constructor(
		private readonly issuer: Issuer,
		readonly lane: Lane,
	) {}

	release(): void {
		this.issuer.release(this);
	}

	accepted(job: Resource): void {
		this.issuer.accepted(this, job);
	}

	refused(retryAfterMs?: number): void {
		this.issuer.refused(this, retryAfterMs);
	}

	leave(job: Resource): void {
		this.issuer.leave(this, job);
	}
}

/**
 * The concurrent job slots of a workspace (specification: Limits, Concurrent media jobs). A slot is
 * held from the request until the job has ended.
 *
 * 1. A creation goes out if own jobs and those of others are fewer than the slots, and none was
 *    refused since that list was requested. A slot of our own that is freed counts at once.
 * 2. Otherwise one creation a minute is tried, whatever the lists show, so that no wait hangs.
 * 3. While creations wait for slots that others use, a list goes out every 10 s ± 25 %.
 * 4. One that is refused although no others were seen for a minute shows that the plan has fewer
 *    slots: no more are used than ran then, until one that is tried beyond them is accepted.
 * 5. What the service asks to wait is waited.
 * 6. A wait ends after 30 minutes without an accepted job of ours, or at its own timeout, which alone
 *    counts while our own jobs use all slots.
 *
 * Creations that take no slot are not refused for want of one; as many of their requests are under
 * way at once as there are slots. All times are in ms on the monotonic clock.
 */
export class JobSlots {
	private readonly jobLane = new Lane(() => this.onEmpty());

	/** Creations that take no slot. */
	private readonly requestLane = new Lane(() => this.onEmpty());

	/** The ids of the jobs that occupy slots: one job occupies one. */
	private readonly held = new Set<string>();

	/** Jobs that nobody waits for, by id. They are watched while a creation needs a slot. */
	private readonly unattended = new Map<string, Unattended>();

	/** Ends the watch over them. */
	private stopWatching = new AbortController();

	/** When the service last refused a job, and how many of ours ran then. */
	private refusedAt = -Infinity;

	private ranAtRefusal = Infinity;

	/** Slots of the plan, where refusals have shown that it has fewer than configured. */
	private found = Infinity;

	private pausedUntil = -Infinity;

	/** Since when no job was tried where none may go out, and how long after it one is. */
	private triedAt: number | undefined;

	private tryAfterMs = MINUTE_MS;

	/** When a list was last asked for, and how long after it the next is. */
	private listedAt = -Infinity;

	private listAfterMs: number = TUNING.listWhileWaitingMs;

	private acceptedAt = -Infinity;

	private nextDeadline = Infinity;

	private readonly wakeUp: WakeUp;

	constructor(
		/** The configured slots, at least 1. */
		public limit: number,
		private readonly clock: Clock,
		private readonly random: Random,
		private readonly others: OtherClients,
		private readonly jobs: JobWatch,
	) {
		this.wakeUp = new WakeUp(clock, () => this.onWake());
		others.onListed = () => this.onListed();
	}

	/** Fails with `cancelled` or `noSlot`. Not `async`: thousands may wait. */
	acquire(channel: Channel, options: SlotOptions): Promise<Result<Slot>> {
		const { timeoutMs, holdsJob, since = this.clock.monotonic() } = options;
		const { queue } = holdsJob ? this.jobLane : this.requestLane;
		const pending = queue.wait(channel, since, timeoutMs);
		this.nextDeadline = Math.min(this.nextDeadline, since + Math.min(GIVE_UP_MS, timeoutMs));
		this.serve();
		return pending;
	}

	/** The slots that the workspace has, as far as the service has shown. */
	private get slots(): number {
		return Math.min(this.limit, this.found);
	}

	/** How many more jobs may go out, as far as lists and refusals show. */
	private get free(): number {
		const isRefused = this.refusedAt >= this.others.listedAt;
		const ours = isRefused ? this.ranAtRefusal : this.slots - this.others.count;
		return Math.min(ours, this.slots) - this.jobLane.inUse;
	}

	/** When one is tried, whatever they show. */
	private get tryAt(): number {
		return (this.triedAt ?? Infinity) + this.tryAfterMs;
	}

	private serve(): void {
		const now = this.clock.monotonic();
		const { jobLane, requestLane } = this;
		while (requestLane.queue.size > 0 && requestLane.inUse < this.limit) this.grant(requestLane);
		while (jobLane.queue.size > 0 && jobLane.inUse < this.limit && now >= this.pausedUntil) {
			const isTry = this.free <= 0;
			if (isTry && now < this.tryAt) break;
			// Who gets slots beside others has no reason to try for more.
			if (isTry || this.others.count > 0) this.noteTry(now);
			this.grant(jobLane);
		}
		const { next } = jobLane.queue;
		if (next) this.findOut(now, next);
		if (next || requestLane.queue.size > 0) this.wakeUp.set(this.nextDeadline);
	}

	private grant(lane: Lane): void {
		lane.inUse += 1;
		lane.queue.grant(ok(new HeldSlot(this.issuer, lane)));
	}

	/** A job waits for a slot: looks whether one is free by now. */
	private findOut(now: number, { channel }: Waiting<Result<Slot>>): void {
		for (const unattended of this.unattended.values()) {
			if (!unattended.isWatched) void this.watch(unattended, channel);
		}
		const { inUse } = this.jobLane;
		if (inUse >= this.limit) return;
		if (this.triedAt === undefined) this.noteTry(now);
		this.wakeUp.set(Math.max(this.tryAt, this.pausedUntil));
		// Where no more slots are known than ours, no list can show a free one.
		if (inUse >= this.slots) return;
		if (now >= this.listAt) {
			this.listedAt = now;
			this.listAfterMs = scattered(TUNING.listWhileWaitingMs, this.random);
			this.jobs.list(channel);
		}
		this.wakeUp.set(this.listAt);
	}

	private get listAt(): number {
		return Math.max(this.listedAt, this.others.listedAt) + this.listAfterMs;
	}

	/** If the job cannot be read, its slot counts as free: if it is not, the service refuses the next. */
	private async watch(unattended: Unattended, channel: Channel): Promise<void> {
		const { signal } = this.stopWatching;
		unattended.isWatched = true;
		const watching = channel.signal ? AbortSignal.any([channel.signal, signal]) : signal;
		const isOver = await this.jobs.untilEnded({ ...channel, signal: watching }, unattended.job);
		unattended.isWatched = false;
		if (isOver) unattended.slot.release();
		else this.serve();
	}

	private onListed(): void {
		const { others } = this;
		if (this.ranAtRefusal < Infinity && others.listedAt > this.refusedAt) {
			if (others.listedAt - others.seenAt >= MINUTE_MS) this.found = this.ranAtRefusal;
			this.ranAtRefusal = Infinity;
		}
		this.serve();
	}

	private onWake(): void {
		const now = this.clock.monotonic();
		this.nextDeadline = Infinity;
		for (const lane of [this.jobLane, this.requestLane]) {
			const isOurs = lane === this.jobLane && lane.inUse >= Math.max(1, this.slots);
			const most = isOurs ? Infinity : GIVE_UP_MS;
			const next = lane.queue.expire(
				now,
				({ since, timeoutMs }) => Math.max(since, this.acceptedAt) + Math.min(most, timeoutMs),
				({ since }) => fail({ kind: 'noSlot', waitedMs: now - since, others: this.others.count }),
			);
			this.nextDeadline = Math.min(this.nextDeadline, next);
		}
		this.serve();
	}

	private onEmpty(): void {
		if (this.jobLane.queue.size > 0) return;
		this.triedAt = undefined;
		this.stopWatching.abort();
		this.stopWatching = new AbortController();
		if (this.requestLane.queue.size > 0) return;
		this.nextDeadline = Infinity;
		this.wakeUp.clear();
	}

	/** What the slots report to; one object for all of them, because thousands may be held. */
	private readonly issuer: Issuer = {
		release: (slot) => {
			this.giveBack(slot);
			this.serve();
		},
		accepted: (slot, job) => {
			this.acceptedAt = this.clock.monotonic();
			this.others.created(job.id);
			if (!this.hold(slot, job)) return slot.release();
			if (this.held.size > this.found) this.found = Infinity;
			this.ranAtRefusal = Math.max(this.ranAtRefusal, this.held.size);
			this.serve();
		},
		refused: (slot, retryAfterMs) => {
			this.giveBack(slot);
			if (slot.lane === this.jobLane) this.noteRefusal(retryAfterMs);
			this.serve();
		},
		leave: (slot, job) => {
			const id = slot.jobId ?? (this.hold(slot, job) ? job.id : undefined);
			if (!slot.isHeld || id === undefined) return slot.release();
			this.unattended.set(id, { job, slot, isWatched: false });
			this.serve();
		},
	};

	private giveBack(slot: HeldSlot): void {
		if (!slot.isHeld) return;
		slot.isHeld = false;
		slot.lane.inUse -= 1;
		if (slot.jobId === undefined) return;
		this.held.delete(slot.jobId);
		this.unattended.delete(slot.jobId);
	}

	/** @returns `false` if the job needs no slot, or has another one */
	private hold(slot: HeldSlot, job: Resource): boolean {
		const needsNone = slot.lane !== this.jobLane || this.jobs.hasEnded(job);
		if (!slot.isHeld || needsNone || this.held.has(job.id)) return false;
		slot.jobId = job.id;
		this.held.add(job.id);
		return true;
	}

	private noteRefusal(retryAfterMs: number | undefined): void {
		const now = this.clock.monotonic();
		this.refusedAt = now;
		this.ranAtRefusal = this.jobLane.inUse;
		this.noteTry(now, retryAfterMs);
		this.pausedUntil = Math.max(this.pausedUntil, now + (retryAfterMs ?? 0));
	}

	private noteTry(now: number, afterMs = scattered(MINUTE_MS, this.random)): void {
		this.triedAt = now;
		this.tryAfterMs = afterMs;
	}
}
