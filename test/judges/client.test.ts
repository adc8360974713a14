/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ENDPOINTS, type Endpoint } from '../../src/api';
import { createSandbox } from '../../sandbox/server';
import { quickRender } from '../sandbox/support/harness';

const run = promisify(execFile);
const folder = 'test/judges/client';

test('a client generated from the document compiles strictly, and its types are those of src/api', async () => {
	const generator = 'test/judges/node_modules/openapi-typescript/bin/cli.js';
	await run(process.execPath, [generator, 'docs/openapi.json', '-o', `${folder}/generated.d.ts`]);
	const tsc = run(process.execPath, [require.resolve('typescript/bin/tsc'), '-p', folder]);
	const { stdout } = await tsc.catch((failure: { stdout: string }) => failure);
	expect(stdout).toBe('');
});

test('the client carries out every operation against the sandbox', async () => {
	const sandbox = await createSandbox({ render: quickRender, settings: { clockScale: 1_000 } });
	const script = `${folder}/everyOperation.ts`;
	const key = sandbox.keys[0]?.key ?? '';
	const client = run(process.execPath, ['--import', 'tsx', script, sandbox.baseUrl, key]);
	const { stdout } = await client.finally(async () => await sandbox.close());
	const statuses = JSON.parse(stdout);
	const endpoints: Endpoint[] = Object.values(ENDPOINTS);
	const operations = endpoints.map(({ method, path }) => `${method} ${path}`);
	expect(Object.keys(statuses).sort()).toEqual(operations.sort());
	for (const { method, path, success = [200, 204] } of endpoints)
		expect([path, ...success]).toContain(statuses[`${method} ${path}`]);
});
