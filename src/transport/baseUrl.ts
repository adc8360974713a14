import { unwrapped, withoutSlashes } from '../base/texts';
import { ENDPOINTS } from '../api';
import { addressKind, isSecure, parseUrl } from './urls';

/** Specification: Conventions and Versioning 1. */
const VERSION = /\/v\d+$/;

/** What may follow the version in an address that was copied from a request, such as `/models`. */
const OPERATIONS = new Set(Object.values(ENDPOINTS).map(({ path }) => path.split('/')[1]));

/** The path of a base URL, without what is not part of it beyond doubt. */
function basePath(pathname: string): string {
	const path = withoutSlashes(pathname);
	const [, version, operation = ''] = /^(.*?\/v\d+)\/([^/]+).*$/.exec(path) ?? [];
	return version !== undefined && OPERATIONS.has(operation) ? version : path;
}

/** The base URL that an address of the API begins with; `undefined` where no version stands in it. */
export function baseUrlIn(address: string): string | undefined {
	const url = parseUrl(address);
	if (!url || !isSecure(url, address)) return undefined;
	const path = basePath(url.pathname);
	return VERSION.test(path) ? `${url.origin}${path}` : undefined;
}

/** What can be read from a base URL: the address to use, or what is wrong with it. */
export type BaseUrl = { baseUrl: string } | { problem: string };

/** An address without a scheme, such as `api.example.com/v1` or `localhost:4010`. */
const WITHOUT_SCHEME = /^([\w-]+(\.[\w-]+)+|localhost|\[[\da-f:]+\])(:\d+)?(\/[^\s@]*)?$/i;

/** With the scheme that it needs: plain http is for a service on this machine only. */
function withScheme(text: string): string {
	if (!WITHOUT_SCHEME.test(text)) return text;
	const isHere = addressKind(parseUrl(`https://${text}`)?.hostname ?? '') === 'loopback';
	return `${isHere ? 'http' : 'https'}://${text}`;
}

/**
 * The base URL that somebody means: without blanks, quotes and slashes around it, without what follows
 * a `?` or `#`, and without the path of an operation; with the scheme and the version that are left out.
 * Keys travel with every request, so it must be https (loopback excepted) and carry no user info.
 * Specification: Conventions, "{base_url} already ends in `/v1`".
 */
export function readBaseUrl(given: unknown): BaseUrl {
	const entered = unwrapped(typeof given === 'string' ? given : '');
	if (entered === '')
		return {
			problem: 'is empty: write the address of the API, such as https://api.example.com/v1',
		};
	const text = withScheme(entered);
	const url = parseUrl(text);
	if (!url || !/^[a-z]+:\/\//i.test(text)) {
		const problem =
			'is not a complete address: write it in full, such as https://api.example.com/v1';
		return { problem };
	}
	if (url.username || url.password) return { problem: 'must not contain a user name or password' };
	if (!isSecure(url, text))
		return {
			problem: 'must begin with https:// (http:// only for a service on this machine)',
		};
	const path = basePath(url.pathname);
	if (VERSION.test(path)) return { baseUrl: `${url.origin}${path}` };
	const [version] = /^.*?\/v\d+(?=\/)/.exec(path) ?? [];
	if (version === undefined) return { baseUrl: `${url.origin}${path}/v1` };
	return { problem: `must end in /v1: write ${url.origin}${version}` };
}
