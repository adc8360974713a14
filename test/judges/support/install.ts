/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import path from 'node:path';
import { ensureLab, ensurePackages } from '../../../lab/n8n/install';

/** Some judges are part of n8n; the others are installed apart from what everybody needs. */
export default async function install(): Promise<void> {
	await ensureLab((line) => process.stderr.write(`${line}\n`));
	await ensurePackages(path.join(__dirname, '..'));
}
