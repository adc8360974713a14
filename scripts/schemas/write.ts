/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { projectRoot } from '../../lab/process/paths';
import { schemaFiles } from './files';

/** Writes the output schemas beside the nodes; those of operations that are gone go too. */
async function main(): Promise<void> {
	const files = await schemaFiles();
	for (const folder of new Set([...files.keys()].map((file) => file.split('/__schema__/')[0]))) {
		rmSync(path.join(projectRoot, folder ?? '', '__schema__'), { recursive: true, force: true });
	}
	for (const [file, text] of files) {
		const target = path.join(projectRoot, file);
		mkdirSync(path.dirname(target), { recursive: true });
		writeFileSync(target, text);
	}
}

void main();
