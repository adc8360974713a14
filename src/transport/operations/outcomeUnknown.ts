import { ENDPOINTS } from '../../contract';
import type { Asked } from '../item/itemState';
import { knownJobs } from '../item/itemMemory';
import { readPages } from '../client/pagination';
import { fail, type Failed } from '../base/result';
import type { Item } from '../item/item';
import { isRecord, isResource } from '../base/types';

/** How far back the list is searched, in entries. */
const SEARCHED = 1_000;

/**
 * Looks whether a try of unknown outcome has been carried out, where its key can no longer tell: any generation of the same mode
 * and model that this node does not know may be it. Then nothing is created, because that might be paid for twice.
 * @returns why nothing may be created, or `undefined` when the try has left nothing
 */
export async function findPossibleDuplicate(
	{ workspace, host, node, spec }: Item,
	{ body: sent }: Asked,
	because: 'expired' | 'changed',
): Promise<Failed | undefined> {
	if (spec.object !== 'generation')
		return fail({ kind: 'possibleDuplicate', candidates: [], because });
	const list = { method: 'GET', path: ENDPOINTS.listGenerations.path } as const;
	const query = { wanted: SEARCHED, takesLimit: true };
	const entries = await readPages(workspace.client, host.channel, list, query);
	if (!entries.ok) return entries;
	const body = isRecord(sent) ? sent : {};
	const known = knownJobs(node);
	const candidates = entries.value
		.filter(isResource)
		.filter(({ mode, model }) => mode === body.mode && model === body.model)
		.map(({ id }) => id)
		.filter((id) => !known.has(id));
	return candidates.length > 0
		? fail({ kind: 'possibleDuplicate', candidates, because })
		: undefined;
}
