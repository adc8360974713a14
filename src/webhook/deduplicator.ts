import { createHash } from 'crypto';
import type { MediaGenEvent } from './event';
import type { Json } from '../contract';

/** How long a service may repeat a delivery, in ms. */
export const RETENTION_MS = 24 * 60 * 60 * 1_000;

/** Most events to remember, over all triggers of the process: about 10 MB. */
const MAX_EVENTS = 100_000;

/**
 * How long a first delivery may stay unanswered before its repeats stop waiting for its outcome, in
 * milliseconds. Longer than any sender listens: past it something hangs, and an event too many is
 * better than one too few.
 */
export const PENDING_TIMEOUT_MS = 5 * 60 * 1_000;

/**
 * The right and the duty of one delivery to start a workflow with an event. Only the first call of
 * either method counts.
 */
export interface Claim {
	/** The workflow was started, or need not be: repeats start nothing. */
	keep(): void;
	/** It could not be started: the next delivery is the first again. */
	release(): void;
}

interface Entry {
	at: number;
	/**
	 * Resolves when the outcome of the first delivery is known; `undefined` once the event is kept.
	 */
	pending?: Promise<void>;
}

/**
 * Which triggers have received which events. Bounded in number and time; the oldest are dropped
 * first.
 */
export class Deduplicator {
	private readonly entries = new Map<string, Entry>();

	constructor(
		private readonly maxEvents = MAX_EVENTS,
		private readonly retentionMs = RETENTION_MS,
	) {}

	/**
	 * Claims an event. A repeat that comes while the first delivery is not answered yet waits for
	 * what becomes of it: answered as a repeat it would be lost if the first one fails.
	 * @param now milliseconds since 1970
	 * @returns `undefined` for an event that has started what it should
	 */
	async claim(key: string, now: number): Promise<Claim | undefined> {
		for (;;) {
			const before = this.entries.get(key);
			if (!before || this.isExpired(before, now)) return this.add(key, now);
			if (!before.pending) return undefined;
			await before.pending;
		}
	}

	/**
	 * Resolves when the outcome of the first delivery is known; at once for events that are kept or
	 * unknown.
	 */
	async settled(key: string): Promise<void> {
		await this.entries.get(key)?.pending;
	}

	get size(): number {
		return this.entries.size;
	}

	private add(key: string, now: number): Claim {
		let decide = () => {};
		const entry: Entry = { at: now, pending: new Promise((resolve) => (decide = resolve)) };
		this.entries.delete(key);
		this.entries.set(key, entry);
		this.trim(now);
		const settle = (isKept: boolean) => {
			if (!entry.pending) return;
			entry.pending = undefined;
			// Another delivery may have claimed the event meanwhile.
			if (!isKept && this.entries.get(key) === entry) this.entries.delete(key);
			decide();
		};
		return { keep: () => settle(true), release: () => settle(false) };
	}

	private isExpired({ at, pending }: Entry, now: number): boolean {
		return now - at >= (pending ? PENDING_TIMEOUT_MS : this.retentionMs);
	}

	private trim(now: number): void {
		for (const [key, { at }] of this.entries) {
			if (this.entries.size <= this.maxEvents && now - at < this.retentionMs) return;
			this.entries.delete(key);
		}
	}
}

/**
 * What is the same in every delivery of an event: its id, kind and resource; else the kind, the
 * resource and its status; else all that it says. The timestamp is not part of it, because it
 * changes when a delivery is repeated.
 * @param trigger whose event it is: each trigger gets each event once
 */
export function deduplicationKey(
	trigger: string,
	{ kind, eventId, resourceId, resource }: MediaGenEvent,
	payload: Json,
): string {
	const hash = createHash('sha256').update(`${trigger}\n`);
	// The specification does not show that an `id` is the event's (Events). If it is that of a
	// workspace or a webhook, other events have it too, and none of them must be lost.
	if (eventId !== undefined) hash.update(JSON.stringify(['event', eventId, kind, resourceId]));
	else if (resourceId !== undefined) {
		const { status }: Json = resource ?? {};
		// Not `String` for objects: it throws for some JSON, and the service would repeat that event in vain.
		const text = typeof status === 'object' ? JSON.stringify(status) : String(status);
		hash.update(JSON.stringify(['resource', kind, resourceId, text]));
	} else hash.update(`payload\n${JSON.stringify(payload)}`);
	return hash.digest('base64');
}
