import { createHash } from 'crypto';
import type { MediaGenEvent } from './event';

/** How long a service may go on repeating a delivery, in milliseconds. */
export const SEEN_FOR_MS = 24 * 60 * 60 * 1_000;

/** Events remembered at most, over all triggers of the process: about 10 MB. */
export const SEEN_AT_MOST = 100_000;

/** Who has an event already. Bounded in number and time; the oldest goes first. */
export class Seen {
	private readonly times = new Map<string, number>();

	constructor(
		private readonly most = SEEN_AT_MOST,
		private readonly forMs = SEEN_FOR_MS,
	) {}

	/** @returns whether this is the first time; remembers it. `now` is milliseconds since 1970 */
	take(key: string, now: number): boolean {
		const before = this.times.get(key);
		if (before !== undefined && now - before < this.forMs) return false;
		this.times.delete(key);
		this.times.set(key, now);
		this.trim(now);
		return true;
	}

	/** Lets the next delivery be the first again: this one did not start what it should. */
	forget(key: string): void {
		this.times.delete(key);
	}

	get size(): number {
		return this.times.size;
	}

	private trim(now: number): void {
		for (const [key, time] of this.times) {
			if (this.times.size <= this.most && now - time < this.forMs) return;
			this.times.delete(key);
		}
	}
}

/**
 * What is the same in every delivery of an event: its id; else the kind, the resource and its status; else the bytes. The
 * timestamp is no part of it, as it changes when a delivery is repeated.
 * @param trigger whose event it is: each trigger gets each event once
 */
export function seenKey(
	trigger: string,
	{ kind, eventId, resourceId, resource }: MediaGenEvent,
	rawBody: Uint8Array,
): string {
	const hash = createHash('sha256').update(`${trigger}\n`);
	if (eventId !== undefined) hash.update(JSON.stringify(['event', eventId]));
	else if (resourceId !== undefined) {
		hash.update(JSON.stringify(['resource', kind, resourceId, String(resource?.status)]));
	} else hash.update('body\n').update(rawBody);
	return hash.digest('base64');
}
