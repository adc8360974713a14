/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { statfs } from 'node:fs/promises';

/**
 * A failure that the person at the terminal can act on: its message is one line that says what
 * happened and what to do. Anything else that is thrown is a bug and keeps its stack.
 */
export class LabError extends Error {
	constructor(
		message: string,
		/** The log file with the details, if there is one. */
		readonly logFile?: string,
	) {
		super(logFile ? `${message} (log: ${logFile})` : message);
		this.name = 'LabError';
	}
}

/** How Node, npm, SQLite and LMDB say that nothing more fits. */
const full = /ENOSPC|EDQUOT|no space left|disk is full|disk quota|SQLITE_FULL|MDB_MAP_FULL/i;

export const saysDiskFull = (text: string): boolean => full.test(text);

/** What to do about a full disk. */
export const diskFull =
	'The disk is full: free some space (n8n takes 2.5 GB once, a start 200 MB) and run npm start again';

/** A failure of a program that has written a log, whose last lines say why. */
export function programFailure(message: string, logFile: string): LabError {
	const log = existsSync(logFile) ? readFileSync(logFile, 'utf8').trimEnd() : '';
	if (saysDiskFull(log)) return new LabError(diskFull, logFile);
	return new LabError(`${message}:\n${log.split('\n').slice(-12).join('\n')}\n`, logFile);
}

/**
 * Checks the disk space before anything starts, because every program reports a full disk in its
 * own way.
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
