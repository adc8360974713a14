import { unwrapped } from '../base/texts';
import { ENDPOINTS } from '../contract';
import { isSecure, parseUrl } from './urls';

/** Specification: Conventions and Versioning 1. */
const VERSION = /\/v\d+$/;

/** What may follow the version in an address that was copied from a request, such as `/models`. */
const OPERATIONS = new Set(Object.values(ENDPOINTS).map(({ path }) => path.split('/')[1]));

/** The path of a base URL, without what is not part of it beyond doubt. */
function basePath(pathname: string): string {
	const path = pathname.replace(/\/+$/, '');
	const [, version, operation = ''] = /^(.*?\/v\d+)\/([^/]+).*$/.exec(path) ?? [];
	return version !== undefined && OPERATIONS.has(operation) ? version : path;
}

function correctedUrl({ origin, pathname }: URL): string {
	const path = basePath(pathname);
	return `${origin}${VERSION.test(path) ? path : `${path}/v1`}`;
}

/** What can be read from a base URL: the address to use, or what is wrong with it. */
export type BaseUrl = { baseUrl: string } | { problem: string };

/**
 * The base URL that somebody means: without blanks, quotes and slashes around it, and without the
 * path of an operation. Keys travel with every request, so it must be https (loopback excepted) and
 * carry no user info. Specification: Conventions, "{base_url} already ends in `/v1`".
 */
export function readBaseUrl(given: unknown): BaseUrl {
	const text = unwrapped(typeof given === 'string' ? given : '');
	if (text === '')
		return {
			problem: 'is empty: write the address of the API, such as https://api.example.com/v1',
		};
	const url = parseUrl(text);
	if (!url || !/^[a-z]+:\/\//i.test(text)) {
		const guess = /^[\w-]+(\.[\w-]+)+(:\d+)?(\/[^\s@]*)?$/.test(text)
			? parseUrl(`https://${text}`)
			: undefined;
		const instead = guess ? correctedUrl(guess) : 'it in full, such as https://api.example.com/v1';
		return { problem: `is not a complete address: write ${instead}` };
	}
	if (url.username || url.password) return { problem: 'must not contain a user name or password' };
	if (!isSecure(url, text))
		return {
			problem: 'must begin with https:// (http:// only for a service on this machine)',
		};
	if (url.search || url.hash)
		return { problem: `must end in /v1, without ? or #: write ${correctedUrl(url)}` };
	const path = basePath(url.pathname);
	if (!VERSION.test(path)) return { problem: `must end in /v1: write ${correctedUrl(url)}` };
	return { baseUrl: `${url.origin}${path}` };
}
