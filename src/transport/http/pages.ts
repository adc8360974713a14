import { LIMITS, textOf } from '../../contract';
import type { Client } from './client';
import { fail, ok, type Result } from '../base/result';
import { isRecord, type ApiRequest, type Channel, type Json } from '../base/types';

/** More pages than any workspace has: a list must end some time. */
const MAX_PAGES = 10_000;

/** Specification: List. */
export const mustBeList = (body: unknown) =>
	isRecord(body) && Array.isArray(body.data) ? undefined : 'the response is not a list';

export interface Page {
	entries: unknown[];
	/** The cursor of the next page; `undefined` on the last one. */
	next?: string;
}

/** Reads a page without trusting it: whatever is not a list has no entries. Specification: List. */
export function pageOf(body: unknown): Page {
	const { data, has_more: hasMore, next_cursor: cursor } = isRecord(body) ? body : {};
	const entries: unknown[] = Array.isArray(data) ? data : [];
	return { entries, next: hasMore === false ? undefined : textOf(cursor) };
}

/**
 * Reads a list page by page. An entry that appears on two pages, because something was created in
 * between, is returned once; a repeated cursor ends the list. Fails after 10,000 pages.
 * @param wanted how many entries; `Infinity` for all. `takesLimit`: whether the operation accepts
 * `limit` (specification: Endpoints)
 */
export async function readPages(
	client: Client,
	channel: Channel,
	request: ApiRequest,
	{ wanted, takesLimit }: { wanted: number; takesLimit: boolean },
): Promise<Result<Json[]>> {
	const entries: Json[] = [];
	const ids = new Set<unknown>();
	const cursors = new Set<string>();
	let cursor: string | undefined;
	for (let page = 1; page <= MAX_PAGES; page += 1) {
		const query = { ...request.query };
		if (takesLimit) query.limit = Math.min(LIMITS.listLimit.max, wanted - entries.length);
		if (cursor !== undefined) query.cursor = cursor;
		const response = await client.request(channel, { ...request, query }, { validate: mustBeList });
		if (!response.ok) return response;
		const { entries: listed, next } = pageOf(response.value.body);
		for (const entry of listed.filter(isRecord)) {
			if (entry.id === undefined || !ids.has(entry.id)) entries.push(entry);
			ids.add(entry.id);
		}
		if (next === undefined || cursors.has(next) || entries.length >= wanted)
			return ok(entries.slice(0, wanted));
		cursors.add((cursor = next));
	}
	const problem = `the list has not ended after ${MAX_PAGES} pages`;
	return fail({ kind: 'badResponse', status: 200, problem });
}
