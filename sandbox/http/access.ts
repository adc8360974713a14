import type { RequestHandler } from 'express';

import { ApiError } from '../errors';

/** Names of this machine that no DNS server can answer for. */
const LOCAL_NAMES = ['127.0.0.1', 'localhost', '[::1]'];

/** A name and a port; anything else might be parsed as another host. */
const HOST = /^[\w.:[\]-]+$/;

/** What a browser says of requests that carry no Origin, such as those of an image or a script. */
const FOREIGN_SITES = ['cross-site', 'same-site'];

/** Hostname and port of an address, lower case; `undefined` if it is not an address. */
function partsOf(url: string): URL | undefined {
	return URL.canParse(url) ? new URL(url) : undefined;
}

/**
 * 421 unless the request was meant for this machine, by the address that it came to or one of its
 * names. A page on the web whose name its owner has pointed to this machine (DNS rebinding) counts
 * as being of the same origin in a browser; only the name in Host gives it away. The port is not
 * compared: a tunnel may change it.
 *
 * @param ownNames hosts of `--host` and `--public-url`, as in a URL
 */
export function onlyByName(ownNames: string[]): RequestHandler {
	const names = new Set([...LOCAL_NAMES, ...ownNames]);
	return (request, _response, next) => {
		const { host = '' } = request.headers;
		const hostname = HOST.test(host) ? partsOf(`http://${host}`)?.hostname : undefined;
		const reachedAt = request.socket.localAddress?.replace(/^::ffff:/, '') ?? '';
		const known =
			hostname !== undefined && (names.has(hostname) || hostname === bracketed(reachedAt));
		if (known) return next();
		const message =
			'The sandbox answers as 127.0.0.1, as localhost, by its own address, and as the hosts that --host and --public-url name.';
		throw new ApiError(421, 'permission', message);
	};
}

/** A host as a URL has it: an IPv6 address stands in brackets. */
export const bracketed = (host: string) => (host.includes(':') ? `[${host}]` : host.toLowerCase());

/**
 * 403 for what a page of another origin sends: a browser lets it send, though not read the answer.
 * Other clients send no Origin. Runs after {@link onlyByName}, whose check of Host it relies on.
 */
export function onlyFromOwnPage(publicOrigin: string): RequestHandler {
	return (request, _response, next) => {
		const { origin, host = '' } = request.headers;
		const own = [partsOf(`http://${host}`)?.host, new URL(publicOrigin).host];
		// A page in a sandboxed frame or from a file has the origin `null`, which is not an address.
		const isOwn = origin === undefined || own.includes(partsOf(origin)?.host ?? 'none');
		if (isOwn && !FOREIGN_SITES.includes(String(request.headers['sec-fetch-site']))) return next();
		const message = 'Another page may not use the admin path of the sandbox.';
		throw new ApiError(403, 'permission', message);
	};
}
