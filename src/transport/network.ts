import { isRecord, type NoResponse } from '../base/types';

/** Codes that occur only if no connection was made. */
const CONNECT_ONLY_CODES = /^(ECONNREFUSED|ENOTFOUND|EAI_\w+)$/;

/** Codes by which OpenSSL and Node refuse a certificate. Node checks it before it sends the request. */
const CERTIFICATE_CODES =
	/^(CERT_|UNABLE_TO_|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|INVALID_CA|HOSTNAME_MISMATCH|ERR_TLS_CERT_ALTNAME_INVALID)/;

/** Codes of a request that Node could not even build. */
const INVALID_REQUEST_CODES =
	/^ERR_(INVALID_URL|INVALID_CHAR|UNESCAPED_CHARACTERS|INVALID_PROTOCOL|HTTP_INVALID_HEADER_VALUE|INVALID_HTTP_TOKEN|BAD_OPTION|BAD_REQUEST|NOT_SUPPORT)/;

/** Names of errors by which n8n refuses to send: the credential or the instance does not allow the domain. */
const N8N_REFUSALS = /^(UserError|Ssrf\w+)$/;

/** The message of Node if a connection ended before it was secure. No request was sent over it. */
const TLS_HANDSHAKE_FAILED = 'Client network socket disconnected before secure TLS connection';

/** Codes of the operating system, of Node and of its HTTP parser. */
const NETWORK_CODES = /^(E[A-Z]|ERR_|HPE_)/;

const MAX_CAUSES = 8;
const MAX_MESSAGE_LENGTH = 300;

type Thrown = Record<string, unknown>;

/** An error and all errors that caused it, itself first. n8n and its HTTP client wrap errors. */
function causesOf(error: unknown, found: Thrown[] = []): Thrown[] {
	if (!isRecord(error) || found.includes(error) || found.length === MAX_CAUSES) return found;
	found.push(error);
	const { cause, errors } = error;
	const further: unknown[] = Array.isArray(errors) ? errors : [];
	for (const each of [cause, ...further]) causesOf(each, found);
	return found;
}

const stringIn = (value: unknown): string => (typeof value === 'string' ? value : '');

const codesOf = (faults: Thrown[]) => faults.map(({ code }) => stringIn(code)).filter(Boolean);

/**
 * The code or name of a network error. Its message is never used, because it may contain addresses and
 * headers.
 */
function reasonOf(faults: Thrown[]): string {
	const reason = codesOf(faults)[0] ?? stringIn(faults[0]?.name);
	return reason === 'ECONNABORTED' || reason === 'ETIMEDOUT' ? 'timeout' : reason || 'unknown';
}

/** The message of an error of n8n itself. Addresses are taken out, because they may be presigned. */
function messageOf(faults: Thrown[]): string {
	const texts = faults.map(({ message }) => stringIn(message).trim()).filter(Boolean);
	const text = (texts[0] ?? 'unknown').replace(/\s+/g, ' ');
	return text.replace(/\bhttps?:\/\/\S+/gi, '(address)').slice(0, MAX_MESSAGE_LENGTH);
}

const neverConnected = ({ code, syscall, message }: Thrown) =>
	CONNECT_ONLY_CODES.test(stringIn(code)) ||
	syscall === 'connect' ||
	stringIn(message).startsWith(TLS_HANDSHAKE_FAILED);

const isOfNetwork = ({ isAxiosError, code }: Thrown) =>
	isAxiosError === true || NETWORK_CODES.test(stringIn(code));

const failedLocally = (fault: Thrown) =>
	N8N_REFUSALS.test(stringIn(fault.constructor?.name)) ||
	(INVALID_REQUEST_CODES.test(stringIn(fault.code)) && fault.response === undefined);

/**
 * What it means that sending a request has thrown. It counts as unsent only if that is proven: after a wrong
 * guess something would be paid for twice.
 * @param hasKey whether n8n had put the API key on the request, which is its last step before it sends;
 * `undefined` for a request without a key
 */
export function toNoResponse(error: unknown, hasKey?: boolean): NoResponse {
	const faults = causesOf(error);
	if (faults.some(failedLocally) || (hasKey === false && !faults.some(isOfNetwork)))
		return { noResponse: messageOf(faults), unsent: 'local' };
	const noResponse = reasonOf(faults);
	if (codesOf(faults).some((code) => CERTIFICATE_CODES.test(code)))
		return { noResponse, unsent: 'certificate' };
	return faults.some(neverConnected) ? { noResponse, unsent: 'connection' } : { noResponse };
}

/** Codes of the operating system if n8n cannot store a file. */
const DISK_FULL = /^(ENOSPC|EDQUOT)$/;
const NOT_WRITABLE = /^(EACCES|EPERM|EROFS)$/;

/** Why n8n could not store a file. A code is used if there is one, because messages may contain paths. */
export function localReason(error: unknown): string {
	const faults = causesOf(error);
	const [code] = codesOf(faults);
	if (code === undefined) return messageOf(faults);
	if (DISK_FULL.test(code)) return `its disk is full (${code})`;
	return NOT_WRITABLE.test(code) ? `it may not write there (${code})` : code;
}
