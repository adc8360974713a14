import { BoundedMap } from '../base/boundedMap';
import { MINUTE_MS } from './tuning';

/** For how long after they were last seen others are taken to be there. */
const REMEMBERED_MS = 10 * MINUTE_MS;

/** Many times what one list shows. */
const MAX_OWN = 1_000;

/**
 * Who else uses the workspace: the running jobs of the newest lists that this process has not
 * created. Times are in ms on the monotonic clock.
 */
export class OtherClients {
	private readonly own = new BoundedMap<string, true>(MAX_OWN);
	private running: readonly string[] = [];
	private countBefore = 0;
	/** The running jobs of others in the newest list that had any, and when it was requested. */
	private lastSeen: { ids: readonly string[]; at: number } = { ids: [], at: -Infinity };
	/** When the newest list was requested; `-Infinity` for never. */
	listedAt = -Infinity;

	/** Called when a list has come that is newer than those before. */
	onListed: () => void = () => {};

	created(id: string): void {
		this.own.set(id, true);
	}

	/** @param at when the list was requested */
	listed(running: readonly string[], at: number): void {
		if (at < this.listedAt) return;
		this.countBefore = this.count;
		this.listedAt = at;
		this.running = running;
		const ids = this.ofOthers(running);
		if (ids.length > 0) this.lastSeen = { ids, at };
		this.onListed();
	}

	isRunning(id: string): boolean {
		return this.running.includes(id);
	}

	/** Running jobs of others in the newest list. */
	get count(): number {
		return this.ofOthers(this.running).length;
	}

	private ofOthers(ids: readonly string[]): string[] {
		return ids.filter((id) => !this.own.has(id));
	}

	/**
	 * Whether others were seen lately, also if since then all lists were refused or showed none of their
	 * jobs. A job of ours that a list shows before its creation is answered is no longer one of theirs.
	 */
	wereSeen(now: number): boolean {
		const { ids, at } = this.lastSeen;
		return now - at < REMEMBERED_MS && this.ofOthers(ids).length > 0;
	}

	/**
	 * The larger of the last two lists, because others whose jobs are short have none for a moment; 0
	 * where the newest is older than a minute.
	 */
	seen(now: number): number {
		return now - this.listedAt < MINUTE_MS ? Math.max(this.count, this.countBefore) : 0;
	}
}
