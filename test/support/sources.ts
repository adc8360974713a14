/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { readdirSync, readFileSync } from 'fs';
import { join } from 'path';
import ts from 'typescript';

export const ROOT = join(__dirname, '..', '..');

/** The folders of what is shipped. */
export const PUBLISHED = [
	'nodes',
	'credentials',
	'src/fields',
	'src/events',
	'src/run',
	'src/transfer',
	'src/service',
	'src/base',
	'src/contract',
];

/**
 * Files beneath a folder of the repository, as paths from its root with slashes. Hidden folders are left out: the lab installs
 * n8n into one of them while other tests run.
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
