/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { existsSync } from 'fs';
import { join } from 'path';
import ts from 'typescript';
import { filesIn, PUBLISHED, read, ROOT, sourceOf } from '../support/sources';

const page = read('docs/development.md');

/** A section of the page, from its heading to the next one. */
const sectionOf = (heading: string): string =>
	page.split(/^## /m).find((section) => section.startsWith(heading)) ?? '';

const rowsOf = (section: string): string[] =>
	section.split('\n').filter((row) => row.startsWith('| '));

const exists = (file: string): boolean => existsSync(join(ROOT, file));

describe('Where is it decided?', () => {
	const [answers = ''] = sectionOf('Where is it decided?').split('\n### ');
	const rows = rowsOf(answers);
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

	test('each file is named with what to look at in it', () => {
		const bare = named.filter(
			([, file = '', said = '']) => file.endsWith('.ts') && !/`\w+`/.test(said),
		);
		expect(bare.map(([text]) => text)).toEqual([]);
	});

	test('each question is answered by at most four files', () => {
		const filesOf = (row: string) => row.split('|')[2]?.match(/`(src|nodes|sandbox)\//g) ?? [];
		expect(rows.filter((row) => filesOf(row).length > 4)).toEqual([]);
	});
});

/** What a file holds for as long as the process lives: names at its top that change, or hold what changes. */
function heldBy(file: string): string[] {
	return sourceOf(file).statements.flatMap((statement) => {
		if (!ts.isVariableStatement(statement)) return [];
		const { declarations, flags } = statement.declarationList;
		const isConstant = (flags & ts.NodeFlags.Const) !== 0;
		return declarations
			.filter(({ initializer }) => !isConstant || isEmptyContainer(initializer))
			.map(({ name }) => name.getText())
			.filter((name) => !/^[A-Z\d_]+$/.test(name))
			.map((name) => `${name} in ${file}`);
	});
}

/** A container that begins with nothing in it; a bounded one has its bound. */
function isEmptyContainer(value: ts.Expression | undefined): boolean {
	if (value === undefined || !ts.isNewExpression(value)) return false;
	const [first] = value.arguments ?? [];
	const isContainer = /^(BoundedMap|Map|Set|WeakMap|WeakSet)$/.test(value.expression.getText());
	const isBound = first !== undefined && /^[A-Z\d_]+$/.test(first.getText());
	return isContainer && (first === undefined || isBound);
}

test('all that a process keeps is named with its file, and nothing else is', () => {
	const section = page.split('### What is kept in memory')[1]?.split('\n## ')[0] ?? '';
	const named = rowsOf(section).flatMap((row) => {
		const where = row.split('|')[2] ?? '';
		return [...where.matchAll(/((?:`\w+`, )*`\w+`) in `([\w/.]+)`/g)].flatMap(
			([, names = '', file = '']) =>
				[...names.matchAll(/`(\w+)`/g)].map(([, name = '']) => `${name} in ${file}`),
		);
	});
	const held = PUBLISHED.flatMap((folder) => filesIn(folder)).flatMap(heldBy);
	expect(named.sort()).toEqual(held.sort());
});

test('each file of src/transport is named by a question, and no other is', () => {
	const named = rowsOf(page.split('### The files of `src/transport`')[1]?.split('\n### ')[0] ?? '');
	const names = named.flatMap((row) =>
		[...row.matchAll(/`(\w+\.ts)`/g)].map(([, name = '']) => name),
	);
	const there = filesIn('src/transport').map((file) => file.replace('src/transport/', ''));
	expect(names.sort()).toEqual(there);
});
