import type { IHttpRequestOptions } from 'n8n-workflow';
import type { HostContext } from './hostContext';

/** How long a response may take, in ms, unless the user has set a timeout on the node. */
export const RESPONSE_TIMEOUT_MS = 120_000;

/** The longest that a timer lasts: with more it ends at once, and with a fraction there is none. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** Never a redirect: n8n would carry the key along (Authorization) to wherever it leads. */
export const STRICT = {
	returnFullResponse: true,
	ignoreHttpStatusErrors: true,
	disableFollowRedirect: true,
} as const;

/** Headers by their names in lower case, each as one text. */
export function headersOf(headers: unknown): Record<string, string> {
	const entries = Object.entries((headers ?? {}) as Record<string, unknown>);
	return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), String(value)]));
}

/** What the user has set on the node for all requests, such as a proxy. */
export function nodeRequestOptions(
	{ timeoutMs }: HostContext,
	{ proxy, skipSslCertificateValidation }: IHttpRequestOptions,
	defaultTimeoutMs: number,
) {
	const timeout = timeoutMs > 0 ? Math.min(Math.ceil(timeoutMs), MAX_TIMEOUT_MS) : defaultTimeoutMs;
	return { proxy, skipSslCertificateValidation, timeout };
}
