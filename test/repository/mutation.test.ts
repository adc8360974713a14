/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { existsSync } from 'fs';
import { join } from 'path';
import { TARGETS } from '../../scripts/mutation/targets';
import { filesIn, ROOT } from '../support/sources';

test('mutation tests take in everything that decides about an event, and only files that are there', () => {
	const files = TARGETS.map(({ file }) => file);
	expect(files).toEqual(expect.arrayContaining(filesIn('src/webhook')));
	const named = TARGETS.flatMap(({ file, tests }) => [file, ...tests]);
	expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});
