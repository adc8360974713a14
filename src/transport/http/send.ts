import type { IHttpRequestOptions, IN8nHttpFullResponse } from 'n8n-workflow';
import { unlessAborted } from '../base/abortListeners';
import type { Send, SendResult } from '../base/types';
import { CREDENTIAL } from '../credential';
import type { HostContext } from './host';
import { toNoResponse } from './networkFault';
import { withoutSecret } from './redact';

/** How long a response may take, in ms, unless the user has set a timeout on the node. */
const RESPONSE_TIMEOUT_MS = 120_000;

/** The longest that a timer lasts: with more it ends at once, and with a fraction there is none. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** Longest response of the API, in bytes; a longer one is not read to its end. */
const MAX_BYTES = 32 * 1024 * 1024;

/** Some services put it before their JSON, which a parser does not accept. */
const BYTE_ORDER_MARK = '\ufeff';

/**
 * What every request has, besides what the user has set on the node for all of them, such as a
 * proxy. Never a redirect: n8n would carry the key along (Authorization) to wherever it leads.
 */
export function requestOptions(
	{ timeoutMs }: HostContext,
	{ proxy, skipSslCertificateValidation }: IHttpRequestOptions,
	defaultTimeoutMs = RESPONSE_TIMEOUT_MS,
) {
	return {
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		disableFollowRedirect: true,
		encoding: 'stream',
		proxy,
		skipSslCertificateValidation,
		timeout: timeoutMs > 0 ? Math.min(Math.ceil(timeoutMs), MAX_TIMEOUT_MS) : defaultTimeoutMs,
	} as const;
}

/** Headers by their names in lower case, each as one text. */
export function headersOf(headers: unknown): Record<string, string> {
	const entries = Object.entries((headers ?? {}) as Record<string, unknown>);
	return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), String(value)]));
}

/** Whether n8n gave the body as a stream, which has to be read to its end or destroyed. */
export const isStream = (body: unknown): body is NodeJS.ReadableStream =>
	typeof body === 'object' && body !== null && Symbol.asyncIterator in body;

async function textOf(stream: NodeJS.ReadableStream): Promise<string | undefined> {
	const chunks: Buffer[] = [];
	let size = 0;
	for await (const chunk of stream) {
		const bytes = Buffer.from(chunk as Uint8Array);
		size += bytes.length;
		if (size > MAX_BYTES) return undefined;
		chunks.push(bytes);
	}
	return Buffer.concat(chunks).toString('utf8');
}

function parseJson(text: string): unknown {
	try {
		return JSON.parse(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);
	} catch {
		return text;
	}
}

/**
 * Reads the body of a response as a stream, so that the service controls neither its length nor its
 * rate. Parsed JSON, or the raw text if it is not JSON; `undefined` if it is too long. Rejects if
 * it breaks off, or `end` fires.
 */
export async function readBody(
	body: unknown,
	end: AbortSignal,
): Promise<{ value: unknown } | undefined> {
	if (!isStream(body)) return { value: body };
	const destroy = () => (body as { destroy?: () => void }).destroy?.();
	// At once: a stalled stream may not notice that it was destroyed.
	const text = await unlessAborted(end, textOf(body)).finally(destroy);
	return text === undefined ? undefined : { value: parseJson(text) };
}

/** Sends with the credential of the node, once. The key is in no answer. */
export function createSend(
	context: HostContext,
	options: IHttpRequestOptions,
	secret: string,
	responseTimeoutMs?: number,
): Send {
	const { baseURL, allowedDomains } = options;
	const { functions, signal: cancel } = context;
	const shared = {
		...requestOptions(context, options, responseTimeoutMs),
		baseURL,
		allowedDomains,
		json: true,
	} as const;
	return async ({ method, path, query, body, headers }): Promise<SendResult> => {
		const request: IHttpRequestOptions = { ...shared, method, url: path, qs: query };
		// Each request gets headers of its own, because n8n writes the key into them.
		const own: Record<string, string> = { ...headers };
		request.headers = own;
		if (body !== undefined) {
			// As text: n8n's client copies an object key by key, and leaves out names such as
			// `constructor`.
			request.body = JSON.stringify(body);
			own['Content-Type'] = 'application/json';
		}
		// n8n takes the signal from its functions: this one ends the connection at the deadline too, in
		// the middle of a body.
		const deadline = AbortSignal.timeout(shared.timeout);
		const signal = cancel ? AbortSignal.any([cancel, deadline]) : deadline;
		try {
			const response = (await context.request.httpRequestWithAuthentication.call(
				Object.assign(Object.create(functions) as typeof functions, {
					getExecutionCancelSignal: () => signal,
				}),
				CREDENTIAL,
				request,
			)) as IN8nHttpFullResponse;
			const content = await readBody(response.body, signal);
			if (!content) return { noResponse: 'an answer that is too long' };
			return {
				status: response.statusCode,
				headers: headersOf(response.headers),
				body: withoutSecret(content.value, secret),
			};
		} catch (error) {
			const hasKey = Object.keys(own).some((name) => name.toLowerCase() === 'authorization');
			if (hasKey && deadline.aborted) return { noResponse: 'timeout' };
			return withoutSecret(toNoResponse(error, hasKey), secret);
		}
	};
}
