import type { IDataObject } from 'n8n-workflow';
import type { Sandbox } from '../../../sandbox/server';

/** A call of the service's API with the first key of a sandbox, past n8n. */
export async function callApi<T = IDataObject>(
	{ baseUrl, keys }: Sandbox,
	method: string,
	path: string,
	body?: object,
): Promise<T> {
	const answer = await fetch(`${baseUrl}${path}`, {
		method,
		headers: {
			authorization: `Bearer ${keys[0]?.key ?? ''}`,
			'content-type': 'application/json',
		},
		body: body && JSON.stringify(body),
	});
	return (await answer.json()) as T;
}
