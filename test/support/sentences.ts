import { read } from './sources';

/** A file of tests, and the name of a test in it, as it is written there. */
export type Proof = [file: string, name: string];

/** Nothing, or a heading. */
const isEmpty = (block: string) => block === '' || block.startsWith('#');

/** The line of dashes of a table, and the heads of its columns before that. */
const isOfTableHead = (block: string, next = '') => /^\| ?-/.test(block) || /^\| ?-/.test(next);

/** What a page says, without links, bold and diagrams: its sentences, and the rows of its tables. */
function sentencesIn(page: string): string[] {
	const blocks = page.split(/\n(?=\n|- |\|)/).map((block) => block.replace(/\s+/g, ' ').trim());
	return blocks
		.filter((block, index) => !isEmpty(block) && !isOfTableHead(block, blocks[index + 1]))
		.flatMap((block) => {
			const text = block.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('**', '');
			return text.startsWith('|') ? [text.slice(2, -2)] : text.replace(/^- /, '').split(/(?<=\.) /);
		});
}

/** Tests that a page says nothing but what tests prove. @param said what it says, and the proofs */
export function provesEachSentence(page: string, said: Record<string, Proof[]>): void {
	test(`every sentence of ${page} has its tests, and no other is listed`, () => {
		expect(sentencesIn(read(page))).toEqual(Object.keys(said));
	});

	test.each(Object.entries(said))('%s', (_, proofs) => {
		expect(proofs.length).toBeGreaterThan(0);
		expect(proofs.map(([, name]) => name)).not.toContain('');
		expect(proofs.filter(([file, name]) => !read(file).includes(name))).toEqual([]);
	});
}
