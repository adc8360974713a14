import type { Endpoint } from '../../contract';
import type { Resource, Unsent } from './types';

/**
 * Everything that can end the story of an item badly, as data: who decides what to do next can look at it,
 * and only `errors.ts` turns it into words.
 */
export type Failure =
	| { kind: 'input'; field: string; problem: string; hint?: string }
	| { kind: 'scope'; scope: string }
	| { kind: 'status'; status: number; said: ServiceError; unclear: boolean; hintMs?: number }
	| Lost
	| { kind: 'badResponse'; status: number; problem: string }
	| { kind: 'cancelled' }
	| { kind: 'deadline'; waitedMs: number }
	| { kind: 'jobFailed'; reason: string }
	| { kind: 'download'; outputId: string; problem: string }
	| { kind: 'upload'; field: string; problem: string }
	| { kind: 'skipped'; cause: string; credits: boolean }
	/** `because`: why the key of the earlier try can no longer tell; default `expired`. */
	| { kind: 'possibleDuplicate'; candidates: string[]; because?: 'expired' | 'changed' };

/** No whole answer arrived. */
export interface Lost {
	kind: 'noResponse';
	reason: string;
	attempts: number;
	replayable: boolean;
	/** Whether any try may have reached the service. `false`: the outcome is known, nothing was done. */
	sent: boolean;
	/** Why the last try certainly did not reach it. */
	unsent?: Unsent;
}

/** What the service said in its Error shape (specification: Error), as far as it can be read. */
export interface ServiceError {
	message?: string;
	type?: string;
	requestId?: string;
	details?: unknown;
}

/** A failure with what exists at the service all the same, so that nothing paid for is lost. */
export interface Failed {
	ok: false;
	failure: Failure;
	/** The job that this item has made, as last seen. */
	job?: Resource;
	/** The operation that failed, where it is not the item's own, such as the upload of a file. */
	endpoint?: Endpoint;
}

export type Result<T> = { ok: true; value: T } | Failed;

export const ok = <T>(value: T): Result<T> => ({ ok: true, value });

export const fail = (failure: Failure, job?: Resource): Failed => ({ ok: false, failure, job });
