/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { newest } from '../../lab/n8n/release';
import { projectRoot } from '../../lab/process/paths';

interface Outcome {
	sent: Array<{ url: string; headers: Record<string, string> }>;
	came: unknown;
	pending: string[];
}

it('the stand-in for n8n’s HTTP helpers in test/wire sends what n8n-core’s send, and hears the same', async () => {
	const script = path.join(__dirname, 'support', 'wire.ts');
	const args = ['--import', 'tsx', script];
	const { stdout } = await promisify(execFile)(newest.node, args, { cwd: projectRoot });
	const outcomes = JSON.parse(stdout) as Record<string, { standIn: Outcome; core: Outcome }>;
	expect(Object.keys(outcomes).length).toBeGreaterThanOrEqual(24);
	for (const [name, { standIn, core }] of Object.entries(outcomes)) {
		expect([name, core]).toEqual([name, standIn]);
		expect([name, core.pending]).toEqual([name, []]);
	}
	// The comparison would prove nothing if these did not happen.
	const { sent = [] } = outcomes['a redirect that is followed takes the key along']?.core ?? {};
	expect(sent.map(({ url, headers }) => [new URL(url).host, headers.authorization])).toEqual([
		['api.example', expect.stringMatching(/^Bearer canary/)],
		['other.example', expect.stringMatching(/^Bearer canary/)],
	]);
	for (const sign of ['"ECONNREFUSED"', '"ECONNRESET"', '"Error"', '"OK"', '"aborted"'])
		expect(JSON.stringify(outcomes)).toContain(sign);
});
