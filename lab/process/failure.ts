/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { accessSync, constants, existsSync, statfsSync } from 'node:fs';
import path from 'node:path';

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

/** Less is no room: a database, a log and a picture need more. */
const LEAST_BYTES = 1024 * 1024;

/** The folder itself, or the one in which it would be made. */
function nearest(folder: string): string {
	return existsSync(folder) ? folder : nearest(path.dirname(folder));
}

function isFull(folder: string): boolean {
	const { bavail, bsize, files, ffree } = statfsSync(folder);
	// Some file systems do not count files.
	return bavail * bsize < LEAST_BYTES || (files > 0 && ffree === 0);
}

function isWritable(folder: string): boolean {
	try {
		accessSync(folder, constants.W_OK);
		return true;
	} catch {
		return false;
	}
}

/** What the system refuses, by the code of its error. */
const REFUSALS: Record<string, string> = {
	ENOSPC: 'The disk is full',
	EDQUOT: 'The disk is full',
	EROFS: 'It may not be written',
	EACCES: 'It may not be read or written',
	EPERM: 'It may not be read or written',
};

/**
 * An error for the person at the terminal: one line, and the stack only of a bug.
 *
 * @param written where things are written: a full disk explains whatever fails, also in programs that say it
 * in words of their own
 */
export function inWords(error: unknown, written: string[]): string {
	const folders = written.map(nearest);
	const full = folders.find(isFull);
	if (full) return `The disk is full: make room where ${full} is`;
	if (!(error instanceof Error)) return String(error);
	if (error instanceof LabError) return error.message;
	const { code = '', path: file, message, stack } = error as NodeJS.ErrnoException;
	const refusal = REFUSALS[code];
	if (refusal) return `${file ?? message}: ${refusal}`;
	// To make a folder in one that may not be written can fail in other ways.
	const closed = folders.find((folder) => !isWritable(folder));
	if (closed && /^E[A-Z]+$/.test(code)) return `${closed}: It may not be written`;
	return stack ?? message;
}
