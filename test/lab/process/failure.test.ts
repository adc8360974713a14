/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { inWords, LabError } from '../../../lab/process/failure';

afterEach(() => jest.restoreAllMocks());

const refused = (code: string, file?: string) =>
	Object.assign(new Error(`${code}: as the system says it`), { code, path: file });

test.each([
	['ENOSPC', '/there: The disk is full'],
	['EDQUOT', '/there: The disk is full'],
	['EROFS', '/there: It may not be written'],
	['EACCES', '/there: It may not be read or written'],
	['EPERM', '/there: It may not be read or written'],
])('%s is one line that names the file', (code, line) => {
	expect(inWords(refused(code, '/there'), [])).toBe(line);
});

test('without a file the system says what it was', () => {
	expect(inWords(refused('ENOSPC'), [])).toBe('ENOSPC: as the system says it: The disk is full');
});

test.each([
	['no bytes', { bavail: 10, bsize: 4096, files: 100, ffree: 50 }],
	['no files', { bavail: 10_000, bsize: 4096, files: 100, ffree: 0 }],
])('a disk with %s left explains whatever has failed', (_what, figures) => {
	jest.spyOn(fs, 'statfsSync').mockReturnValue(figures as never);
	const folder = path.join(tmpdir(), 'not', 'there');
	const failures = [new LabError('n8n ended'), refused('EIO'), new TypeError('oops')];
	for (const failure of failures)
		expect(inWords(failure, [folder])).toBe(`The disk is full: make room where ${tmpdir()} is`);
});

test('a folder that cannot be made is explained by the one that may not be written', () => {
	jest.spyOn(fs, 'accessSync').mockImplementation(() => {
		throw refused('EROFS');
	});
	const line = `${tmpdir()}: It may not be written`;
	expect(inWords(refused('ENOENT', '/there'), [path.join(tmpdir(), 'new')])).toBe(line);
	expect(inWords(new LabError('n8n ended'), [tmpdir()])).toBe('n8n ended');
});

test('a bug keeps its stack', () => {
	expect(inWords(new TypeError('oops'), [tmpdir()])).toMatch(/^TypeError: oops\n {4}at /);
});
