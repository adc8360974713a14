import { createHmac, timingSafeEqual } from 'crypto';

import { LIMITS } from '../api';

/** Ten digits are Unix seconds from 2001 to 2286; checked as text, before any arithmetic. */
const TIMESTAMP = /^[0-9]{10}$/;
/** The specification shows no case of the hex digits. */
const SIGNATURE = /^v1=[0-9a-fA-F]{64}$/;
const MAX_HEADER_LENGTH = 8 * 1024;

/** A header as Node gives it: a list if it was sent several times. */
export type HeaderValue = string | string[] | undefined;

/** What a receiver knows of a delivery before it trusts any of it. */
export interface SignedDelivery {
	/** The webhook's signing secret; without one every delivery is refused. */
	secret: string | undefined;
	/** Header `webhook-timestamp`. */
	timestamp: HeaderValue;
	/** Header `webhook-signature`; several signatures may stand in it, one valid `v1` is enough. */
	signature: HeaderValue;
	/** The bytes as they arrived, before any parsing. */
	rawBody: Uint8Array;
	/** Milliseconds since 1970. */
	now: number;
}

/**
 * Signs a delivery: HMAC-SHA256 over `<timestamp>.<rawBody>`, hex-encoded, prefixed `v1=`.
 * `timestamp` is Unix seconds in digits. Specification: Events, signature rules 1 and 2.
 */
export function sign(secret: string, timestamp: string, rawBody: Uint8Array | string): string {
	return `v1=${digest(secret, timestamp, rawBody).toString('hex')}`;
}

/**
 * Why a delivery is refused; `undefined` if it was signed with the secret within 300 seconds of now.
 * For the operator's log and never for the sender, who would learn from it. Contains nothing of what
 * was sent. Never throws. Specification: Events, signature rules 1 to 4.
 */
export function whyUntrusted(delivery: SignedDelivery): string | undefined {
	const { secret, timestamp, signature, rawBody, now } = delivery;
	if (!secret) return 'there is no signing secret to check it with';
	if (timestamp === undefined) return 'it has no timestamp';
	if (typeof timestamp !== 'string' || !TIMESTAMP.test(timestamp))
		return 'its timestamp is not ten digits';
	const age = Math.floor(now / 1000) - Number(timestamp);
	// Written so that NaN is refused too.
	if (!(Math.abs(age) <= LIMITS.webhookToleranceSeconds)) {
		const side = age < 0 ? 'ahead of' : 'behind';
		return `its timestamp is ${Math.abs(age)} s ${side} the clock of n8n`;
	}
	const header = Array.isArray(signature) ? signature.join(',') : signature;
	if (typeof header !== 'string') return 'it has no signature';
	if (header.length > MAX_HEADER_LENGTH) return 'its signature header is too long';
	const given = header.split(/[\s,]+/).filter((each) => SIGNATURE.test(each));
	if (given.length === 0) return 'it has no signature of the form v1= and 64 hex digits';
	const expected = digest(secret, timestamp, rawBody);
	const isValid = given.some((each) =>
		timingSafeEqual(Buffer.from(each.slice(3), 'hex'), expected),
	);
	return isValid ? undefined : 'its signature was not made with the secret of this webhook';
}

function digest(secret: string, timestamp: string, rawBody: Uint8Array | string): Buffer {
	return createHmac('sha256', secret).update(`${timestamp}.`).update(rawBody).digest();
}
