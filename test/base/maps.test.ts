import { BoundedMap, findOnce, getOrCreate } from '../../src/base/maps';

test('a value is made once, and what is used stays in a map that forgets', () => {
	const map = new BoundedMap<string, object>(2);
	const made = getOrCreate(map, 'a', () => ({}));
	getOrCreate(map, 'b', () => ({}));
	expect(getOrCreate(map, 'a', () => ({}))).toBe(made);
	getOrCreate(map, 'c', () => ({}));
	expect([...map.keys()]).toEqual(['a', 'c']);
});

describe('what is found out once', () => {
	test('all who ask wait for the same, and get it later too', async () => {
		const map = new Map<string, Promise<number>>();
		let asked = 0;
		const find = async () => await Promise.resolve((asked += 1));
		expect(await Promise.all([findOnce(map, 'a', find), findOnce(map, 'a', find)])).toEqual([1, 1]);
		expect([await findOnce(map, 'a', find), await findOnce(map, 'b', find)]).toEqual([1, 2]);
	});

	test.each([true, false])('a failure is not kept (it rejects: %s)', async (rejects) => {
		const map = new Map<string, Promise<string>>();
		const fails = async () => {
			if (rejects) throw new Error('failed');
			return await Promise.resolve('failed');
		};
		const hasFailed = (found: string) => found === 'failed';
		const ask = async (find: () => Promise<string>) =>
			await findOnce(map, 'a', find, hasFailed).catch(({ message }: Error) => message);
		expect(await Promise.all([ask(fails), ask(fails)])).toEqual(['failed', 'failed']);
		expect([await ask(async () => 'found'), await ask(fails)]).toEqual(['found', 'found']);
	});

	test('a failure does not take away what was found out anew meanwhile', async () => {
		const map = new Map<string, Promise<string>>();
		let fail: (error: Error) => void = () => {};
		const failing = findOnce(map, 'a', () => new Promise((_, reject) => (fail = reject)));
		map.delete('a');
		const anew = findOnce(map, 'a', async () => 'found');
		fail(new Error('failed'));
		await expect(failing).rejects.toThrow('failed');
		expect(map.get('a')).toBe(anew);
	});
});
