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
 * Checks the disk space before anything starts, because every
 * program reports a full disk in its own way.
 *
 * @throws LabError with the free and the needed space
 */
export async function requireSpace(
	folder: string,
	neededBytes: number,
	readStats: typeof statfs = statfs,
): Promise<void> {
	mkdirSync(folder, { recursive: true });
	const { bavail, bsize } = await readStats(folder);
	const free = bavail * bsize;
	if (free >= neededBytes) return;
	const megabytes = (bytes: number) => `${Math.round(bytes / 1e6).toLocaleString('en')} MB`;
	throw new LabError(
		`Only ${megabytes(free)} are free in ${folder} and ${megabytes(neededBytes)} are needed: ` +
			'free some space and run npm start again',
	);
}
