/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { ensureLab } from '../../../lab/n8n/install';

const folder = path.join(__dirname, '..');

const changed = (file: string) =>
	statSync(path.join(folder, file), { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** Some judges are part of n8n; the others are installed apart from what everybody needs. */
export default async function install(): Promise<void> {
	await ensureLab((line) => process.stderr.write(`${line}\n`));
	if (changed('node_modules/.package-lock.json') > changed('package-lock.json')) return;
	await promisify(execFile)('npm', ['ci'], { cwd: folder });
}
