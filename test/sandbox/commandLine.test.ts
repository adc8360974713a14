/* eslint-disable @n8n/community-nodes/no-dangerous-functions, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { spawn, type ChildProcess } from 'child_process';
import { once } from 'events';
import { connect, createServer, type AddressInfo } from 'net';
import { mkdtemp, rm, symlink } from 'fs/promises';
import { tmpdir } from 'os';
import { join } from 'path';

import { readCommandLine, startFrom, UsageError } from '../../sandbox/commandLine';
import { bundleSandbox } from '../../sandbox/pack';
import { createSandbox } from '../../sandbox/server';
import { SCOPES } from '../../src/contract';
import { ROOT } from '../support/sources';

const running: ChildProcess[] = [];

/** As in its package, which starts in a fraction of the time. */
let main: string;
let folder: string;

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), 'mediagen-command-'));
	await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
	main = bundleSandbox(folder).program;
});
afterAll(async () => await rm(folder, { recursive: true, force: true }));

afterEach(async () => {
	for (const child of running.splice(0)) {
		if (child.exitCode !== null || child.signalCode !== null) continue;
		child.kill('SIGTERM');
		await once(child, 'close');
	}
});

/** Starts the command line and waits for its first words. */
async function start(...options: string[]) {
	const child = spawn(process.execPath, [main, '--port', '0', ...options]);
	running.push(child);
	const [chunk] = (await once(child.stdout, 'data')) as [Buffer];
	return { child, said: chunk.toString() };
}

/** Runs the command line to its end. */
async function run(...options: string[]) {
	const child = spawn(process.execPath, [main, ...options]);
	running.push(child);
	let [said, complained] = ['', ''];
	child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
	child.stderr.on('data', (chunk: Buffer) => (complained += chunk.toString()));
	const [code] = (await once(child, 'close')) as [number];
	return { code, said, complained };
}

test('with --json it prints one line with addresses and the four keys', async () => {
	const { said } = await start('--clock-scale', '60', '--seed', '1', '--json');
	expect(said.trim().split('\n')).toHaveLength(1);
	const { baseUrl, adminUrl, keys } = JSON.parse(said);
	expect(baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1$/);
	expect(adminUrl).toBe(baseUrl.replace('/v1', '/sandbox'));
	const [all, reading, other, unentitled] = keys;
	expect(all).toEqual({
		key: expect.any(String),
		workspace: 'studio',
		scopes: [...SCOPES],
		entitled: true,
	});
	expect(reading.scopes.every((scope: string) => scope.endsWith(':read'))).toBe(true);
	expect(other.workspace).not.toBe('studio');
	expect(unentitled.entitled).toBe(false);
	expect((await (await fetch(`${adminUrl}/settings`)).json()) as object).toMatchObject({
		clockScale: 60,
	});
	const busy = await run('--port', new URL(baseUrl).port);
	expect(busy).toMatchObject({ code: 1, complained: expect.stringContaining('in use') });
});

test('without it, base URL, page, keys and scopes are printed for people; SIGINT ends it cleanly', async () => {
	const { child, said } = await start('--settings', '{"eventShape": "flat"}');
	for (const part of [
		'/v1',
		'Page',
		'mgs_live_studio_all',
		'all scopes',
		'generations:read',
		'curl',
	]) {
		expect(said).toContain(part);
	}
	child.kill('SIGINT');
	expect(await once(child, 'close')).toEqual([0, null]);
});

test('under npm it ends with the shell that npm started it in', async () => {
	const command = `"${process.execPath}" "${main}" --port 0 --json; true`;
	const env = { ...process.env, npm_lifecycle_event: 'sandbox' };
	const shell = spawn('sh', ['-c', command], { env });
	running.push(shell);
	const [chunk] = (await once(shell.stdout, 'data')) as [Buffer];
	const { adminUrl } = JSON.parse(chunk.toString());
	shell.kill('SIGTERM');
	// The pipe ends with the last process that holds it, which is the sandbox.
	await once(shell, 'close');
	await expect(fetch(`${adminUrl}/settings`)).rejects.toThrow();
});

test('--help lists every option and exits with 0, whatever else is given', async () => {
	const { code, said, complained } = await run('--port', '4711', '--help');
	expect([code, complained]).toEqual([0, '']);
	for (const option of ['port', 'host', 'public-url', 'clock-scale', 'seed', 'data', 'settings']) {
		expect(said).toMatch(new RegExp(`^  --${option} [A-Z]+ `, 'm'));
	}
	for (const option of ['json', 'help']) expect(said).toMatch(new RegExp(`^  --${option} `, 'm'));
});

