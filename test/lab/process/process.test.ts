/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { cleanEnvironment, startGuarded } from '../../../lab/process/process';
import { freePort, isFree } from '../../../lab/process/ports';

let folder: string;

beforeEach(() => (folder = mkdtempSync(path.join(os.tmpdir(), 'mediagen-process-'))));

afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Listens on a port; the memory takes the kernel a while to give back, as that of n8n does. */
async function startListener() {
	const port = await freePort();
	const script = `
		globalThis.memory = Buffer.alloc(1 << 27, 1);
		require('node:net').createServer().listen(${port}, '127.0.0.1');`;
	const logFile = path.join(folder, 'listener.log');
	const guarded = await startGuarded({
		name: 'The listener',
		command: process.execPath,
		args: ['-e', script],
		env: cleanEnvironment(),
		logFile,
		isReady: async () => !(await isFree(port)),
	});
	return { guarded, port };
}

it.each(['kill', 'stop'] as const)(
	'after a %s nothing of the process is left: what it listened on is free',
	async (end) => {
		const { guarded, port } = await startListener();
		expect(await isFree(port)).toBe(false);
		await guarded[end]();
		expect(await isFree(port)).toBe(true);
	},
);
