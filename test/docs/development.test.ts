/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { existsSync } from 'fs';
import { join } from 'path';
import { read, ROOT } from '../support/sources';

const page = read('docs/development.md');

/** A section of the page, from its heading to the next one. */
const sectionOf = (heading: string): string =>
	page.split(/^## /m).find((section) => section.startsWith(heading)) ?? '';

const rowsOf = (section: string): string[] =>
	section.split('\n').filter((row) => row.startsWith('| '));

const exists = (file: string): boolean => existsSync(join(ROOT, file));

describe('Where is it decided?', () => {
	const rows = rowsOf(sectionOf('Where is it decided?'));
	const named = rows.flatMap((row) => [
		...row.matchAll(/`((?:src|nodes|sandbox)\/[\w./]+)`(?: \(([^)]*)\))?/g),
	]);

	test('each file is there, and has what is named beside it', () => {
		const wrong = named.filter(([, file = '', said = '']) => {
			if (!exists(file)) return true;
			if (!file.endsWith('.ts')) return false;
			const names = [...said.matchAll(/`([A-Za-z]\w*)`/g)].map(([, name = '']) => name);
			return names.some((name) => !read(file).includes(name));
		});
		expect(wrong.map(([text]) => text)).toEqual([]);
		expect(named.length).toBeGreaterThan(30);
	});

	test('each question is answered by at most four files', () => {
		const filesOf = (row: string) => row.split('|')[2]?.match(/`(src|nodes|sandbox)\//g) ?? [];
		expect(rows.filter((row) => filesOf(row).length > 4)).toEqual([]);
	});
});

/** Names of folders and files, as a row of the walk has them: `n8n`: `check`, `creation/memory`; … */
function filesOfStep(row: string): string[] {
	return (row.split('|')[2] ?? '').split(';').flatMap((group) => {
		const [, folder, names = group] = /^\s*`([\w]+)`:(.*)$/.exec(group) ?? [];
		const all = [...names.matchAll(/`([\w/]+)`/g)].map(([, name = '']) => name);
		return all.map((name) => `src/${name.includes('/') ? '' : `${folder}/`}${name}.ts`);
	});
}

test('each file of the walk of one Generate Image is there', () => {
	const walk = rowsOf(sectionOf('The house')).flatMap(filesOfStep);
	expect(walk.filter((file) => !exists(file))).toEqual([]);
	expect(walk.length).toBeGreaterThan(30);
});
