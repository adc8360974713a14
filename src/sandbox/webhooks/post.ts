/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { request as requestHttp } from 'http';
import { request as requestHttps } from 'https';

export interface Posted {
	/** Null when there was no answer. */
	status: number | null;
	error: string | null;
	durationMs: number;
}

/**
 * One POST to a receiver, answered or not; it never throws, and follows no redirect. `ca` is
 * trusted besides the usual authorities.
 */
export async function post(
	url: string,
	headers: Record<string, string>,
	body: Buffer,
	timeoutMilliseconds: number,
	ca?: string,
): Promise<Posted> {
	const started = performance.now();
	const lasted = () => Math.round((performance.now() - started) * 10) / 10;
	return await new Promise<Posted>((resolve) => {
		const end = (status: number | null, error: string | null) =>
			resolve({ status, error, durationMs: lasted() });
		try {
			const send = url.startsWith('https:') ? requestHttps : requestHttp;
			const outgoing = send(url, {
				method: 'POST',
				agent: false,
				headers: { ...headers, 'content-length': String(body.length) },
				timeout: timeoutMilliseconds,
				ca,
			});
			outgoing.on('response', (response) => {
				response.resume();
				end(response.statusCode ?? null, null);
			});
			outgoing.on('timeout', () => outgoing.destroy(new Error('The receiver did not answer.')));
			outgoing.on('error', (error) => end(null, error.message));
			outgoing.end(body);
		} catch (error) {
			end(null, error instanceof Error ? error.message : String(error));
		}
	});
}
