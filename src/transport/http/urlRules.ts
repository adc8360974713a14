import { addressKind } from './addresses';

function parse(text: string): URL | undefined {
	try {
		return new URL(text);
	} catch {
		return undefined;
	}
}

const kindOf = (baseUrl: string) => addressKind(parse(baseUrl)?.hostname ?? '');

/** Whether a service is on this machine, by its base URL. */
export const isLocalService = (baseUrl: string): boolean => kindOf(baseUrl) === 'loopback';

/** Plain http is for a service on this machine, such as the sandbox, and stays on this machine. */
const httpAllowed = (url: URL, baseUrl: string) =>
	url.protocol === 'http:' && addressKind(url.hostname) === 'loopback' && isLocalService(baseUrl);

/** The last segment of a base URL. Specification: Conventions and Versioning 1. */
const VERSION = /\/v\d+$/;

/** A base URL as it is to be written, made of one that is nearly right. */
function corrected({ origin, pathname }: URL): string {
	const path = pathname.replace(/\/+$/, '');
	return `${origin}${VERSION.test(path) ? path : `${path}/v1`}`;
}

/**
 * What is wrong with a base URL, and what to write instead; `undefined` for a good one. Keys travel
 * with every request, so it must be https (loopback excepted) and carry no user info.
 * Specification: Conventions, "{base_url} already ends in `/v1`".
 */
export function baseUrlProblem(baseUrl: string): string | undefined {
	const text = baseUrl.trim();
	if (text === '')
		return 'is empty: write the address of the API, such as https://api.example.com/v1';
	const url = parse(text);
	if (!url || !/^[a-z]+:\/\//i.test(text)) {
		const guess = /^[\w-]+(\.[\w-]+)+(:\d+)?(\/[^\s@]*)?$/.test(text)
			? parse(`https://${text}`)
			: undefined;
		const instead = guess ? corrected(guess) : 'it in full, such as https://api.example.com/v1';
		return `is not a complete address: write ${instead}`;
	}
	if (url.username || url.password) return 'must not contain a user name or password';
	if (url.protocol !== 'https:' && !httpAllowed(url, text)) {
		return 'must begin with https:// (http:// only for a service on this machine)';
	}
	if (url.search || url.hash) return `must end in /v1, without ? or #: write ${corrected(url)}`;
	if (!VERSION.test(url.pathname)) return `must end in /v1: write ${corrected(url)}`;
	return text === baseUrl ? undefined : `begins or ends with a space: write ${corrected(url)}`;
}

/**
 * What is wrong with a media input; `undefined` for a good one.
 * Specification: Conventions, "media input URLs are HTTPS".
 */
export function mediaUrlProblem(text: string, baseUrl: string): string | undefined {
	const url = parse(text);
	if (!url) return 'is not a URL';
	if (url.protocol === 'https:' || httpAllowed(url, baseUrl)) return undefined;
	return 'must begin with https://';
}

/**
 * What is wrong with an address that the service gives for uploads or downloads; `undefined` if
 * nothing is. A public service must not reach private networks.
 */
export function transferUrlProblem(text: string, baseUrl: string): string | undefined {
	const url = parse(text);
	if (!url) return 'the address is not a URL';
	if (url.protocol !== 'https:' && !httpAllowed(url, baseUrl)) return 'the address is not https';
	const isPublic = addressKind(url.hostname) === 'public';
	if (!isPublic && kindOf(baseUrl) === 'public') return 'the address is in a private network';
	return undefined;
}
