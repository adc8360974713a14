import type { Client, RequestOptions } from './client';
import { fail, ok, type Result } from '../base/result';
import { isResource, type ApiRequest, type Channel, type Resource } from '../base/types';

const NO_ID = 'the response has no id';

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
