import { tryToParseDateTime } from 'n8n-workflow';
import { ABSENT, dateTime } from '../../../src/fields/rules';
import { context } from '../../support/rules';

const inBerlin = { ...context, timezone: 'Europe/Berlin' };

const NOON = Date.parse('2026-01-31T12:00:00Z');

const inTokyo = tryToParseDateTime(new Date(NOON), 'Asia/Tokyo');

test.each<[unknown, string]>([
	['2026-01-31T12:00:00Z', '2026-01-31T12:00:00.000Z'],
	['2026-01-31T12:00:00.123Z', '2026-01-31T12:00:00.123Z'],
	['2026-01-31T12:00:00+02:00', '2026-01-31T10:00:00.000Z'],
	['2026-01-31T12:00:00-0530', '2026-01-31T17:30:00.000Z'],
	['2026-01-31T12:00:00', '2026-01-31T11:00:00.000Z'],
	['2026-07-31T12:00', '2026-07-31T10:00:00.000Z'],
	['2026-01-31 12:00:00', '2026-01-31T11:00:00.000Z'],
	[' 2026-01-31 ', '2026-01-30T23:00:00.000Z'],
	[new Date(NOON), '2026-01-31T12:00:00.000Z'],
	[inTokyo, '2026-01-31T12:00:00.000Z'],
	[inTokyo.toString(), '2026-01-31T12:00:00.000Z'],
	[NOON, '2026-01-31T12:00:00.000Z'],
	[String(NOON), '2026-01-31T12:00:00.000Z'],
])('%p is sent in UTC, without an offset taken in the timezone of the workflow', (given, value) => {
	expect(dateTime()(given, inBerlin)).toEqual({ value });
});

test.each<[unknown]>([
	['soon'],
	['12/31/2026'],
	['31.12.2026'],
	['Sat, 31 Jan 2026 12:00:00 GMT'],
	['2026-13-01'],
	['2026-02-30'],
	['2026-02-30T12:00:00Z'],
	['2026-01-31T25:00'],
	['2026-03-29T02:30:00'],
	['2026'],
	[1_769_860_800],
	[NaN],
	[-1],
	[new Date(NaN)],
	['{}'],
	[{}],
	[true],
	[Symbol('x')],
])('%p is not a time that comes out as it went in', (given) => {
	expect(dateTime()(given, inBerlin)).toMatchObject({ problem: /^must be a date and time .*got / });
});

test('an empty text leaves it out; an expression that gives nothing is a problem', () => {
	for (const given of ['', ' ', ABSENT])
		expect(dateTime()(given, inBerlin)).toEqual({ value: undefined });
	for (const given of [undefined, null, []])
		expect(dateTime()(given, inBerlin)).toHaveProperty('problem');
});
