/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { readdirSync, readFileSync } from 'fs';
import { join, relative, sep } from 'path';
import ts from 'typescript';

export const ROOT = join(__dirname, '..', '..');

/** Files beneath a folder of the repository, as paths from its root with slashes. */
export function filesIn(folder: string, ending = '.ts'): string[] {
	const found = readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true });
	return found
		.filter((entry) => entry.isFile() && entry.name.endsWith(ending))
		.map((entry) => relative(ROOT, join(entry.parentPath, entry.name)).split(sep).join('/'))
		.sort();
}

export const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

/** What a file imports, exports from or requires, types included: as it stands there. */
export function importsOf(file: string): string[] {
	return ts.preProcessFile(read(file), true, true).importedFiles.map(({ fileName }) => fileName);
}

/** Names that a file uses without declaring or importing them as a member of something. */
export function freeNames(file: string): Set<string> {
	const names = new Set<string>();
	const source = ts.createSourceFile(file, read(file), ts.ScriptTarget.ES2022, true);
	const visit = (node: ts.Node): void => {
		if (ts.isIdentifier(node) && !isMemberName(node)) names.add(node.text);
		ts.forEachChild(node, visit);
	};
	visit(source);
	return names;
}

function isMemberName(node: ts.Identifier): boolean {
	const { parent } = node;
	if (ts.isPropertyAccessExpression(parent) || ts.isQualifiedName(parent)) {
		return (ts.isQualifiedName(parent) ? parent.right : parent.name) === node;
	}
	const named = parent as ts.NamedDeclaration;
	const isMember =
		ts.isPropertyAssignment(parent) ||
		ts.isPropertyDeclaration(parent) ||
		ts.isPropertySignature(parent) ||
		ts.isMethodDeclaration(parent) ||
		ts.isMethodSignature(parent);
	return isMember && named.name === node;
}
