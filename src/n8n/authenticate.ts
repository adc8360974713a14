import {
	UserError,
	type ICredentialDataDecryptedObject,
	type IHttpRequestOptions,
} from 'n8n-workflow';
import { withoutSlashes } from '../base/texts';
import { credentialProblem, readCredential } from '../transport/credential';
import { parseUrl } from '../base/urls';
import { notStopped } from './output/errors';

const ABSOLUTE = /^([a-z][a-z\d+.-]*:)?\/\//i;

/** Where n8n sends a request. n8n joins base and path, but an absolute address wins. */
function targetOf(options: IHttpRequestOptions): URL | undefined {
	const { url, uri, baseURL } = options as IHttpRequestOptions & { uri?: unknown };
	const path = String(url || uri || '');
	const isAbsolute = ABSOLUTE.test(path) || !baseURL;
	const address = isAbsolute ? path : `${withoutSlashes(baseURL)}/${path.replace(/^\/+/, '')}`;
	return parseUrl(address);
}

function isBelow(target: URL, baseUrl: string): boolean {
	const base = new URL(baseUrl);
	const folder = `${withoutSlashes(base.pathname)}/`;
	return target.origin === base.origin && `${target.pathname}/`.startsWith(folder);
}

/**
 * Puts the key on a request; n8n calls this right before it sends one. The key goes to the base URL of its
 * credential and nowhere else, whatever node uses the credential. Specification: Authentication 1.
 * @throws UserError for a request that leads elsewhere
 */
export async function authenticate(
	credential: ICredentialDataDecryptedObject,
	options: IHttpRequestOptions,
): Promise<IHttpRequestOptions> {
	const read = readCredential(credential);
	if (read.problem !== undefined)
		throw new UserError(credentialProblem(read, ' of the credential') ?? '');
	const target = targetOf(options);
	if (!target || !isBelow(target, read.baseUrl)) {
		throw new UserError(
			`The API key is sent to the base URL of its credential only, not to ${notStopped(target?.host ?? 'another address')}`,
		);
	}
	// Changes the request itself, so that the transport can see that n8n got this far.
	options.headers ??= {};
	options.headers.Authorization = `Bearer ${read.apiKey}`;
	return options;
}
