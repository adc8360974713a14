import type { Endpoint } from '../api';
import { fail, type Failed, type Result } from '../base/result';
import { Semaphore } from '../base/semaphore';
import type { Resource } from '../base/types';
import { meaningOf, type Refusal } from '../transport/statuses';
import type { Workspace } from '../transport/workspace';
import type { LedgerEntry } from './credits/ledger';
import type { TodayAsOf } from './credits/today';
import type { Item, Prepared } from './item';
import { Refusals, type Halt } from './refusals';
import type { Unfinished } from './idempotency/lostRequests';
import type { JobReference } from './idempotency/itemState';

/** What a dry run says of all items: in a sentence, and in a few words what there would be. */
export interface DrySummary {
	sentence: string;
	wouldBe: string;
}

/** What is the same for all items of a run: the first one that needs it finds it out. */
interface RunCache {
	/** What a dry run says of all items. */
	dry?: Promise<DrySummary>;
	/** What each workspace has spent today. A credential may hold another API key for each item. */
	today: Map<Workspace, Promise<TodayAsOf>>;
	/** What all its items are expected to reserve; `undefined` where that is not known. */
	price?: { ofAll: number | undefined };
	/** What earlier runs of the node in this execution have asked for and not been given. */
	unfinished?: Unfinished;
	/** By workspace and mode, the model that is listed first, for items in which none is chosen. */
	firstModels: Map<Workspace, Map<unknown, Promise<Result<string>>>>;
}

/** So many items of a run read at a time: as many as a workspace runs jobs by default. */
const READS_AT_ONCE = 5;

/** An item as it was checked: ready to be run, or what is wrong with it. */
export type Checked = Result<Prepared>;

/**
 * One run of a node: what its items know about each other. Without Continue On Fail n8n discards all results
 * when one item fails. So nothing is sent if one is invalid, and the error of a failed run names the jobs
 * that exist nevertheless.
 */
export class Run {
	/** By the item, or the part of one, that has created it. */
	readonly jobs = new Map<string, { itemIndex: number; job: Resource }>();
	/** What the run has sent, in the ledger of credits. */
	readonly entries = new Set<LedgerEntry>();
	/** What each workspace had spent today when the service was last asked. */
	readonly today = new Map<Workspace, TodayAsOf>();
	/** Items that only read take turns: if the service refuses the first ones, the others are not sent. */
	readonly reads = new Semaphore(READS_AT_ONCE);
	readonly cache: RunCache = { today: new Map(), firstModels: new Map() };
	/** What a dry run says of all items, once it is known. */
	drySummary: DrySummary | undefined;
	/** Why nothing further is sent; `undefined` while items may be sent. */
	halted: Halt | undefined;
	/** The refusals so far, where a failed item becomes a row: they decide which other items are not sent. */
	readonly refusals = new Refusals();
	/** Fires when the run is halted or cancelled, so that items waiting to send stop waiting. */
	readonly stop: AbortSignal;
	private readonly haltController = new AbortController();

	/**
	 * @param checked all items, by n8n's number
	 * @param continuesOnFail whether an item that fails becomes a row among others
	 * @param cancel fires when the execution is cancelled
	 */
	constructor(
		readonly checked: ReadonlyMap<number, Checked> = new Map(),
		readonly continuesOnFail = false,
		cancel?: AbortSignal,
	) {
		const { signal } = this.haltController;
		this.stop = cancel ? AbortSignal.any([cancel, signal]) : signal;
	}

	get total(): number {
		return this.checked.size;
	}

	/** The items that are wrong by themselves. */
	get invalid(): number[] {
		return [...this.checked].filter(([, { ok }]) => !ok).map(([itemIndex]) => itemIndex);
	}

	/** @param part set where an item creates several jobs */
	addJob(itemIndex: number, job: Resource, part = ''): void {
		this.jobs.set(`${itemIndex}${part}`, { itemIndex, job });
	}

	/** One that an earlier try of the item has made, unless it was seen in this one. */
	addEarlierJob(itemIndex: number, { id }: JobReference, part: string): void {
		if (this.jobs.has(`${itemIndex}${part}`)) return;
		this.addJob(itemIndex, { id, status: 'from an earlier try' }, part);
	}

	/** Only the first reason is kept. */
	halt(reason: Halt): void {
		this.halted ??= reason;
		this.haltController.abort();
	}

	/** What the items have created, and what an earlier try of theirs had. */
	get made(): Array<{ itemIndex: number; job: Resource }> {
		return [...this.jobs.values()];
	}

