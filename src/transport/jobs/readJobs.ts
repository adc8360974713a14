import { ENDPOINTS, LIMITS } from '../../contract';
import type { Client } from '../http/client';
import { pageOf } from '../http/pages';
import { requestResource } from '../http/client';
import { isGeneration, jobState, type TerminalStatuses } from './jobState';
import { isComplete, isTransient } from './readJob';
import type { Result } from '../base/result';
import { isResource, type ApiRequest, type Channel, type Resource } from '../base/types';

/** A job that is asked for. */
export interface JobRef {
	id: string;
	/** Where it is read by itself. */
	path: string;
	/** Its `object` constant, as far as it is known. */
	object?: string;
	/** What ends an agent run. */
	terminalStatuses?: TerminalStatuses;
}

/** How many jobs are read with few requests. */
export interface ReadOptions {
	/**
	 * `false`: a single attempt for each request; what it does not answer stays unread. Default:
	 * `true`.
	 */
	retry?: boolean;
	/** `false`: the list has been looked at already. Default: `true`. */
	isListed?: boolean;
	/** Ends the reading once something was read that makes the rest superfluous. */
	isEnough?: (job: Resource, ref: JobRef) => boolean;
}

/** By id; a job that could not be asked for is missing where there was but one attempt. */
export type ReadJobs = Map<string, Result<Resource>>;

/** Jobs read by themselves at a time: the default number of slots, as in a sweep. */
const AT_ONCE = 5;

const mayBeListed = ({ object }: JobRef) => object === undefined || object === 'generation';

interface Reader {
	client: Client;
	channel: Channel;
	found: ReadJobs;
	options: ReadOptions;
}

/** Takes note of a job. @returns whether that is enough */
function note({ found, options }: Reader, ref: JobRef, seen: Resource): boolean {
	const job = { ...seen, id: ref.id };
	found.set(ref.id, { ok: true, value: job });
	return options.isEnough?.(job, ref) ?? false;
}

/** A list may show less of a job than the job itself does. */
const isWhole = (seen: Resource, { terminalStatuses }: JobRef) =>
	jobState(seen, terminalStatuses) === 'running' || isComplete(seen);

/**
 * Whether jobs of unknown kind are generations, by one of them: a page without any of them may be
 * too new for them.
 */
async function areGenerations(reader: Reader, refs: JobRef[]): Promise<boolean> {
	const sample = refs.find(({ id }) => !reader.found.has(id));
	if (!sample) return false;
	await readOne(reader, sample);
	const seen = reader.found.get(sample.id);
	return seen?.ok === true && isGeneration(seen.value);
}

/**
 * One request covers a hundred generations. Continues while that can cost less than reading them
 * one by one.
 */
async function readPages(reader: Reader, refs: JobRef[]): Promise<boolean> {
	const { client, channel, found, options } = reader;
	const listed = new Map(refs.filter(mayBeListed).map((ref) => [ref.id, ref]));
	let isKnown = [...listed.values()].some(({ object }) => object !== undefined);
	const missing = () => [...listed.keys()].filter((id) => !found.has(id)).length;
	let cursor: string | undefined;
	for (let page = 0; page < listed.size / 2 && missing() > 1; page += 1) {
		const query: ApiRequest['query'] = { limit: LIMITS.listLimit.max };
		if (cursor !== undefined) query.cursor = cursor;
		const request = { method: 'GET', path: ENDPOINTS.listGenerations.path, query } as const;
		const response = await client.request(channel, request, { retry: false });
		if (!response.ok) return false;
		const before = found.size;
		const { entries, next } = pageOf(response.value.body);
		for (const entry of entries.filter(isResource)) {
			const ref = listed.get(entry.id);
			if (ref && isWhole(entry, ref) && note(reader, ref, entry)) return true;
		}
		isKnown ||= found.size > before;
		cursor = next;
		if (cursor === undefined) return false;
		if (!isKnown && !options.isEnough) isKnown = await areGenerations(reader, refs);
		if (!isKnown) return false;
	}
	return false;
}

async function readOne(reader: Reader, ref: JobRef): Promise<boolean> {
	const { client, channel, found, options } = reader;
	const request = { method: 'GET', path: ref.path } as const;
	const response = await requestResource(client, channel, request, { retry: options.retry });
	if (response.ok) return note(reader, ref, response.value);
	if (options.retry !== false || !isTransient(response)) found.set(ref.id, response);
	return false;
}

/** Jobs as they are now: generations from the list, as far as that pays, all others one by one. */
export async function readJobs(
	client: Client,
	channel: Channel,
	refs: JobRef[],
	options: ReadOptions = {},
): Promise<ReadJobs> {
	const reader: Reader = { client, channel, found: new Map(), options };
	if (options.isListed !== false && (await readPages(reader, refs))) return reader.found;
	const rest = refs.filter(({ id }) => !reader.found.has(id));
	// One at a time where the first may be enough.
	const step = options.isEnough ? 1 : AT_ONCE;
	for (let at = 0; at < rest.length; at += step) {
		const reads = rest.slice(at, at + step).map(async (ref) => await readOne(reader, ref));
		if ((await Promise.all(reads)).includes(true)) break;
	}
	return reader.found;
}
