/* eslint-disable @n8n/community-nodes/no-dangerous-functions, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beginningOf, endLeftovers } from '../../../lab/process/running';
import { until } from '../../../lab/process/process';

let state: string;
beforeEach(() => {
	state = mkdtempSync(path.join(tmpdir(), 'mediagen-start-'));
});
const starts: Start[] = [];
afterEach(async () => {
	for (const start of starts.splice(0)) {
		start.child.kill('SIGKILL');
		await start.code;
	}
	await endLeftovers(state);
	rmSync(state, { recursive: true, force: true, maxRetries: 3 });
});

/** A program that ends when it is asked to, and has started another one that does not. */
const PROGRAM = `
	const { appendFileSync } = require('fs');
	const { spawn } = require('child_process');
	const isFirst = process.argv[1] !== 'second';
	if (!isFirst) process.on('SIGTERM', () => undefined);
	appendFileSync(process.env.PIDS, process.pid + '\\n');
	if (isFirst) spawn(process.execPath, ['-e', process.env.PROGRAM, 'second'], { stdio: 'inherit' });
	setInterval(() => undefined, 1000);`;

/** What begins it, as an install or a server is begun. */
const COMMAND = "await run(node, ['-e', env.PROGRAM], { cwd: '.' })";
const NOT_READY = 'await startGuarded({ ...server, isReady: async () => false })';
const READY = `
	await startGuarded({ ...server, isReady: async () => true });
	await new Promise(() => setInterval(() => undefined, 1000));`;

/** A start whose own part is given as code. */
class Start {
	output = '';
	errors = '';
	readonly child;
	readonly code: Promise<number | null>;

	/** @param before a command that runs what follows it */
	constructor(
		main: string,
		{ args = [], before = [] }: { args?: string[]; before?: string[] } = {},
	) {
		const code = `
			const { runStart } = require('./lab/demo/start');
			const { run, startGuarded } = require('./lab/process/process');
			const { writeFileSync, mkdirSync } = require('fs');
			const { execPath: node, env } = process;
			const logFile = env.MEDIAGEN_LAB_STATE + '/server.log';
			const server = { name: 'server', command: node, args: ['-e', env.PROGRAM], env, logFile };
			runStart(async ({ held }) => { console.log('begun'); ${main} });`;
		const node = [process.execPath, '--require', 'tsx/cjs', '-e', code, '--', 'main.ts'];
		const [command = '', ...rest] = [...before, ...node, ...args];
		this.child = spawn(command, rest, {
			env: {
				...process.env,
				npm_lifecycle_event: 'start',
				MEDIAGEN_LAB_STATE: state,
				MEDIAGEN_LAB_OUT: state,
				PIDS: path.join(state, 'pids.txt'),
				PROGRAM,
			},
			stdio: ['ignore', 'pipe', 'pipe'],
		});
		starts.push(this);
		this.child.stdout.on('data', (chunk: Buffer) => {
			this.output += chunk.toString();
		});
		this.child.stderr.on('data', (chunk: Buffer) => {
			this.errors += chunk.toString();
		});
		this.code = once(this.child, 'close').then(([exitCode]) => exitCode as number | null);
	}
}

/** The numbers of the program and of the other one, once both are there. */
async function programs(): Promise<number[]> {
	const file = path.join(state, 'pids.txt');
	const pids = await until(async () => {
		const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
		return lines.length === 2 && lines.map(Number);
	});
	return pids ?? [];
}

const alive = (pids: number[]) => pids.filter((pid) => beginningOf(pid) !== undefined);

/** On a machine that has much to do, a program that was ended is in its table for a moment more. */
async function allEnd(pids: number[]): Promise<void> {
	await until(async () => alive(pids).length === 0, { timeoutMs: 5_000 });
	expect(alive(pids)).toEqual([]);
}