test.each([
	[['--colour'], "Unknown option '--colour'"],
	[['extra'], "Unexpected argument 'extra'"],
	[['--clock-scale', 'fast'], '--clock-scale: must be a number, not "fast"'],
	[['--clock-scale', '0'], '--clock-scale: '],
	[['--port', '0x10'], '--port: must be a number, not "0x10"'],
	[['--port', '65536'], '--port: '],
	[['--seed', '1.5'], '--seed: '],
	[['--data', ''], '--data needs a value'],
	[['--settings', '[]'], '--settings: must be a JSON object'],
	[['--settings', '{'], '--settings: must be JSON, not {'],
	[['--settings', '{"nothing": 1}'], '--settings: nothing: is not a setting'],
	[['--settings', '{"jobSeconds": {"nothing": 1}}'], '--settings: jobSeconds.nothing: is unknown'],
	[['--public-url', 'ftp://example.com'], '--public-url: must be http:// or https://'],
	[['--public-url', 'https://example.com/media'], '--public-url: must be http:// or https://'],
	[['--host', 'a b'], '--host: '],
])('%j is refused by its name', async (options, words) => {
	const refused = async () => await startFrom(readCommandLine(options).start);
	const error = await refused().catch((thrown: unknown) => thrown);
	expect(error).toBeInstanceOf(UsageError);
	expect((error as Error).message).toContain(words);
});

test('a wrong option ends it with exit code 2 and points to --help', async () => {
	const { code, said, complained } = await run('--settings', '[]');
	expect([code, said]).toEqual([2, '']);
	expect(complained).toMatch(/^--settings: must be a JSON object\n.*--help/);
});

test('of what the options say of the settings nothing is lost', () => {
	const { start } = readCommandLine(['--settings', '{"voices": 3}', '--clock-scale', '60']);
	expect(start.settings).toEqual({ voices: 3, clockScale: 60 });
	expect(start.port).toBe(4010);
});

describe('a directory', () => {
	let data: string;
	beforeEach(async () => (data = await mkdtemp(join(tmpdir(), 'mediagen-owner-'))));
	afterEach(async () => await rm(data, { recursive: true }));

	test('is one sandbox’s, by whatever name, until that is killed', async () => {
		const { child } = await start('--json', '--data', data);
		const link = `${data}-link`;
		await symlink(data, link);
		for (const name of [data, link])
			await expect(createSandbox({ data: name })).rejects.toThrow('Another sandbox uses');
		await rm(link);
		child.kill('SIGKILL');
		await once(child, 'close');
		await (await createSandbox({ data })).close();
	});

	test('is won by one of five that start at once', async () => {
		const started = await Promise.allSettled(
			Array.from({ length: 5 }, async () => await createSandbox({ data })),
		);
		const [won, ...more] = started.flatMap((each) =>
			each.status === 'fulfilled' ? [each.value] : [],
		);
		expect(more).toEqual([]);
		await won?.close();
	});
});

test('SIGTERM ends it within five seconds, whatever is open', async () => {
	// It accepts a connection and says nothing, so that TLS is never complete.
	let reached = () => {};
	const isReached = new Promise<void>((resolve) => (reached = resolve));
	const silent = createServer(() => reached()).listen(0, '127.0.0.1');
	await once(silent, 'listening');
	const { child, said } = await start('--json', '--clock-scale', '1000');
	const { baseUrl, adminUrl, keys } = JSON.parse(said) as {
		baseUrl: string;
		adminUrl: string;
		keys: Array<{ key: string }>;
	};
	const headers = {
		authorization: `Bearer ${keys[0]?.key}`,
		'content-type': 'application/json',
	};
	const post = async (url: string, method: string, body: object) =>
		await fetch(url, { method, headers, body: JSON.stringify(body) });
	const hook = `https://127.0.0.1:${(silent.address() as AddressInfo).port}/`;
	await post(`${baseUrl}/webhooks`, 'POST', { url: hook, events: ['voice.created'] });
	await post(`${baseUrl}/voices`, 'POST', { kind: 'design', name: 'a', description: 'b' });
	await isReached;
	// A request that is answered late, and one whose body never ends.
	const rules = [{ kind: 'slow', operations: ['getUsage'], seconds: 1e6 }];
	await post(`${adminUrl}/faults`, 'PUT', { rules });
	const late = fetch(`${baseUrl}/usage`, { headers }).catch(() => undefined);
	const { port, host } = new URL(baseUrl);
	const half = connect(Number(port), '127.0.0.1');
	half.on('error', () => undefined);
	half.write(`POST /v1/generations HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 9\r\n\r\n{`);
	const asked = performance.now();
	child.kill('SIGTERM');
	expect(await once(child, 'close')).toEqual([0, null]);
	expect(performance.now() - asked).toBeLessThan(5_000);
	await late;
	half.destroy();
	silent.close();
});
