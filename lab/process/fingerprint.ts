/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { projectRoot } from './paths';

/** Everything outside the compiled folders that decides what the package holds. */
const settings = [
	'package.json',
	'package-lock.json',
	'tsconfig.json',
	'tsconfig.build.json',
	'gulpfile.js',
];

/**
 * A hash of everything that the packed package is made from: while it is the same, so is the build.
 */
export function packageFingerprint(root = projectRoot): string {
	const hash = createHash('sha256');
	for (const file of [
		...settings,
		...compiledFolders(root).flatMap((at) => filesBelow(root, at)),
	]) {
		const whole = path.join(root, file);
		// Separated by lengths, so that no two trees run into the same bytes.
		const content = existsSync(whole) ? readFileSync(whole) : Buffer.alloc(0);
		hash.update(`${file} ${content.length}\n`).update(content);
	}
	return hash.digest('hex');
}

function compiledFolders(root: string): string[] {
	const build = readFileSync(path.join(root, 'tsconfig.build.json'), 'utf8');
	return (JSON.parse(build) as { include: string[] }).include;
}

function filesBelow(root: string, folder: string): string[] {
	return readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => path.relative(root, path.join(entry.parentPath ?? entry.path, entry.name)))
		.sort();
}
