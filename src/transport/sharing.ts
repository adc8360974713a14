import { BoundedMap } from '../base/maps';
import { MINUTE_MS } from '../base/times';
import type { Channel, Clock } from '../base/types';
import { WaitQueue } from '../base/waitQueue';
import { WakeUp } from '../base/wakeUp';
import { TUNING } from './tuning';

/*
 * The requests of a minute (`RateLimiter`), and who else takes of them and of the slots (`OtherClients`): how
 * a process learns that others use its workspace, and slows down. Processes never talk to each other: each
 * sees the jobs of the others in the lists of the service.
 *
 * 1. A list comes while several generations are waited for, and every 10 s while a creation waits for a slot
 *    though jobs of this process do not fill them all. The poller asks for it and hands it to `listed`
 *    (`jobPoller.ts`). A process with one generation or none, and nothing that waits for a slot, asks for
 *    none, so that it learns of others only by step 4.
 * 2. A running job in it that this process has not created (`created`) is one of others. From then on others
 *    are taken to be there (`thereUntil`) until a list without jobs of theirs was requested at least 8 s
 *    later, and for a minute where no list comes.
 * 3. So long this process takes at most half of the slots, rounded up (`partBesideOthers`), and none that the
 *    newest list shows as taken (`freeSlots` in `jobSlots.ts`), and half of the requests of a minute
 *    (`requestsPerMinute`). It lists less often the fewer jobs it has (`listGapMs` in `jobPoller.ts`).
 * 4. Where no list shows them, refusals do: a creation refused with 429 shows that there are no more slots
 *    than it holds (`refused` in `jobSlots.ts`); a read refused with 429 halves its requests a minute, which
 *    grow again by half each minute (`throttled`).
 *
 * The figures are in `tuning.ts`.
 */

/** A list is believed for so long. */
const BELIEVED_MS = MINUTE_MS;

/** Many times as many ids as one list shows. */
const MAX_OWN_IDS = 1_000;

/**
 * Who else uses the workspace: running jobs in the newest lists that this process has not created. What a
 * list shows is as old as the list, and is believed for a minute. Times are in ms on the monotonic clock.
 */
export class OtherClients {
	private readonly ownIds = new BoundedMap<string, true>(MAX_OWN_IDS);
	/** The ids of the running jobs in the newest list. */
	private running: readonly string[] = [];
	/**
	 * The ids of the running jobs in the newest list with jobs of others, and when that list was requested.
	 */
	private lastSeen: { running: readonly string[]; at: number } = { running: [], at: -Infinity };
	/** When the newest list was requested; `-Infinity` if there was none. */
	listedAt = -Infinity;
	/**
	 * Until then others are taken to use the workspace: for a minute after a list has shown jobs of theirs.
	 * A list that shows none, requested `TUNING.goneMs` later or more, ends it. An earlier one does not:
	 * their jobs may be short, so that one list may miss them.
	 */
	thereUntil = -Infinity;
	/**
	 * Whether jobs of others may be why a creation was refused before the newest list: others are there, or
	 * were there until that list.
	 */
	mayExplainRefusal = false;

	/**
	 * Called with the ids of jobs that were seen with a status that holds no slot, whoever they belong to.
	 */
	onJobsWithoutSlot: (ids: readonly string[]) => void = () => {};
	/** Called after a list that is newer than all before. */
	onListed: () => void = () => {};

	created(id: string): void {
		this.ownIds.set(id, true);
		this.updateThereUntil();
	}

	/**
	 * A list has come.
	 * @param running the ids of the running jobs in it
	 * @param at when the list was requested
	 * @param idle the ids of all other jobs in it
	 */
	listed(running: readonly string[], at: number, idle: readonly string[] = []): void {
		if (at < this.listedAt) return;
		const wereThere = at < this.thereUntil;
		this.listedAt = at;
		this.running = running;
		if (this.ofOthers(running).length > 0) this.lastSeen = { running, at };
		this.updateThereUntil();
		this.mayExplainRefusal = wereThere || at < this.thereUntil;
		this.onJobsWithoutSlot(idle);
		this.onListed();
	}

	isRunning(id: string): boolean {
		return this.running.includes(id);
	}

	/** How many jobs of others run in the newest list; none if no others are taken to be there. */
	count(now: number): number {
		return now < this.thereUntil ? this.ofOthers(this.running).length : 0;
	}

	/** Called again after each creation, because a job in an earlier list may turn out to be ours. */
	private updateThereUntil(): void {
		const { running, at } = this.lastSeen;
		const areAllOurs = this.ofOthers(running).length === 0;
		const haveGone = this.listedAt - at >= TUNING.goneMs;
		this.thereUntil = areAllOurs || haveGone ? -Infinity : at + BELIEVED_MS;
	}

	private ofOthers(ids: readonly string[]): string[] {
		return ids.filter((id) => !this.ownIds.has(id));
	}
}

/** A little more than the minute of the service, because its clock and ours do not run in step. */
const WINDOW_MS = MINUTE_MS + 250;

