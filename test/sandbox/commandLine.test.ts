/* eslint-disable @n8n/community-nodes/no-dangerous-functions, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { spawn, type ChildProcess } from 'child_process';
import { once } from 'events';
import execa from 'execa';
import { mkdtemp, rm, symlink } from 'fs/promises';
import { connect } from 'net';
import { tmpdir } from 'os';
import { join } from 'path';

import { readCommandLine, startFrom, UsageError } from '../../sandbox/commandLine';
import type { LedgerLine } from '../../sandbox/credits/ledger';
import { bundleSandbox } from '../../sandbox/pack';
import { SCOPES } from '../../src/api';
import { ROOT } from '../support/sources';
import { anImage, ask } from './support/harness';

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
afterAll(() => running.forEach((child) => child.kill('SIGKILL')));

/** Runs the program to its end. */
const run = async (...options: string[]) =>
	await execa(process.execPath, [main, ...options], { reject: false });

/** Starts the program and waits for its line of JSON. */
async function start(...options: string[]) {
	const child = spawn(process.execPath, [main, '--port', '0', '--json', ...options]);
	running.push(child);
	const [chunk] = (await once(child.stdout, 'data')) as [Buffer];
	return { ...JSON.parse(chunk.toString()), child };
}

test('--help lists the options and ends with 0, a wrong option with 2 and points to --help', async () => {
	const help = await run('--port', '4711', '--help');
	expect(help).toMatchObject({ exitCode: 0, stderr: '' });
	const options = [...help.stdout.matchAll(/^ {2}--([a-z-]+) /gm)].map(([, name]) => name);
	const wanted = ['port', 'host', 'public-url', 'clock-scale', 'seed', 'data', 'settings'];
	expect(options).toEqual([...wanted, 'json', 'help']);
	const wrong = await run('--settings', '[]');
	expect(wrong).toMatchObject({ exitCode: 2, stdout: '' });
	expect(wrong.stderr).toMatch(/^--settings: must be a JSON object\n.*--help/);
	const { start: usual } = readCommandLine(['--clock-scale', '60']);
	expect(usual).toMatchObject({ port: 4010, settings: { clockScale: 60 } });
});

test.each([
	[['--no-such-option'], "Unknown option '--no-such-option'"],
	[['--clock-scale', 'fast'], '--clock-scale: must be a number, not "fast"'],
	[['--port', '65536'], '--port: '],
	[['--data', ''], '--data needs a value'],
	[['--settings', '{'], '--settings: must be JSON, not {'],
	[
		['--settings', '{"jobSeconds": {"no_such_job": 1}}'],
		'--settings: jobSeconds.no_such_job: is unknown',
	],
	[['--public-url', 'https://example.com/media'], '--public-url: must be http:// or https://'],
	[['--host', 'a b'], '--host: '],
])('%j is refused by its name', async (options, words) => {
	const refused = async () => await startFrom(readCommandLine(options).start);
	const error = await refused().catch((thrown: unknown) => thrown);
	expect(error).toBeInstanceOf(UsageError);
	expect((error as Error).message).toContain(words);
});

test('under npm it ends with the shell that npm started it in', async () => {
	const command = `"${process.execPath}" "${main}" --port 0 --json; true`;
	const env = { ...process.env, npm_lifecycle_event: 'sandbox' };
	const shell = spawn('sh', ['-c', command], { env });
	const [chunk] = (await once(shell.stdout, 'data')) as [Buffer];
	const { adminUrl } = JSON.parse(chunk.toString());
	shell.kill('SIGTERM');
	// The pipe ends with the last process that holds it, which is the sandbox.
	await once(shell, 'close');
	await expect(fetch(`${adminUrl}/settings`)).rejects.toThrow();
});

