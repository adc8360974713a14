/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import execa from 'execa';
import { mkdtempSync, readdirSync, rmSync } from 'fs';
import { tmpdir } from 'os';
import { join } from 'path';
import { filesIn, read, ROOT } from '../support/sources';

/* What docs/CONTRIBUTING.md asks for and no other tool looks at. */

/**
 * Commits from before the rule of 72 characters are older: a date, because a shallow clone has no old
 * commits.
 */
const BEGIN = '2026-11-27T19:39:13Z';
const LONGEST_SUBJECT = 72;

/** The subjects of a repository since then that are too long, without those that git writes itself. */
async function longSubjects(cwd: string): Promise<string[]> {
	const args = ['log', '--no-merges', `--since=${BEGIN}`, '--format=%s'];
	// A copy without history has none.
	const { stdout } = await execa('git', args, { cwd, reject: false });
	return stdout.split('\n').filter((subject) => subject.length > LONGEST_SUBJECT);
}

describe('commits', () => {
	const folder = mkdtempSync(join(tmpdir(), 'mediagen-habits-'));
	const origin = join(folder, 'origin');
	afterAll(() => rmSync(folder, { recursive: true, force: true }));

	async function commit(subject: string, date: string): Promise<void> {
		const person = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com'];
		const env = { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date };
		const args = ['commit', '--quiet', '--allow-empty', '-m', subject];
		await execa('git', [...person, ...args], { cwd: origin, env });
	}

	test('have subjects of at most 72 characters', async () => {
		expect(await longSubjects(ROOT)).toEqual([]);
	});

	test('a longer one is found, in a shallow clone too, unless it is older than the rule', async () => {
		await execa('git', ['init', '--quiet', origin]);
		await commit(`Old ${'x'.repeat(72)}`, '2026-11-26T12:00:00Z');
		expect(await longSubjects(origin)).toEqual([]);
		await commit('y'.repeat(72), '2026-11-28T12:00:00Z');
		expect(await longSubjects(origin)).toEqual([]);
		await commit('z'.repeat(73), '2026-11-28T13:00:00Z');
		expect(await longSubjects(origin)).toEqual(['z'.repeat(73)]);
		const shallow = join(folder, 'shallow');
		await execa('git', ['clone', '--quiet', '--depth=1', `file://${origin}`, shallow]);
		expect(await longSubjects(shallow)).toEqual(['z'.repeat(73)]);
	});
});

const LONGEST_COMMENT = 110;
const TAB = '    ';

const isComment = (line: string) => /^\s*(\/\/|\/?\*)/.test(line);

/** A directive cannot be broken into lines. */
const isDirective = (line: string) => /^\s*\/[/*] eslint-/.test(line);
const isTooLong = (line: string) =>
	isComment(line) && !isDirective(line) && line.replaceAll('\t', TAB).length > LONGEST_COMMENT;

const folders = [
	'.ci',
	'credentials',
	'nodes',
	'src',
	'sandbox',
	'lab',
	'bench',
	'scripts',
	'test',
];
const endings = ['.ts', '.js', '.cjs', '.mjs'];
const isCode = (file: string) =>
	endings.some((ending) => file.endsWith(ending)) && !file.endsWith('.d.ts');

const longCommentsIn = (files: string[]) =>
	files.filter(isCode).flatMap((file) =>
		read(file)
			.split('\n')
			.flatMap((line, index) => (isTooLong(line) ? [`${file}:${index + 1}`] : [])),
	);

test('no line of a comment at the root is longer than 110 columns', () => {
	expect(longCommentsIn(readdirSync(ROOT))).toEqual([]);
});

test.each(folders)('no line of a comment in %s is longer than 110 columns', (folder) => {
	expect(longCommentsIn(filesIn(folder, ''))).toEqual([]);
});

test('a line is as long as it is shown, with tabs of four columns', () => {
	const line = (length: number, start = '\t\t * ') => start.padEnd(length, 'x');
	expect([line(104), line(110, '// '), `const a = '${line(120)}';`].filter(isTooLong)).toEqual([]);
	const long = [line(105), line(111, '// '), line(111, '/** ')];
	expect(long.filter(isTooLong)).toEqual(long);
});
