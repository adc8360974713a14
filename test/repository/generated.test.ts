/* eslint-disable @n8n/community-nodes/no-dangerous-functions, @n8n/community-nodes/no-restricted-imports -- not published */
import { execFileSync } from 'child_process';
import { filesIn, read, ROOT } from '../support/sources';

const git = (...args: string[]) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' });

/** What .prettierignore says that scripts write. */
const written = (read('.prettierignore').split('# What scripts write\n')[1] ?? '')
	.split('\n\n')[0]
	?.split('\n')
	.filter((line) => line !== '') as string[];

/** The files of the repository that its lines stand for. */
const files = () =>
	git('ls-files')
		.split('\n')
		.filter((file) =>
			written.some((line) =>
				line.endsWith('/') ? `/${file}`.includes(`/${line}`) : file === line,
			),
		);

test('what scripts write is folded in reviews: .gitattributes says that it is generated', () => {
	expect(files().length).toBeGreaterThan(50);
	const pages = filesIn('docs', '.md').filter((file) =>
		/This page is written by `npm run|`npm run \S+` writes this/.test(read(file)),
	);
	const attributes = git('check-attr', 'linguist-generated', '--', ...files(), ...pages);
	const missing = attributes.split('\n').filter((line) => line.endsWith(': unspecified'));
	expect(missing).toEqual([]);
});

test('neither installed packages nor links to them are tracked', () => {
	const tracked = git('ls-files', '--stage').split('\n');
	expect(tracked.filter((line) => line.startsWith('120000'))).toEqual([]);
	expect(tracked.filter((line) => /\bnode_modules\b/.test(line))).toEqual([]);
	expect(git('check-ignore', 'node_modules', 'lab/node_modules').trim().split('\n')).toHaveLength(
		2,
	);
});
