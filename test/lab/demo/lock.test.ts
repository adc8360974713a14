/* eslint-disable @n8n/community-nodes/no-dangerous-functions, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { lock, type Lock } from '../../../lab/demo/lock';

let folder: string;
const open: Lock[] = [];

beforeEach(() => {
	folder = mkdtempSync(path.join(tmpdir(), 'mediagen-lock-'));
});

afterEach(() => {
	open.splice(0).forEach((held) => held.release());
	rmSync(folder, { recursive: true, force: true });
});

function acquire(): Lock {
	const held = lock(folder);
	if (!('release' in held)) throw new Error(`held by ${held.pid}`);
	open.push(held);
	return held;
}

/** A start in another process, which holds the lock until it is killed. */
async function otherStart() {
	const script = `require('tsx/cjs'); require('./lab/demo/lock.ts').lock(${JSON.stringify(folder)});
		console.log('held'); setInterval(() => {}, 1000);`;
	const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
	await once(child.stdout, 'data');
	return child;
}

test('what a killed start has left is taken over when it shows no sign of life', async () => {
	const child = await otherStart();
	expect(lock(folder)).toEqual({ pid: child.pid });
	child.kill('SIGKILL');
	await once(child, 'exit');
	const longAgo = new Date(Date.now() - 60_000);
	utimesSync(path.join(folder, 'start.lock'), longAgo, longAgo);
	acquire();
});
