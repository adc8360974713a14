import { BoundedMap } from '../base/maps';
import { MINUTE_MS } from '../base/times';
import { TUNING } from './tuning';

/*
 * How a process learns that others use its workspace, and slows down. Processes never talk to each other:
 * each sees the jobs of the others in the lists of the service.
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
 *    (`requestsPerMinute` in `rateLimiter.ts`). It lists less often the fewer jobs it has (`listGapMs` in
 *    `jobPoller.ts`).
 * 4. Where no list shows them, refusals do: a creation refused with 429 shows that there are no more slots
 *    than it holds (`refused` in `jobSlots.ts`); a read refused with 429 halves its requests a minute, which
 *    grow again by half each minute (`throttled` in `rateLimiter.ts`).
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
