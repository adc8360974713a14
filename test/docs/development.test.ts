/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { existsSync, readdirSync } from 'fs';
import { join, posix } from 'path';
import { filesIn, PUBLISHED, read, ROOT } from '../support/sources';

const page = read('docs/development.md');
const ofChanges = read('docs/CONTRIBUTING.md');

/** A section of a page, from its heading to the next one. */
const sectionOf = (text: string, heading: string): string =>
	text.split(/^## /m).find((section) => section.startsWith(`${heading}\n`)) ?? '';

const matchesIn = (text: string, pattern: RegExp): string[] =>
	[...text.matchAll(pattern)].map(([, found = '']) => found);

test.each([
	['docs/development.md', page, 30],
	['docs/CONTRIBUTING.md', ofChanges, 8],
])(
	'%s: a file that is named by its name alone is one of src; one with a folder is there',
	(_, text, least) => {
		const names = filesIn('src').map((file) => posix.basename(file));
		const named = matchesIn(text, /`([\w./]+\.ts)`/g);
		const isThere = (file: string) =>
			file.includes('/') ? existsSync(join(ROOT, file)) : names.includes(file);
		// The operations of a node are in a file of the same name for each.
		expect(named.filter((file) => file !== 'operations.ts' && !isThere(file))).toEqual([]);
		expect(named.length).toBeGreaterThan(least);
	},
);

/** The rows of a table, each as its cells. */
const rowsOf = (text: string): string[][] =>
	text
		.split('\n')
		.filter((line) => /^\| (?!-)/.test(line))
		.map((line) =>
			line
				.slice(2, -2)
				.split(' | ')
				.map((cell) => cell.trim()),
		);

test('each promise has its mechanisms, and each mechanism a file of src and a test', () => {
	const section = sectionOf(page, 'What is promised, and what keeps it');
	const promised = matchesIn(section, /^\d+\. \*\*(.*?)\.\*\*/gm);
	const [, ...rows] = rowsOf(section);
	expect(rows.flatMap(([promise]) => promise || [])).toEqual(promised);
	expect(promised).toHaveLength(9);
	const lacking = rows.filter(
		([, mechanism, file = '', proof = '']) =>
			!mechanism || !/`\w+\.ts`/.test(file) || !/`[\w/.]+\.test\.ts`/.test(proof),
	);
	expect(lacking).toEqual([]);
});

/** All pages of the documentation. */
const pages = ['.', 'docs', 'docs/nodes', 'sandbox', 'examples'].flatMap((folder) =>
	readdirSync(join(ROOT, folder))
		.filter((file) => file.endsWith('.md'))
		.map((file) => posix.join(folder, file)),
);

test('what a page says to be in a file is declared there', () => {
	const files = [...PUBLISHED, 'sandbox', 'lab', 'scripts', 'bench'].flatMap((folder) =>
		filesIn(folder),
	);
	const pairs = pages.flatMap((file) =>
		[...read(file).matchAll(/`(\w+)(?:\(.*?\))?`\s+(?:in|of)\s+`([\w./]+\.ts)`/g)].map(
			([, name = '', where = '']) => ({ file, name, where }),
		),
	);
	const wrong = pairs.filter(({ name, where }) => {
		const meant = files.filter((one) => one === where || one.endsWith(`/${where}`));
		// Declared there, not only used: as itself, or as a member of an object or a class.
		const declared = new RegExp(
			`(function|const|class|interface|type) ${name}\\b|^\\t(private )?(async )?${name}[:(]`,
			'm',
		);
		return !meant.some((one) => declared.test(read(one)));
	});
	expect(wrong).toEqual([]);
	expect(pairs.length).toBeGreaterThan(5);
});

const OURS = 'src|nodes|sandbox|lab|bench|scripts|test|docs|examples';

test('what a page names by its path, a file or a folder, is there', () => {
	const missing = pages.flatMap((file) =>
		matchesIn(read(file), new RegExp(`\`((?:${OURS})(?:/[\\w.-]+)*/?)\``, 'g'))
			// What is installed is not there in a fresh clone.
			.filter((named) => !named.includes('node_modules') && !existsSync(join(ROOT, named)))
			.map((named) => `${named} in ${file}`),
	);
	expect(missing).toEqual([]);
});

test('what is named of the code, beside files, is in it', () => {
	const code = [...PUBLISHED.flatMap((folder) => filesIn(folder))].map(read).join('\n');
	const named = matchesIn(sectionOf(ofChanges, 'Where to change what'), /`([A-Za-z]+)`/g);
	expect(named.filter((name) => !new RegExp(`\\b${name}\\b`).test(code) && name !== 'src')).toEqual(
		[],
	);
	expect(named.length).toBeGreaterThan(5);
});

test('the tree has every folder of src, and every folder of this project with code', () => {
	const [, tree = ''] = /```\n([^`]*)```/.exec(sectionOf(page, 'The tree')) ?? [];
	const foldersIn = (folder: string) =>
		readdirSync(join(ROOT, folder), { withFileTypes: true })
			.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
			.map(({ name }) => name);
	expect(matchesIn(tree, /^ {2}(\w+)\//gm).sort()).toEqual(foldersIn('src').sort());
	const hasCode = (folder: string) => folder !== 'dist' && filesIn(folder).length > 0;
	const others = foldersIn('.').filter((folder) => !folder.includes('node_modules'));
	expect(matchesIn(tree, /^(\w+)\//gm).sort()).toEqual(others.filter(hasCode).sort());
});

test('a newcomer reads it in one sitting', () => {
	const words = page.split(/\s+/).filter((word) => /[a-z0-9]/i.test(word));
	expect(words.length).toBeLessThan(1_900);
});
