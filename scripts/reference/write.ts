/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { projectRoot } from '../../lab/process/paths';
import { nodePages } from './nodes';
import { retriesReference } from './retries';

const write = (file: string, text: string) => writeFileSync(path.join(projectRoot, file), text);

async function main(): Promise<void> {
	const pages = await nodePages();
	const folder = path.join(projectRoot, 'docs', 'nodes');
	// The page of a node that is gone goes too.
	rmSync(folder, { recursive: true, force: true });
	mkdirSync(folder);
	for (const [file, text] of pages) write(file, text);
	write('docs/retries.md', retriesReference());
}

void main();
