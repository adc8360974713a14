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

function start(...nodeOptions: string[]) {
	const { status, stdout, stderr } = spawnSync(process.execPath, [...nodeOptions, script], {
		cwd: checkout,
		encoding: 'utf8',
	});
	return { status, stdout, stderr };
}

test('a Node that is too old is reported in one line, before anything of a newer one is used', () => {
	const old = path.join(checkout, 'old.cjs');
	writeFileSync(
		old,
		"Object.defineProperty(process, 'versions', { value: { node: '18.20.4' } });" +
			"Object.defineProperty(process, 'version', { value: 'v18.20.4' });",
	);
	expect(start('--require', old)).toEqual({
		status: 1,
		stdout: '',
		stderr: 'Node.js 20 or newer is needed; this is v18.20.4.\n',
	});
});

test('a checkout without its install says what to run', () => {
	expect(start()).toEqual({
		status: 1,
		stdout: '',
		stderr: 'The install is incomplete (tsx is missing): run npm ci first.\n',
	});
});
