import { ENDPOINTS } from '../../contract';
import { readPages } from '../client/pagination';
import type { Batch } from '../item/batch';
import type { Item } from '../item/item';
import { isResource } from '../base/types';

/** Keys of one content that a run tries, at most. */
const MOST_KEYS = 5;

/** How far back the list is searched for jobs of earlier runs, in entries. */
const SEARCHED = 1_000;

interface FailedJob {
	id: string;
	/** Whether it had failed when it was first read. */
	atFirstLook: boolean;
	/** Whether this execution knew that it has failed. */
	isFormer: boolean;
}

/**
 * By Content, the job under a key may be that of an earlier run, and may have failed there. Then this run uses the next key. It
 * must not take a job of its own for an earlier one's, or it would pay again and again for what always fails: so it makes a content
 * anew at most once, and goes past further keys only where their jobs are certain to be older. Shared by the items of a run.
 */
export class ContentWalk {
	private readonly verdicts = new Map<string, Promise<boolean>>();

	/** Ids of the jobs that were there before this run made one anew. */
	private older: Set<string> | undefined;

	private readonly begun: number;

	private renewed = false;

	private keys = 1;

	constructor({ workspace }: Pick<Item, 'workspace'>) {
		this.begun = workspace.creations.moment;
	}

	/** Whether the run may go on to the next key although the job under this one has failed. */
	async mayGoOn(item: Item, job: FailedJob): Promise<boolean> {
		const verdict = this.verdicts.get(job.id) ?? this.judge(item, job);
		this.verdicts.set(job.id, verdict);
		return await verdict;
	}

	private async judge(item: Item, { id, atFirstLook, isFormer }: FailedJob): Promise<boolean> {
		if (this.keys >= MOST_KEYS) return false;
		const isOlder = isFormer || (this.older?.has(id) ?? false);
		const wasKnown = item.workspace.creations.hadFailed(id, this.begun);
		if (isOlder || wasKnown) {
			this.keys += 1;
			return true;
		}
		if (!atFirstLook || this.renewed) return false;
		this.renewed = true;
		this.keys += 1;
		this.older = await olderJobs(item);
		return true;
	}
}

/** The walks of a run of the node, by content. */
const walks = new WeakMap<Batch, Map<string, ContentWalk>>();

/** What all items of this run with the content of this one share. */
export function contentWalkOf(item: Item): ContentWalk {
	const { batch, memory } = item;
	const content = memory.fingerprint ?? '';
	const ofRun = walks.get(batch) ?? new Map<string, ContentWalk>();
	walks.set(batch, ofRun);
	const walk = ofRun.get(content) ?? new ContentWalk(item);
	ofRun.set(content, walk);
	return walk;
}

/** The list of generations tells which jobs are older. Of other kinds none is known to be. */
async function olderJobs({ spec, workspace, host }: Item): Promise<Set<string>> {
	if (spec.object !== 'generation') return new Set();
	const list = { method: 'GET', path: ENDPOINTS.listGenerations.path } as const;
	const query = { wanted: SEARCHED, takesLimit: true };
	const entries = await readPages(workspace.client, host.channel, list, query);
	return new Set(entries.ok ? entries.value.filter(isResource).map(({ id }) => id) : []);
}
