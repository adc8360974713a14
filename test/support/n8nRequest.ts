/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import type { IHttpRequestOptions } from 'n8n-workflow';
import { Readable } from 'stream';
import type { ApiRequest, Send } from '../../src/base/types';

/** As far as anybody looks at it. */
export const PICTURE = Buffer.from('\x89PNG\r\n\x1a\n picture', 'latin1');

/**
 * n8n's request function before a service: what is no request of the API is the download of a picture.
 * @param storage what happens before that
 */
export const n8nRequest =
	(send: Send, storage: (method: string) => Promise<void> = async () => {}) =>
	async ({ baseURL, method, url, qs, body, headers }: IHttpRequestOptions) => {
		if (!baseURL) {
			// It takes what is sent.
			if (method === 'PUT') await (body as unknown as Readable).toArray();
			await storage(String(method));
			const bytes = PICTURE;
			return {
				statusCode: 200,
				headers: { 'content-length': bytes.length },
				body: Readable.from([bytes]),
			};
		}
		const sent: unknown = body === undefined ? undefined : JSON.parse(body as string);
		const asked = { method, path: url, query: qs, body: sent, headers } as unknown as ApiRequest;
		const answered = await send(asked);
		if ('noResponse' in answered)
			throw Object.assign(new Error('socket hang up'), { code: answered.noResponse });
		return { statusCode: answered.status, headers: answered.headers, body: answered.body };
	};
