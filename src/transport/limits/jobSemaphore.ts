import { WakeUp } from '../base/wakeUp';
import { AbandonedJobs, type AwaitEnd } from './abandonedJobs';
import { AdaptiveConcurrency, type Demand } from './adaptiveConcurrency';
import type { Tuning } from './policies';
import type { SharedUse } from './sharedUse';
import { HeldPermit, type Permit, type PermitIssuer } from './permit';
import { WaitQueue } from '../base/waitQueue';
import type { Clock, Channel, Random } from '../base/types';

/** What the semaphore needs of those who can ask the service. */
export interface Hooks {
	awaitEnd: AwaitEnd;
	/** Requests a list, and resolves when it was answered or given up. */
	requestList: (channel: Channel) => Promise<boolean>;
	/** A creation was refused. @returns whether the requests before it make the rate a likely reason */
	refused: () => boolean;
	/** A refused creation was about the request rate. */
	throttled: () => void;
}

/**
 * The concurrent job slots of a workspace (specification: Limits, Concurrent media jobs). A permit
 * is held from the POST until the job has ended, so that the service never has to refuse one of
 * ours. If other clients use the workspace too, `AdaptiveConcurrency` says how many of the slots
 * are ours at the moment.
 */
export class JobSemaphore {
	private inUse = 0;

	/** Nobody watches abandoned jobs while nobody needs a slot. */
	private readonly queue = new WaitQueue<Permit>(() => this.abandoned.stopWatching());

	private readonly abandoned: AbandonedJobs;

	private readonly concurrency: AdaptiveConcurrency;

	/** Serves the queue again when one more slot may be probed. */
	private readonly wakeUp: WakeUp;

	/**
	 * When the last list that was requested here was answered or given up, on the monotonic clock.
	 */
	private lastListAt = -Infinity;

	private isListing = false;

	constructor(
		public limit: number,
		private readonly clock: Clock,
		random: Random,
		private readonly sharedUse: SharedUse,
		private readonly hooks: Hooks,
		tuning?: Tuning,
	) {
		this.concurrency = new AdaptiveConcurrency(clock, random, sharedUse, tuning);
		this.abandoned = new AbandonedJobs(hooks.awaitEnd, () => this.serveQueue());
		this.wakeUp = new WakeUp(clock, () => this.serveQueue());
	}

	/**
	 * When the service last accepted a job of ours, on the monotonic clock; `-Infinity` for never.
	 */
	get lastAccepted(): number {
		return this.concurrency.lastAccepted;
	}

	/** How many creations wait for a slot. */
	get pending(): number {
		return this.queue.size;
	}

	/** @returns `undefined` if the channel was cancelled */
	acquire(channel: Channel): Promise<Permit | undefined> {
		const pending = this.queue.wait(channel);
		this.serveQueue();
		return pending;
	}

	/** What the permits report to; one object for all of them, because thousands may be held. */
	private readonly issuer: PermitIssuer = {
		free: (abandonedJobId) => {
			this.inUse -= 1;
			if (abandonedJobId !== undefined) this.abandoned.delete(abandonedJobId);
			this.serveQueue();
		},
		accepted: (id) => {
			this.concurrency.accepted(id, this.demand);
			this.serveQueue();
		},
		refused: (hintMs) => {
			const demand = { ...this.demand, inUse: this.inUse - 1 };
			this.concurrency.refused(demand, this.hooks.refused(), hintMs);
		},
		abandon: (job, permit) => {
			if (!this.abandoned.add(job, permit)) return false;
			this.serveQueue();
			return true;
		},
	};

	private issuePermit(): Permit {
		this.inUse += 1;
		return new HeldPermit(this.issuer);
	}

	private get demand(): Demand {
		return { limit: this.limit, inUse: this.inUse };
	}

	/** A list shows what runs in the workspace. */
	listed(): void {
		if (this.concurrency.listed(this.demand)) this.hooks.throttled();
		this.serveQueue();
	}

	private serveQueue(): void {
		while (this.queue.size > 0) {
			if (!this.concurrency.admits(this.demand)) {
				// Where no more slots are known than ours, no list can show a free one.
				if (this.inUse < this.concurrency.slotsOf(this.limit)) this.scheduleList();
				else if (this.inUse < this.limit) this.wakeUp.set(this.concurrency.nextProbeAt);
				if (this.queue.next) this.abandoned.watch(this.queue.next);
				return;
			}
			this.queue.grant(this.issuePermit());
		}
	}

	/** Others may use the slots that are not in use here: requests a list when it is time for one. */
	private scheduleList(): void {
		const channel = this.queue.next;
		const { heldUntil } = this.concurrency;
		if (heldUntil > this.clock.monotonic()) this.wakeUp.set(heldUntil);
		if (!channel || this.isListing) return;
		const at = this.concurrency.nextListAt(this.lastListAt, this.inUse);
		if (at > this.clock.monotonic()) {
			this.wakeUp.set(Math.min(at, this.concurrency.nextProbeAt));
			return;
		}
		void this.requestList(channel);
	}

	private async requestList(channel: Channel): Promise<void> {
		this.isListing = true;
		const startedAt = this.clock.monotonic();
		let isAsked = true;
		try {
			isAsked = await this.hooks.requestList(channel);
		} finally {
			this.isListing = false;
			this.lastListAt = this.clock.monotonic();
			if (isAsked) this.concurrency.listRequested(this.sharedUse.listedAt >= startedAt);
			this.listed();
		}
	}
}
