import type { Endpoint } from '../api';
import { fail, type Failed, type Result } from '../base/result';
import { Semaphore } from '../base/semaphore';
import type { Resource } from '../base/types';
import { meaningOf, type Refusal } from '../transport/statuses';
import type { Workspace } from '../transport/workspace';
import type { TodayAsOf } from './day';
import type { Item, Prepared } from './item';
import { Refusals, type Halt } from './refusals';
import type { Unfinished } from './sameRequest';
import type { JobReference } from './state';

/** What a dry run says of all items: in a sentence, and in a few words what there would be. */
export interface DrySummary {
	sentence: string;
	wouldBe: string;
}

/** What is the same for all items of a run, and slow or dear to find out. */
interface RunCache {
	/** Fingerprint of the unevaluated parameters. */
	parameters?: string;
	/** What a dry run says of all items. */
	dry?: Promise<DrySummary>;
	today?: Promise<TodayAsOf>;
	/** What all its items are expected to reserve. */
	price?: number;
	/** What earlier runs of the node in this execution have asked for and not been given. */
	unfinished?: Unfinished;
	/** By workspace and mode, the model that is listed first, for items in which none is chosen. */
	firstModels: Map<Workspace, Map<unknown, Promise<Result<string>>>>;
}

/**
 * Requests of the items of a run at a time, but for creations: as many as a workspace runs jobs by default.
 */
const READS_AT_ONCE = 5;

/** An item as it was checked: ready to be run, or what is wrong with it. */
export type Checked = Result<Prepared>;

/** What the jobs of a run have cost. */
export interface Account {
	/** What is said of jobs that were paid for and have not failed; `undefined` where nothing is. */
	bought: Array<number | undefined>;
	/** How many of them may have been there before, which nobody says. */
	mayBeOld: number;
	/** What jobs have reserved that have failed. */
	inVain: number;
	/** How many jobs it has that were there before. */
	old: number;
}

/**
 * One run of a node: what its items know about each other. Without Continue On Fail n8n discards all results
 * when one item fails. So nothing is sent if one is invalid, and the error of a failed run names the jobs
 * that exist nevertheless.
 */
export class Run {
	/** By the item, or the part of one, that has created it. */
	private readonly jobs = new Map<string, { item: number; job: Resource }>();
	/**
	 * What each job that this run has made has reserved, by its id; `undefined` where its answer does not
	 * say.
	 */
	private readonly charges = new Map<string, number | undefined>();
	/** Those of them that seem to have been there before. */
	private readonly old = new Set<string>();
	/** The jobs that have failed. */
	private readonly inVain = new Set<string>();
	/** What requests of unknown outcome may have reserved, by item. */
	readonly doubtful = new Map<string, number>();
	/** What the workspace has spent today before this run, once that is known. */
	today: TodayAsOf | undefined;
	/** Items that only read go a few at a time, so that a refusal spares the rest their request. */
	readonly reads = new Semaphore(READS_AT_ONCE);
	/** What the first item that needs it finds out for all. */
	readonly cache: RunCache = { firstModels: new Map() };
	/** Why nothing further is sent; `undefined` while items may be sent. */
	halted: Halt | undefined;
	/** What was refused, where an item that fails becomes a row: it concerns those alike. */
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
		return [...this.checked].filter(([, { ok }]) => !ok).map(([item]) => item);
	}

	/** @param part set where an item creates several jobs */
	addJob(item: number, job: Resource, part = ''): void {
		this.jobs.set(`${item}${part}`, { item, job });
	}

	/** One that an earlier try of the item has made, unless it was seen in this one. */
	addEarlierJob(item: number, { id }: JobReference, part: string): void {
		if (this.jobs.has(`${item}${part}`)) return;
		this.addJob(item, { id, status: 'from an earlier try' }, part);
	}

	/** A job was made, and paid for. */
	buy(id: string, credits: number | undefined): void {
		this.charges.set(id, credits);
	}

	/** It was there before, and has cost nothing again. */
	wasThere(id: string): void {
		this.charges.delete(id);
	}

	/** It looks as if it had been there before. Nothing says so: limits count it. */
	seemsOld(id: string): void {
		if (this.charges.has(id)) this.old.add(id);
	}

	/** A job has failed. Whether what it has reserved is given back, the specification does not say. */
	failed(id: string): void {
		this.inVain.add(id);
	}

	/** What the jobs of the run have cost. */
	get account(): Account {
		const bought = [...this.charges].filter(([id]) => !this.inVain.has(id));
		const isOld = (id: string) => !this.charges.has(id);
		return {
			bought: bought.map(([, credits]) => credits),
			mayBeOld: bought.filter(([id]) => this.old.has(id)).length,
			inVain: [...this.inVain].reduce((sum, id) => sum + (this.charges.get(id) ?? 0), 0),
			old: [...this.jobs.values()].filter(({ job }) => isOld(job.id)).length,
		};
	}

	/** What the run has spent, with what requests of unknown outcome may have. */
	get spent(): number {
		const all = [...this.charges.values(), ...this.doubtful.values()];
		return all.reduce<number>((sum, credits = 0) => sum + credits, 0);
	}

	/** Only the first reason is kept. */
	halt(reason: Halt): void {
		this.halted ??= reason;
		this.haltController.abort();
	}

	/** What the items have created, and what an earlier try of theirs had. */
	get made(): Array<{ item: number; job: Resource }> {
		return [...this.jobs.values()];
	}

	/** How many items have a job. */
	get submitted(): number {
		return new Set(this.made.map(({ item }) => item)).size;
	}
}

/** Halts the run if the failure of an item holds for the others too. */
export function noteFailure(item: Item, failed: Failed): void {
	const { run, itemIndex } = item;
	const { failure, endpoint } = failed;
	if (failure.kind === 'creditCap' || failure.kind === 'dayCap') {
		// Where rows are wanted, cheaper items still fit under the limit.
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
	if (!concernsItem(item, refusal, endpoint, reason)) run.halt(reason);
}

/**
 * Whether a refusal ends only its own item, and those alike.
 * @param endpoint of another request of the item, such as an upload
 */
function concernsItem(
	item: Item,
	refusal: Refusal | undefined,
	endpoint: Endpoint | undefined,
	reason: Halt,
): boolean {
	const { run, settings } = item;
	const { refusals, continuesOnFail } = run;
	// A key that may not upload can still serve the items without files.
	const isOther = endpoint !== undefined;
	if (refusal === 'forbidden' && (isOther || continuesOnFail))
		return !refusals.noteForbidden(item, reason, endpoint?.path);
	// Who waits for a top-up has tried all meanwhile.
	const isTried = settings.onInsufficientCredits === 'wait';
	const isOfRow = refusal === 'noCredits' && continuesOnFail && !isTried;
	return isOfRow && !refusals.noteLackOfCredits(item, reason);
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
 * Why an item was stopped: because the run was halted, or the execution cancelled. A halt never stops a
 * creation that is out: what it has stopped costs nothing, and whether an earlier try is open, the state of
 * the item says.
 */
export function whyStopped(item: Item, failed: Failed): Failed {
	const isStop = failed.failure.kind === 'cancelled';
	if (!isStop || item.host.channel.signal?.aborted) return failed;
	return whyNotSent(item) ?? failed;
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
