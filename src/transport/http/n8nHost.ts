import type { IHttpRequestOptions, IN8nHttpFullResponse } from 'n8n-workflow';
import { binaryOf, binarySource } from './binarySource';
import { isStream } from './readBody';
import type { HostContext } from './hostContext';
import type { Body, Host } from './host';
import { toNoResponse } from './networkFault';
import { headersOf, nodeRequestOptions, RESPONSE_TIMEOUT_MS, STRICT } from './requestOptions';
import { createSend } from './sendToService';

/** n8n's side of one item, or of a trigger. How its helpers behave was tried in a real n8n 2.41. */
export function n8nHost(
	context: HostContext,
	options: IHttpRequestOptions,
	secret: string,
	responseTimeoutMs = RESPONSE_TIMEOUT_MS,
): Host {
	const { signal } = context;
	/** A request without credentials, whose response is a stream that `close` ends at any point. */
	const transfer = async (
		request: Pick<IHttpRequestOptions, 'method' | 'url' | 'headers' | 'body'>,
	) => {
		const closing = new AbortController();
		const response = (await context.request.httpRequest({
			...STRICT,
			...nodeRequestOptions(context, options, RESPONSE_TIMEOUT_MS),
			...request,
			encoding: 'stream',
			abortSignal: signal ? AbortSignal.any([signal, closing.signal]) : closing.signal,
		})) as IN8nHttpFullResponse;
		const body = response.body as unknown as NodeJS.ReadableStream & { destroy?: () => void };
		// Otherwise a connection that breaks while the stream is not being read would be an unhandled
		// error.
		if (isStream(body)) body.on('error', () => {});
		const close = () => {
			closing.abort();
			body?.destroy?.();
		};
		return { status: response.statusCode, headers: headersOf(response.headers), body, close };
	};
	return {
		baseUrl: options.baseURL ?? '',
		channel: {
			send: createSend(context, options, secret, responseTimeoutMs),
			signal,
			fairnessKey: context.fairnessKey,
		},
		async binary(field, item) {
			const files = context.files(item);
			const data = Object.hasOwn(files, field) ? files[field] : undefined;
			return data ? await binarySource(context, data) : undefined;
		},
		async put(url, headers, source) {
			// `false` keeps the HTTP library from adding a content type that is not among the headers
			// given.
			const given = Object.keys(headers).some((name) => name.toLowerCase() === 'content-type');
			const own = given ? {} : { 'Content-Type': false };
			let body: Body;
			try {
				body = await source.open();
			} catch {
				return { noResponse: 'its file cannot be read', unsent: 'local' };
			}
			try {
				const response = await transfer({
					method: 'PUT',
					url,
					headers: { ...own, 'Content-Length': source.size, ...headers },
					body: body as Buffer,
				});
				response.close();
				return { status: response.status, headers: response.headers, body: undefined };
			} catch (error) {
				return toNoResponse(error);
			} finally {
				(body as { destroy?: () => void }).destroy?.();
			}
		},
		async get(url) {
			try {
				// A compressed response is decompressed on the way, and its length then says nothing about
				// the file.
				const headers = { 'Accept-Encoding': 'identity' };
				return await transfer({ method: 'GET', url, headers });
			} catch (error) {
				return toNoResponse(error);
			}
		},
		async store(body, fileName, mimeType) {
			const binary = binaryOf(context);
			const data = await binary.prepareBinaryData(body as never, fileName, mimeType);
			const size = data.id
				? (await binary.getBinaryMetadata(data.id)).fileSize
				: Buffer.byteLength(data.data, 'base64');
			return { data, size };
		},
	};
}