describe('a program that keeps its data, killed and started again', () => {
	let program: Awaited<ReturnType<typeof start>>;

	const create = async (index: number): Promise<string> => {
		const authorization = `Bearer ${program.keys[0].key}`;
		const type = { 'content-type': 'application/json' };
		const headers = { authorization, ...type, 'idempotency-key': `k${index}` };
		const options = { method: 'POST', headers };
		return (await ask(`${program.baseUrl}/generations`, options, JSON.stringify(anImage()))).body
			.id;
	};

	test('says its addresses and four keys; another one for its port ends with 1', async () => {
		const settings = '{"requestsPerMinute": 10000, "concurrentJobs": 1000}';
		program = await start('--data', join(folder, 'data'), '--settings', settings);
		const { baseUrl, adminUrl, keys } = program;
		expect(adminUrl).toBe(baseUrl.replace('/v1', '/sandbox'));
		const key = expect.stringMatching(/^mgs_/);
		const reading = SCOPES.filter((scope) => scope.endsWith(':read'));
		expect(keys).toEqual([
			{ key, workspace: 'studio', scopes: [...SCOPES], entitled: true },
			{ key, workspace: 'studio', scopes: reading, entitled: true },
			{ key, workspace: 'annex', scopes: [...SCOPES], entitled: true },
			{ key, workspace: 'trial', scopes: [...SCOPES], entitled: false },
		]);
		const busy = await run('--port', new URL(baseUrl).port);
		expect(busy).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('port is in use') });
	});

	test.each(['/proc/mediagen', '/proc'])(
		'--data %s is refused in one line about it',
		async (data) => {
			const { exitCode, stderr } = await run('--port', '0', '--data', data);
			expect(exitCode).toBe(1);
			expect(stderr).toMatch(new RegExp(`^The directory ${data} cannot be used, .*--data: .+$`));
		},
	);

	test('has lost no ledger line that a client has seen, and answers a repeat with its job', async () => {
		const accepted = new Map<number, string>();
		const sending = Array.from({ length: 100 }, async (_, index) => {
			accepted.set(index, await create(index));
			if (accepted.size === 30) program.child.kill('SIGKILL');
		});
		await Promise.allSettled(sending);
		program = await start('--data', join(folder, 'data'), '--clock-scale', '1000');
		const { lines } = (await ask(`${program.adminUrl}/ledger?workspace=studio`)).body;
		const known = lines.map(({ resource }: LedgerLine) => resource);
		expect(accepted.size).toBeGreaterThanOrEqual(30);
		expect(known).toEqual(expect.arrayContaining([...accepted.values()]));
		const [[index, id]] = [...accepted] as [[number, string]];
		expect(await create(index)).toBe(id);
	});

	test('of three that start at once after a kill, one has the data, and the others end with 1', async () => {
		program.child.kill('SIGKILL');
		await once(program.child, 'close');
		const starts = Array.from({ length: 3 }, () =>
			spawn(process.execPath, [main, '--port', '0', '--json', '--data', join(folder, 'data')]),
		);
		running.push(...starts);
		const said = await Promise.all(
			starts.map(async (child) => {
				const [chunk] = await Promise.race([
					once(child.stdout, 'data'),
					once(child.stderr, 'data'),
				]);
				return String(chunk);
			}),
		);
		const ready = said.flatMap((text, at) => (text.startsWith('{') ? [at] : []));
		expect(ready).toHaveLength(1);
		expect(
			said.filter((text) => /^Another sandbox uses the directory .*\n$/.test(text)),
		).toHaveLength(2);
		const [first = 0] = ready;
		program = { ...JSON.parse(said[first]!), child: starts[first]! };
	});

	test('ends within five seconds of SIGTERM, with a late answer and a body that never ends open', async () => {
		const { child, baseUrl, adminUrl, keys } = program;
		const rules = [{ kind: 'slow', operations: ['getUsage'], seconds: 1e6 }];
		await ask(`${adminUrl}/faults`, { method: 'PUT' }, JSON.stringify({ rules }));
		const headers = { authorization: `Bearer ${keys[0].key}` };
		const late = fetch(`${baseUrl}/usage`, { headers }).catch(() => undefined);
		const { port, host } = new URL(baseUrl);
		const half = connect(Number(port), '127.0.0.1').on('error', () => undefined);
		half.write(`POST /v1/generations HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 9\r\n\r\n{`);
		const asked = performance.now();
		child.kill('SIGTERM');
		expect(await once(child, 'close')).toEqual([0, null]);
		expect(performance.now() - asked).toBeLessThan(5_000);
		await late;
		half.destroy();
	});
});
