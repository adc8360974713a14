/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { posix } from 'path';
import ts from 'typescript';
import { filesIn, PUBLISHED, sourceOf } from '../support/sources';

/* One word for one thing: who has read a name once knows it everywhere. */

const files = PUBLISHED.flatMap((folder) => filesIn(folder));

/** A name at the top of a file, and whether others may import it. */
interface Declared {
	name: string;
	isExported: boolean;
	file: string;
}

function declaredIn(file: string): Declared[] {
	return sourceOf(file).statements.flatMap((statement): Declared[] => {
		const isExported =
			ts.canHaveModifiers(statement) &&
			ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true;
		const named = ts.isVariableStatement(statement)
			? [...statement.declarationList.declarations]
			: [statement as ts.Node as ts.NamedDeclaration];
		return named
			.flatMap(({ name }) => name ?? [])
			.filter(ts.isIdentifier)
			.map(({ text }) => ({ name: text, isExported, file }));
	});
}

/** What is called by the name under which n8n asks for it. */
const OF_N8N = /^nodes\/\w+\/(operations|\w+\.node)\.ts$/;

/** An option and what it does. */
const TWICE = ['dryRun'];

test('what a file of src exports is called as nothing else is', () => {
	const declared = files.filter((file) => !OF_N8N.test(file)).flatMap(declaredIn);
	const exported = declared.filter(({ isExported, file }) => isExported && file.startsWith('src/'));
	const twice = exported
		.map(({ name }) => name)
		.filter((name) => declared.filter((other) => other.name === name).length > 1);
	expect(twice.filter((name) => !TWICE.includes(name))).toEqual([]);
	expect(exported.length).toBeGreaterThan(400);
});

test('no two files of src have one name', () => {
	const names = files
		.filter((file) => file.startsWith('src/'))
		.map((file) => posix.basename(file))
		.filter((name) => name !== 'index.ts');
	expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});
