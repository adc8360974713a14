/* eslint-disable @n8n/community-nodes/no-dangerous-functions, @n8n/community-nodes/no-restricted-imports -- not published */
import { execFileSync, spawn, type ChildProcess } from 'child_process';
import { once } from 'events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'fs';
import { tmpdir } from 'os';
import { join } from 'path';

import { packSandbox } from '../../sandbox/pack';

let folder: string;
let program: ChildProcess | undefined;

beforeAll(() => {
	folder = mkdtempSync(join(tmpdir(), 'mediagen-sandbox-'));
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

test('npm installs it into an empty folder, and the three printed calls make a picture', async () => {
	const tarball = packSandbox(join(folder, 'dist-sandbox'));
	const home = join(folder, 'home');
	mkdirSync(home);
	writeFileSync(join(home, 'package.json'), '{"private": true}');
	execFileSync('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', tarball], {
		cwd: home,
		stdio: 'ignore',
	});
	program = spawn(join(home, 'node_modules', '.bin', 'mediagen-sandbox'), ['--port', '0'], {
		cwd: home,
	});
	const said = await welcome(program);
	expect(said).toMatch(/Base URL +http:\/\/127\.0\.0\.1:\d+\/v1\n/);
	expect(said).toMatch(/API key +mgs_\w+\n/);
	expect(said).toContain('In n8n: add a credential "MediaGen API"');
	// As a person does who copies the block into a shell.
	const [block = ''] = /^# 1\.[^]*?(?=\n\n)/m.exec(said) ?? [];
	expect(block.match(/^curl /gm)).toHaveLength(3);
	execFileSync('sh', ['-e', '-c', block], { cwd: home });
	const picture = readFileSync(join(home, 'picture.png'));
	expect(picture.subarray(1, 4).toString()).toBe('PNG');
	expect(picture.length).toBeGreaterThan(10_000);
	program.kill('SIGTERM');
	expect(await once(program, 'close')).toEqual([0, null]);
});
