/* eslint-disable @n8n/community-nodes/no-hardcoded-secrets -- not published */
import { cases } from '../support/thorough';
import { refusalOf, sign, type SignedDelivery } from '../../src/events/signature';

const secret = 'whsec_test_0123456789abcdef';
const timestamp = '1700000000';
const now = 1_700_000_000_000;
const rawBody = Buffer.from('{"id":"evt_1"}');
const signature = sign(secret, timestamp, rawBody);

const check = (more: Partial<SignedDelivery> = {}) =>
	refusalOf({ secret, timestamp, signature, rawBody, now, ...more }) === undefined;

test.each([
	[Buffer.from('{}'), '86e42664e55bdef9d21c29ec99ef840bb60f05f718392629bb0eb162a585147e'],
	[
		Buffer.from([0x00, 0xff, 0x80]),
		'72c9f3a8380c036169ecd9ed2fe301ef4fc92b0aadc85064b7d3a680565ca6f5',
	],
])('the signature is the one that openssl computes: %#', (body, hex) => {
	expect(sign(secret, timestamp, body)).toBe(`v1=${hex}`);
	expect(check({ rawBody: body, signature: `v1=${hex}` })).toBe(true);
});

test.each([
	[-300, true],
	[300, true],
	[-301, false],
	[301, false],
])('a timestamp %i seconds away: accepted is %s', (seconds, accepted) => {
	expect(check({ now: now + seconds * 1000 })).toBe(accepted);
});

test.each(['', '17000000000', '1e9', ' 1700000000'])(
	'a timestamp %j is refused though it is validly signed',
	(malformed) => {
		expect(check({ timestamp: malformed, signature: sign(secret, malformed, rawBody) })).toBe(
			false,
		);
	},
);

const hex = signature.slice(3);
const WRONG = `v1=${'0'.repeat(64)}`;

test.each([
	['63 digits', `v1=${hex.slice(1)}`],
	['not hex', `v1=${'g'.repeat(64)}`],
	['of another scheme', `v2=${hex}`],
	['10,000 of them', Array(10_000).fill(WRONG).join(',')],
])('a signature that is %s is refused', (_name, bad) => {
	expect(check({ signature: bad })).toBe(false);
});

test.each([
	[`${WRONG},${signature}`],
	[`${signature}, ${WRONG}`],
	[`v0=x ${signature}`],
	[[WRONG, signature]],
	[`v1=${hex.toUpperCase()}`],
])('one valid signature is enough, in either case: %j', (header) => {
	expect(check({ signature: header })).toBe(true);
});

test.each<[string, Partial<SignedDelivery>, string]>([
	['no secret', { secret: undefined }, 'there is no signing secret to check it with'],
	[
		'an empty secret',
		{ secret: '', signature: sign('', timestamp, rawBody) },
		'there is no signing secret to check it with',
	],
	['no timestamp', { timestamp: undefined }, 'it has no timestamp'],
	['two timestamps', { timestamp: ['canary', 'canary'] }, 'its timestamp is not ten digits'],
	['an old one', { now: now + 301_000 }, 'its timestamp is 301 s behind the clock of n8n'],
	['one ahead', { now: now - 400_000 }, 'its timestamp is 400 s ahead of the clock of n8n'],
	['no signature', { signature: undefined }, 'it has no signature'],
	['a long header', { signature: 'x'.repeat(8_193) }, 'its signature header is too long'],
	[
		'another scheme',
		{ signature: 'v0=canary' },
		'it has no signature of the form v1= and 64 hex digits',
	],
	[
		'another secret',
		{ signature: sign('whsec_canary', timestamp, rawBody) },
		'its signature was not made with the secret of this webhook',
	],
])('the log of the operator has the reason, and nothing of what was sent: %s', (_, more, words) => {
	expect(refusalOf({ secret, timestamp, signature, rawBody, now, ...more })).toBe(words);
});

const CHANGES = cases(100_000);

test(`of ${CHANGES} single-bit changes none is accepted and none throws`, () => {
	const parts = [rawBody, Buffer.from(signature), Buffer.from(timestamp)];
	const bits = parts.reduce((sum, part) => sum + part.length * 8, 0);
	let accepted = 0;
	for (let change = 0; change < CHANGES; change += 1) {
		const copies = parts.map((part) => Buffer.from(part));
		const [body, header, time] = copies as [Buffer, Buffer, Buffer];
		let bit = change % bits;
		for (const part of copies) {
			if (bit >= 0 && bit < part.length * 8) {
				part.writeUInt8(part.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
			}
			bit -= part.length * 8;
		}
		const shown = { signature: header.toString('latin1'), timestamp: time.toString('latin1') };
		// The clock moves along, so that only the signature can refuse a changed timestamp.
		const at = Number(shown.timestamp) * 1000;
		// Another case of a hex digit is the same digit.
		const isSame = shown.signature.replace(/[A-F]/, (digit) => digit.toLowerCase()) === signature;
		const isChanged = !isSame || !body.equals(rawBody) || shown.timestamp !== timestamp;
		const isAccepted = check({ rawBody: body, ...shown, now: Number.isNaN(at) ? now : at });
		if (isAccepted && isChanged) accepted += 1;
	}
	expect(accepted).toBe(0);
});
