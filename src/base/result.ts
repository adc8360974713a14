import type { Endpoint } from '../api';
import type { Resource, UnsentReason } from './types';

/**
 * Every way in which an item can fail, as data: `words.ts` and `creditSentence.ts` of `src/n8n` put it into
 * words.
 */
export type Failure =
	| { kind: 'input'; field: string; problem: string; hint?: string }
	| { kind: 'scope'; scope: string }
	| StatusFailure
	| NoResponseFailure
	| BadResponseFailure
	| CancelledFailure
	/** `inStatusMs`: for how long at least the job had the status with which it was last seen. */
	| { kind: 'deadline'; waitedMs: number; inStatusMs?: number }
	| JobFailure
	/** A plan was made that could not be approved at once, as was asked for. */
	| { kind: 'notApproved'; reason: string }
	| { kind: 'download'; outputId: string; problem: string }
	/** `mayPass`: whether it was the storage, or the way there, and not the file. */
	| { kind: 'upload'; field: string; problem: string; mayPass?: true }
	/** Not sent, because the run was halted, or others that ask for the same were refused. */
	| { kind: 'skipped'; cause: string; lacksCredits?: boolean }
	/** Something in our own code has thrown. */
	| { kind: 'fault'; problem: string }
	/** No job slot was free in time. `others`: running jobs that this process has not created. */
	| { kind: 'noSlot'; waitedMs: number; others: number }
	/**
	 * Not sent: it does not fit under the limit of the execution. `price`: `null` if the service states none.
	 */
	| { kind: 'creditCap'; maxCredits: number; reserved: number; price: number | null | undefined }
	/** Not sent: it does not fit under the limit of the day. `problem`: why that limit cannot be kept. */
	| {
			kind: 'dayCap';
			maxCredits: number;
			spent: number;
			/** What the run is expected to need, if that is known. */
			needed: number | undefined;
			problem?: string;
	  }
	/** `because`: why the key can no longer settle an earlier attempt. */
	| { kind: 'possibleDuplicate'; because: 'expired' | 'changed' };

/** A job was made, and has ended badly. */
export interface JobFailure {
	kind: 'jobFailed';
	reason: string;
	/** What there was too little of, as far as the service says so. */
	lacks?: 'credits' | 'budget';
}

/** The execution was cancelled, or the run halted before the item was sent. */
export interface CancelledFailure {
	kind: 'cancelled';
	/** Whether a request was out by then that may have been carried out. */
	outcomeUnknown?: boolean;
}

/** The service answered with a status other than 2xx. */
export interface StatusFailure {
	kind: 'status';
	status: number;
	serviceError: ServiceError;
	/** Whether this or an earlier attempt may have been carried out. */
	outcomeUnknown: boolean;
	/** How long the service asks to wait, in ms. */
	hintMs?: number;
	/** See {@link NoResponseFailure.isOutage}. */
	isOutage?: boolean;
}

/** No complete response arrived. */
export interface NoResponseFailure {
	kind: 'noResponse';
	reason: string;
	attempts: number;
	/** Whether an attempt may have been carried out. `false`: none reached the service. */
	outcomeUnknown: boolean;
	unsent?: UnsentReason;
	/**
	 * Whether another one was given up just before, without an answer to any: the next one would fail too.
	 */
	isOutage?: boolean;
}

/** A success that cannot be used, such as a page of a gateway. */
export interface BadResponseFailure {
	kind: 'badResponse';
	status: number;
	problem: string;
	/** See {@link NoResponseFailure.isOutage}. */
	isOutage?: boolean;
}

/** Specification: Error. */
export interface ServiceError {
	/** In one line, without markup, of at most 300 characters. */
	message?: string;
	/** Only of the Error shape itself. */
	type?: string;
	requestId?: string;
	details?: unknown;
	/** Where a redirect leads, without a query. */
	leadsTo?: string;
	/** Whether the answer is a page or a text, and so of a hop on the way: the service speaks JSON. */
	isPage?: boolean;
}

/** A failure, with the job that exists all the same, so that nothing paid for is lost. */
export interface Failed {
	ok: false;
	failure: Failure;
	/** The job that this item has created, as last seen. */
	job?: Resource;
	/** The operation that failed, if it is not the item's own, such as an upload. */
	endpoint?: Endpoint;
	/**
	 * Of an item that is invalid: the field of a failed row that gets what went wrong, if the user has set
	 * one.
	 */
	resultField?: string;
}

/** What was wanted, or why there is none. */
export type Result<T> = { ok: true; value: T } | Failed;

export const ok = <T>(value: T): Result<T> => ({ ok: true, value });

export const fail = (failure: Failure, job?: Resource): Failed => ({ ok: false, failure, job });
