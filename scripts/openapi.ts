/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { mkdir, writeFile } from 'fs/promises';
import { dirname, join } from 'path';

import { openApiDocument } from '../src/sandbox/openapi/document';

/** Writes `docs/openapi.json`; a test sees to it that the file is not out of date. */
async function main(): Promise<void> {
	const path = join(__dirname, '..', 'docs', 'openapi.json');
	await mkdir(dirname(path), { recursive: true });
	await writeFile(path, `${JSON.stringify(openApiDocument(), null, '\t')}\n`);
}

void main();
