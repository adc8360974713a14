/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { existsSync } from 'fs';
import { join } from 'path';
import { mutants } from '../mutants';
import { misfit } from '../mutants/mutant';
import { filesIn, PUBLISHED, read, ROOT } from '../support/sources';

test('every mutant fits the code, and its tests exist', () => {
	const sources = PUBLISHED.flatMap((folder) => filesIn(folder)).map(read);
	const problems = mutants.flatMap((mutant) => {
		const lacking = mutant.tests.filter((file) => !existsSync(join(ROOT, file)));
		const why = misfit(mutant, sources) ?? (lacking.join() || undefined);
		return why === undefined ? [] : [`${mutant.name}: ${why}`];
	});
	expect(problems).toEqual([]);
	expect(mutants.length).toBeGreaterThanOrEqual(40);
	expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
});
