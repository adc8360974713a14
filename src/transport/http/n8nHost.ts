import type { IBinaryData, IHttpRequestOptions, IN8nHttpFullResponse } from 'n8n-workflow';
import { createHash } from 'crypto';
import { unlessAborted } from '../base/abortListeners';
import type { NoResponse } from '../base/types';
import {
	TRANSFER_TIMEOUT_MS,
	type BinarySource,
	type Body,
	type Host,
	type HostContext,
} from './host';
import { toNoResponse } from './networkFault';
import { createSend, headersOf, isStream, requestOptions } from './send';

type Binary = NonNullable<HostContext['binary']>;

/** n8n's store of binary data. */
function binaryOf({ binary }: HostContext): Binary {
	if (!binary) throw new Error('n8n gives no access to binary data here');
	return binary;
}

/** A file of an item: in n8n's store, or in the item itself. */
async function binarySource(
	context: HostContext,
	{ id, data, fileName, mimeType }: IBinaryData,
): Promise<BinarySource> {
	const shared = { fileName: fileName ?? '', mimeType };
	if (id) {
		const binary = binaryOf(context);
		const { fileSize } = await binary.getBinaryMetadata(id);
		const open = async () => await binary.getBinaryStream(id);
		return { ...shared, size: fileSize, identity: id, open };
	}
	// A file without an id is stored in the item itself. n8n's helper would look it up by name, which
	// differs with the binary mode.
	const buffer = Buffer.from(data, 'base64');
	const identity = createHash('sha256').update(data).digest('hex');
	return { ...shared, size: buffer.length, identity, open: async () => buffer };
}

/** n8n's side of one item, or of a trigger. How its helpers behave was tried in a real n8n 2.41. */
export function n8nHost(
	context: HostContext,
	options: IHttpRequestOptions,
	secret: string,
	responseTimeoutMs?: number,
): Host {
	const { signal } = context;
	/** A request without credentials, whose response is a stream that `close` ends at any point. */
	const transfer = async (
		request: Pick<IHttpRequestOptions, 'method' | 'url' | 'headers' | 'body'>,
		ends: Array<AbortSignal | undefined> = [],
	) => {
		const closing = new AbortController();
		const signals = [signal, closing.signal, ...ends].filter((one) => one !== undefined);
		const response = (await context.request.httpRequest({
			...requestOptions(context, options),
			...request,
			abortSignal: AbortSignal.any(signals),
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
		async binary(field) {
			const files = context.files();
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
			const deadline = AbortSignal.timeout(TRANSFER_TIMEOUT_MS);
			try {
				const response = await transfer(
					{
						method: 'PUT',
						url,
						headers: { ...own, 'Content-Length': source.size, ...headers },
						body: body as Buffer,
					},
					[deadline],
				);
				response.close();
				return { status: response.status, headers: response.headers, body: undefined };
			} catch (error) {
				const late: NoResponse = { noResponse: 'timeout' };
				return deadline.aborted ? late : toNoResponse(error);
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
			// Whatever n8n's storage does: a download keeps one of the few places until it has ended.
			const deadline = AbortSignal.timeout(TRANSFER_TIMEOUT_MS);
			const data = await unlessAborted(
				signal ? AbortSignal.any([signal, deadline]) : deadline,
				binary.prepareBinaryData(body as never, fileName, mimeType),
			);
			const size = data.id
				? (await binary.getBinaryMetadata(data.id)).fileSize
				: Buffer.byteLength(data.data, 'base64');
			return { data, size };
		},
	};
}
