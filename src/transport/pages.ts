import { LIMITS, textOf } from '../api';
import { fail, ok, type Result } from '../base/result';
import { isRecord, type ApiRequest, type Channel, type Json } from '../base/types';
import { whatCame } from './bodies';
import type { Client, RequestOptions } from './client';

/** More pages than any workspace has, so that reading a list comes to an end in any case. */
const MAX_PAGES = 10_000;

/** Specification: List. */
export const mustBeList = (body: unknown): string | undefined =>
	isRecord(body) && Array.isArray(body.data)
		? undefined
		: `the response is ${whatCame(body)}, not a list`;

/** Why a list is not read further if the service gives the cursor of an earlier page again. */
export const LEADS_BACK = 'the list leads back to a page before';

export interface Page {
	entries: Json[];
	/** The cursor of the next page; `undefined` on the last one. */
	next?: string;
	/** Why the list cannot be read further, although the service says that there is more. */
	deadEnd?: string;
}

/**
 * Reads a page of a list, whatever shape it has: a body that is not a list of objects has no entries.
 * Specification: List.
 * @param earlierCursors the cursors of the earlier pages
 */
export function pageOf(body: unknown, earlierCursors: ReadonlySet<string> = new Set()): Page {
	const { data, has_more: hasMore, next_cursor: cursor } = isRecord(body) ? body : {};
	const list: unknown[] = Array.isArray(data) ? data : [];
	const entries = list.filter(isRecord);
	const next = hasMore === false ? undefined : textOf(cursor);
	if (next === undefined) {
		const deadEnd = 'the list says that there is more of it, but not where';
		return hasMore === true ? { entries, deadEnd } : { entries };
	}
	return earlierCursors.has(next) ? { entries, deadEnd: LEADS_BACK } : { entries, next };
}

export interface Wanted {
	/** How many entries are wanted; `Infinity` for all. */
	wanted: number;
	/** Whether the operation accepts `limit` (specification: Endpoints). */
	takesLimit: boolean;
	/** A date-time: only entries that are newer are wanted. For a list whose cursors are date-times. */
	newerThan?: string;
}

/**
 * The id of the newest entry before a moment; `undefined` if there is none. Entries carry no date, but the
 * cursor of the list is a date-time. Specification: Operation details, GET /generations.
 */
async function readBorder(
	client: Pick<Client, 'request'>,
	channel: Channel,
	request: ApiRequest,
	moment: string,
	options: Omit<RequestOptions, 'validate'>,
): Promise<Result<string | undefined>> {
	const borderRequest = { ...request, query: { ...request.query, limit: 1, cursor: moment } };
	const response = await client.request(channel, borderRequest, {
		...options,
		validate: mustBeList,
	});
	if (!response.ok) return response;
	const [entry] = pageOf(response.value.body).entries;
	const id = textOf(entry?.id);
	if (entry === undefined || id !== undefined) return ok(id);
	const problem = 'the entries of the list have no id';
	return fail({ kind: 'badResponse', status: response.value.status, problem });
}

/**
 * The list has ended, and the entry at which to stop was not in it. So nobody knows which entries are older.
 */
const borderProblem = (border: string | undefined): string | undefined =>
	border === undefined ? undefined : 'the list lacks an entry that it has shown for the date given';

/**
 * Reads a list page by page, the newest entries first. An entry that appears on two pages, because something
 * was created meanwhile, is returned once. A part of a list is never taken for all of it: reading fails if
 * the service says that there is more but gives no way to it, and after 10,000 pages.
 */
export async function readPages(
	client: Pick<Client, 'request'>,
	channel: Channel,
	request: ApiRequest,
	{ wanted, takesLimit, newerThan }: Wanted,
	options: Omit<RequestOptions, 'validate'> = {},
): Promise<Result<Json[]>> {
	const border =
		newerThan === undefined
			? ok(undefined)
			: await readBorder(client, channel, request, newerThan, options);
	if (!border.ok) return border;
	const entries: Json[] = [];
	const ids = new Set<unknown>();
	const cursors = new Set<string>();
	let cursor: string | undefined;
	for (let number = 1; number <= MAX_PAGES; number += 1) {
		const query = { ...request.query };
		if (takesLimit) query.limit = Math.min(LIMITS.listLimit.max, wanted - entries.length);
		if (cursor !== undefined) {
			query.cursor = cursor;
			cursors.add(cursor);
		}
		const pageRequest = { ...request, query };
		const response = await client.request(channel, pageRequest, {
			...options,
			validate: mustBeList,
		});
		if (!response.ok) return response;
		const page = pageOf(response.value.body, cursors);
		for (const entry of page.entries) {
			if (border.value !== undefined && entry.id === border.value)
				return ok(entries.slice(0, wanted));
			if (entry.id === undefined || !ids.has(entry.id)) entries.push(entry);
			ids.add(entry.id);
		}
		if (entries.length >= wanted) return ok(entries.slice(0, wanted));
		const problem =
			page.deadEnd ?? (page.next === undefined ? borderProblem(border.value) : undefined);
		if (problem) return fail({ kind: 'badResponse', status: response.value.status, problem });
		if (page.next === undefined) return ok(entries);
		cursor = page.next;
	}
	const problem = `the list has not ended after ${MAX_PAGES} pages`;
	return fail({ kind: 'badResponse', status: 200, problem });
}
