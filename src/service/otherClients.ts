import { BoundedMap } from '../base/boundedMap';

/** Many times what one list shows. */
const MAX_OWN = 1_000;

/**
 * Who else uses the workspace: the running jobs of the newest list that this process has not
 * created. Times are in ms on the monotonic clock.
 */
export class OtherClients {
	private readonly own = new BoundedMap<string, true>(MAX_OWN);
	private running: readonly string[] = [];
	/** When the newest list was requested; `-Infinity` for never. */
	listedAt = -Infinity;

	/** Called when a list has come that is newer than those before: whether it, or the last, shows others. */
	onListed: (areSeen: boolean) => void = () => {};

	created(id: string): void {
		this.own.set(id, true);
	}

	/** @param at when the list was requested */
	listed(running: readonly string[], at: number): void {
		if (at < this.listedAt) return;
		const wereSeen = this.count > 0;
		this.last = this.count;
		this.lastOwn = this.ownCount;
		this.listedAt = at;
		this.running = running;
		this.onListed(wereSeen || this.count > 0);
	}

	isRunning(id: string): boolean {
		return this.running.includes(id);
	}

	last = 0;
	lastOwn = 0;
	get ownCount(): number { return this.running.filter((id) => this.own.has(id)).length; }
	get share(): number { const own = Math.max(1, this.ownCount, this.lastOwn); return own / (own + this.most); }
	get most(): number { return Math.max(this.last, this.count); }
	isSeen(now: number): boolean { return this.most > 0 && now - this.listedAt < 60_000; }

	get count(): number {
		return this.running.filter((id) => !this.own.has(id)).length;
	}
}
