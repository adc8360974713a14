import fc, { SEED } from '../support/fastCheck';
import { withSeed } from '../support/seed';
import { filesIn, read } from '../support/sources';

test('a property that fails says how to repeat it', () => {
	const isFalse = () => fc.assert(fc.property(fc.nat(), (number) => number < 0));
	expect(isFalse).toThrow(`TEST_SEED=${SEED} repeats this.`);
	expect(isFalse).toThrow('Counterexample: [0]');
});

test('a test of one seed that fails names it', async () => {
	const failing = async () => await Promise.reject(new Error('two charges'));
	await expect(withSeed(9, failing)).rejects.toThrow('TEST_SEED=9 repeats this.\ntwo charges');
});

test('no test draws numbers whose seed is not pinned', () => {
	const files = filesIn('test').filter(
		(file) => !/^test\/(e2e|support\/fastCheck|repository\/seeds)/.test(file),
	);
	expect(files.length).toBeGreaterThan(100);
	const unpinned = files.filter((file) => /from 'fast-check'|Math\.random\(/.test(read(file)));
	expect(unpinned).toEqual([]);
});
