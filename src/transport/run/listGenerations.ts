import { ENDPOINTS } from '../../contract';
import { ok, type Result } from '../base/result';
import { isResource, type Resource } from '../base/types';
import { readPages } from '../http/pages';
import type { Item } from './item';

/** How far back the list is searched, in entries. */
export const SEARCH_DEPTH = 1_000;

/** The newest generations of the workspace, to find out which jobs exist. */
export async function listGenerations({
	workspace,
	host,
}: Pick<Item, 'workspace' | 'host'>): Promise<Result<Resource[]>> {
	const list = { method: 'GET', path: ENDPOINTS.listGenerations.path } as const;
	const query = { wanted: SEARCH_DEPTH, takesLimit: true };
	const entries = await readPages(workspace.client, host.channel, list, query);
	return entries.ok ? ok(entries.value.filter(isResource)) : entries;
}
