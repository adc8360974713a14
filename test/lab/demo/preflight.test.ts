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
	writeFileSync(
		path.join(checkout, 'package.json'),
		'{"engines": {"node": ">=20.19"}, "devDependencies": {"tsx": "1"}}',
	);
});
afterEach(() => rmSync(checkout, { recursive: true, force: true }));

const nodeOf = (version: string) => `
	Object.defineProperty(process, 'versions', { value: { node: '${version}' } });
	Object.defineProperty(process, 'version', { value: 'v${version}' });`;

const tooOld = (version: string) => `Node.js 20.19 or newer is needed; this is v${version}.`;
const incomplete = 'The install is incomplete (tsx is missing): run npm ci first.';

test.each([
	['a Node that is too old', nodeOf('18.20.4'), tooOld('18.20.4')],
	['a Node that is a little too old', nodeOf('20.18.3'), tooOld('20.18.3')],
	['the oldest Node and no install', nodeOf('20.19.0'), incomplete],
	['a newer Node and no install', nodeOf('22.0.0'), incomplete],
])('with %s one line says so, before anything newer is used', (_what, before, line) => {
	const first = path.join(checkout, 'first.cjs');
	writeFileSync(first, before);
	const args = ['--require', first, script];
	const ended = spawnSync(process.execPath, args, { cwd: checkout, encoding: 'utf8' });
	expect(ended).toMatchObject({ status: 1, stdout: '', stderr: `${line}\n` });
});
