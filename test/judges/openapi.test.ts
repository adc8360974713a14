/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ENDPOINTS, EVENTS } from '../../src/api';
import { document } from '../sandbox/support/openapi';

/** In a process of its own: Redocly is an ES module. */
test('Spectral and Redocly find nothing in the OpenAPI document, by all of their rules', async () => {
	const script = join(__dirname, 'support', 'lint.mjs');
	const { stdout } = await promisify(execFile)(process.execPath, [script, 'docs/openapi.json']);
	expect(JSON.parse(stdout)).toEqual({ spectral: [], redocly: [] });
});

type Content = Record<string, { example?: unknown }>;
interface Operation {
	operationId: string;
	tags?: string[];
	description?: string;
	requestBody?: { content: Content };
	responses: Record<string, { content?: Content }>;
}

test('every operation and event has a tag, a description and an example of all that is sent', () => {
	const items: Array<Record<string, Operation>> = Object.values({
		...document.paths,
		...document.webhooks,
	});
	const operations = items.flatMap((item) => Object.values(item));
	expect(operations).toHaveLength(Object.keys(ENDPOINTS).length + EVENTS.length);
	for (const { operationId, tags, description, requestBody, responses } of operations) {
		expect([operationId, tags]).toEqual([operationId, [expect.any(String)]]);
		expect(description).toMatch(/\w/);
		const parts = [requestBody, ...Object.values(responses)];
		const contents = parts.flatMap((part) => (part?.content ? [part.content] : []));
		expect(contents).not.toEqual([]);
		for (const content of contents) expect(content['application/json']?.example).toBeDefined();
	}
});
