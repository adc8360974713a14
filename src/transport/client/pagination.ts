import { LIMITS } from '../../contract';
import type { Client } from './client';
import { ok, type Result } from '../base/result';
import { isRecord, type ApiRequest, type Channel } from '../base/types';

/** More pages than any workspace has; ends a service that never says that it is done. */
const MOST_PAGES = 1_000;

export interface PageQuery {
	/** How many entries are wanted; `Infinity` for all. */
	wanted: number;
	/** Whether the operation takes `limit`. Only GET /generations is shown to (specification: Endpoints). */
	takesLimit: boolean;
}

const mustBeList = (body: unknown) =>
	isRecord(body) && Array.isArray(body.data) ? undefined : 'it is no list';

/**
 * Entries of a list, over as many pages as it takes: `next_cursor` is followed while `has_more` (specification: List).
 * Entries that come twice, because something was created between two pages, are given once; a cursor that comes twice
 * ends the list.
 */
export async function readPages(
	client: Client,
	channel: Channel,
	request: ApiRequest,
	{ wanted, takesLimit }: PageQuery,
): Promise<Result<unknown[]>> {
	const entries: unknown[] = [];
	const ids = new Set<unknown>();
	const cursors = new Set<string>();
	let cursor: string | undefined;
	for (let page = 0; page < MOST_PAGES; page += 1) {
		const query = { ...request.query };
		if (takesLimit) query.limit = Math.min(LIMITS.listLimit.max, wanted - entries.length);
		if (cursor !== undefined) query.cursor = cursor;
		const answer = await client.request(channel, { ...request, query }, { validate: mustBeList });
		if (!answer.ok) return answer;
		const body = answer.value.body as {
			data: unknown[];
			has_more?: unknown;
			next_cursor?: unknown;
		};
		for (const entry of body.data) {
			if (!isRecord(entry)) continue;
			const { id } = entry;
			if (id !== undefined && ids.has(id)) continue;
			ids.add(id);
			entries.push(entry);
		}
		cursor = nextCursor(body.has_more, body.next_cursor);
		if (cursor === undefined || cursors.has(cursor) || entries.length >= wanted) break;
		cursors.add(cursor);
	}
	return ok(Number.isFinite(wanted) ? entries.slice(0, wanted) : entries);
}

function nextCursor(hasMore: unknown, cursor: unknown): string | undefined {
	return hasMore !== false && typeof cursor === 'string' && cursor !== '' ? cursor : undefined;
}
