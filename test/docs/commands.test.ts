/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { existsSync, readdirSync } from 'fs';
import { join } from 'path';
import { filesIn, read, ROOT } from '../support/sources';

const pages = [
	...readdirSync(ROOT).filter((file) => file.endsWith('.md')),
	...['docs', 'examples', '.github'].flatMap((folder) => filesIn(folder, '.md')),
	...filesIn('.github', '.yml'),
	'docker-compose.yml',
];

const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };

/** Code that may read a variable of the environment. */
const code = [
	...['sandbox', 'lab', 'bench', 'scripts', 'test'].flatMap((folder) =>
		['.ts', '.cjs', '.mjs'].flatMap((ending) => filesIn(folder, ending)),
	),
	'.ci/prepare',
]
	.filter((file) => file !== 'test/docs/commands.test.ts')
	.map(read)
	.join('\n');

const found = (page: string, pattern: RegExp): string[] => [
	...new Set([...read(page).matchAll(pattern)].map(([, first = '']) => first)),
];

test.each(pages)('%s: every script, file and variable of a command exists', (page) => {
	const lacking = [
		...found(page, /npm run (?:--silent )?([a-z][\w:-]*)/g).filter((name) => !scripts[name]),
		...found(page, /\b(?:tsx|node) ([\w/.-]+\.(?:ts|cjs|mjs))/g).filter(
			(file) => !existsSync(join(ROOT, file)),
		),
		// Packing the checkout itself fails.
		...found(page, /(\bnpm pack\b(?! \.\/dist\/package).{0,20})/g),
		...found(page, /-c ([\w./-]+\.js)/g).filter((file) => !existsSync(join(ROOT, file))),
		...found(page, /\b((?:MEDIAGEN|TEST|PAID_ONCE|REDIS|DATABASE)_[A-Z_]*[A-Z])\b/g).filter(
			(name) => !new RegExp(`\\b${name}\\b`).test(code),
		),
	];
	expect(lacking).toEqual([]);
});

test.each(['npm ci && npm start', 'npm ci && npm test'])(
	'the first screen of README says: %s',
	(command) => {
		expect(read('README.md').split('\n').slice(0, 30).join('\n')).toContain(command);
	},
);
