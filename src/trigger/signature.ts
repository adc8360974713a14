import { createHmac, timingSafeEqual } from 'crypto';

import { LIMITS } from '../api';

/**
 * Ten digits, which are Unix seconds from 2001 to 2286. The text is checked before anything is calculated.
 */
const TIMESTAMP = /^[0-9]{10}$/;
/** The hex digits may be capitals, because the specification does not say that they are not. */
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
	/** Header `webhook-signature`. It may hold several signatures, of which one valid `v1` is enough. */
	signature: HeaderValue;
	/** The bytes as they arrived, before anything is parsed. */
	rawBody: Uint8Array;
	/** The time at which it is checked, in ms since 1970. */
	now: number;
}

/**
 * Signs a delivery: `v1=` and the HMAC-SHA256 of `<timestamp>.<rawBody>` in hex digits. Specification:
 * Events, signature rules 1 and 2.
 * @param timestamp Unix seconds in digits
 */
export function sign(secret: string, timestamp: string, rawBody: Uint8Array | string): string {
	return `v1=${digest(secret, timestamp, rawBody).toString('hex')}`;
}

/**
 * Why a delivery is refused; `undefined` if it was signed with the secret, at most 300 seconds ago or ahead.
 * The reason is for the log of n8n and never for the sender, who would learn from it. It contains nothing of
 * what was sent. Never throws. Specification: Events, signature rules 1 to 4.
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
	const signatures = header.split(/[\s,]+/).filter((each) => SIGNATURE.test(each));
	if (signatures.length === 0) return 'it has no signature of the form v1= and 64 hex digits';
	const expected = digest(secret, timestamp, rawBody);
	const isValid = signatures.some((each) =>
		timingSafeEqual(Buffer.from(each.slice(3), 'hex'), expected),
	);
	return isValid ? undefined : 'its signature was not made with the secret of this webhook';
}

function digest(secret: string, timestamp: string, rawBody: Uint8Array | string): Buffer {
	return createHmac('sha256', secret).update(`${timestamp}.`).update(rawBody).digest();
}
