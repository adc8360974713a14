import { SameSettings } from '../../../src/transport/run/sameSettings';
import { settingsWith } from '../../../testing/run';

test('items with the same settings hold one object, however many they are', () => {
	const same = new SameSettings();
	const all = Array.from({ length: 100 }, () => same.of(settingsWith()));
	expect(new Set(all).size).toBe(1);
});

test('an item with other settings has its own', () => {
	const same = new SameSettings();
	const first = same.of(settingsWith({ idempotencyKey: 'a', limit: 1 }));
	const second = same.of(settingsWith({ idempotencyKey: 'b', limit: 1 }));
	const third = same.of(settingsWith({ idempotencyKey: 'b', limit: Infinity }));
	expect([first, second, third].map(({ idempotencyKey }) => idempotencyKey)).toEqual([
		'a',
		'b',
		'b',
	]);
	expect([second.limit, third.limit]).toEqual([1, Infinity]);
});
