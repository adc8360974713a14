/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { existsSync } from 'node:fs';
import path from 'node:path';

/** Root of the checkout: the folder with our package.json. */
export const projectRoot = path.resolve(__dirname, '..', '..');

/** Folder whose lockfile pins n8n and the Node that runs it. */
export const labRoot = path.resolve(__dirname, '..');

/** What the lab keeps between starts (n8n's user folder, logs); git-ignored. A test has its own. */
export const stateRoot = process.env.MEDIAGEN_LAB_STATE ?? path.join(projectRoot, '.n8n-lab');

/** Where `npm start` writes the media; git-ignored. A test has its own. */
export const outRoot = process.env.MEDIAGEN_LAB_OUT ?? path.join(projectRoot, 'out');

/** Importable workflows. */
export const examplesRoot = path.join(projectRoot, 'examples');

const labModules = path.join(labRoot, 'node_modules');

/** Executables of the lab's own install; first on n8n's PATH, so that `node` is the pinned one. */
export const labBin = path.join(labModules, '.bin');

/** Entry of the pinned n8n. */
export const n8nEntry = path.join(labModules, 'n8n', 'bin', 'n8n');

/** The pinned Node: n8n 2.41 needs 24, the machine's own may be older. */
export function labNode(): string {
	const windows = path.join(labModules, 'node', 'bin', 'node.exe');
	return existsSync(windows) ? windows : path.join(labModules, 'node', 'bin', 'node');
}

/** A path as a person at the root of the checkout would type it. */
export function shown(file: string): string {
	const relative = path.relative(projectRoot, file);
	return relative.startsWith('..') ? file : relative;
}
