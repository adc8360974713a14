/**
 * What kind of address it is, judged by the host name alone: published code cannot resolve names.
 * The URL parser has already turned every spelling of an IPv4 address (decimal, octal, hexadecimal)
 * into four decimal numbers.
 */
export type AddressKind = 'loopback' | 'private' | 'public';

const IPV4 = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/;

function ipv4Kind(a: number, b: number): AddressKind {
	if (a === 127) return 'loopback';
	const isPrivate =
		a === 0 ||
		a === 10 ||
		(a === 100 && b >= 64 && b < 128) ||
		(a === 169 && b === 254) ||
		(a === 172 && b >= 16 && b < 32) ||
		(a === 192 && b === 168) ||
		(a === 198 && (b === 18 || b === 19)) ||
		a >= 224;
	return isPrivate ? 'private' : 'public';
}

function ipv6Kind(host: string): AddressKind {
	if (host === '::1') return 'loopback';
	// Unspecified, IPv4-mapped and -translated, unique local, link-local, multicast.
	const isPrivate = /^(::|64:ff9b:|f[cd][0-9a-f]{2}:|fe[89a-f][0-9a-f]:|ff[0-9a-f]{2}:)/.test(host);
	return isPrivate ? 'private' : 'public';
}

/** @param hostname as `URL.hostname` gives it: lower case, IPv6 in brackets */
export function addressKind(hostname: string): AddressKind {
	const host = hostname.replace(/\.$/, '');
	if (host === 'localhost' || host.endsWith('.localhost')) return 'loopback';
	if (host.startsWith('[')) return ipv6Kind(host.slice(1, -1));
	const parts = IPV4.exec(host);
	return parts ? ipv4Kind(Number(parts[1]), Number(parts[2])) : 'public';
}
