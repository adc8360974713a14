/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { readdirSync } from 'fs';
import { filesIn, read, ROOT } from '../support/sources';

const FOLDERS = [
	...['.github', 'bench', 'credentials', 'docs', 'examples', 'lab', 'nodes', 'scripts', 'site'],
	...['src', 'test', 'testing'],
];
const ENDINGS = ['.ts', '.js', '.cjs', '.mjs', '.md', '.html', '.txt', '.yml'];
const THIS = 'test/repository/words.test.ts';

const files = [
	...FOLDERS.flatMap((folder) => ENDINGS.flatMap((ending) => filesIn(folder, ending))),
	...filesIn('examples', '.json'),
	...readdirSync(ROOT).filter((file) => /\.(md|js|mjs)$/.test(file)),
].filter(
	(file) =>
		file !== THIS && !file.startsWith('src/sandbox/media/fonts/') && !/\/(cache|dist)\//.test(file),
);

/** What the files say that is neither plain nor the field's word. A prompt may say anything. */
const occurrences = (pattern: RegExp): string[] =>
	files.flatMap((file) =>
		read(file)
			.split('\n')
			.flatMap((line, index) =>
				pattern.test(line) && !/^\s*"prompt":/.test(line)
					? [`${file}:${index + 1} ${line.trim()}`]
					: [],
			),
	);

test.each([
	['told, tell, tells', /\b(told|tells?)\b/i],
	['so many', /\bso many\b/i],
	['for ever', /\bfor ever\b/i],
	['shall', /\bshall\b/i],
	['of our own making', /of our own making/i],
	[
		'is no X, instead of is not an X',
		/(?<!\b(there|it there) )\b(is|are) no (?!longer\b|more\b|other\b)\w/i,
	],
])('plain English: nobody writes "%s"', (_, pattern) => {
	expect(occurrences(pattern)).toEqual([]);
});

/** Metaphors that once stood for a rate limiter, a semaphore, a poller, a schedule, a handler. */
const METAPHORS =
	'Ending|Endings|Ended|Funds|Keeper|Lead|Look|Pace|Patience|Place|Room|Stories|Story|Turns?|Usual|Watch';

test('the field has a word for what a type or a class stands for', () => {
	const declared = new RegExp(`\\b(?:class|interface|type|enum) (?:${METAPHORS})\\b`);
	expect(occurrences(declared)).toEqual([]);
});
