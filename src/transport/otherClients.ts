import { BoundedMap } from '../base/boundedMap';
import { MINUTE_MS } from './tuning';

/** For so long what a list has taught is believed. */
const BELIEVED_MS = MINUTE_MS;

/** Many times what one list shows. */
const MAX_OWN = 1_000;

/**
 * Who else uses the workspace: the running jobs of the newest lists that this process has not
 * created. What a list has taught is as old as the list, and ends after a minute. Times are in ms on the
 * monotonic clock.
 */
export class OtherClients {
	private readonly own = new BoundedMap<string, true>(MAX_OWN);
	/** The running jobs in the newest list. */
	private running: readonly string[] = [];
	/** The same in the newest list that had jobs of others, and when it was requested. */
	private lastSeen: { running: readonly string[]; at: number } = { running: [], at: -Infinity };
	/** When the newest list was requested; `-Infinity` for never. */
	listedAt = -Infinity;
	/**
	 * Until then they are taken to be there: for a minute after a list has shown jobs of theirs. Those may be
	 * short, and each list miss some.
	 */
	thereUntil = -Infinity;

	/** Called with jobs that a look shows as not running: whoever they belong to, they hold no slot. */
	onIdle: (ids: readonly string[]) => void = () => {};
	/** Called when a list has come that is newer than those before. */
	onListed: () => void = () => {};

	created(id: string): void {
		this.own.set(id, true);
		this.believeLastSeen();
	}

	/**
	 * @param running ids
	 * @param at when the list was requested
	 * @param idle ids of the others that it shows
	 */
	listed(running: readonly string[], at: number, idle: readonly string[] = []): void {
		if (at < this.listedAt) return;
		this.listedAt = at;
		this.running = running;
		if (this.ofOthers(running).length > 0) this.lastSeen = { running, at };
		this.believeLastSeen();
		this.onIdle(idle);
		this.onListed();
	}

	isRunning(id: string): boolean {
		return this.running.includes(id);
	}

	/** Running jobs of others, as far as the newest list is believed. */
	count(now: number): number {
		return now - this.listedAt < BELIEVED_MS ? this.ofOthers(this.running).length : 0;
	}

	/** A job that a list has shown may turn out to be ours. */
	private believeLastSeen(): void {
		const { running, at } = this.lastSeen;
		this.thereUntil = this.ofOthers(running).length > 0 ? at + BELIEVED_MS : -Infinity;
	}

	private ofOthers(ids: readonly string[]): string[] {
		return ids.filter((id) => !this.own.has(id));
	}
}
