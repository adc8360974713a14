import {
	UserError,
	type ICredentialDataDecryptedObject,
	type IHttpRequestOptions,
	type INode,
} from 'n8n-workflow';
import { LIMITS, type Scope } from '../contract';

/** The credential that all nodes send with. */
export const CREDENTIAL = 'mediaGenApi';

/** The configured limits of a workspace. Specification: Limits (defaults 60 and 5). */
export interface RateLimits {
	requestsPerMinute: number;
	concurrentJobs: number;
}

/** Without what was copied along with it at either end. */
export const apiKeyOf = ({ apiKey }: ICredentialDataDecryptedObject): string =>
	typeof apiKey === 'string' ? apiKey.trim() : '';

/** Several credentials may hold one key, each with its own limits. */
export const credentialIdOf = ({ credentials }: INode): string =>
	credentials?.[CREDENTIAL]?.id ?? '';

/** What is wrong with a key that no service can have given out. */
export function apiKeyProblem(apiKey: string): string | undefined {
	if (apiKey === '') return 'is empty: enter a key of your workspace';
	if (/^[\x20-\x7e]+$/.test(apiKey)) return undefined;
	return 'contains a line break or another character that no key has: copy the key again';
}

/** @returns the first scope that the credential excludes */
export function excludedScope(
	{ scopes }: ICredentialDataDecryptedObject,
	needed: Array<Scope | undefined>,
): Scope | undefined {
	const limit: unknown = scopes;
	if (!Array.isArray(limit) || limit.length === 0) return undefined;
	return needed.find((scope) => scope !== undefined && !limit.includes(scope));
}

const positive = (value: unknown, fallback: number) => {
	const number = Number(value);
	return Number.isFinite(number) && number > 0 ? number : fallback;
};

export const rateLimitsOf = (credential: ICredentialDataDecryptedObject): RateLimits => ({
	requestsPerMinute: positive(credential.requestsPerMinute, LIMITS.requestsPerMinute),
	concurrentJobs: positive(credential.concurrentJobs, LIMITS.concurrentJobs),
});

const ABSOLUTE = /^([a-z][a-z\d+.-]*:)?\/\//i;

/** Where n8n sends a request: it joins base and path, and an absolute address wins. */
function targetOf(options: IHttpRequestOptions): URL | undefined {
	const { url, uri, baseURL } = options as IHttpRequestOptions & { uri?: unknown };
	const path = String(url || uri || '');
	const isAbsolute = ABSOLUTE.test(path) || !baseURL;
	const address = isAbsolute ? path : `${baseURL.replace(/\/+$/, '')}/${path.replace(/^\/+/, '')}`;
	return URL.canParse(address) ? new URL(address) : undefined;
}

function isBelow(target: URL, baseUrl: unknown): boolean {
	if (typeof baseUrl !== 'string' || !URL.canParse(baseUrl)) return false;
	const base = new URL(baseUrl);
	const folder = `${base.pathname.replace(/\/+$/, '')}/`;
	return target.origin === base.origin && `${target.pathname}/`.startsWith(folder);
}

/**
 * Puts the key on a request: n8n calls it right before it sends. The key goes to the base URL and
 * nowhere else, whatever node uses the credential. Specification: Authentication 1.
 * @throws UserError for a request that leads elsewhere
 */
export async function authenticate(
	credential: ICredentialDataDecryptedObject,
	options: IHttpRequestOptions,
): Promise<IHttpRequestOptions> {
	const target = targetOf(options);
	if (!target || !isBelow(target, credential.baseUrl)) {
		throw new UserError(
			`The API key is sent to the base URL of its credential only, not to ${target?.host ?? 'another address'}`,
		);
	}
	// Modifies the request itself, by which the transport sees that n8n got this far.
	(options.headers ??= {}).Authorization = `Bearer ${apiKeyOf(credential)}`;
	return options;
}
