import { ENDPOINTS, LIMITS } from '../../contract';
import { fail, ok, type Result } from '../base/result';
import { isRecord, isResource, type Resource } from '../base/types';
import { pageOf, readPages } from '../http/pages';
import type { Item } from './item';
import type { Sent } from './itemState';
import { knownJobIds } from './memory';

/** How far back the list of generations is searched, in entries. */
const SEARCH_DEPTH = 1_000;

async function listGenerations(
	{ workspace, host }: Item,
	cursor?: string,
): Promise<Result<Resource[]>> {
	const query: Record<string, string> = cursor === undefined ? {} : { cursor };
	const list = { method: 'GET', path: ENDPOINTS.listGenerations.path, query } as const;
	const page = { wanted: SEARCH_DEPTH, takesLimit: true };
	const entries = await readPages(workspace.client, host.channel, list, page);
	return entries.ok ? ok(entries.value.filter(isResource)) : entries;
}

/** A list may show less of a job than the job itself does. */
const mayBe = (shown: unknown, requested: unknown) =>
	shown === undefined || shown === null || shown === requested;

/**
 * Finds out whether an attempt of unknown outcome was carried out when its key can no longer settle
 * it. Any generation with the same mode and model that this node does not know may be the one;
 * nothing is created then, so nothing is paid twice.
 * @returns a failure if the attempt may have created something
 */
export async function findPossibleDuplicate(
	item: Item,
	{ body }: Sent,
	because: 'expired' | 'changed',
): Promise<Result<void>> {
	if (item.spec.object !== 'generation') {
		return fail({ kind: 'possibleDuplicate', candidates: [], because });
	}
	const listed = await listGenerations(item);
	if (!listed.ok) return { ...listed, endpoint: ENDPOINTS.listGenerations };
	const request = isRecord(body) ? body : {};
	const known = knownJobIds(item.node);
	const candidates = listed.value
		.filter(({ mode, model }) => mayBe(mode, request.mode) && mayBe(model, request.model))
		.map(({ id }) => id)
		.filter((id) => !known.has(id));
	// A list that is longer than the search may hold the job further down.
	const mayBeBeyond = listed.value.length >= SEARCH_DEPTH;
	return candidates.length > 0 || mayBeBeyond
		? fail({ kind: 'possibleDuplicate', candidates, because })
		: ok(undefined);
}

/**
 * With the keys `content` and `custom`: what was there before this run of the node created anything.
 * Under a key that other executions share, the answer to a creation may be a job of an earlier run,
 * and look new.
 */
export class EarlierRuns {
	/** Ids on the newest page of the list of generations; `undefined` where it could not be read. */
	private newest: Set<string> | undefined;
	/** Where the list goes on after that page; `undefined` where that is all. */
	private next: string | undefined;
	private loading: Promise<void> | undefined;
	private older: Promise<Set<string>> | undefined;
	private readonly firstKeys = new Map<string, number>();

	/** To be called before anything is created: at most one request for all items of the run. */
	async load(item: Item): Promise<void> {
		await (this.loading ??= this.read(item));
	}

	private async read({ workspace, host, spec }: Item): Promise<void> {
		// The other kinds have no list with the jobs of a day.
		if (spec.object !== 'generation') return;
		const query = { limit: LIMITS.listLimit.max };
		const request = { method: 'GET', path: ENDPOINTS.listGenerations.path, query } as const;
		const page = await workspace.client.request(host.channel, request, { maxAttempts: 2 });
		if (!page.ok) return;
		const { entries, next } = pageOf(page.value.body);
		this.newest = new Set(entries.filter(isResource).map(({ id }) => id));
		this.next = next;
	}

	/** The key that all items with this content start with, as it is when the first of them does. */
	firstKey(content: string, known: number): number {
		const first = this.firstKeys.get(content) ?? known;
		this.firstKeys.set(content, first);
		return first;
	}

	/** Whether a job is of an earlier run, so that it may have ended: for certain only where all were listed. */
	mayHave(id: string): 'likely' | 'possibly' | 'never' {
		if (this.newest?.has(id) ?? true) return 'likely';
		return this.next === undefined ? 'never' : 'possibly';
	}

	/** Whether a job is certain to be of an earlier run; reads the list further back if need be. */
	async has(item: Item, id: string): Promise<boolean> {
		if (this.newest?.has(id)) return true;
		if (this.next === undefined) return false;
		// What comes after the newest page as it was then: nothing of this run can be there.
		this.older ??= listGenerations(item, this.next).then(
			(listed) => new Set(listed.ok ? listed.value.map((job) => job.id) : []),
		);
		return (await this.older).has(id);
	}
}
