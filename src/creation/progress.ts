import type { Result } from '../base/result';
import type { Resource } from '../base/types';
import type { Slot, SlotKind } from '../transport/jobSlots';
import type { Charge, CreditWait } from './cap';
import type { Idempotency } from './idempotency';
import type { Item } from './item';

/* How far a creation has come, from its first request to its job. */

/** A job, as it was last seen. */
export interface Made {
	job: Resource;
	/** Whether there is nothing to wait for, whatever its status. */
	isOver: boolean;
	/** Whether the answer says that its plan is approved: then a plan is no end, whatever the word. */
	isApproved?: boolean;
}

/** Why a creation is sent again. */
export type Again =
	/** Its key has led to nothing: with the next one, at once. */
	| 'otherKey'
	/** It was refused for lack of credits: once there may be some. */
	| 'topUp'
	/** It was refused for lack of a slot: with the next one. */
	| 'slot'
	/** It has waited so long that its key or the credits may be over: decided anew. */
	| 'waited';

export type Heard = Result<Made> | { again: Again };

/** Its place among the jobs of the workspace. */
interface Place {
	/** The kind of slot that its job takes, if it takes one. */
	readonly kind: SlotKind | undefined;
	/** The slot that the job holds: a known job holds none. */
	slot?: Slot;
	/** When its wait for a slot began, on the monotonic clock. */
	waitsSince?: number;
	/** How often it was refused with 429. */
	refusals: number;
	/** When first in a row, on the monotonic clock. */
	refusedSince?: number;
}

/** Its request, as it has gone out. */
interface Out {
	/** When first, on the monotonic clock. */
	since: number;
	/** The same by the clock of the service, if it says that. */
	sentAt?: number;
	/** The key of the last one. */
	key?: string;
}

/** What a creation has met so far. Its hearers change it. */
export interface Progress {
	readonly item: Item;
	/** Hash of what is asked for. */
	readonly content: string;
	readonly idempotency: Idempotency;
	/** When this try began, on the monotonic clock. */
	readonly beganAt: number;
	/** Whether this process had met the job of its answer. */
	met?: 'before' | 'meanwhile';
	/** The last job of this try that says it had failed before. */
	olderByItsDate?: DatedJob;
	readonly place: Place;
	readonly out: Out;
	readonly charge: Charge;
	readonly credits: CreditWait;
	/**
	 * Why it is sent again, if it is. What the request before has waited for, one with another key does not
	 * wait for.
	 */
	again?: Again;
}

/** A job that says it is older than its request. */
export interface DatedJob {
	job: Resource;
	/** When its request went out, on the monotonic clock. */
	outSince: number;
}
