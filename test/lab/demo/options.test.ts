/* eslint-disable @n8n/community-nodes/no-dangerous-functions, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { execFileSync } from 'node:child_process';
import { createServer, type AddressInfo } from 'node:net';
import { readOptions } from '../../../lab/demo/options';
import { availablePort } from '../../../lab/demo/port';

test('without arguments: the sandbox, the usual ports, and the editor stays open', () => {
	expect(readOptions([], {})).toEqual({
		once: false,
		watch: false,
		example: '1',
		port: { number: 5678, chosen: false },
		sandboxPort: { number: 4010, chosen: false },
		service: undefined,
	});
});

test('the environment chooses ports and the real service', () => {
	const options = readOptions(['--once', '--watch', '--example', '7b'], {
		N8N_PORT: '5700',
		SANDBOX_PORT: '4100',
		MEDIAGEN_BASE_URL: 'https://api.example.com/v1/',
		MEDIAGEN_API_KEY: 'k',
	});
	expect(options).toEqual({
		once: true,
		watch: true,
		example: '7b',
		port: { number: 5700, chosen: true },
		sandboxPort: { number: 4100, chosen: true },
		service: { baseUrl: 'https://api.example.com/v1', apiKey: 'k' },
	});
});

test.each([
	[['--twice'], {}, "Unknown option '--twice': see npm start -- --help"],
	[['now'], {}, /see npm start -- --help$/],
	[[], { N8N_PORT: 'a' }, 'N8N_PORT is a: a number from 1 to 65535 is needed'],
	[[], { SANDBOX_PORT: '70000' }, 'SANDBOX_PORT is 70000: a number from 1 to 65535 is needed'],
	[[], { MEDIAGEN_API_KEY: 'k' }, 'MEDIAGEN_API_KEY is set, so MEDIAGEN_BASE_URL is needed too'],
	[[], { MEDIAGEN_API_KEY: 'k', MEDIAGEN_BASE_URL: 'api' }, /MEDIAGEN_BASE_URL is not a URL: api/],
])('%j with %j is refused with one line', (args, env, message) => {
	expect(() => readOptions(args, env)).toThrow(message);
});

test('--help names every option and variable, and needs no install', () => {
	const help = execFileSync(process.execPath, ['lab/demo/preflight.cjs', '--help'], {
		encoding: 'utf8',
		env: {},
	});
	for (const word of [
		'--once',
		'--watch',
		'--example',
		'--help',
		'N8N_PORT',
		'SANDBOX_PORT',
		'MEDIAGEN_BASE_URL',
	])
		expect(help).toContain(word);
});

describe('a port in use', () => {
	const server = createServer();
	let busy: number;
	beforeAll(async () => {
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
		busy = (server.address() as AddressInfo).port;
	});
	afterAll(() => server.close());

	test('is refused where it was asked for, with what to do', async () => {
		const wanted = { number: busy, chosen: true };
		const refusal = async (program: string, variable: string) =>
			await availablePort(wanted, program, variable, () => undefined).catch(String);
		expect(await refusal('the editor', 'N8N_PORT')).toBe(
			`LabError: Port ${busy} is in use by another program: end that one, or choose a port for the editor, e.g. N8N_PORT=${busy + 1} npm start`,
		);
		// Naming the other program's variable would send people round in circles.
		expect(await refusal('the sandbox', 'SANDBOX_PORT')).toContain(`SANDBOX_PORT=${busy + 1}`);
	});

	test('is gone around where it was only the usual one, and that is said', async () => {
		const lines: string[] = [];
		const wanted = { number: busy, chosen: false };
		const port = await availablePort(wanted, 'the editor', 'N8N_PORT', (line) => lines.push(line));
		expect(port).not.toBe(busy);
		expect(lines).toEqual([
			`Port ${busy} is in use by another program, so the editor is at ${port} this time.`,
		]);
	});

	test('does not concern a free one', async () => {
		server.close();
		const lines: string[] = [];
		const wanted = { number: busy, chosen: false };
		expect(await availablePort(wanted, 'the editor', 'N8N_PORT', (line) => lines.push(line))).toBe(
			busy,
		);
		expect(lines).toEqual([]);
	});
});
