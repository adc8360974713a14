import { LIMITS } from '../../contract';
import type { Result } from '../base/result';
import type { Resource } from '../base/types';

/** A job as returned by its creation, with the number of the key that it was created under. */
export interface Created {
	job: Resource;
	attempt: number;
}

/** As long as the service remembers a key, in ms. */
const KEY_LIFETIME_MS = LIMITS.idempotencyHours * 3_600_000;

/** Upper bound of each map that only grows: more than run at once in any workspace, and little memory. */
const MAX_ENTRIES = 1_000;

function remember<K, V>(map: Map<K, V>, key: K, value: V): void {
	map.delete(key);
	map.set(key, value);
	const [oldest] = map.keys();
	if (map.size > MAX_ENTRIES && oldest !== undefined) map.delete(oldest);
}

/**
 * What the executions of this process know of each other's creations when they share keys (By
 * Content, Custom Key): two that request the same at the same time send one request and wait for
 * one job.
 */
export class SingleFlight {
	private readonly flights = new Map<string, Promise<Result<Created>>>();

	private readonly keysWithoutCredits = new Map<string, number>();

	private readonly keysInUse = new Map<string, { attempt: number; at: number }>();

	private readonly failedJobs = new Map<string, number>();

	private failures = 0;

	/** A creation that is in flight, or whose job a caller waits for. */
	find(name: string): Promise<Result<Created>> | undefined {
		return this.flights.get(name);
	}

	/** @returns ends the flight */
	begin(name: string, flight: Promise<Result<Created>>): () => void {
		this.flights.set(name, flight);
		return () => {
			if (this.flights.get(name) === flight) this.flights.delete(name);
		};
	}

	/** How many keys of a content, counted from the first, the service has answered with 402. */
	countKeysWithoutCredits(content: string): number {
		return this.keysWithoutCredits.get(content) ?? 0;
	}

	noteKeysWithoutCredits(content: string, count: number): void {
		remember(this.keysWithoutCredits, content, count);
	}

	/**
	 * The last key of a content under which there is, or may be, a job; `undefined` for none. The
	 * keys before it led to nothing usable, but not every service keeps a refusal for its key: the
	 * first key could make a second job once there are credits.
	 *
	 * @param now milliseconds since the epoch
	 */
	keyInUse(content: string, now: number): number | undefined {
		const use = this.keysInUse.get(content);
		return use && now - use.at < KEY_LIFETIME_MS ? use.attempt : undefined;
	}

	noteKeyInUse(content: string, attempt: number, now: number): void {
		if (attempt <= (this.keyInUse(content, now) ?? -1)) return;
		remember(this.keysInUse, content, { attempt, at: now });
	}

	/** Grows with each failed job, so that a run knows which failures came before it. */
	get failureCount(): number {
		return this.failures;
	}

	noteFailure(id: string): void {
		this.failures += 1;
		if (!this.failedJobs.has(id)) remember(this.failedJobs, id, this.failures);
	}

	/** Whether a job was already known to have failed when `failureCount` had this value. */
	hadFailed(id: string, failureCount: number): boolean {
		return (this.failedJobs.get(id) ?? Infinity) <= failureCount;
	}
}
