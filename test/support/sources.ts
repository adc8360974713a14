/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { readdirSync, readFileSync } from 'fs';
import { join } from 'path';
import ts from 'typescript';

export const ROOT = join(__dirname, '..', '..');

/** The folders of what is shipped. */
export const PUBLISHED = [
	'nodes',
	'credentials',
	'src/n8n',
	'src/fields',
	'src/trigger',
	'src/reads',
	'src/creation',
	'src/files',
	'src/transport',
	'src/base',
	'src/api',
];

/**
 * Files beneath a folder of the repository, as paths from its root with slashes. Hidden folders are left out:
 * the lab installs n8n into one of them while other tests run.
 */
export function filesIn(folder: string, ending = '.ts'): string[] {
	const files: string[] = [];
	for (const entry of readdirSync(join(ROOT, folder), { withFileTypes: true })) {
		const path = `${folder}/${entry.name}`;
		if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
		if (entry.isDirectory()) files.push(...filesIn(path, ending));
		else if (entry.isFile() && entry.name.endsWith(ending)) files.push(path);
	}
	return files.sort();
}

export const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

const parsed = new Map<string, ts.SourceFile>();

/** A file as TypeScript reads it, once. */
export function sourceOf(file: string): ts.SourceFile {
	const known = parsed.get(file);
	if (known) return known;
	const source = ts.createSourceFile(file, read(file), ts.ScriptTarget.ES2022, true);
	parsed.set(file, source);
	return source;
}

const imported = new Map<string, string[]>();

/** What a file imports, exports from or requires, types included, as written. */
export function importsOf(file: string): string[] {
	const known = imported.get(file);
	if (known) return known;
	const { importedFiles } = ts.preProcessFile(read(file), true, true);
	const names = importedFiles.map(({ fileName }) => fileName);
	imported.set(file, names);
	return names;
}

/** Whether a file imports more than types from a package. */
export function takesValues(file: string, name: string): boolean {
	const { statements } = sourceOf(file);
	return statements.filter(ts.isImportDeclaration).some(({ moduleSpecifier, importClause }) => {
		if (!ts.isStringLiteral(moduleSpecifier) || moduleSpecifier.text !== name) return false;
		if (!importClause || importClause.isTypeOnly) return !importClause;
		const { namedBindings } = importClause;
		if (!namedBindings || !ts.isNamedImports(namedBindings)) return true;
		return namedBindings.elements.some(({ isTypeOnly }) => !isTypeOnly);
	});
}

/** Groups of files that reach each other by imports, each in order of their names. */
export function circlesIn(arrows: Map<string, string[]>): string[][] {
	const reachedFrom = new Map<string, Set<string>>();
	for (const file of arrows.keys()) {
		const reached = new Set<string>();
		const open = [...(arrows.get(file) ?? [])];
		for (let next = open.pop(); next !== undefined; next = open.pop()) {
			if (reached.has(next)) continue;
			reached.add(next);
			open.push(...(arrows.get(next) ?? []));
		}
		reachedFrom.set(file, reached);
	}
	const reach = (from: string, to: string) => reachedFrom.get(from)?.has(to) ?? false;
	const circles = [...arrows.keys()]
		.filter((file) => reach(file, file))
		.map((file) =>
			[...arrows.keys()].filter((other) => reach(file, other) && reach(other, file)).sort(),
		);
	return [...new Map(circles.map((circle) => [circle.join(), circle])).values()];
}

/** Names that a file uses without declaring or importing them as a member of something. */
export function freeNames(file: string): Set<string> {
	const names = new Set<string>();
	const source = sourceOf(file);
	const visit = (node: ts.Node): void => {
		if (ts.isIdentifier(node) && !isMemberName(node)) names.add(node.text);
		ts.forEachChild(node, visit);
	};
	visit(source);
	return names;
}

/**
 * The statuses that a file may know: each number from 400 to 599, and each that it compares with a status.
 */
export function statusesIn(file: string): string[] {
	const found = new Set<string>();
	const visit = (node: ts.Node): void => {
		if (ts.isNumericLiteral(node) || ts.isStringLiteralLike(node)) {
			const { text, parent } = node;
			const isCompared = ts.isBinaryExpression(parent) && /status/i.test(parent.getText());
			if (/^[45]\d\d$/.test(text) || (isCompared && /^[123]\d\d$/.test(text))) found.add(text);
		}
		ts.forEachChild(node, visit);
	};
	visit(sourceOf(file));
	return [...found].sort();
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
