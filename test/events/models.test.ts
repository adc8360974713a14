import { getModels } from '../../src/events/filters';
import { editor } from '../support/searches';

/** An editor whose service answers with one body after another, the last one again and again. */
const opened = (...bodies: unknown[]) =>
	editor({ answers: () => (bodies.length > 1 ? bodies.shift() : bodies[0]) });

test('the filter of a trigger offers the models of all pages of the catalogue', async () => {
	const { context, asked } = opened(
		{ data: [{ id: 'a', label: 'Alpha' }, { label: 'no id' }, null], next_cursor: 'c1' },
		{ data: [{ id: 'b' }], has_more: true, next_cursor: 'c2' },
		{ data: [{ id: 'c', name: 7 }], has_more: false, next_cursor: 'c3' },
	);
	expect(await getModels.call(context)).toEqual([
		{ name: 'Alpha', value: 'a' },
		{ name: 'b', value: 'b' },
		{ name: 'c', value: 'c' },
	]);
	expect(asked.map(({ qs }) => qs)).toEqual([{}, { cursor: 'c1' }, { cursor: 'c2' }]);
});

test('a list that never ends is left after ten pages, and one that repeats itself is an error', async () => {
	let number = 0;
	const endless = {
		get next_cursor() {
			return `c${(number += 1)}`;
		},
		data: [],
	};
	const { context, asked } = opened(endless);
	expect(await getModels.call(context)).toEqual([]);
	expect(asked).toHaveLength(10);
	const repeating = opened({ data: [], next_cursor: 'c' });
	await expect(getModels.call(repeating.context)).rejects.toThrow('leads back to a page before');
	expect(repeating.asked).toHaveLength(2);
});

test('what is no list is an error', async () => {
	await expect(getModels.call(opened({}).context)).rejects.toThrow('cannot be used');
});
