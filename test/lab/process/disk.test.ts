/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { diskFull, programFailure, requireSpace, saysDiskFull } from '../../../lab/process/failure';

let folder: string;
beforeEach(() => {
	folder = mkdtempSync(path.join(tmpdir(), 'mediagen-disk-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test.each([
	'npm error nospc ENOSPC: no space left on device, write',
	'SqliteError: SQLITE_FULL: database or disk is full',
	'Error: No space left on device',
	'EDQUOT: disk quota exceeded, open',
])('%s means a full disk', (text) => {
	expect(saysDiskFull(text)).toBe(true);
});

test('a program that ended because of a full disk is explained by it, another by its own words', () => {
	const log = path.join(folder, 'n8n.log');
	writeFileSync(log, 'Error: SQLITE_FULL: database or disk is full\n');
	expect(programFailure('n8n ended with code 1', log).message).toContain(diskFull);
	writeFileSync(log, 'Error: something else\n');
	expect(programFailure('n8n ended with code 1', log).message).toMatch(/^n8n ended with code 1/);
	expect(programFailure('n8n ended', path.join(folder, 'none')).message).toMatch(/^n8n ended/);
});

test('too little disk space is reported before anything starts', async () => {
	const look = (async () => ({ bavail: 1000, bsize: 4096 })) as unknown as typeof statfs;
	await expect(requireSpace(folder, 2.5e9, look)).rejects.toThrow(
		`Only 4 MB are free in ${folder} and 2,500 MB are needed: free some space`,
	);
	await expect(requireSpace(folder, 4e6, look)).resolves.toBeUndefined();
});
