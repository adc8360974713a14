import type {
	IBinaryData,
	IExecuteSingleFunctions,
	IHttpRequestOptions,
	IN8nHttpFullResponse,
} from 'n8n-workflow';
import { createHash } from 'crypto';
import { readBody, isStream } from './readBody';
import { itemFiles } from './itemFiles';
import type { BinarySource, Body, Host } from './host';
import { lostBy } from './networkFault';
import { withoutSecret } from './redact';
import type { SendResult } from '../base/types';

/** How long one answer may take, in milliseconds, unless the user has set a timeout on the node. */
const ANSWER_TIMEOUT_MS = 120_000;

export const CREDENTIAL = 'mediaGenApi';

/** Never a redirect: n8n would carry the key along (Authorization) to wherever it leads. */
const STRICT = {
	returnFullResponse: true,
	ignoreHttpStatusErrors: true,
	disableFollowRedirect: true,
} as const;

function headersOf(headers: unknown): Record<string, string> {
	const entries = Object.entries((headers ?? {}) as Record<string, unknown>);
	return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), String(value)]));
}

/** What the user has set on the node for all requests, such as a proxy. */
function ambient(
	context: IExecuteSingleFunctions,
	options: IHttpRequestOptions,
	usualTimeoutMs: number,
) {
	const timeout = Number(context.getNodeParameter('requestOptions.timeout', 0));
	const { proxy, skipSslCertificateValidation } = options;
	return { proxy, skipSslCertificateValidation, timeout: timeout > 0 ? timeout : usualTimeoutMs };
}

function sender(
	context: IExecuteSingleFunctions,
	options: IHttpRequestOptions,
	secret: string,
	answerTimeoutMs: number,
): Host['channel']['send'] {
	const { baseURL, allowedDomains } = options;
	const cancel = context.getExecutionCancelSignal();
	const shared = {
		...STRICT,
		...ambient(context, options, answerTimeoutMs),
		baseURL,
		allowedDomains,
		json: true,
		encoding: 'stream',
	} as const;
	return async ({ method, path, query, body, headers }): Promise<SendResult> => {
		const request: IHttpRequestOptions = { ...shared, method, url: path, qs: query };
		// Each request gets headers of its own, because n8n writes the key into them.
		const own: Record<string, string> = { ...headers };
		request.headers = own;
		if (body !== undefined) {
			// As text: n8n's client copies an object key by key, and leaves out names such as `constructor`.
			request.body = JSON.stringify(body);
			own['Content-Type'] = 'application/json';
		}
		// n8n takes the signal from the context: this one ends the connection at the deadline too, in the middle of a body.
		const deadline = AbortSignal.timeout(shared.timeout);
		const end = cancel ? AbortSignal.any([cancel, deadline]) : deadline;
		try {
			const answer = (await context.helpers.httpRequestWithAuthentication.call(
				Object.assign(Object.create(context) as typeof context, {
					getExecutionCancelSignal: () => end,
				}),
				CREDENTIAL,
				request,
			)) as IN8nHttpFullResponse;
			const content = await readBody(answer.body, end);
			if (!content) return { noResponse: 'an answer that is too long' };
			return {
				status: answer.statusCode,
				headers: headersOf(answer.headers),
				body: withoutSecret(content.value, secret),
			};
		} catch (error) {
			const hasKey = Object.keys(own).some((name) => name.toLowerCase() === 'authorization');
			if (hasKey && deadline.aborted) return { noResponse: 'timeout' };
			return withoutSecret(lostBy(error, hasKey), secret);
		}
	};
}

async function sourceOf(
	context: IExecuteSingleFunctions,
	{ id, data, fileName, mimeType }: IBinaryData,
): Promise<BinarySource> {
	const { helpers } = context;
	const shared = { fileName: fileName ?? '', mimeType };
	if (id) {
		const { fileSize } = await helpers.getBinaryMetadata(id);
		const open = async () => await helpers.getBinaryStream(id);
		return { ...shared, size: fileSize, identity: id, open };
	}
	// What has no id stands in the item itself. n8n's helper would look it up by name, which differs with the binary mode.
	const buffer = Buffer.from(data, 'base64');
	const identity = createHash('sha256').update(data).digest('hex');
	return { ...shared, size: buffer.length, identity, open: async () => buffer };
}

/** n8n's side of one item. Specification of the helpers' behaviour: tried in a real n8n 2.41. */
export function n8nHost(
	context: IExecuteSingleFunctions,
	options: IHttpRequestOptions,
	secret: string,
	answerTimeoutMs = ANSWER_TIMEOUT_MS,
): Host {
	const { helpers } = context;
	const signal = context.getExecutionCancelSignal();
	/** A request without credentials, whose answer is a stream that `close` ends, however far it got. */
	const transfer = async (
		request: Pick<IHttpRequestOptions, 'method' | 'url' | 'headers' | 'body'>,
	) => {
		const closing = new AbortController();
		const answer = (await helpers.httpRequest({
			...STRICT,
			...ambient(context, options, ANSWER_TIMEOUT_MS),
			...request,
			encoding: 'stream',
			abortSignal: signal ? AbortSignal.any([signal, closing.signal]) : closing.signal,
		})) as IN8nHttpFullResponse;
		const body = answer.body as unknown as NodeJS.ReadableStream & { destroy?: () => void };
		// A connection that ends while nobody reads is nobody's error.
		if (isStream(body)) body.on('error', () => {});
		const close = () => {
			closing.abort();
			body?.destroy?.();
		};
		return { status: answer.statusCode, headers: headersOf(answer.headers), body, close };
	};
	return {
		baseUrl: options.baseURL ?? '',
		channel: {
			send: sender(context, options, secret, answerTimeoutMs),
			signal,
			fairnessKey: context.getExecutionId() ?? 'manual',
		},
		async binary(field) {
			const files = itemFiles(context);
			const data = Object.hasOwn(files, field) ? files[field] : undefined;
			return data ? await sourceOf(context, data) : undefined;
		},
		async put(url, headers, source) {
			// `false` keeps the HTTP library from adding a content type that is not among the headers given.
			const given = Object.keys(headers).some((name) => name.toLowerCase() === 'content-type');
			const own = given ? {} : { 'Content-Type': false };
			let body: Body;
			try {
				body = await source.open();
			} catch {
				return { noResponse: 'its file cannot be read', unsent: 'local' };
			}
			try {
				const answer = await transfer({
					method: 'PUT',
					url,
					headers: { ...own, 'Content-Length': source.size, ...headers },
					body: body as Buffer,
				});
				answer.close();
				return { status: answer.status, headers: answer.headers, body: undefined };
			} catch (error) {
				return lostBy(error);
			} finally {
				(body as { destroy?: () => void }).destroy?.();
			}
		},
		async get(url) {
			try {
				// A packed answer is unpacked on the way, and its length then says nothing about the file.
				const headers = { 'Accept-Encoding': 'identity' };
				return await transfer({ method: 'GET', url, headers });
			} catch (error) {
				return lostBy(error);
			}
		},
		async store(body, fileName, mimeType) {
			const data = await helpers.prepareBinaryData(body as never, fileName, mimeType);
			const size = data.id
				? (await helpers.getBinaryMetadata(data.id)).fileSize
				: Buffer.byteLength(data.data, 'base64');
			return { data, size };
		},
	};
}
