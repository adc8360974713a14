import { createHash } from 'crypto';
import type { MediaGenEvent } from './event';
import type { Json } from './json';

/** How long a service may go on repeating a delivery, in milliseconds. */
export const SEEN_FOR_MS = 24 * 60 * 60 * 1_000;

/** Events remembered at most, over all triggers of the process: about 10 MB. */
const SEEN_AT_MOST = 100_000;

/**
 * How long a first delivery may stay unanswered before its repeats stop waiting for its outcome, in milliseconds. Longer than
 * any sender listens: past it something hangs, and an event too many is better than one too few.
 */
export const UNDECIDED_FOR_MS = 5 * 60 * 1_000;

/** The right and the duty of one delivery to start a workflow with an event. Only the first call of either method counts. */
export interface Claim {
	/** The workflow was started, or need not be: repeats start nothing. */
	keep(): void;
	/** It could not be started: the next delivery is the first again. */
	release(): void;
}

interface Entry {
	at: number;
	/** Resolves once it is known what became of the first delivery; `undefined` once the event is kept. */
	decided?: Promise<void>;
}

/** Who has an event already. Bounded in number and time; the oldest goes first. */
export class Deduplicator {
	private readonly entries = new Map<string, Entry>();

	constructor(
		private readonly most = SEEN_AT_MOST,
		private readonly forMs = SEEN_FOR_MS,
	) {}

	/**
	 * Claims an event. A repeat that comes while the first delivery is not answered yet waits for what becomes of it: answered
	 * as a repeat it would be lost if the first one fails.
	 * @param now milliseconds since 1970
	 * @returns `undefined` for an event that has started what it should
	 */
	async claim(key: string, now: number): Promise<Claim | undefined> {
		for (;;) {
			const before = this.entries.get(key);
			if (!before || this.isOver(before, now)) return this.enter(key, now);
			if (!before.decided) return undefined;
			await before.decided;
		}
	}

	/** Resolves once it is known what became of the first delivery; at once for events that are kept or not known. */
	async answered(key: string): Promise<void> {
		await this.entries.get(key)?.decided;
	}

	get size(): number {
		return this.entries.size;
	}

	private enter(key: string, now: number): Claim {
		let decide = () => {};
		const entry: Entry = { at: now, decided: new Promise((resolve) => (decide = resolve)) };
		this.entries.delete(key);
		this.entries.set(key, entry);
		this.trim(now);
		const settle = (kept: boolean) => {
			if (!entry.decided) return;
			entry.decided = undefined;
			// Another delivery may have taken over meanwhile; the event is its own then.
			if (!kept && this.entries.get(key) === entry) this.entries.delete(key);
			decide();
		};
		return { keep: () => settle(true), release: () => settle(false) };
	}

	private isOver({ at, decided }: Entry, now: number): boolean {
		return now - at >= (decided ? UNDECIDED_FOR_MS : this.forMs);
	}

	private trim(now: number): void {
		for (const [key, { at }] of this.entries) {
			if (this.entries.size <= this.most && now - at < this.forMs) return;
			this.entries.delete(key);
		}
	}
}

/**
 * What is the same in every delivery of an event: its id; else the kind, the resource and its status; else all that it says.
 * The timestamp is no part of it, as it changes when a delivery is repeated.
 * @param trigger whose event it is: each trigger gets each event once
 */
export function deduplicationKey(
	trigger: string,
	{ kind, eventId, resourceId, resource }: MediaGenEvent,
	payload: Json,
): string {
	const hash = createHash('sha256').update(`${trigger}\n`);
	if (eventId !== undefined) hash.update(JSON.stringify(['event', eventId]));
	else if (resourceId !== undefined) {
		hash.update(JSON.stringify(['resource', kind, resourceId, String(resource?.status)]));
	} else hash.update(`payload\n${JSON.stringify(payload)}`);
	return hash.digest('base64');
}
