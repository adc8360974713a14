import type { ILoadOptionsFunctions } from 'n8n-workflow';
import type { Endpoint } from '../../api';
import { wordsOf } from '../output/words';
import { BoundedMap } from '../../base/maps';
import { systemClock } from '../../base/clock';
import { sha256 } from '../../base/hash';
import { fail, type Failed } from '../../base/result';
import type { ApiRequest, Json } from '../../base/types';
import { LEADS_BACK, mustBeList, pageOf, type Page } from '../../transport/pages';
import { refusalOf } from '../../transport/statuses';
import { connect } from '../connection';
import { apiError } from '../output/errors';

export type Query = NonNullable<ApiRequest['query']>;

/** How long a page is kept, in ms, so that nothing is asked while somebody types. */
const FRESH_MS = 60_000;

/**
 * How long a list may take, in ms, with the wait for its turn while others use up the requests of the minute.
 */
const DEADLINE_MS = 20_000;

/** How long the service may take to answer, in ms. */
const RESPONSE_MS = 15_000;

/** How long a list waits for what is only shown beside its entries, in ms. */
const OPTIONAL_MS = 4_000;

/** At most so many pages are read for a picker. */
const MOST_PAGES = 10;

/** Pages that were read, by a hash of credential, path and query. */
const pages = new BoundedMap<string, { until: number; page: Promise<Page> }>(100);

function listProblem(failed: Failed, endpoint: Endpoint): string {
	const refusal = refusalOf(failed);
	if (refusal === 'throttled' || failed.failure.kind === 'cancelled')
		return 'Too many requests at the moment. Try again in a minute, or enter an ID.';
	if (refusal === 'forbidden')
		return `The list needs the scope ${endpoint.scope ?? ''}, which the key lacks, or the workspace has no API access. Enter an ID instead.`;
	const [happened, todo] = wordsOf(failed, { endpoint, itemIndex: 0 });
	return `${happened.replace(/\.$/, '')}. ${todo}`;
}

/** The failure of a list whose end cannot be reached. */
const unusable = (problem: string): Failed => fail({ kind: 'badResponse', status: 200, problem });

const listError = (context: ILoadOptionsFunctions, failed: Failed, endpoint: Endpoint) =>
	apiError(context.getNode(), listProblem(failed, endpoint));

interface Reading {
	/** The query that is sent instead, if the page of the other one is not known yet. */
	narrowed?: Query;
}

const connectWithin = async (
	context: ILoadOptionsFunctions,
	deadlineMs: number,
	timeoutMs: number,
) =>
	await connect(context, {
		signal: AbortSignal.timeout(deadlineMs),
		fairnessKey: 'editor',
		timeoutMs,
	});

/** Connects for what is only shown beside the entries of a list: nobody waits long for that. */
export const connectOptional = async (context: ILoadOptionsFunctions) =>
	await connectWithin(context, OPTIONAL_MS, OPTIONAL_MS);

/**
 * Reads one page of a list for the editor, at most once a minute, within the request rate of the workspace.
 * @throws NodeApiError whose text the picker shows
 */
export async function readListPage(
	context: ILoadOptionsFunctions,
	endpoint: Endpoint,
	query: Query = {},
	{ narrowed = query }: Reading = {},
): Promise<Page> {
	const connected = await connectWithin(context, DEADLINE_MS, RESPONSE_MS);
	const { access, host, workspace } = connected;
	const cacheKey = (wanted: Query) => {
		const { baseUrl, apiKey } = access;
		const parts = [baseUrl, apiKey, endpoint.path, JSON.stringify(wanted)];
		return sha256(parts.join('\n'));
	};
	const key = cacheKey(narrowed);
	const now = systemClock.monotonic();
	const keptPages = [pages.get(cacheKey(query)), pages.get(key)];
	const fresh = keptPages.find((one) => one !== undefined && one.until > now);
	if (fresh) return await fresh.page;

	const read = async (): Promise<Page> => {
		const request: ApiRequest = { method: 'GET', path: endpoint.path, query: narrowed };
		const options = { retry: false, validate: mustBeList };
		const answer = await workspace.client.request(host.channel, request, options);
		if (!answer.ok) throw listError(context, answer, endpoint);
		const read = pageOf(answer.value.body);
		if (read.deadEnd === undefined) return read;
		throw listError(context, unusable(read.deadEnd), endpoint);
	};
	const page = read();
	pages.set(key, { until: now + FRESH_MS, page });
	page.catch(() => pages.delete(key));
	return await page;
}

/** Reads the pages of a list one after the other, each only when it is asked for. */
export async function* eachPage(
	context: ILoadOptionsFunctions,
	endpoint: Endpoint,
	query: Query = {},
): AsyncGenerator<Json[]> {
	const cursors = new Set<string>();
	let cursor: string | undefined;
	for (let page = 0; page < MOST_PAGES; page += 1) {
		const pageQuery = cursor === undefined ? query : { ...query, cursor };
		const { entries, next } = await readListPage(context, endpoint, pageQuery);
		yield entries;
		if (next === undefined) return;
		if (cursors.has(next)) throw listError(context, unusable(LEADS_BACK), endpoint);
		cursors.add(next);
		cursor = next;
	}
}
