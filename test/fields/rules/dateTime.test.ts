import { tryToParseDateTime } from 'n8n-workflow';
import { dateTime } from '../../../src/fields/rules';
import { context } from '../../support/rules';

const inBerlin = { ...context, timezone: 'Europe/Berlin' };

const NOON = Date.parse('2026-01-31T12:00:00Z');

const inTokyo = tryToParseDateTime(new Date(NOON), 'Asia/Tokyo');

test.each<[unknown, string]>([
	['2026-01-31T12:00:00Z', '2026-01-31T12:00:00.000Z'],
	['2026-01-31T12:00:00+02:00', '2026-01-31T10:00:00.000Z'],
	['2026-01-31T12:00:00', '2026-01-31T11:00:00.000Z'],
	['2026-01-31 12:00:00', '2026-01-31T11:00:00.000Z'],
	[' 2026-01-31 ', '2026-01-30T23:00:00.000Z'],
	[new Date(NOON), '2026-01-31T12:00:00.000Z'],
	[inTokyo, '2026-01-31T12:00:00.000Z'],
	[inTokyo.toString(), '2026-01-31T12:00:00.000Z'],
	[NOON, '2026-01-31T12:00:00.000Z'],
])('%p is sent in UTC, without an offset taken in the timezone of the workflow', (given, value) => {
	expect(dateTime()(given, inBerlin)).toEqual({ value });
});

test.each<[unknown]>([
	['soon'],
	['12/31/2026'],
	['2026-02-30T12:00:00Z'],
	// Within the hour that summer time leaves out.
	['2026-03-29T02:30:00'],
	['2026'],
	// Seconds, not milliseconds.
	[1_769_860_800],
	[new Date(NaN)],
])('%p is not a time that comes out as it went in', (given) => {
	expect(dateTime()(given, inBerlin)).toMatchObject({ problem: /^must be a date and time .*got / });
});
