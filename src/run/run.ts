import { fail, type Failed, type Result } from '../base/result';
import { onAbort } from '../base/abort';
import { Semaphore } from '../base/semaphore';
import type { Resource } from '../base/types';
import { meaningOf } from '../service/statuses';
import type { Workspace } from '../service/workspace';
import { becomesErrorItem } from './credits';
import type { Item, Prepared } from './item';
import { GIVE_EACH_A_KEY, noteDelivery } from './keys';
import type { OpenRequests } from './openRequests';

export interface Halt {
	cause: string;
	/**
	 * Whether the item that has halted the run became a failed row. What is not sent because of it does too: if it
	 * returned nothing, nobody would throw, and n8n would take the run for a success.
	 */
	becomesRow: boolean;
}

/** The error that an item throws; n8n uses it only when all items have ended. */
interface PendingError {
	thrownBy: number;
	/** Adds what is known only then. */
	complete: () => void;
}

/** Which run of which node. */
export interface Location {
	runIndex: number;
	/** Workflow and node: the same in every execution. */
	node: string;
}

/** What is the same for all items of a run, and slow or dear to find out. */
interface RunCache {
	location?: Location;
	/** Fingerprint of the unevaluated parameters. */
	parameters?: string;
	/** What a dry run says of all items. */
	drySummary?: Promise<string>;
	/** What a dry run knows of prices. */
	prices?: Promise<ReadonlyMap<string, number>>;
	/** By workspace and mode, the model that is listed first, for items in which none is chosen. */
	firstModels: Map<Workspace, Map<unknown, Promise<Result<string>>>>;
}

/** Requests of the items of a run at a time, but for creations: as many as a workspace runs jobs by default. */
const READS_AT_ONCE = 5;

/**
 * One run of a node: what its items know about each other. n8n starts all of them at once and,
 * without Continue On Fail, discards all results when one fails. So nothing is sent if one item is
 * invalid, and the error of a failed run names the jobs that exist nevertheless.
 */
export class Run {
	private readonly prepared = new Map<number, Result<Prepared>>();
	/** By the item, or the part of one, that has created it. */
	private readonly jobs = new Map<string, { item: number; job: Resource }>();
	/** With keys of the user's own: the item that has each, and what it requests. */
	private readonly ownKeys = new Map<string, { item: number; request: string }>();
	private invalidItems = 0;
	private isLocated = false;
	private lastJoined = -1;
	private hasStarted = false;
	private endedItems = 0;
	private firstError: PendingError | undefined;
	/** The items and parts of items that create. */
	private readonly created: Item[] = [];
	/** Items whose result n8n is not given: they became a failed row, or an agent was told to ask again. */
	readonly undelivered = new Set<number>();
	/** Whether something was thrown, by an item or by n8n. */
	private hasThrown = false;
	/** Items that only read go a few at a time, so that a refusal spares the rest their request. */
	readonly reads = new Semaphore(READS_AT_ONCE);
	/** What the first item that needs it finds out for all. */
	readonly cache: RunCache = { firstModels: new Map() };
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
		this.claimOwnKey(item, prepared.value);
	}

	/**
	 * Under one key of the user's own for different requests, every item would get the media of the first
	 * one. None of them is sent, as it is unclear which one the key is meant for.
	 */
	private claimOwnKey(item: number, { settings, ownRequest }: Prepared): void {
		if (ownRequest === undefined) return;
		const { idempotencyKey } = settings;
		const owner = this.ownKeys.get(idempotencyKey);
		if (!owner) {
			this.ownKeys.set(idempotencyKey, { item, request: ownRequest });
			return;
		}
		if (owner.request === ownRequest) return;
		const problem = `is the same for items ${owner.item + 1} and ${item + 1}, which make different requests`;
		for (const each of [owner.item, item]) {
			if (!this.prepared.get(each)?.ok) continue;
			const field = 'Own Key';
			this.reject(each, fail({ kind: 'input', field, problem, hint: GIVE_EACH_A_KEY }));
		}
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
		// The invalid item reports the error; this one only says that it was skipped.
		return this.invalidItems > 0 && !this.continuesOnFail
			? fail({ kind: 'skipped', cause: 'another item is invalid', becomesRow: false })
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
		this.anyStopSignal ??= cancel ? AbortSignal.any([cancel, signal]) : signal;
		return this.anyStopSignal;
	}

	/** What the items have created, and what an earlier try of theirs had. */
	get made(): Array<{ item: number; job: Resource }> {
		return [...this.jobs.values()];
	}

	/** An item over which n8n itself has failed never begins. */
	get hasEnded(): boolean {
		return this.endedItems >= (this.isBatched ? this.total : this.prepared.size);
	}

	/** An item, or a part of one, begins to create. */
	addCreation(item: Item): void {
		this.created.push(item);
	}

	/**
	 * Once n8n has, or has not, been given the results of all items, also where none has come so far as to create.
	 * @param signal fires when the execution is stopped
	 */
	noteDeliveries(openRequests: OpenRequests, execution: string, signal?: AbortSignal): void {
		const runIndex = this.cache.location?.runIndex ?? 0;
		const hasFailed = signal?.aborted === true || this.hasThrown;
		openRequests.endRun(execution, runIndex, hasFailed);
		if (hasFailed) return;
		for (const item of this.created) if (!this.undelivered.has(item.itemIndex)) noteDelivery(item);
		// What n8n was given is lost with an execution that is stopped, also while another node works on it.
		onAbort(signal, () => openRequests.endRun(execution, runIndex, true));
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

	/** @param hasThrown whether n8n gets an error instead of a result */
	endItem(hasThrown = false): void {
		this.endedItems += 1;
		this.hasThrown ||= hasThrown;
		if (this.hasEnded) this.firstError?.complete();
	}
}

