/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** In a process of its own: Redocly is an ES module. */
test('Spectral and Redocly find nothing in the OpenAPI document, by all of their rules', async () => {
	const script = join(__dirname, 'support', 'lint.mjs');
	const { stdout } = await promisify(execFile)(process.execPath, [script, 'docs/openapi.json']);
	expect(JSON.parse(stdout)).toEqual({ spectral: [], redocly: [] });
});
