/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { existsSync, readFileSync } from 'fs';
import { join } from 'path';
import { rowsOf } from '../../scripts/mutation/report';
import { TARGETS } from '../../scripts/mutation/targets';
import { filesIn, ROOT } from '../support/sources';

test('mutation tests take in everything that decides about an event, and only files that are there', () => {
	const files = TARGETS.map(({ file }) => file);
	expect(files).toEqual(expect.arrayContaining(filesIn('src/webhook')));
	const named = TARGETS.flatMap(({ file, tests }) => [file, ...tests]);
	expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

test('docs/mutation.md has a row for each of these files, and for no other', () => {
	const page = readFileSync(join(ROOT, 'docs', 'mutation.md'), 'utf8');
	expect(rowsOf(page).map(({ file }) => file)).toEqual(TARGETS.map(({ file }) => file));
});