/** Halts the run if the failure of an item holds for the others too. */
export function halt({ run, itemIndex, settings }: Item, failed: Failed): void {
	const { failure, endpoint } = failed;
	if (failure.kind === 'creditCap') {
		// With error items, cheaper items may still fit under the limit.
		if (settings.onInsufficientCredits === 'continue') return;
		const cause = `Max Credits per Execution was reached at item ${itemIndex + 1}`;
		return run.halt({ cause, becomesRow: false });
	}
	if ('isOutage' in failure && failure.isOutage)
		return run.halt({ cause: 'the service gave no answer', becomesRow: false });
	if (failure.kind !== 'status') return;
	const { refusal, concernsRun } = meaningOf(failure.status, failure.serviceError);
	// A key that may not upload can still serve the items without files.
	const isPartial = endpoint !== undefined && refusal === 'forbidden';
	if (concernsRun === undefined || isPartial) return;
	const cause = `${concernsRun} at item ${itemIndex + 1}`;
	run.halt({ cause, becomesRow: becomesErrorItem(failed, settings) });
}

/** Why an item of a halted run is not sent; `undefined` while it may be. */
export const halted = ({ run }: Item): Failed | undefined =>
	run.halted && fail({ kind: 'skipped', ...run.halted });

/**
 * Why an item was stopped: because the run was halted, or the execution cancelled. A halt never stops a
 * creation that is out: what it has stopped costs nothing, and whether an earlier try is open, the state of the item says.
 */
export function whyStopped(item: Item, failed: Failed): Failed {
	const isStop = failed.failure.kind === 'cancelled';
	if (!isStop || item.host.channel.signal?.aborted) return failed;
	return halted(item) ?? failed;
}

/**
 * Does what neither creates nor approves, files included: a few items at a time, and none once the
 * run is halted, as it is before the next item's turn if a failure concerns all. The item has to fail
 * with that failure: those of a halted run say nothing, and n8n would take it for a success.
 * @param task gets the item with a channel that ends then
 */
export async function inTurn<T>(
	item: Item,
	task: (item: Item) => Promise<Result<T>>,
): Promise<Result<T>> {
	const { run, host } = item;
	const channel = { ...host.channel, signal: run.stopSignal(host.channel.signal) };
	const stoppable = { ...item, host: { ...host, channel } };
	const done = await run.reads.run(channel, async () => {
		const result = await task(stoppable);
		if (!result.ok) halt(item, result);
		return result;
	});
	if (done?.ok) return done;
	return whyStopped(item, done ?? fail({ kind: 'cancelled' }));
}