test.each([
	['SIGINT', 'a command on its way', COMMAND],
	['SIGTERM', 'a server that is not ready yet', NOT_READY],
	['SIGHUP', 'a server that runs', READY],
] as const)('after %s nothing is left of %s', async (signal, _what, main) => {
	const start = new Start(main);
	const pids = await programs();
	expect(alive(pids)).toHaveLength(2);
	start.child.kill(signal);
	expect(await start.code).toBe(130);
	await allEnd(pids);
	expect(readdirSync(path.join(state, 'running'))).toEqual([]);
	expect(start.output).toBe('begun\n\nStopping …\n');
	expect(start.errors).toBe('');
});

test('a start that is killed takes with it what it has started', async () => {
	const start = new Start(READY);
	const pids = await programs();
	start.child.kill('SIGKILL');
	await start.code;
	await allEnd(pids);
});

test('what a start has left that was killed with its guard is ended by the next one, before it begins', async () => {
	const first = new Start(READY);
	const pids = await programs();
	const guards = readdirSync(path.join(state, 'running')).map((file) => parseInt(file, 10));
	// Stopped first, as one that sees another end would end the rest.
	for (const signal of ['SIGSTOP', 'SIGKILL'] as const)
		for (const pid of guards) process.kill(pid, signal);
	await first.code;
	expect(alive(pids)).toHaveLength(2);
	const next = new Start('');
	expect(await next.code).toBe(0);
	expect(next.output).toBe('Ended what a start had left that was killed.\nbegun\n');
	await allEnd(pids);
});

test('when npm is gone, which passes no signal on, the start ends too', async () => {
	const start = new Start(READY, { before: ['sh', '-c', '"$0" "$@"; true'] });
	const pids = await programs();
	start.child.kill('SIGTERM');
	// As long as one of them is there it holds the output.
	await start.code;
	expect(start.output).toContain('Stopping …');
	await allEnd(pids);
});

test('of five that begin at once one goes on, and the others find it', async () => {
	const all = Array.from({ length: 5 }, () => new Start(READY, { args: ['--once'] }));
	const one = await until(async () => all.find(({ output }) => output.includes('begun')));
	const others = all.filter((start) => start !== one);
	expect(await Promise.all(others.map(async ({ code }) => await code))).toEqual([1, 1, 1, 1]);
	const said = `npm start is already starting in another terminal (process ${one?.child.pid}), which will show its addresses.\n`;
	expect(others.map(({ output }) => output)).toEqual([said, said, said, said]);
});

const failsWith = (code: string, more = '') =>
	`throw Object.assign(new Error('${code}: as the system says it'), { code: '${code}'${more} })`;

test.each([
	['a full disk', failsWith('ENOSPC'), /^ENOSPC: .*: The disk is full\n$/],
	[
		'a full disk later',
		`setTimeout(() => { ${failsWith('ENOSPC')} }); ${READY}`,
		/disk is full\n$/,
	],
	[
		'a rejection that nobody awaits',
		`void (async () => { ${failsWith('ENOSPC')} })(); ${READY}`,
		/full\n$/,
	],
	[
		'a server that ends',
		'await startGuarded({ ...server, args: ["-e", ""], isReady: async () => false })',
		/^server ended with code 0/,
	],
])('%s is one line, and all ends', async (_what, main, line) => {
	const start = new Start(main);
	expect(await start.code).toBe(1);
	expect(start.errors).toMatch(line);
	expect(start.errors).not.toMatch(/^ +at /m);
	expect(readdirSync(path.join(state, 'running'))).toEqual([]);
});

test('a bug keeps its stack', async () => {
	const start = new Start('throw new TypeError("oops")');
	expect(await start.code).toBe(1);
	expect(start.errors).toMatch(/^TypeError: oops\n {4}at /);
});

test('where nobody reads its output any more it ends, with a line', async () => {
	const start = new Start(`setInterval(() => console.log('more'), 20); ${READY}`);
	const pids = await programs();
	start.child.stdout.destroy();
	expect(await start.code).toBe(0);
	expect(start.errors).toBe('Nobody reads the output any more, so everything is stopped.\n');
	await allEnd(pids);
});
