/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import path from 'node:path';

/** Root of the checkout: the folder with our package.json. */
export const projectRoot = path.resolve(__dirname, '..', '..');

/**
 * Folder whose lockfile pins the newest n8n and the Node that runs it; older ones are in `versions`
 * below it.
 */
export const labRoot = path.resolve(__dirname, '..');

/** What the lab keeps between starts (n8n's user folder, logs); git-ignored. A test has its own. */
export const stateRoot = process.env.MEDIAGEN_LAB_STATE ?? path.join(projectRoot, '.n8n-lab');

/** Where `npm start` writes the media; git-ignored. A test has its own. */
export const outRoot = process.env.MEDIAGEN_LAB_OUT ?? path.join(projectRoot, 'out');

/** Importable workflows. */
export const examplesRoot = path.join(projectRoot, 'examples');

/** A path as a person at the root of the checkout would type it. */
export function shown(file: string): string {
	const relative = path.relative(projectRoot, file);
	return relative.startsWith('..') ? file : relative;
}
