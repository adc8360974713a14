/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { newest } from '../../lab/n8n/release';
import { projectRoot } from '../../lab/process/paths';

interface Outcomes {
	model: { log: unknown[]; items?: unknown[]; thrown?: unknown };
	core: unknown;
}

it('the model of the router that unit tests run nodes by does what n8n-core does', async () => {
	const script = path.join(__dirname, 'support', 'routes.ts');
	const args = ['--import', 'tsx', script];
	const { stdout } = await promisify(execFile)(newest.node, args, { cwd: projectRoot });
	const outcomes = Object.entries(JSON.parse(stdout) as Record<string, Outcomes>);
	// All operations, and six runs with failures.
	expect(outcomes).toHaveLength(43);
	for (const [name, { model, core }] of outcomes) expect([name, core]).toEqual([name, model]);
	const all = JSON.stringify(outcomes);
	// The comparison would prove nothing if these did not happen.
	for (const sign of ['"/generations/{', '"thrown"', '"NodeApiError"', '"broken"'])
		expect(all).toContain(sign);
});
