/* eslint-disable @n8n/community-nodes/no-dangerous-functions, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { spawn, type ChildProcess } from 'child_process';
import { once } from 'events';
import { createServer, type AddressInfo } from 'net';
import { join } from 'path';

import { SCOPES } from '../../src/contract';

const main = join(__dirname, '..', '..', 'sandbox', 'main.ts');
const running: ChildProcess[] = [];

afterEach(async () => {
	for (const child of running.splice(0)) {
		if (child.exitCode !== null || child.signalCode !== null) continue;
		child.kill('SIGTERM');
		await once(child, 'close');
	}
});

/** Starts the command line and waits for its first words. */
async function start(...options: string[]) {
	const child = spawn(process.execPath, ['--import', 'tsx', main, '--port', '0', ...options]);
	running.push(child);
	const [chunk] = (await once(child.stdout, 'data')) as [Buffer];
	return { child, said: chunk.toString() };
}

async function fail(...options: string[]) {
	const child = spawn(process.execPath, ['--import', 'tsx', main, ...options]);
	running.push(child);
	let said = '';
	child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
	const [code] = (await once(child, 'close')) as [number];
	return { code, said };
}

test('with --json it prints one line with addresses and the four keys; SIGTERM ends it cleanly', async () => {
	const { child, said } = await start('--clock-scale', '60', '--seed', '1', '--json');
	expect(said.trim().split('\n')).toHaveLength(1);
	const { baseUrl, adminUrl, keys } = JSON.parse(said);
	expect(baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1$/);
	expect(adminUrl).toBe(baseUrl.replace('/v1', '/sandbox'));
	expect(keys).toHaveLength(4);
	expect(keys[0]).toEqual({
		key: expect.any(String),
		workspace: 'studio',
		scopes: [...SCOPES],
		entitled: true,
	});
	expect(keys[1].scopes.every((scope: string) => scope.endsWith(':read'))).toBe(true);
	expect(keys[2].workspace).not.toBe('studio');
	expect(keys[3].entitled).toBe(false);
	expect((await (await fetch(`${adminUrl}/settings`)).json()) as object).toMatchObject({
		clockScale: 60,
	});
	child.kill('SIGTERM');
	expect(await once(child, 'close')).toEqual([0, null]);
}, 30_000);

test('without it, base URL, page, keys and scopes are printed for people; SIGINT ends it cleanly', async () => {
	const { child, said } = await start('--settings', '{"eventShape": "flat"}');
	for (const part of ['/v1', 'page', 'mgs_live_studio_all', 'all scopes', 'generations:read']) {
		expect(said).toContain(part);
	}
	child.kill('SIGINT');
	expect(await once(child, 'close')).toEqual([0, null]);
}, 30_000);

test('under npm it ends with the shell that npm started it in', async () => {
	const command = `"${process.execPath}" --import tsx "${main}" --port 0 --json; true`;
	const env = { ...process.env, npm_lifecycle_event: 'sandbox' };
	const shell = spawn('sh', ['-c', command], { env });
	running.push(shell);
	const [chunk] = (await once(shell.stdout, 'data')) as [Buffer];
	const { adminUrl } = JSON.parse(chunk.toString());
	shell.kill('SIGTERM');
	// The pipe ends with the last process that holds it, which is the sandbox.
	await once(shell, 'close');
	await expect(fetch(`${adminUrl}/settings`)).rejects.toThrow();
}, 30_000);

test('a busy port and a wrong option are reported in plain words', async () => {
	const other = createServer().listen(0, '127.0.0.1');
	await once(other, 'listening');
	const { port } = other.address() as AddressInfo;
	const [busy, wrong, unknown] = await Promise.all([
		fail('--port', String(port)),
		fail('--clock-scale', 'fast'),
		fail('--colour'),
	]);
	other.close();
	expect(busy).toEqual({ code: 1, said: expect.stringContaining('in use') });
	expect(wrong).toEqual({ code: 1, said: expect.stringContaining('--clock-scale cannot be fast') });
	expect(unknown.code).toBe(1);
}, 30_000);
