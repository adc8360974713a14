import { isRecord } from '../base/types';

/**
 * Headers that the service may not set: they would carry credentials, or change where or how a file is sent.
 */
const NEVER_SENT = new Set([
	'authorization',
	'proxy-authorization',
	'cookie',
	'host',
	'connection',
	'keep-alive',
	'proxy-connection',
	'te',
	'trailer',
	'transfer-encoding',
	'upgrade',
]);

/** What names and values of headers may consist of. Specification: RFC 9110, 5.1 and 5.5. */
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

const shownName = (name: string): string =>
	JSON.stringify(name.length > 60 ? `${name.slice(0, 60)}…` : name);

/** The value of a header as text. A number is written in digits. */
function valueOf(value: unknown): string | undefined {
	if (Number.isSafeInteger(value)) return String(value);
	return typeof value === 'string' && VALUE.test(value) ? value : undefined;
}

/**
 * The headers that the service wants to be sent with a file, exactly as it gives them, or why they cannot be
 * sent. No message contains a value, because it may be a signature.
 * @param size the size of the file in bytes. Specification: Operation details, POST /files
 */
export function uploadHeaders(
	wantedHeaders: unknown,
	size: number,
): { headers: Record<string, string> } | { problem: string } {
	if (wantedHeaders === undefined || wantedHeaders === null) return { headers: {} };
	if (!isRecord(wantedHeaders)) {
		const what = Array.isArray(wantedHeaders) ? 'a list' : 'no object';
		return { problem: `the upload_headers of the service are ${what} of names and values` };
	}
	const headers: Record<string, string> = {};
	const seen = new Set<string>();
	const problem = (name: string, why: string) => ({
		problem: `the service wants the header ${shownName(name)} with it, ${why}`,
	});
	for (const [name, raw] of Object.entries(wantedHeaders)) {
		const lower = name.toLowerCase();
		if (!NAME.test(name)) return problem(name, 'which is no name of a header');
		if (NEVER_SENT.has(lower)) return problem(name, 'which is never sent to a storage');
		if (seen.has(lower)) return problem(name, 'twice');
		seen.add(lower);
		const value = valueOf(raw);
		if (value === undefined) return problem(name, 'whose value is no text of one line');
		if (lower === 'content-length' && value.trim() !== String(size))
			return problem(name, `which is not the ${size} bytes of the file`);
		headers[name] = value;
	}
	return { headers };
}
