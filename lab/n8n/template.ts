/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { copyFileSync, cpSync, existsSync, mkdirSync, renameSync } from 'node:fs';
import path from 'node:path';
import { stateRoot } from '../process/paths';
import type { Release } from './release';
import { removeUserFolder, startN8n, temporaryUserFolder } from './start';

/**
 * n8n's empty database, with what it has not yet written into its main file, and the key that it encrypts
 * with.
 */
const FILES = ['database.sqlite', 'database.sqlite-wal', 'config'];

const templateOf = ({ version }: Release) => path.join(stateRoot, 'template', version);

/**
 * Keeps the database of an n8n that has done nothing yet, for tests, which start many: making its tables
 * takes a third of the first start in a new folder.
 */
export async function ensureTemplate(release: Release): Promise<void> {
	const template = templateOf(release);
	if (existsSync(template)) return;
	const userFolder = temporaryUserFolder();
	const n8n = await startN8n({ release, userFolder, lean: true, headless: true });
	await n8n.stop();
	mkdirSync(`${template}.new`, { recursive: true });
	for (const file of FILES) {
		const made = path.join(userFolder, '.n8n', file);
		if (existsSync(made)) copyFileSync(made, path.join(`${template}.new`, file));
	}
	renameSync(`${template}.new`, template);
	removeUserFolder(userFolder);
}

/** Gives a new user folder the tables, where they have been made. */
export function fillFromTemplate(userFolder: string, release: Release): void {
	const template = templateOf(release);
	if (existsSync(template)) cpSync(template, path.join(userFolder, '.n8n'), { recursive: true });
}
