import type { Result } from '../base/result';
import type { Resource } from '../base/types';
import type { Slot, SlotKind } from '../transport/jobSlots';
import type { CreditWait } from '../transport/topUpGate';
import type { LedgerEntry } from './credits/ledger';
import type { Idempotency } from './idempotency/idempotency';
import type { Item } from './item';

/* What is known of one creation while it is under way, from its key to its job. */

/** A job, as it was last seen. */
export interface ObtainedJob {
	job: Resource;
	/** Whether there is nothing to wait for, whatever its status. */
	isOver: boolean;
	/** Of an agent run: whether it is a plan that nobody has approved yet. */
	isPlan?: boolean;
}

/** Why a creation is sent again. */
export type Again =
	/** Its key has led to nothing (`settleKey`, `confirmJob`): with the next one, at once. */
	| 'otherKey'
	/** It was refused for lack of credits (`tellTopUpGate`): once there may be some. */
	| 'topUp'
	/** It was refused for lack of a slot (`settleSlot`): with the next one. */
	| 'slot'
	/**
	 * It got its slot so late that its key or the credits may be over, or an equal request was out
	 * (`sending.ts`): decided anew.
	 */
	| 'outdated'
	/** Others are to find out first what was spent (`sending.ts`): it goes behind them, once. */
	| 'othersFirst';

/** What the answer to a creation has come to: a job, a failure, or that the creation is sent again. */
export type JobOrAgain = Result<ObtainedJob> | { again: Again };

/** Its wait for a slot, and the slot. */
interface SlotWait {
	/** The kind of slot that its job takes, if it takes one. */
	readonly kind: SlotKind | undefined;
	/** The slot that the job holds: a known job holds none. */
	slot?: Slot;
	/** When its wait for a slot began, on the monotonic clock. */
	waitsSince?: number;
	/** How often it was refused with 429. */
	timesThrottled: number;
	/** When first in a row, on the monotonic clock. */
	throttledSince?: number;
}

/** Its request, as it has gone out. */
interface LastRequest {
	/** When first, on the monotonic clock. */
	since: number;
	/** The same by the clock of the service, if it says that. */
	sentAt?: number;
	/** The key of the last one. */
	key?: string;
	/** After a cancel, which waits for no answer: settles once the answer was applied. */
	stillOut?: Promise<unknown>;
	/** When one first went out of which nobody knows yet what was done, on the monotonic clock. */
	openSince?: number;
}

/** What a creation has met so far. Each answer changes it. */
export interface Progress {
	readonly item: Item;
	/** Hash of what is asked for. */
	readonly requestHash: string;
	readonly idempotency: Idempotency;
	/** When this try began, on the monotonic clock. */
	readonly beganAt: number;
	/** When this process first saw the job of its answer, on the monotonic clock. */
	jobSeenAt?: number;
	/**
	 * The failed job that it has left last: when that says it was made, and when its request went out, on the
	 * monotonic clock.
	 */
	leftJob?: { madeAt: number; outSince: number };
	readonly slotWait: SlotWait;
	readonly lastRequest: LastRequest;
	/** Of the last request, in the ledger of credits; `undefined` where it costs nothing. */
	entry?: LedgerEntry;
	readonly creditWait: CreditWait;
	/**
	 * Why the request is sent again, if it is. If it is sent again with another key, it does not wait anew
	 * for what the request before has waited for.
	 */
	again?: Again;
	/** Whether it has let others go first, so that they find out what was spent. */
	hasLetOthersFirst?: boolean;
}
