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
	/** Whether it is a function or a type, and no value. */
	isDefinition: boolean;
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
		return named.flatMap((declaration) => {
			const { name } = declaration;
			if (name === undefined || !ts.isIdentifier(name)) return [];
			const value = ts.isVariableDeclaration(declaration) ? declaration.initializer : undefined;
			const isDefinition =
				!ts.isVariableDeclaration(declaration) || (value && ts.isArrowFunction(value)) === true;
			return [{ name: name.text, isExported, isDefinition, file }];
		});
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

test('a function or a type of src is called as no other is, also where nobody may import it', () => {
	const names = files
		.filter((file) => file.startsWith('src/'))
		.flatMap(declaredIn)
		.filter(({ isDefinition }) => isDefinition)
		.map(({ name }) => name);
	expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
	expect(names.length).toBeGreaterThan(1_000);
});

test('no two files of src have one name', () => {
	const names = files
		.filter((file) => file.startsWith('src/'))
		.map((file) => posix.basename(file))
		.filter((name) => name !== 'index.ts');
	expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});
