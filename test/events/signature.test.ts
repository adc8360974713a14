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

/** Signs as the sender would, so that only the named part is wrong. */
const signed = (more: Partial<SignedDelivery> & { timestamp: string }) =>
	check({ ...more, signature: sign(secret, more.timestamp, more.rawBody ?? rawBody) });

describe('the signature is the one that openssl computes', () => {
	test.each([
		['empty', Buffer.alloc(0), '814e706027d44b6013448b27b12c76ad281f72d11fcf05d71e1ef85b69465064'],
		['{}', Buffer.from('{}'), '86e42664e55bdef9d21c29ec99ef840bb60f05f718392629bb0eb162a585147e'],
		[
			'bytes 00 FF 80',
			Buffer.from([0x00, 0xff, 0x80]),
			'72c9f3a8380c036169ecd9ed2fe301ef4fc92b0aadc85064b7d3a680565ca6f5',
		],
	])('of a body that is %s', (_name, body, hex) => {
		expect(sign(secret, timestamp, body)).toBe(`v1=${hex}`);
		expect(check({ rawBody: body, signature: `v1=${hex}` })).toBe(true);
	});
});

test.each([
	[-300, true],
	[300, true],
	[-301, false],
	[301, false],
])('a timestamp %i seconds away: accepted is %s', (seconds, accepted) => {
	expect(check({ now: now + seconds * 1000 })).toBe(accepted);
});

test.each([
	'',
	'abc',
	'1700000000000',
	'170000000',
	'+1700000000',
	'-1700000000',
	'1e9',
	'0x65531f80',
	' 1700000000',
	'1700000000\n',
	'1700000000.1',
	'1700000000, 1700000000',
	'9007199254740992',
	'NaN',
	'１７００００００００',
])('a timestamp %j is refused though it is validly signed', (malformed) => {
	expect(signed({ timestamp: malformed })).toBe(false);
});

test('a missing timestamp, two of them, and one that is not a number are refused', () => {
	expect(check({ timestamp: undefined })).toBe(false);
	expect(check({ timestamp: [timestamp, timestamp] })).toBe(false);
	expect(check({ now: NaN })).toBe(false);
});

test('the dot cannot be moved out of the body', () => {
	const body = Buffer.from('1.{}');
	const moved = sign(secret, timestamp, body);
	expect(check({ timestamp: `${timestamp}.1`, rawBody: Buffer.from('{}'), signature: moved })).toBe(
		false,
	);
});

const hex = signature.slice(3);
test.each([
	['none', undefined],
	['empty', ''],
	['no digits', 'v1='],
	['63 digits', `v1=${hex.slice(1)}`],
	['65 digits', `v1=${hex}0`],
	['not hex', `v1=${'g'.repeat(64)}`],
	['of scheme V1', `V1=${hex}`],
	['not ASCII', `v1=${'é'.repeat(64)}`],
	['v0', `v0=${hex}`],
	['v2', `v2=${hex}`],
	['bare hex', hex],
	['base64', `v1=${Buffer.from(hex, 'hex').toString('base64')}`],
	[
		'10,000 of them',
		Array(10_000)
			.fill(`v1=${'0'.repeat(64)}`)
			.join(','),
	],
	['a valid one behind 8 KiB', `${' '.repeat(8 * 1024)}${signature}`],
])('a signature that is %s is refused', (_name, bad) => {
	expect(check({ signature: bad })).toBe(false);
});

test('hex digits count in either case', () => {
	for (const digits of [hex.toUpperCase(), hex.slice(0, 32).toUpperCase() + hex.slice(32)])
		expect(check({ signature: `v1=${digits}` })).toBe(true);
});

test('a valid signature before or after a bad one is accepted', () => {
	const bad = `v1=${'0'.repeat(64)}`;
	for (const header of [`${bad},${signature}`, `${signature}, ${bad}`, `v0=x ${signature}`]) {
		expect(check({ signature: header })).toBe(true);
	}
	expect(check({ signature: [bad, signature] })).toBe(true);
});

test.each([
	['changed', '{"id":"evt_2"}'],
	['re-serialised', '{ "id": "evt_1" }'],
	['with a newline', '{"id":"evt_1"}\n'],
	['with a byte order mark', '\ufeff{"id":"evt_1"}'],
])('a body that is %s is refused', (_name, body) => {
	expect(check({ rawBody: Buffer.from(body) })).toBe(false);
});

test.each([undefined, '', 'whsec_other', ` ${secret}`, `${secret} `])(
	'the secret %j is refused',
	(other) => {
		expect(check({ secret: other })).toBe(false);
	},
);

describe('the log of the operator has the reason, and nothing of what was sent', () => {
	const reason = (more: Partial<SignedDelivery>) =>
		refusalOf({ secret, timestamp, signature, rawBody, now, ...more });

	test.each<[string, Partial<SignedDelivery>, string]>([
		['no secret', { secret: undefined }, 'there is no signing secret to check it with'],
		['no timestamp', { timestamp: undefined }, 'it has no timestamp'],
		['a malformed timestamp', { timestamp: 'canary' }, 'its timestamp is not ten digits'],
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
	])('%s', (_name, more, words) => {
		expect(reason(more)).toBe(words);
		expect(check(more)).toBe(false);
	});

	test('and none where it is accepted', () => expect(reason({})).toBeUndefined());
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

test('an empty secret is none, even for who signs with it', () => {
	expect(check({ secret: '', signature: sign('', timestamp, rawBody) })).toBe(false);
});
