/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { spentInSandbox } from '../../../lab/demo/service';
import { ExampleRun } from '../../../lab/demo/exampleRun';
import { startExample } from '../../../lab/demo/startExample';
import type { SavedWorkflow } from '../../../lab/n8n/rest';
import { takeOver } from './handover';
import { baseUrl, keys, n8nUrl, rest, sandbox } from './harness';

/**
 * What `npm start -- --example N --once` does with an example: what it prints, and the files that it writes.
 */
export async function startUnattended(
	workflow: SavedWorkflow,
): Promise<{ lines: string[]; files: string[] }> {
	const folder = mkdtempSync(path.join(tmpdir(), 'mediagen-out-'));
	const lines: string[] = [];
	const log = (line: string) => void lines.push(line);
	try {
		const run = new ExampleRun(rest, workflow, spentInSandbox(takeOver().sandbox), log, folder);
		const service = { access: { baseUrl, apiKey: keys.full.key }, admin: sandbox };
		const start = { rest, baseUrl: n8nUrl, service, log, unattended: true, onEnd: () => undefined };
		await startExample(run, start, workflow);
		return { lines, files: readdirSync(folder).sort() };
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}
