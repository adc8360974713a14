import type { Endpoint, Scope } from '../api';
import type { Resource, UnsentReason } from './types';

/**
 * Every way in which an item can fail, as data, in the order of its way: before it is sent, by the answer, by
 * its job, and at any time. `src/n8n` puts it into words.
 */
export type Failure =
	| { kind: 'input'; field: string; problem: string; hint?: string }
	| { kind: 'scope'; scope: string }
	/**
	 * `isTransient`: the storage or the network has failed, and not the file is wrong. `outageOf`: the
	 * storage takes no other files either. What needs no upload is not concerned.
	 */
	| { kind: 'upload'; field: string; problem: string; isTransient?: true; outageOf?: 'kind' }
	/**
	 * The item was not sent, because of the failure of another one that it would meet too.
	 */
	| { kind: 'skipped'; cause: string; lacksCredits?: boolean }
	/** The item was not sent, because it would exceed the limit of the execution. */
	| {
			kind: 'creditCap';
			maxCredits: number;
			reserved: number;
			/** `null` if the service states none. */
			price: number | null | undefined;
			/** Whether nobody knows what a request without an answer has cost. */
			isGuess?: boolean;
	  }
	/**
	 * The item was not sent, because it would exceed the limit of the day. `obstacle`: why that limit
	 * cannot be kept.
	 */
	| {
			kind: 'dayCap';
			maxCredits: number;
			spent: number;
			/** What the item is expected to reserve, if that is known. */
			price: number | undefined;
			obstacle?: DayObstacle;
	  }
	/** An earlier attempt may have been paid for, and what it was paid for cannot be had. */
	| { kind: 'possibleDuplicate'; because: Doubt }
	/** No job slot was free in time. `others`: running jobs that this process has not created. */
	| { kind: 'noSlot'; waitedMs: number; others: number }
	| StatusFailure
	| NoResponseFailure
	| BadResponseFailure
	/** `inStatusMs`: for how long at least the job had the status with which it was last seen. */
	| { kind: 'deadline'; waitedMs: number; inStatusMs?: number }
	| JobFailure
	/** A plan was made that could not be approved at once, although that was asked for. */
	| { kind: 'notApproved'; reason: string }
	/** `outageOf`: what is made now could not be fetched either, and would be paid for. */
	| { kind: 'download'; outputId: string; problem: string; outageOf?: 'key' }
	| CancelledFailure
	/** Something in our own code has thrown. */
	| { kind: 'fault'; problem: string };

/**
 * Why what an earlier attempt has made cannot be had. Of a request without an answer:
 * - `noKey`, `expired`, `changed`: it had no idempotency key, or one that can no longer tell
 * - `otherWorkspace`: it was sent with another API key, and so perhaps to another workspace
 *
 * Of a job that is known, and that the service says it does not know:
 * - `jobGone`: it was deleted
 * - `jobElsewhere`: it was made with another API key
 */
export type Doubt = 'noKey' | 'expired' | 'changed' | 'otherWorkspace' | 'jobGone' | 'jobElsewhere';

/**
 * Why it is not known what was spent today. Its kind decides what helps:
 * - `forbidden`: the key may not read it
 * - `unreadable`: it could not be read this time
 * - `tooMany`: the jobs are too many to be read
 * - `unsaid`: the service does not say enough
 */
export type DayObstacle =
	| { kind: 'forbidden'; problem: string; scope: Scope }
	| { kind: 'unreadable' | 'tooMany' | 'unsaid'; problem: string };

/** The service answered with a status other than 2xx. */
export interface StatusFailure {
	kind: 'status';
	status: number;
	serviceError: ServiceError;
	/** Whether this attempt or an earlier one may have been carried out. */
	outcomeUnknown: boolean;
	/** How long the service asks to wait, in ms. */
	hintMs?: number;
	/** See {@link NoResponseFailure.outageOf}. */
	outageOf?: OutageOf;
}

/** No complete response arrived. */
export interface NoResponseFailure {
	kind: 'noResponse';
	reason: string;
	attempts: number;
	/** Whether an attempt may have been carried out. `false`: none has reached the service. */
	outcomeUnknown: boolean;
	unsent?: UnsentReason;
	/**
	 * Set if another request was given up just before, and none was answered since both went out. Then the
	 * next one would fail too.
	 */
	outageOf?: OutageOf;
}

/**
 * Which requests are not answered: those of one kind, such as those with one model, as only such were tried;
 * or those of a key, whatever they ask for.
 */
export type OutageOf = 'kind' | 'key';

/**
 * The service answered with a status of success and a body that cannot be used, such as a page of a gateway.
 */
export interface BadResponseFailure {
	kind: 'badResponse';
	status: number;
	problem: string;
	/** See {@link NoResponseFailure.outageOf}. */
	outageOf?: OutageOf;
}

/** What an error of the service says. Specification: Error. */
export interface ServiceError {
	/** One line without markup, of at most 300 characters. */
	message?: string;
	/** Set only if the answer has the Error shape of the specification. */
	type?: string;
	requestId?: string;
	details?: unknown;
	/** The address to which a redirect leads, without its query. */
	leadsTo?: string;
	/**
	 * Whether the answer is a page or a text. Then a proxy or another server has written it: the service
	 * speaks JSON.
	 */
	isPage?: boolean;
}

/** A job was made, and has ended badly. */
export interface JobFailure {
	kind: 'jobFailed';
	reason: string;
	/** What was lacking, as far as the service says so. */
	lacks?: 'credits' | 'budget';
}

/** The execution was cancelled, or the item halted before it was sent. */
export interface CancelledFailure {
	kind: 'cancelled';
	/** Whether a request had been sent by then that may be carried out. */
	outcomeUnknown?: boolean;
}

/** A failure. The job that exists nevertheless stays with it, so that nothing that was paid for is lost. */
export interface Failed {
	ok: false;
	failure: Failure;
	/** The job that this item has created, as it was last seen. */
	job?: Resource;
	/** The operation that has failed, if it is not that of the item, such as an upload. */
	endpoint?: Endpoint;
	/**
	 * The field of a failed row that says what went wrong, if the item is invalid and the user has set such a
	 * field.
	 */
	resultField?: string;
}

/** What was wanted, or why there is none. */
export type Result<T> = { ok: true; value: T } | Failed;

export const ok = <T>(value: T): Result<T> => ({ ok: true, value });

export const fail = (failure: Failure, job?: Resource): Failed => ({ ok: false, failure, job });

/** What is away, if a failure says so, and for whom: then others get no answer either. */
export function outageIn(failure: Failure): { away: string; of: OutageOf } | undefined {
	if (!('outageOf' in failure) || !failure.outageOf) return undefined;
	const isOfFile = failure.kind === 'upload' || failure.kind === 'download';
	return { away: isOfFile ? 'the storage of files' : 'the service', of: failure.outageOf };
}
