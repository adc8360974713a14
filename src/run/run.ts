import { fail, type Failed, type Result } from '../base/result';
import { Semaphore } from '../base/waiting';
import type { Clock, Resource } from '../base/types';
import { meaningOf } from '../service/statuses';
import type { Item, Prepared } from './item';
import { EarlierRuns, noteDelivery } from './keys';

export interface Halt {
	cause: string;
	/** Whether the reason is a lack of credits. */
	credits: boolean;
}

/** The error that an item throws; n8n uses it only when all items have ended. */
interface PendingError {
	thrownBy: number;
	/** Adds what is known only then. */
	complete: () => void;
}

/** Requests of the items of a run at a time, but for creations: as many as a workspace runs jobs by default. */
const READS_AT_ONCE = 5;

const OPENED_AT_ONCE = 100;

/** How long nothing but silence is taken for a pause, in ms. */
const OUTAGE_MS = 90_000;

/**
 * What the items of one run of a node know about each other. n8n starts all of them at once and,
 * without Continue On Fail, discards all results when one fails. So nothing is sent if one item is
 * invalid, and the error of a failed run names the jobs that exist nevertheless.
 */
export class Batch {
	private readonly prepared = new Map<number, Result<Prepared>>();
	/** By the item, or the part of one, that has created it. */
	private readonly jobs = new Map<string, { item: number; job: Resource }>();
	private invalidItems = 0;
	private isLocated = false;
	/** Items that have not claimed their custom key yet, and what those that have are waiting with. */
	private readonly unclaimed = new Set<number>();
	private readonly allClaimed: Array<() => void> = [];
	private lastJoined = -1;
	private hasStarted = false;
	private endedItems = 0;
	private firstError: PendingError | undefined;
	/** What the run may have paid for: with *On Retries*, the items and parts of items that create. */
	private readonly created: Item[] = [];
	/** Jobs that an earlier try of some item may have made, of which the user has to be told. */
	readonly candidates = new Set<string>();
	/** Items that became a failed row. */
	readonly failedRows = new Set<number>();
	/** When the service last answered, on the monotonic clock; `-Infinity` for never. */
	private answeredAt = -Infinity;
	/** Since when it has not, and the requests since that got no answer; `Infinity` while it does. */
	private silentSince = Infinity;
	private unanswered = 0;
	/** Whether the run was halted because the service gave no answer. */
	isSilent = false;
	readonly earlierRuns = new EarlierRuns();
	/** Items that only read go a few at a time, so that a refusal spares the rest their request. */
	readonly reads = new Semaphore(READS_AT_ONCE);
	/** The items read the credential, from n8n's database: all at once, they would hold up the first request. */
	readonly opening = new Semaphore(OPENED_AT_ONCE);
	/** Which run of which node (workflow and node: the same in every execution). Set by the first item that needs it. */
	location: { runIndex: number; node: string } | undefined;
	/** Fingerprint of the unevaluated parameters, which all items share; set by the first. */
	parameters: string | undefined;
	/** Why nothing further is sent; `undefined` while items may be sent. */
	halted: Halt | undefined;
	private readonly haltController = new AbortController();
	private anyStopSignal: AbortSignal | undefined;

	constructor(
		readonly total: number,
		/** Whether n8n starts the items in portions (its batching option): not all are known at first. */
		readonly isBatched: boolean,
		/** Whether the run goes on when an item fails. */
		readonly continuesOnFail = false,
	) {}

	/**
	 * Whether an item that n8n starts now belongs to this run of the node. n8n starts items in
	 * ascending order and, unless they are batched, all of them before the first one runs. Anything
	 * else is a new run (Retry On Fail).
	 */
	accepts(item: number): boolean {
		return item > this.lastJoined && (this.isBatched || !this.hasStarted);
	}

	add(item: number, prepared: Result<Prepared>): void {
		this.lastJoined = item;
		if (!prepared.ok) return this.reject(item, prepared);
		this.prepared.set(item, prepared);
		if (prepared.value.settings.idempotency === 'custom') this.unclaimed.add(item);
	}

	/** An item is invalid, which is known before anything is sent. */
	reject(item: number, failed: Failed): void {
		this.prepared.set(item, failed);
		this.invalidItems += 1;
	}

	/** Where the service is, as the first item to read the credential finds out. */
	locateService(isLocal: boolean): void {
		if (this.isLocated) return;
		this.isLocated = true;
		if (isLocal) return;
		for (const [item, prepared] of this.prepared) {
			if (prepared.ok && prepared.value.unlessLocal) this.reject(item, prepared.value.unlessLocal);
		}
	}

	/**
	 * An item has claimed its custom key, or never will. Resolves once all items of the run have, so
	 * that a key that two of them use for different requests is known before anything is sent.
	 */
	async keyClaimed(item: number): Promise<void> {
		this.unclaimed.delete(item);
		if (this.unclaimed.size > 0)
			return await new Promise((resolve) => this.allClaimed.push(resolve));
		for (const resolve of this.allClaimed.splice(0)) resolve();
	}

	beginItem(item: number): Result<Prepared> | undefined {
		this.hasStarted = true;
		return this.prepared.get(item);
	}

	/** The items as they were checked, with what is wrong with them. */
	get checked(): Array<[item: number, prepared: Result<Prepared>]> {
		return [...this.prepared];
	}

	get invalid(): number[] {
		return this.checked.filter(([, { ok }]) => !ok).map(([item]) => item);
	}

	/** Why an item is not sent although it was valid by itself; `undefined` if it may be. */
	rejectionOf(item: number): Failed | undefined {
		const prepared = this.prepared.get(item);
		if (prepared?.ok === false) return prepared;
		// The error is that of the invalid item.
		return this.invalidItems > 0 && !this.continuesOnFail
			? fail({ kind: 'skipped', cause: 'another item is invalid', credits: false })
			: undefined;
	}

