import { isRecord, type NoResponse } from '../base/types';

/** Codes that occur only if no connection was made. */
const CONNECT_ONLY_CODES = new Set([
	'ECONNREFUSED',
	'ENOTFOUND',
	'EAI_AGAIN',
	'EAI_FAIL',
	'EAI_NODATA',
]);

/**
 * Codes that a broken connection may have as well: they count only if the failed call is the one
 * that connects.
 */
const AMBIGUOUS_CODES = new Set([
	'ETIMEDOUT',
	'EHOSTUNREACH',
	'EHOSTDOWN',
	'ENETUNREACH',
	'ENETDOWN',
	'EADDRNOTAVAIL',
]);

/** What OpenSSL and Node say of a certificate, which Node checks before it lets a request out. */
const CERTIFICATE_CODES =
	/^(CERT_|UNABLE_TO_|DEPTH_ZERO_SELF_SIGNED_CERT$|SELF_SIGNED_CERT_IN_CHAIN$|INVALID_CA$|HOSTNAME_MISMATCH$|ERR_TLS_CERT_ALTNAME_INVALID$)/;

/** Codes of a request that could not even be built. */
const INVALID_REQUEST_CODES =
	/^ERR_(INVALID_URL|INVALID_CHAR|UNESCAPED_CHARACTERS|INVALID_PROTOCOL|HTTP_INVALID_HEADER_VALUE|INVALID_HTTP_TOKEN|BAD_OPTION|BAD_OPTION_VALUE|BAD_REQUEST|NOT_SUPPORT)$/;

/** n8n's own refusals to send: a domain that the credential or the instance does not allow. */
const N8N_REFUSALS = /^(UserError|Ssrf\w+)$/;

/**
 * What Node says of a connection that ended before it was secure; no request goes out before that.
 */
const TLS_HANDSHAKE_FAILED = 'Client network socket disconnected before secure TLS connection';

/** Codes of the operating system, of Node and of its HTTP parser. */
const NETWORK_CODES = /^(E[A-Z]|ERR_|HPE_)/;

const MAX_CAUSES = 8;
const MAX_MESSAGE_LENGTH = 300;

type Fault = Record<string, unknown>;

/** An error and its chain of causes, outermost first. n8n and its HTTP client wrap errors. */
function causesOf(error: unknown): Fault[] {
	const found: Fault[] = [];
	let queue: unknown[] = [error];
	while (queue.length > 0 && found.length < MAX_CAUSES) {
		const faults = queue.filter(isRecord).filter((fault) => !found.includes(fault));
		found.push(...faults);
		queue = faults.flatMap(({ cause, errors }) => [
			cause,
			...(Array.isArray(errors) ? errors : []),
		]);
	}
	return found;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const codesOf = (faults: Fault[]) => faults.map(({ code }) => textOf(code)).filter(Boolean);

/**
 * The code or name of a network error. Never its message or request, which hold addresses and
 * headers.
 */
function reasonOf(faults: Fault[]): string {
	const reason = codesOf(faults)[0] ?? textOf(faults[0]?.name);
	return reason === 'ECONNABORTED' || reason === 'ETIMEDOUT' ? 'timeout' : reason || 'unknown';
}

/** What the operating system says where n8n cannot store a file. */
const STORAGE_FAULTS: Partial<Record<string, string>> = {
	ENOSPC: 'its disk is full',
	EDQUOT: 'its disk is full',
	EACCES: 'it may not write there',
	EPERM: 'it may not write there',
	EROFS: 'it may not write there',
};

/** The message of an error of n8n's own, without addresses: they may be presigned. */
function messageOf(faults: Fault[]): string {
	const texts = faults.map(({ message }) => textOf(message).trim()).filter(Boolean);
	const text = (texts[0] ?? 'unknown').replace(/\s+/g, ' ');
	return text.replace(/\bhttps?:\/\/\S+/gi, '(address)').slice(0, MAX_MESSAGE_LENGTH);
}

const isConnecting = ({ code, syscall }: Fault) =>
	CONNECT_ONLY_CODES.has(textOf(code)) ||
	(AMBIGUOUS_CODES.has(textOf(code)) && syscall === 'connect');

const isNetworkError = (faults: Fault[]) =>
	faults.some(({ isAxiosError }) => isAxiosError === true) ||
	codesOf(faults).some((code) => NETWORK_CODES.test(code));

const failedLocally = (fault: Fault) =>
	N8N_REFUSALS.test(textOf(fault.constructor?.name)) ||
	(INVALID_REQUEST_CODES.test(textOf(fault.code)) && fault.response === undefined);

/**
 * What a request that threw is: nobody knows whether the service did what was asked, unless it
 * certainly never got there. Only what is proven to have stayed here counts as that: a wrong guess
 * would pay for something twice.
 * @param hasKey whether the key was put on the request, which is n8n's last step before it sends;
 * `undefined` where none belongs
 */
export function toNoResponse(error: unknown, hasKey?: boolean): NoResponse {
	const faults = causesOf(error);
	if (faults.some(failedLocally) || (hasKey === false && !isNetworkError(faults))) {
		return { noResponse: messageOf(faults), unsent: 'local' };
	}
	const reason = reasonOf(faults);
	if (codesOf(faults).some((code) => CERTIFICATE_CODES.test(code)))
		return { noResponse: reason, unsent: 'certificate' };
	const neverConnected =
		faults.some(isConnecting) ||
		faults.some(({ message }) => textOf(message).startsWith(TLS_HANDSHAKE_FAILED));
	return neverConnected ? { noResponse: reason, unsent: 'connection' } : { noResponse: reason };
}

/** Why n8n could not store a file, by a code where there is one: messages may hold paths. */
export function localReason(error: unknown): string {
	const faults = causesOf(error);
	const [code] = codesOf(faults);
	if (code === undefined) return messageOf(faults);
	return STORAGE_FAULTS[code] ? `${STORAGE_FAULTS[code]} (${code})` : code;
}
