import type { Result } from '../base/result';
import type { Resource } from '../base/types';

/** A job as a creation has given it, with the number of the key that it was made under. */
export interface Created {
	job: Resource;
	attempt: number;
}

/** So many contents and failed jobs are remembered, at most. */
const MOST = 1_000;

function keep<K, V>(map: Map<K, V>, key: K, value: V): void {
	map.delete(key);
	map.set(key, value);
	const [oldest] = map.keys();
	if (map.size > MOST && oldest !== undefined) map.delete(oldest);
}

/**
 * What the executions of this process know of each other's creations, where a key is not one item's alone (By Content, Custom
 * Key): two that ask for the same at the same time send one request and wait for one job.
 */
export class SingleFlight {
	private readonly flights = new Map<string, Promise<Result<Created>>>();

	private readonly shortKeys = new Map<string, number>();

	private readonly failedJobs = new Map<string, number>();

	private failures = 0;

	/** A creation that is under way or whose job is waited for; `undefined` when there is none. */
	flightOf(name: string): Promise<Result<Created>> | undefined {
		return this.flights.get(name);
	}

	/** @returns takes it off again */
	begin(name: string, flight: Promise<Result<Created>>): () => void {
		this.flights.set(name, flight);
		return () => {
			if (this.flights.get(name) === flight) this.flights.delete(name);
		};
	}

	/** How many keys of a content, from the first on, the service has answered with 402. */
	shortOf(content: string): number {
		return this.shortKeys.get(content) ?? 0;
	}

	ranShort(content: string, short: number): void {
		keep(this.shortKeys, content, short);
	}

	/** Counts failures, so that a run can tell those before it. */
	get moment(): number {
		return this.failures;
	}

	failed(id: string): void {
		this.failures += 1;
		if (!this.failedJobs.has(id)) keep(this.failedJobs, id, this.failures);
	}

	/** Whether a job was known to have failed at that moment. */
	hadFailed(id: string, moment: number): boolean {
		return (this.failedJobs.get(id) ?? Infinity) <= moment;
	}
}
