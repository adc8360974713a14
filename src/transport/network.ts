import { isRecord, type NoResponse } from '../base/types';

/** Codes that occur only if no connection was made. */
const CONNECT_ONLY_CODES = /^(ECONNREFUSED|ENOTFOUND|EAI_\w+)$/;

/** What OpenSSL and Node say of a certificate, which Node checks before it lets a request out. */
const CERTIFICATE_CODES =
	/^(CERT_|UNABLE_TO_|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|INVALID_CA|HOSTNAME_MISMATCH|ERR_TLS_CERT_ALTNAME_INVALID)/;

/** Codes of a request that could not even be built. */
const INVALID_REQUEST_CODES =
	/^ERR_(INVALID_URL|INVALID_CHAR|UNESCAPED_CHARACTERS|INVALID_PROTOCOL|HTTP_INVALID_HEADER_VALUE|INVALID_HTTP_TOKEN|BAD_OPTION|BAD_REQUEST|NOT_SUPPORT)/;

/** n8n's own refusals to send: a domain that the credential or the instance does not allow. */
const N8N_REFUSALS = /^(UserError|Ssrf\w+)$/;

/** What Node says of a connection that ended before it was secure, and so before any request. */
const TLS_HANDSHAKE_FAILED = 'Client network socket disconnected before secure TLS connection';

/** Codes of the operating system, of Node and of its HTTP parser. */
const NETWORK_CODES = /^(E[A-Z]|ERR_|HPE_)/;

const MAX_CAUSES = 8;
const MAX_MESSAGE_LENGTH = 300;

type Thrown = Record<string, unknown>;

/** An error and all its causes, itself first: n8n and its HTTP client wrap errors. */
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

/** The code or name of a network error. Never its message, which may hold addresses and headers. */
function reasonOf(faults: Thrown[]): string {
	const reason = codesOf(faults)[0] ?? stringIn(faults[0]?.name);
	return reason === 'ECONNABORTED' || reason === 'ETIMEDOUT' ? 'timeout' : reason || 'unknown';
}

/** The message of an error of n8n's own, without addresses: they may be presigned. */
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
 * What a request that threw is. Only what is proven to have stayed here counts as unsent: a wrong
 * guess would pay for something twice.
 * @param hasKey whether the key was put on the request, which is n8n's last step before it sends;
 * `undefined` where none belongs
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

/** What the operating system says where n8n cannot store a file. */
const DISK_FULL = /^(ENOSPC|EDQUOT)$/;
const NOT_WRITABLE = /^(EACCES|EPERM|EROFS)$/;

/** Why n8n could not store a file, by a code where there is one: messages may hold paths. */
export function localReason(error: unknown): string {
	const faults = causesOf(error);
	const [code] = codesOf(faults);
	if (code === undefined) return messageOf(faults);
	if (DISK_FULL.test(code)) return `its disk is full (${code})`;
	return NOT_WRITABLE.test(code) ? `it may not write there (${code})` : code;
}

const CHECK_NETWORK = 'Check the base URL of the credential and the network.';

/**
 * What happened to a request without an answer, and what to do: in nodes, lists and the test of the
 * credential.
 */
export function wordsOfNoResponse({ noResponse: reason, unsent }: NoResponse): [string, string] {
	switch (unsent) {
		case undefined:
			return [`The service did not respond (${reason})`, CHECK_NETWORK];
		case 'connection':
			return [`The service cannot be reached (${reason})`, CHECK_NETWORK];
		case 'certificate':
			return [
				`The certificate of the service is not accepted (${reason})`,
				'Check the base URL of the credential. A certificate of a private authority must be made known to n8n.',
			];
		case 'local':
			return [`n8n could not send the request: ${reason}`, 'Check the credential.'];
	}
}
