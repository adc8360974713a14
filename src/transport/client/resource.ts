import type { Client, RequestOptions } from './client';
import { fail, ok, type Result } from '../base/result';
import {
	isRecord,
	isResource,
	resourceWithId,
	type ApiRequest,
	type Channel,
	type Resource,
} from '../base/types';

const NO_ID = 'the response has no id';

const MISTAKEN = 'the response is about another resource';

/**
 * Whether a response to a read is about something else, as from a cache that mixes up addresses:
 * the media of one item must not become those of another. It need not repeat the id.
 */
const isMistaken = (body: unknown, id: string): boolean =>
	isResource(body) && body.id !== id;

/**
 * A request whose response must have an id: anything else counts as unreadable, and is tried again
 * where that is allowed.
 */
export async function requestResource(
	client: Client,
	channel: Channel,
	request: ApiRequest,
	options: Omit<RequestOptions, 'validate'> = {},
): Promise<Result<Resource>> {
	const validate = (body: unknown) => (isResource(body) ? undefined : NO_ID);
	const response = await client.request(channel, request, { ...options, validate });
	if (!response.ok) return response;
	const { body, status } = response.value;
	return isResource(body) ? ok(body) : fail({ kind: 'badResponse', status, problem: NO_ID });
}

/** Reads a resource whose id the service has given. */
export async function readResource(
	client: Client,
	channel: Channel,
	{ id, path }: { id: string; path: string },
	options: Omit<RequestOptions, 'validate'> = {},
): Promise<Result<Resource>> {
	const validate = (body: unknown) => {
		if (!isRecord(body)) return 'the response is not a JSON object';
		return isMistaken(body, id) ? MISTAKEN : undefined;
	};
	const request = { method: 'GET', path } as const;
	const response = await client.request(channel, request, { ...options, validate });
	return response.ok ? ok(resourceWithId(response.value.body, id)) : response;
}
