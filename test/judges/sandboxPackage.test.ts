/* eslint-disable @n8n/community-nodes/no-dangerous-functions, @n8n/community-nodes/no-restricted-imports -- not published */
import { execFileSync, spawn, type ChildProcess } from 'child_process';
import { once } from 'events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'fs';
import { tmpdir } from 'os';
import { join } from 'path';

import { until } from '../../lab/process/process';
import { packSandbox } from '../../sandbox/pack';
import { read } from '../support/sources';

interface Manifest {
	version: string;
	dependencies: Record<string, string>;
	/** In that of the sandbox: what is bundled. */
	devDependencies: Record<string, string>;
}

const manifest = JSON.parse(read('sandbox/package.json')) as Manifest;

let folder: string;
let tarball: string;
let program: ChildProcess | undefined;

beforeAll(() => {
	folder = mkdtempSync(join(tmpdir(), 'mediagen-sandbox-'));
	tarball = packSandbox(join(folder, 'dist-sandbox'));
});

afterAll(async () => {
	if (program?.exitCode === null) {
		program.kill('SIGTERM');
		await once(program, 'close');
	}
	rmSync(folder, { recursive: true });
});

/** All that the program says until it is ready. */
async function welcome(child: ChildProcess): Promise<string> {
	let said = '';
	for await (const chunk of child.stdout ?? []) {
		said += String(chunk);
		if (said.includes('Ctrl-C ends it.')) return said;
	}
	throw new Error(`It ended: ${said}`);
}

interface Job {
	id: string;
	output?: { url: string };
	outputs?: Array<{ url: string }>;
}

/** What is read from files beside the program, or made by libraries that are installed with it. */
async function expectPageAndMedia(baseUrl: string, key: string): Promise<void> {
	const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
	const call = async (path: string, sent: RequestInit = {}) =>
		(await (await fetch(baseUrl + path, { headers, ...sent })).json()) as Job;
	/** The first bytes of the file of a job, as text. */
	const made = async (path: string, body: object): Promise<string> => {
		const { id } = await call(path, { method: 'POST', body: JSON.stringify(body) });
		const url = await until(async () => {
			const { output, outputs = [] } = await call(`/jobs/${id}`);
			return output?.url ?? outputs[0]?.url;
		});
		const bytes = await (await fetch(url ?? '')).arrayBuffer();
		return Buffer.from(bytes.slice(0, 8)).toString('latin1');
	};
	const speech = { model: 'service/speech-lite', blocks: [{ text: 'Hello' }] };
	expect(await made('/speech', speech)).toMatch(/^RIFF/);
	const film = { mode: 'video', model: 'studio/video-1', prompt: 'a fox' };
	expect(await made('/generations', film)).toMatch(/^....ftyp/s);
	expect(await (await fetch(new URL('/', baseUrl))).text()).toContain('Media Generation Sandbox');
}

test('it is a tarball of at most 3 MB, named after its version, with at most five dependencies', () => {
	expect(tarball).toMatch(new RegExp(`/mediagen-sandbox-${manifest.version}\\.tgz$`));
	expect(statSync(tarball).size).toBeLessThan(3_000_000);
	expect(Object.keys(manifest.dependencies).length).toBeLessThanOrEqual(5);
});

test('its libraries are the ones that the sandbox is tested with', () => {
	const own = JSON.parse(read('sandbox/package.json')) as Manifest;
	expect(manifest.dependencies).toEqual(own.dependencies);
});

test('it has the licences of all that is bundled, and of the font', () => {
	const read = (file: string) =>
		readFileSync(join(folder, 'dist-sandbox', 'package', file), 'utf8');
	// The bundler itself is not in it.
	const bundled = Object.keys(manifest.devDependencies).filter((name) => name !== 'esbuild');
	for (const name of bundled)
		expect(read('THIRD-PARTY-LICENSES.txt')).toMatch(new RegExp(`^${name} \\d`, 'm'));
	expect(read('LICENSE')).toContain('MIT');
	expect(read('media/fonts/OFL.txt')).toContain('SIL OPEN FONT LICENSE');
});

test('npm installs it into an empty folder, and the three printed calls make a picture', async () => {
	const home = join(folder, 'home');
	mkdirSync(home);
	writeFileSync(join(home, 'package.json'), '{"private": true}');
	execFileSync('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', tarball], {
		cwd: home,
		stdio: 'ignore',
	});
	const command = join(home, 'node_modules', '.bin', 'mediagen-sandbox');
	program = spawn(command, ['--port', '0', '--clock-scale', '20'], { cwd: home });
	const said = await welcome(program);
	const [, baseUrl = ''] = /Base URL +(http:\/\/127\.0\.0\.1:\d+\/v1)\n/.exec(said) ?? [];
	const [, key = ''] = /API key +(mgs_\w+)\n/.exec(said) ?? [];
	expect(said).toContain('In n8n: add a credential "MediaGen API"');
	// As a person does who copies the block into a shell.
	const [block = ''] = /^# 1\.[^]*?(?=\n\n)/m.exec(said) ?? [];
	expect(block.match(/^curl /gm)).toHaveLength(3);
	execFileSync('sh', ['-e', '-c', block], { cwd: home });
	const picture = readFileSync(join(home, 'picture.png'));
	expect(picture.subarray(1, 4).toString()).toBe('PNG');
	expect(picture.length).toBeGreaterThan(10_000);
	await expectPageAndMedia(baseUrl, key);
	program.kill('SIGTERM');
	expect(await once(program, 'close')).toEqual([0, null]);
});
