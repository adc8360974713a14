/* eslint-disable @n8n/community-nodes/no-dangerous-functions, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const script = path.join('lab', 'demo', 'preflight.cjs');

let checkout: string;
beforeEach(() => {
	checkout = mkdtempSync(path.join(tmpdir(), 'mediagen-checkout-'));
	mkdirSync(path.join(checkout, 'lab', 'demo'), { recursive: true });
	copyFileSync(script, path.join(checkout, script));
	writeFileSync(path.join(checkout, 'package.json'), '{"devDependencies": {"tsx": "1"}}');
});
afterEach(() => rmSync(checkout, { recursive: true, force: true }));

const OLD_NODE = `
	Object.defineProperty(process, 'versions', { value: { node: '18.20.4' } });
	Object.defineProperty(process, 'version', { value: 'v18.20.4' });`;

test.each([
	['a Node that is too old', OLD_NODE, 'Node.js 20 or newer is needed; this is v18.20.4.'],
	['no install', '', 'The install is incomplete (tsx is missing): run npm ci first.'],
])('with %s one line says so, before anything newer is used', (_what, before, line) => {
	const first = path.join(checkout, 'first.cjs');
	writeFileSync(first, before);
	const args = ['--require', first, script];
	const ended = spawnSync(process.execPath, args, { cwd: checkout, encoding: 'utf8' });
	expect(ended).toMatchObject({ status: 1, stdout: '', stderr: `${line}\n` });
});
