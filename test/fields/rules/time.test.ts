import { dateTime } from '../../../src/fields/rules';
import { context } from '../../support/rules';

const inBerlin = { ...context, timezone: 'Europe/Berlin' };

test.each([
	['2026-01-31T12:00:00Z', '2026-01-31T12:00:00.000Z'],
	['2026-01-31T12:00:00+02:00', '2026-01-31T10:00:00.000Z'],
	['2026-01-31T12:00:00', '2026-01-31T11:00:00.000Z'],
	['2026-07-31T12:00:00', '2026-07-31T10:00:00.000Z'],
	['2026-01-31', '2026-01-30T23:00:00.000Z'],
	[new Date('2026-01-31T12:00:00Z'), '2026-01-31T12:00:00.000Z'],
])('%p is sent in UTC, without an offset taken in the timezone of the workflow', (given, value) => {
	expect(dateTime()(given, inBerlin)).toEqual({ value });
});

test.each([['soon'], ['2026-13-01'], ['{}'], [{}], [[]], [true], [Symbol('x')]])(
	'%p is not a time',
	(given) => {
		expect(dateTime()(given, inBerlin)).toMatchObject({ problem: /^must be a date and time/ });
	},
);

test.each([[''], [undefined], [null]])('%p leaves it out', (given) => {
	expect(dateTime()(given, inBerlin)).toEqual({ value: undefined });
});
