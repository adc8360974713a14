/* eslint-disable @n8n/community-nodes/no-dangerous-functions, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { spawn } from 'child_process';
import { createServer, type Server } from 'http';
import { mkdtempSync, rmSync, symlinkSync } from 'fs';
import type { AddressInfo } from 'net';
import { tmpdir } from 'os';
import { join } from 'path';
import { gunzipSync } from 'zlib';
import { read, ROOT } from '../support/sources';

interface Publication {
	name: string;
	_attachments: Record<string, { data: string }>;
}

let registry: Server;
let address: string;
let clone: string;
const published: Publication[] = [];

async function run(command: string, args: string[], env: NodeJS.ProcessEnv = {}) {
	const child = spawn(command, args, { cwd: clone, env: { ...process.env, ...env } });
	let output = '';
	child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
	child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
	const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
	return { code, output };
}

/** `npm publish` as somebody types it in a clone in which only `npm ci` has run. */
async function publish(env: NodeJS.ProcessEnv = {}, ...args: string[]) {
	const host = new URL(address).host;
	const account = [`--registry=${address}`, `--//${host}/:_authToken=none`];
	// Of the test run itself; a person's shell does not have them.
	const clean = Object.fromEntries(
		Object.keys(process.env)
			.filter((name) => /^npm_/i.test(name))
			.map((name) => [name, undefined]),
	);
	return await run('npm', ['publish', ...account, ...args], { ...clean, ...env });
}

/** Names of the files in a tarball. */
function filesOf(publication: Publication | undefined): string[] {
	const [attachment] = Object.values(publication?._attachments ?? {});
	const tar = gunzipSync(Buffer.from(attachment?.data ?? '', 'base64'));
	const names: string[] = [];
	for (let at = 0; at + 512 <= tar.length && tar[at] !== 0;) {
		const text = (from: number, length: number) =>
			tar.toString('utf8', at + from, at + from + length).replace(/\0.*$/s, '');
		names.push(text(0, 100).replace(/^package\//, ''));
		at += 512 + Math.ceil(parseInt(text(124, 12), 8) / 512) * 512;
	}
	return names;
}

beforeAll(async () => {
	registry = createServer((request, response) => {
		let body = '';
		request.on('data', (chunk: Buffer) => (body += chunk.toString()));
		request.on('end', () => {
			if (request.method === 'PUT') published.push(JSON.parse(body) as Publication);
			response.writeHead(request.method === 'PUT' ? 200 : 404, {
				'content-type': 'application/json',
			});
			response.end('{}');
		});
	});
	await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve));
	address = `http://127.0.0.1:${(registry.address() as AddressInfo).port}/`;
});
afterAll(() => registry.close());

beforeEach(async () => {
	published.length = 0;
	const folder = mkdtempSync(join(tmpdir(), 'mediagen-clone-'));
	clone = join(folder, 'clone');
	const cloned = await new Promise<number | null>((resolve) =>
		spawn('git', ['clone', '--quiet', '--no-hardlinks', ROOT, clone]).on('close', resolve),
	);
	expect(cloned).toBe(0);
	symlinkSync(join(ROOT, 'node_modules'), join(clone, 'node_modules'));
});
afterEach(() => rmSync(join(clone, '..'), { recursive: true, force: true }));

test('npm publish from a clean clone ships all that is registered, built just then', async () => {
	const { code, output } = await publish({ RELEASE_MODE: 'true' });
	expect({ code, output: code ? output : '' }).toEqual({ code: 0, output: '' });
	expect(published.map(({ name }) => name)).toEqual(['n8n-nodes-mediagen']);
	const files = filesOf(published[0]);
	const { n8n } = JSON.parse(read('package.json')) as {
		n8n: { nodes: string[]; credentials: string[] };
	};
	expect(files).toEqual(expect.arrayContaining([...n8n.nodes, ...n8n.credentials]));
	const codexes = n8n.nodes.map((file) => file.replace(/\.js$/, '.json'));
	expect(files).toEqual(expect.arrayContaining(codexes));
	expect(files.some((file) => file.endsWith('.svg'))).toBe(true);
	expect(
		files.filter((file) => /^(dist\/)?(lab|test|bench|scripts|src\/sandbox)/.test(file)),
	).toEqual([]);
});

test('npm publish publishes nothing when the build fails', async () => {
	await run('git', ['rm', '--quiet', 'tsconfig.build.json']);
	const { code } = await publish({ RELEASE_MODE: 'true' });
	expect(code).not.toBe(0);
	expect(published).toEqual([]);
});

test('npm publish outside of npm run release is refused', async () => {
	const { code, output } = await publish({}, '--ignore-scripts=false');
	expect(code).not.toBe(0);
	expect(output).toContain('npm run release');
	expect(published).toEqual([]);
});
