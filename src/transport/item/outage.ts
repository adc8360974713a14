import type { Result } from '../base/result';
import { isServerError } from '../base/types';

/** So many items, each tried until its attempts were used up, say enough of a service. */
const ENOUGH = 3;

/**
 * Whether a request ended without any answer of the service itself: none came, a gateway gave it, or
 * it is none of the API.
 */
export function isOutage(result: Result<unknown>): boolean {
	if (result.ok) return false;
	const { failure } = result;
	if (failure.kind === 'status') return isServerError(failure.status);
	return failure.kind === 'noResponse' || failure.kind === 'badResponse';
}

/**
 * Whether the service is there at all, as the items of a run find out: each takes half a minute to
 * be sure, so a thousand would take hours, one after the other.
 */
export class Outage {
	private found = 0;

	private hasAnswered = false;

	/** @returns whether nothing but failures came, and enough of them */
	note(result: Result<unknown>): boolean {
		if (result.ok || result.job) this.hasAnswered = true;
		else if (isOutage(result)) this.found += 1;
		else if (result.failure.kind === 'status') this.hasAnswered = true;
		return !this.hasAnswered && this.found >= ENOUGH;
	}
}
