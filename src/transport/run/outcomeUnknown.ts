import type { Sent } from './itemState';
import { knownJobIds } from './itemMemory';
import { fail, type Failed } from '../base/result';
import type { Item } from './item';
import { isRecord } from '../base/types';
import { listGenerations, SEARCH_DEPTH } from './listGenerations';

/** A list may show less of a job than the job itself does. */
const mayBe = (shown: unknown, requested: unknown) =>
	shown === undefined || shown === null || shown === requested;

/**
 * Finds out whether an attempt of unknown outcome was carried out when its key can no longer settle
 * it. Any generation with the same mode and model that this node does not know may be the one;
 * nothing is created then, so nothing is paid twice.
 * @returns why nothing may be created, or `undefined` if the attempt created nothing
 */
export async function findPossibleDuplicate(
	item: Item,
	{ body }: Sent,
	because: 'expired' | 'changed',
): Promise<Failed | undefined> {
	if (item.spec.object !== 'generation') {
		return fail({ kind: 'possibleDuplicate', candidates: [], because });
	}
	const listed = await listGenerations(item);
	if (!listed.ok) return listed;
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
		: undefined;
}