	/** Whether the run fails before anything is sent: an item is invalid, or n8n gave up on one. */
	get isRejected(): boolean {
		return this.invalidItems > 0 || (!this.isBatched && this.prepared.size < this.total);
	}

	/** @param part set where an item creates several jobs */
	addJob(item: number, job: Resource, part = ''): void {
		this.jobs.set(`${item}${part}`, { item, job });
	}

	/** Only the first reason is kept. */
	halt(reason: Halt): void {
		this.halted ??= reason;
		this.haltController.abort();
	}

	/**
	 * Fires when the run is halted or cancelled, so that items waiting to send stop waiting.
	 * @param cancel the same for all items of a run
	 */
	stopSignal(cancel: AbortSignal | undefined): AbortSignal {
		const { signal } = this.haltController;
		return (this.anyStopSignal ??= cancel ? AbortSignal.any([cancel, signal]) : signal);
	}

	/**
	 * A request has ended. A run that meets nothing but silence is halted: each item alone would take
	 * half a minute or more to be sure. One request that hangs is no outage.
	 * @param sentAt on the monotonic clock
	 * @param isAnswered whether the service itself has answered, be it with a refusal
	 */
	noteAnswer(isAnswered: boolean, sentAt: number, clock: Clock): void {
		const now = clock.monotonic();
		if (isAnswered) {
			this.answeredAt = now;
			this.silentSince = Infinity;
			this.unanswered = 0;
			return;
		}
		this.silentSince = Math.min(this.silentSince, Math.max(sentAt, this.answeredAt));
		this.unanswered += 1;
		if (this.unanswered < 2 || now - this.silentSince < OUTAGE_MS) return;
		this.isSilent = true;
		this.halt({ cause: 'the service gave no answer', credits: false });
	}

	/** What the items have created, and what an earlier try of theirs had. */
	get made(): Array<{ item: number; job: Resource }> {
		return [...this.jobs.values()];
	}

	get hasEnded(): boolean {
		return this.endedItems >= this.total;
	}

	/** An item, or a part of one, has ended that creates. */
	addCreated(item: Item): void {
		if (item.settings.idempotency === 'execution') this.created.push(item);
	}

	/** Once n8n has, or has not, been given the results of all items. */
	noteDeliveries(): void {
		for (const item of this.created) {
			const { state } = item.memory;
			if (!('job' in state)) continue;
			noteDelivery(item, state.job, !this.firstError && !this.failedRows.has(item.itemIndex));
		}
	}

	/** How many items have a job. */
	get submitted(): number {
		return new Set(this.made.map(({ item }) => item)).size;
	}

	/** Whether n8n would report the error of this item: not if an item before it has failed already. */
	reportsErrorOf(item: number): boolean {
		return item < (this.firstError?.thrownBy ?? Infinity);
	}

	/** Keeps the error that n8n reports. */
	addError(pending: PendingError): void {
		if (this.reportsErrorOf(pending.thrownBy)) this.firstError = pending;
	}

	endItem(item: number): void {
		void this.keyClaimed(item);
		this.endedItems += 1;
		if (this.hasEnded) this.firstError?.complete();
	}
}

/** Halts the run if the failure of an item holds for the others too. */
export function halt({ batch, itemIndex, settings }: Item, { failure, endpoint }: Failed): void {
	if (failure.kind === 'creditCap') {
		// With error items, cheaper items may still fit under the limit.
		if (settings.onInsufficientCredits === 'continue') return;
		const cause = `Max Credits per Execution was reached at item ${itemIndex}`;
		return batch.halt({ cause, credits: true });
	}
	if (failure.kind !== 'status') return;
	const { refusal, concernsRun } = meaningOf(failure.status, failure.serviceError);
	// A key that may not upload can still serve the items without files.
	const isPartial = endpoint !== undefined && refusal === 'forbidden';
	if (concernsRun === undefined || isPartial) return;
	batch.halt({ cause: `${concernsRun} at item ${itemIndex}`, credits: refusal === 'noCredits' });
}

/** Why an item of a halted run is not sent; `undefined` while it may be. */
export const halted = ({ batch }: Item): Failed | undefined =>
	batch.halted && fail({ kind: 'skipped', ...batch.halted });

/**
 * Why an item ended whose signal fired: it is not sent because the run was halted. One that was given
 * up when the service answered nothing any more says so: no other item reports it.
 */
export function whyStopped(item: Item, failed: Failed, isUnderWay: boolean): Failed {
	if (failed.failure.kind !== 'cancelled' || item.host.channel.signal?.aborted) return failed;
	if (!isUnderWay || !item.batch.isSilent) return halted(item) ?? failed;
	const reason = 'it answers nothing any more';
	return { ...failed, failure: { kind: 'noResponse', reason, attempts: 1, outcomeUnknown: true } };
}

/**
 * Does what neither creates nor approves, files included: a few items at a time, and none once the
 * run is halted, as it is before the next item's turn if a failure concerns all.
 * @param task gets the item with a channel that ends then
 */
export async function inTurn<T>(
	item: Item,
	task: (item: Item) => Promise<Result<T>>,
): Promise<Result<T>> {
	const { batch, host } = item;
	const channel = { ...host.channel, signal: batch.stopSignal(host.channel.signal) };
	const stoppable = { ...item, host: { ...host, channel } };
	const done = await batch.reads.run(channel, async () => {
		const result = await task(stoppable);
		if (!result.ok) halt(item, result);
		return result;
	});
	if (done?.ok) return done;
	return whyStopped(item, done ?? fail({ kind: 'cancelled' }), done !== undefined);
}
