import type { Failure, Result } from '../base/result';
import { meaningOf } from '../http/statuses';

/** Items, each tried until its attempts were used up, after which the rest is not sent. */
const ENOUGH = 3;

const ANSWERS = new Set<Failure['kind']>(['status', 'badResponse']);

/**
 * Whether a request ended without any answer of the service itself: none came, a gateway gave it, or
 * it is none of the API.
 */
export function isOutage(result: Result<unknown>): boolean {
	if (result.ok) return false;
	const { failure } = result;
	if (failure.kind === 'status') return meaningOf(failure.status).again === 'replayable';
	return failure.kind === 'noResponse' || failure.kind === 'badResponse';
}

/**
 * Whether the service is there at all, as the items of a run find out: each takes half a minute to
 * be sure, so a thousand would take hours, one after the other. Only silence counts: a status, even
 * a 5xx, may be about the item that it answers, and the others must not be lost for it.
 */
export class Outage {
	private silent = 0;

	private hasAnswered = false;

	/** @returns whether nothing has answered so far, to enough items */
	note(result: Result<unknown>): boolean {
		if (result.ok || result.job || ANSWERS.has(result.failure.kind)) this.hasAnswered = true;
		else if (result.failure.kind === 'noResponse') this.silent += 1;
		return !this.hasAnswered && this.silent >= ENOUGH;
	}
}
