import { LIMITS } from '../../contract';
import { POLICIES, type Tuning } from './policies';

/**
 * Most own jobs to remember, to distinguish them from others in a list: many times what one list
 * shows.
 */
const MAX_OWN = 10 * LIMITS.listLimit.max;

/** What one list showed. */
interface Listed {
	/** When it was sent, on the monotonic clock. */
	at: number;
	/** All jobs, newest first. */
	ids: ReadonlySet<string>;
	/** Those that were running. */
	running: readonly string[];
}

/**
 * Who else uses the workspace. Every list request shows the generations of the whole workspace;
 * those that this process did not create belong to other clients, be they other processes of n8n or
 * something else. What they use counts as the last list shows it, and is forgotten a minute after
 * the last of their jobs was seen.
 */
export class SharedUse {
	private readonly own = new Set<string>();

	private last: Listed | undefined;

	private previous: Listed | undefined;

	/** Jobs that the lists show running although their slots have proved to be free. */
	private phantoms = new Set<string>();

	/** When a list last showed a running job of other clients, on the monotonic clock. */
	private seenAt = -Infinity;

	/**
	 * When a list last showed other running jobs of other clients than the list before, on the
	 * monotonic clock.
	 */
	changedAt = -Infinity;

	constructor(private readonly tuning: Tuning['rate'] = POLICIES.rate) {}

	/** When the last list was sent, on the monotonic clock; `-Infinity` for never. */
	get listedAt(): number {
		return this.last?.at ?? -Infinity;
	}

	/** @param at when the list request was sent, on the monotonic clock */
	listed(ids: ReadonlySet<string>, running: readonly string[], at: number): void {
		if (at <= this.listedAt) return;
		this.previous = this.last;
		this.last = { at, ids, running };
		this.phantoms = new Set(running.filter((id) => this.phantoms.has(id)));
		const others = running.filter((id) => this.isOther(id));
		if (others.length > 0) this.seenAt = at;
		const before = new Set(this.previous?.running);
		const isSame =
			others.length === this.othersIn(this.previous) && others.every((id) => before.has(id));
		if (!isSame) this.changedAt = at;
	}

	/** A job of ours was accepted, which bounds how many of other clients can be running. */
	created(id: string, maxOthers: number): void {
		this.own.add(id);
		const [oldest] = this.own;
		if (this.own.size > MAX_OWN && oldest !== undefined) this.own.delete(oldest);
		const others = (this.last?.running ?? []).filter((other) => this.isOther(other));
		for (const other of others.slice(Math.max(0, maxOthers))) this.phantoms.add(other);
	}

	/** A job of ours was refused: slots that seemed free are not. */
	refused(): void {
		this.phantoms.clear();
	}

	/** Slots that other clients used at the last list. */
	get others(): number {
		return this.othersIn(this.last);
	}

	/**
	 * Slots that other clients used at the last list or the one before: a slot that one of their jobs
	 * has left counts as theirs until a second list shows it free.
	 */
	get othersLately(): number {
		return Math.max(this.others, this.othersIn(this.previous));
	}

	/**
	 * Slots that other clients used at the list before the last one, with those that they have taken
	 * since.
	 */
	get othersSince(): number {
		let others = this.othersIn(this.previous);
		for (const id of this.last?.ids ?? []) {
			if (this.isOther(id) && !this.previous?.ids.has(id)) others += 1;
		}
		return others;
	}

	/**
	 * Our part of the request rate. The number and the polling rate of other processes are unknown,
	 * so with others it is a half (`ourShare`); if that is too much, 429s correct it. Once a list shows
	 * none of their jobs running, it rises as their requests leave the minute.
	 */
	shareAt(now: number): number {
		const { ourShare, windowMs } = this.tuning;
		const goneFor = now - this.seenAt;
		if (goneFor >= windowMs) return 1;
		if (this.seenAt >= this.listedAt) return ourShare;
		return ourShare + (1 - ourShare) * (goneFor / windowMs);
	}

	private isOther(id: string): boolean {
		return !this.own.has(id) && !this.phantoms.has(id);
	}

	private othersIn(listed: Listed | undefined): number {
		return listed?.running.filter((id) => this.isOther(id)).length ?? 0;
	}
}