	/** How many items have a job. */
	get itemsWithJob(): number {
		return new Set(this.made.map(({ itemIndex }) => itemIndex)).size;
	}
}

/**
 * Halts the run if the failure of an item holds for the others too. Each failure comes here when its item
 * ends (`runItem` in `n8n/runOperation.ts`). Where other items wait for its turn or its slot, that is too
 * late: the next one would be sent before the run knows of the failure. So it comes here once more before
 *
 * - the turn goes to the next item (`withReadPermit`)
 * - the answer to a creation frees its slot (`tellRun` in `answer.ts`)
 * - a creation that a limit keeps back frees its slot (`sendNow` in `sending.ts`)
 *
 * The same failure twice changes nothing.
 */
export function noteFailure(item: Item, failed: Failed): void {
	const { run, itemIndex } = item;
	const { failure, endpoint } = failed;
	if (failure.kind === 'creditCap' || failure.kind === 'dayCap') {
		// Where failed items become rows, the others are tried: cheaper ones may still fit under the limit.
		if (run.continuesOnFail) return;
		const limit = failure.kind === 'dayCap' ? 'Day' : 'Execution';
		return run.halt({ cause: `Max Credits per ${limit} was reached at item ${itemIndex + 1}` });
	}
	if ('isOutage' in failure && failure.isOutage)
		return run.halt({ cause: 'the service gave no answer' });
	if (failure.kind !== 'status') return;
	const { refusal, concernsRun } = meaningOf(failure.status, failure.serviceError);
	if (concernsRun === undefined) return;
	const cause = `${concernsRun} at item ${itemIndex + 1}`;
	const reason: Halt = { cause, lacksCredits: refusal === 'noCredits' };
	if (mayConcernOnlyAlike(item, refusal, endpoint)) {
		const { refusals } = run;
		if (refusal === 'forbidden') refusals.noteForbidden(item, reason, endpoint?.path);
		else refusals.noteLackOfCredits(item, reason);
		if (!refusals.areMany) return;
	}
	run.halt(reason);
}

/**
 * Whether a refusal may end only its own item and the items that ask for the same, and not the whole run.
 * @param endpoint of another request of the item, such as an upload
 */
function mayConcernOnlyAlike(
	{ run, settings }: Item,
	refusal: Refusal | undefined,
	endpoint: Endpoint | undefined,
): boolean {
	// A key that may not upload can still make what needs no files.
	if (refusal === 'forbidden') return endpoint !== undefined || run.continuesOnFail;
	// Under Wait for Top-Up the item has waited for credits as long as it may, so that the others need not.
	const hasWaited = settings.onInsufficientCredits === 'wait';
	return refusal === 'noCredits' && run.continuesOnFail && !hasWaited;
}

const skipped = (reason: Halt | undefined): Failed | undefined =>
	reason && fail({ kind: 'skipped', ...reason });

/** Why an item of a halted run is not sent; `undefined` while it may be. */
export const whyNotSent = ({ run }: Item): Failed | undefined => skipped(run.halted);

/**
 * The same where others that ask for the same were refused.
 * @param path of another request of the item, such as an upload
 */
export const refusedAlike = (item: Item, path?: string): Failed | undefined =>
	skipped(item.run.refusals.whyNot(item, path));

/**
 * Why an item was stopped: because the run was halted, or because the execution was cancelled. A halt stops
 * only what is not out yet, so what it has stopped costs nothing. Whether an earlier request of the item is
 * open, its state says.
 */
export function whyStopped(item: Item, failed: Failed): Failed {
	const isStop = failed.failure.kind === 'cancelled';
	if (!isStop || item.host.channel.signal?.aborted) return failed;
	return whyNotSent(item) ?? failed;
}

/**
 * Does what neither creates nor approves, such as reading or sending a file: a few items at a time. If the
 * failure of one concerns all, the run is halted before the next one has its turn. The item itself ends with
 * that failure, since the items of a halted run are only skipped because of it.
 * @param task gets the item with a channel that ends when the run is halted
 */
export async function withReadPermit<T>(
	item: Item,
	task: (item: Item) => Promise<Result<T>>,
): Promise<Result<T>> {
	const { run, host } = item;
	const channel = { ...host.channel, signal: run.stop };
	const stoppable = { ...item, host: { ...host, channel } };
	const done = await run.reads.run(channel, async () => {
		const alike = item.spec.creates ? undefined : refusedAlike(item);
		const result = alike ?? (await task(stoppable));
		if (!result.ok) noteFailure(item, result);
		return result;
	});
	if (done?.ok) return done;
	return whyStopped(item, done ?? fail({ kind: 'cancelled' }));
}
