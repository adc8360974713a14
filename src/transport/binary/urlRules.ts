import { addressKind } from './addresses';

function parse(text: string): URL | undefined {
	try {
		return new URL(text);
	} catch {
		return undefined;
	}
}

const kindOf = (baseUrl: string) => addressKind(parse(baseUrl)?.hostname ?? '');

/** Plain http is for a service on this machine, such as the sandbox, and stays on this machine. */
const httpAllowed = (url: URL, baseUrl: string) =>
	url.protocol === 'http:' &&
	addressKind(url.hostname) === 'loopback' &&
	kindOf(baseUrl) === 'loopback';

/**
 * What is wrong with a base URL; `undefined` for a good one. Keys travel with every request, so it must be https
 * (loopback excepted) and carry no user info.
 */
export function baseUrlProblem(baseUrl: string): string | undefined {
	const url = parse(baseUrl);
	if (!url) return 'is no URL';
	if (url.username || url.password) return 'must not contain a user name or password';
	if (url.protocol === 'https:' || httpAllowed(url, baseUrl)) return undefined;
	return 'must begin with https:// (http:// only for a service on this machine)';
}

/**
 * What is wrong with a media input; `undefined` for a good one.
 * Specification: Conventions, "media input URLs are HTTPS".
 */
export function mediaUrlProblem(text: string, baseUrl: string): string | undefined {
	const url = parse(text);
	if (!url) return 'is no URL';
	if (url.protocol === 'https:' || httpAllowed(url, baseUrl)) return undefined;
	return 'must begin with https://';
}

/**
 * What is wrong with an address that the service tells us to send to or read from; `undefined` for a good one. A
 * public service has no business in private networks.
 */
export function transferUrlProblem(text: string, baseUrl: string): string | undefined {
	const url = parse(text);
	if (!url) return 'the address is no URL';
	if (url.protocol !== 'https:' && !httpAllowed(url, baseUrl)) return 'the address is not https';
	const isPublic = addressKind(url.hostname) === 'public';
	if (!isPublic && kindOf(baseUrl) === 'public') return 'the address is in a private network';
	return undefined;
}
