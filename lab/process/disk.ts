/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { mkdirSync, readFileSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { LabError } from './failure';

/** How Node, npm, SQLite and LMDB say that nothing more fits. */
const full = /ENOSPC|EDQUOT|no space left|disk is full|disk quota|SQLITE_FULL|MDB_MAP_FULL/i;

/** Whether an error, or the output of a program, comes from a full disk. */
export function saysDiskFull(text: string): boolean {
	return full.test(text);
}

/** What to do about a full disk. */
export const diskFull =
	'The disk is full: free some space (n8n takes 2.5 GB once, a start 200 MB) and run npm start again';

/** A failure of a program that has written a log, in which the real reason may stand. */
export function programFailure(message: string, logFile: string): LabError {
	return new LabError(saysDiskFull(logOf(logFile)) ? diskFull : message, logFile);
}

function logOf(file: string): string {
	try {
		return readFileSync(file, 'utf8');
	} catch {
		return '';
	}
}

/**
 * Looks for room before anything is begun, because a disk that fills up half-way is told by each
 * program in its own words.
 *
 * @throws LabError that names how much is free and how much is needed
 */
export async function requireSpace(
	folder: string,
	neededBytes: number,
	look: typeof statfs = statfs,
): Promise<void> {
	mkdirSync(folder, { recursive: true });
	const { bavail, bsize } = await look(folder);
	const free = bavail * bsize;
	if (free >= neededBytes) return;
	const megabytes = (bytes: number) => `${Math.round(bytes / 1e6).toLocaleString('en')} MB`;
	throw new LabError(
		`Only ${megabytes(free)} are free in ${folder} and ${megabytes(neededBytes)} are needed: ` +
			'free some space and run npm start again',
	);
}
