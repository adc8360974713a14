import { getOrCreate } from '../base/maps';
import { fail, type Result } from '../base/result';
import { Semaphore } from '../base/semaphore';
import type { Resource } from '../base/types';
import type { Workspace } from '../transport/workspace';
import type { LedgerEntry } from './credits/ledger';
import type { TodayAsOf } from './credits/today';
import { isOutcomeOpen, type JobReference } from './idempotency/itemState';
import type { Unfinished } from './idempotency/lostRequests';
import type { Item, Prepared } from './item';
import { Group, ItemsOfKey, haltAlike, refusedAlike, whyStopped } from './refusals';

/** What a dry run says of all items: in a sentence, and in a few words what there would be. */
export interface DrySummary {
	sentence: string;
	wouldBe: string;
}

/** What is the same for all items of a run: the first one that needs it finds it out. */
interface RunCache {
	/** What each workspace has spent today. A credential may hold another API key for each item. */
	today: Map<Workspace, Promise<TodayAsOf>>;
	/** What earlier runs of the node in this execution have asked for and not been given. */
	unfinished?: Unfinished;
	/**
	 * By workspace, then by mode and for dry runs apart, the model that is listed first, for items in which
	 * none is chosen.
	 */
	firstModels: Map<Workspace, Map<string, Promise<Result<string>>>>;
}

/** So many items of a run read at a time: as many as a workspace runs jobs by default. */
const READS_AT_ONCE = 5;

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
	/** Only a few items read at a time: if the service refuses the first ones, the others are not sent. */
	readonly reads = new Semaphore(READS_AT_ONCE);
	readonly cache: RunCache = { today: new Map(), firstModels: new Map() };
	/** What a dry run says of all items, once it is known. */
	drySummary: DrySummary | undefined;
	/** All its items. */
	readonly all: Group;
	/** Its items by the workspace that their key belongs to: an expression may give each another key. */
	private readonly byKey = new Map<string, ItemsOfKey>();

	/**
	 * @param checked all items, by n8n's number: ready to be run, or what is wrong with them
	 * @param continuesOnFail whether an item that fails becomes a row among others
	 * @param cancel fires when the execution is cancelled
	 */
	constructor(
		readonly checked: ReadonlyMap<number, Result<Prepared>> = new Map(),
		readonly continuesOnFail = false,
		cancel?: AbortSignal,
	) {
		this.all = new Group(cancel);
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

	/** Its items with the key of a workspace. */
	itemsOfKey({ name }: Workspace): ItemsOfKey {
		return getOrCreate(this.byKey, name, () => new ItemsOfKey(undefined, this.all));
	}

	/**
	 * The smallest group of an item, by what is known of it now: all items, where the run fails with one of
	 * them. What keeps others of its kind from being made does not keep it from the job that it has or may
	 * have.
	 */
	groupOf(item: Item): Group {
		if (!this.continuesOnFail) return this.all;
		const ofKey = this.itemsOfKey(item.workspace);
		const { state } = item.memory;
		return 'job' in state || isOutcomeOpen(state) ? ofKey : ofKey.ofKind(item);
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
 * Does what neither creates nor approves, such as reading or sending a file: a few items at a time. If the
 * failure of one ends others, they are halted before the next one begins. The item itself ends with
 * that failure, since the others are only skipped because of it.
 * @param task gets the item with a channel that ends when the item is halted
 */
export async function withReadPermit<T>(
	item: Item,
	task: (item: Item) => Promise<Result<T>>,
): Promise<Result<T>> {
	const { run, host } = item;
	const channel = { ...host.channel, signal: run.groupOf(item).stop };
	const stoppable = { ...item, host: { ...host, channel } };
	const done = await run.reads.run(channel, async () => {
		const alike = item.spec.creates ? undefined : refusedAlike(item);
		const result = alike ?? (await task(stoppable));
		if (!result.ok) haltAlike(item, result);
		return result;
	});
	if (done?.ok) return done;
	return whyStopped(item, done ?? fail({ kind: 'cancelled' }));
}
