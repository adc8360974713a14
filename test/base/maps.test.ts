import { BoundedMap, getOrCreate } from '../../src/base/maps';

test('a value is made once, and what is used stays in a map that forgets', () => {
	const map = new BoundedMap<string, object>(2);
	const made = getOrCreate(map, 'a', () => ({}));
	getOrCreate(map, 'b', () => ({}));
	expect(getOrCreate(map, 'a', () => ({}))).toBe(made);
	getOrCreate(map, 'c', () => ({}));
	expect([...map.keys()]).toEqual(['a', 'c']);
});
