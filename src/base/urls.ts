import { sendable, unwrapped } from './texts';

/** Where an address lies. Only its host name counts, because published code cannot resolve names. */
type AddressKind = 'loopback' | 'private' | 'public';

/** The URL parser has turned every spelling of an IPv4 address into four decimal numbers. */
const IPV4 = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/;

function ipv4Kind(first: number, second: number): AddressKind {
	if (first === 127) return 'loopback';
	const isPrivate =
		first === 0 ||
		first === 10 ||
		(first === 100 && second >= 64 && second < 128) ||
		(first === 169 && second === 254) ||
		(first === 172 && second >= 16 && second < 32) ||
		(first === 192 && second === 168) ||
		(first === 198 && (second === 18 || second === 19)) ||
		first >= 224;
	return isPrivate ? 'private' : 'public';
}

function ipv6Kind(host: string): AddressKind {
	if (host === '::1') return 'loopback';
	// These are: unspecified, IPv4-mapped and -translated, 6to4 and Teredo, unique local, link-local and
	// multicast addresses.
	const isPrivate =
		/^(::|64:ff9b:|2002:|2001:0?:|f[cd][0-9a-f]{2}:|fe[89a-f][0-9a-f]:|ff[0-9a-f]{2}:)/.test(host);
	return isPrivate ? 'private' : 'public';
}

/** Names that no public address has: a single word, or a name in a zone for private networks. */
const INSIDE =
	/^[^.]+$|\.(local|localdomain|internal|intranet|private|corp|home|lan|svc|cluster|home\.arpa)$/;

/** @param hostname as `URL.hostname` gives it: lower case, IPv6 in brackets */
export function addressKind(hostname: string): AddressKind {
	const host = hostname.replace(/\.$/, '');
	if (host === 'localhost' || host.endsWith('.localhost')) return 'loopback';
	if (host.startsWith('[')) return ipv6Kind(host.slice(1, -1));
	const [, first, second] = IPV4.exec(host) ?? [];
	if (first !== undefined) return ipv4Kind(Number(first), Number(second));
	return INSIDE.test(host) ? 'private' : 'public';
}

/** Parses a URL. `URL.canParse` is not used, because some versions of Node refuse addresses with umlauts. */
export function parseUrl(text: string, base?: string | URL): URL | undefined {
	try {
		return new URL(text, base);
	} catch {
		return undefined;
	}
}

/** Where the service of a base URL lies. */
export const serviceKind = (baseUrl: string): AddressKind =>
	addressKind(parseUrl(baseUrl)?.hostname ?? '');

const isLocalService = (baseUrl: string): boolean => serviceKind(baseUrl) === 'loopback';

/**
 * Whether an address is safe to send to. Plain http is allowed only if the service runs on this machine, such
 * as the sandbox, and only to addresses on this machine.
 */
export const isSecure = ({ protocol, hostname }: URL, baseUrl: string) =>
	protocol === 'https:' ||
	(protocol === 'http:' && addressKind(hostname) === 'loopback' && isLocalService(baseUrl));

/** No address ends with one of these characters: such a text contains something else too. */
const NO_END = /["<>\\^`{|}]$/;

/** The URL in a text, without the blanks, quotes and brackets around it; `undefined` if it is none. */
export function urlIn(text: string): URL | undefined {
	const address = unwrapped(sendable(text));
	return NO_END.test(address) ? undefined : parseUrl(address);
}

/** The https address in a text; `undefined` if it is none. */
export function httpsUrlIn(text: string): string | undefined {
	const url = urlIn(text);
	return url?.protocol === 'https:' ? url.href : undefined;
}
