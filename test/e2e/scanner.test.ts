/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';

interface Scan {
	files: number;
	problems: unknown[];
}

/**
 * In a process of its own: the scanner's plugins are ES modules. The package was built for this run
 * of the tests.
 */
async function scan(what: string): Promise<Scan> {
	const script = path.join(__dirname, 'support', 'scan.mjs');
	// The plugin judges file names otherwise when it takes itself to be tested.
	const env = { ...process.env, NODE_ENV: 'production' };
	const { stdout } = await promisify(execFile)(process.execPath, [script, what], { env });
	return JSON.parse(stdout) as Scan;
}

it.each([
	['what users get', 'tarball'],
	['what it is built from', 'source'],
])("the rules of n8n's community package scanner find nothing in %s", async (_, what) => {
	const { files, problems } = await scan(what);
	expect(problems).toEqual([]);
	expect(files).toBeGreaterThan(20);
});
