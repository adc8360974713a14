import { filesIn, read } from '../support/sources';

test('no test draws numbers whose seed is not pinned', () => {
	const files = filesIn('test').filter(
		(file) => !/^test\/(e2e|support\/fastCheck|repository\/seeds)/.test(file),
	);
	expect(files.length).toBeGreaterThan(100);
	const unpinned = files.filter((file) => /from 'fast-check'|Math\.random\(/.test(read(file)));
	expect(unpinned).toEqual([]);
});