/** However often reads are refused, so many requests a minute are left: a creation, a list and a read. */
const MIN_PER_MINUTE = 3;

/**
 * A sliding-window rate limiter for one workspace in this process (specification: Limits, Request rate). A
 * request counts from the moment it may be sent until a full window after its response, because nobody knows
 * when in between the service has counted it.
 *
 * While others use the workspace, this process takes only its part of the requests. Alone it is never
 * refused. So a refused read shows that others take more: it halves the limit, which then grows again by half
 * each minute, such as from 60 to 30 requests, and to 45 a minute later. Reads are sent before writes,
 * because a run whose jobs are not read would not end.
 */
export class RateLimiter {
	private readonly reads = new WaitQueue(false);
	private readonly writes = new WaitQueue(false);
	private inFlight = 0;
	/** When the responses came that still count, the oldest first. */
	private readonly responses: number[] = [];
	private pausedUntil = -Infinity;
	/** What the last refused read has left of the requests a minute, and when it was refused. */
	private afterRefusal = { perMinute: Infinity, at: 0 };
	/** Whether the last request that was sent is a read. */
	private wasRead = false;
	/** When the last request was sent, on the monotonic clock. */
	usedAt: number;
	private readonly wakeUp: WakeUp;

	constructor(
		private readonly clock: Clock,
		/** The configured limit: requests a minute, at least 1. */
		public limit: number,
		/** Until when others are taken to use the workspace; without it nobody else does. */
		private readonly others: Pick<OtherClients, 'thereUntil'> = { thereUntil: -Infinity },
	) {
		this.usedAt = clock.monotonic();
		const onFault = (fault: unknown) => {
			this.reads.rejectAll(fault);
			this.writes.rejectAll(fault);
		};
		this.wakeUp = new WakeUp(clock, () => this.serve(), onFault);
	}

	/** The limit at this moment: its part beside others, and what refused reads have left of it. */
	get requestsPerMinute(): number {
		const now = this.clock.monotonic();
		const isAlone = now >= this.others.thereUntil;
		const part = isAlone ? this.limit : this.limit * TUNING.partBesideOthers;
		const minutes = (now - this.afterRefusal.at) / MINUTE_MS;
		const regrown = this.afterRefusal.perMinute * TUNING.growthPerMinute ** minutes;
		return Math.max(1, Math.floor(Math.min(part, regrown)));
	}

	/** Whether a further request would be sent at once. */
	get hasRoom(): boolean {
		const now = this.clock.monotonic();
		return now >= this.pausedUntil && this.used(now) < this.requestsPerMinute;
	}

	private used(now: number): number {
		while ((this.responses[0] ?? Infinity) + WINDOW_MS <= now) this.responses.shift();
		return this.inFlight + this.responses.length;
	}

	/** Waits until a request may be sent. `false` if the channel was cancelled before. */
	acquire(channel: Channel, isRead = false): Promise<boolean> {
		const pending = (isRead ? this.reads : this.writes).wait(channel, this.clock.monotonic());
		this.serve();
		return pending;
	}

	/** Must be called when the response to an acquired request has come, or when it was not sent. */
	release(): void {
		this.inFlight -= 1;
		this.responses.push(this.clock.monotonic());
		this.serve();
	}

	/**
	 * The service has answered 429. If a read is refused, there were too many requests in the minute.
	 * Anything else, such as making a voice, may be refused for another reason, so it pauses all requests
	 * only if our own minute is full.
	 * @param sentAt when the request went out. Reads that were out when the limit was halved say nothing new
	 */
	throttled(waitMs: number, isRead = false, sentAt = this.clock.monotonic()): void {
		const now = this.clock.monotonic();
		const isFull = this.used(now) >= this.requestsPerMinute;
		if (isRead && sentAt >= this.afterRefusal.at) {
			const left = this.requestsPerMinute * TUNING.partAfterRefusal;
			this.afterRefusal = { perMinute: Math.max(MIN_PER_MINUTE, left), at: now };
		}
		if (isRead || isFull) this.pausedUntil = Math.max(this.pausedUntil, now + waitMs);
	}

	/** Reads are sent first. But if the oldest write has waited for a minute, reads and writes take turns. */
	private nextQueue(now: number): WaitQueue<boolean> {
		const { since = now } = this.writes.next ?? {};
		const isOverdue = now - since >= MINUTE_MS && this.wasRead;
		return this.reads.size > 0 && !isOverdue ? this.reads : this.writes;
	}

	private serve(): void {
		if (this.reads.size + this.writes.size === 0) return;
		const now = this.clock.monotonic();
		const limit = this.requestsPerMinute;
		for (;;) {
			const queue = this.nextQueue(now);
			if (queue.size === 0) return;
			if (now < this.pausedUntil) return this.wakeUp.set(this.pausedUntil);
			if (this.used(now) >= limit)
				return this.wakeUp.set((this.responses[0] ?? Infinity) + WINDOW_MS);
			this.inFlight += 1;
			this.usedAt = now;
			this.wasRead = queue === this.reads;
			queue.grant(true);
		}
	}
}
