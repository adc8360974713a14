/* eslint-disable @n8n/community-nodes/no-hardcoded-secrets -- not published */
import { whyUntrusted, sign, type SignedDelivery } from '../../src/trigger/signature';

const secret = 'whsec_test_0123456789abcdef';
const timestamp = '1700000000';
const now = 1_700_000_000_000;
const rawBody = Buffer.from('{"id":"evt_1"}');
const signature = sign(secret, timestamp, rawBody);

const hex = signature.slice(3);
const WRONG = `v1=${'0'.repeat(64)}`;

/** Why a delivery is refused that is valid but for this; `undefined` if it is accepted. */
const refusal = (more: Partial<SignedDelivery> = {}) =>
	whyUntrusted({ secret, timestamp, signature, rawBody, now, ...more });

test.each([
	[Buffer.from('{}'), '86e42664e55bdef9d21c29ec99ef840bb60f05f718392629bb0eb162a585147e'],
	[
		Buffer.from([0x00, 0xff, 0x80]),
		'72c9f3a8380c036169ecd9ed2fe301ef4fc92b0aadc85064b7d3a680565ca6f5',
	],
])('the signature is the one that openssl computes: %#', (body, digest) => {
	expect(sign(secret, timestamp, body)).toBe(`v1=${digest}`);
	expect(refusal({ rawBody: body, signature: `v1=${digest}` })).toBeUndefined();
});

test.each<[string, Partial<SignedDelivery>]>([
	['five minutes old', { now: now + 300_000 }],
	['dated five minutes ahead', { now: now - 300_000 }],
	['signed with the former secret too', { signature: `${WRONG},${signature}` }],
	['signed with the next secret too', { signature: `${signature}, ${WRONG}` }],
	['signed by another scheme too', { signature: `v0=x ${signature}` }],
	['with two headers', { signature: [WRONG, signature] }],
	['in capitals', { signature: `v1=${hex.toUpperCase()}` }],
])('a delivery is accepted that is %s', (_name, more) => {
	expect(refusal(more)).toBeUndefined();
});

const NO_SECRET = 'there is no signing secret to check it with';
const NOT_TEN_DIGITS = 'its timestamp is not ten digits';
const NO_V1 = 'it has no signature of the form v1= and 64 hex digits';
const NOT_OURS = 'its signature was not made with the secret of this webhook';

const dated = (time: string) => ({ timestamp: time, signature: sign(secret, time, rawBody) });

test.each<[string, Partial<SignedDelivery>, string]>([
	['no secret', { secret: undefined }, NO_SECRET],
	['an empty secret', { secret: '', signature: sign('', timestamp, rawBody) }, NO_SECRET],
	['no timestamp', { timestamp: undefined }, 'it has no timestamp'],
	['two timestamps', { timestamp: ['canary', 'canary'] }, NOT_TEN_DIGITS],
	['an empty timestamp', dated(''), NOT_TEN_DIGITS],
	['one of eleven digits', dated('17000000000'), NOT_TEN_DIGITS],
	['one with a blank', dated(' 1700000000'), NOT_TEN_DIGITS],
	['one in another notation', dated('1e9'), NOT_TEN_DIGITS],
	['an old one', { now: now + 301_000 }, 'its timestamp is 301 s behind the clock of n8n'],
	['one ahead', { now: now - 301_000 }, 'its timestamp is 301 s ahead of the clock of n8n'],
	['no signature', { signature: undefined }, 'it has no signature'],
	['a long header', { signature: 'x'.repeat(8_193) }, 'its signature header is too long'],
	['another scheme', { signature: `v2=${hex}` }, NO_V1],
	['a digit too few', { signature: `v1=${hex.slice(1)}` }, NO_V1],
	['no hex', { signature: `v1=${'g'.repeat(64)}` }, NO_V1],
	['another secret', { signature: sign('whsec_canary', timestamp, rawBody) }, NOT_OURS],
])('with %s the log has the reason, and nothing of what was sent', (_name, more, words) => {
	expect(refusal(more)).toBe(words);
});

test('of all changes of a single bit none is accepted', () => {
	const sent = { rawBody, signature: Buffer.from(signature), timestamp: Buffer.from(timestamp) };
	for (const [name, part] of Object.entries(sent)) {
		for (let bit = 0; bit < part.length * 8; bit += 1) {
			const changed = Buffer.from(part);
			changed.writeUInt8(part.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
			const given = name === 'rawBody' ? changed : changed.toString('latin1');
			// Another case of a hex digit is the same digit.
			const isSame = String(given).replace(/[A-F]/, (digit) => digit.toLowerCase()) === signature;
			// The clock moves along, so that only the signature can refuse a changed timestamp.
			const at = name === 'timestamp' ? Number(given) * 1_000 || now : now;
			if (!isSame)
				expect([name, bit, refusal({ [name]: given, now: at })]).not.toContain(undefined);
		}
	}
});
