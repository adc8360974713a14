import { BoundedMap } from '../base/boundedMap';
import { MINUTE_MS } from './tuning';

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
		this.onListed();
	}

	isRunning(id: string): boolean {
		return this.running.includes(id);
	}

	/** Running jobs of others in the newest list. */
	get count(): number {
		return this.running.filter((id) => !this.own.has(id)).length;
	}

	/**
	 * Running jobs of others in the larger of the last two lists, however old: others whose jobs are short
	 * have none for a moment, and where lists are refused because of others there is no newer one.
	 */
	get lastSeen(): number {
		return Math.max(this.count, this.countBefore);
	}

	/** The same; 0 where the newest list is older than a minute. */
	seen(now: number): number {
		return now - this.listedAt < MINUTE_MS ? this.lastSeen : 0;
	}
}
