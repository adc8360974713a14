/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import {
	chmodSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { installDriver, installPackages, strangersIn } from '../../../lab/n8n/install';

let folder: string;
beforeEach(() => {
	folder = mkdtempSync(path.join(tmpdir(), 'mediagen-install-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, text: string): string {
	const file = path.join(folder, name);
	mkdirSync(path.dirname(file), { recursive: true });
	writeFileSync(file, text);
	return file;
}

describe('the packages', () => {
	const manifest = { name: 'lab', version: '1.0.0', dependencies: { a: 'file:a' } };

	/** A project that npm can install without a registry: its one package is a folder. */
	beforeEach(() => {
		write('package.json', JSON.stringify(manifest));
		write('a/package.json', JSON.stringify({ name: 'a', version: '1.0.0' }));
		const packages = {
			'': manifest,
			a: { version: '1.0.0' },
			'node_modules/a': { resolved: 'a', link: true },
		};
		const lock = { name: 'lab', version: '1.0.0', lockfileVersion: 3, requires: true, packages };
		write('package-lock.json', JSON.stringify(lock));
	});

	/** A program that is started as bun is, and writes down how often. */
	function bunThat(does: string): string {
		const program = write(
			'bun',
			`#!/usr/bin/env node
			const fs = require('fs');
			const isFirst = process.argv.includes('--lockfile-only');
			fs.appendFileSync('asked', isFirst ? 'lock ' : 'install ');
			const lock = (packages) => fs.writeFileSync('bun.lock', JSON.stringify({ packages }));
			const install = () => fs.mkdirSync('node_modules/by-bun', { recursive: true });
			${does}`,
		);
		chmodSync(program, 0o755);
		return program;
	}
	const asked = () => readFileSync(path.join(folder, 'asked'), 'utf8').trim();
	const has = (name: string) => existsSync(path.join(folder, 'node_modules', name));

	test("are bun's when it has the same as npm's lockfile", async () => {
		await installPackages(folder, bunThat('isFirst ? lock({}) : install()'));
		expect(asked()).toBe('lock install');
		expect([has('by-bun'), has('a')]).toEqual([true, false]);
	});

	test.each([
		['would fetch something else', "lock({ b: ['b@1.0.0', '', {}, 'sha512-b'] })", 'lock'],
		['breaks off halfway', 'isFirst ? lock({}) : (install(), process.exit(1))', 'lock install'],
	])("are npm's when bun %s, and nothing of bun's is left", async (_, does, steps) => {
		await installPackages(folder, bunThat(does));
		expect(asked()).toBe(steps);
		expect([has('by-bun'), has('a')]).toEqual([false, true]);
	});
});

test("what npm has not locked, by version and digest, is a stranger in bun's lockfile", () => {
	const packages = {
		'node_modules/a': { version: '1.0.0', integrity: 'sha512-a' },
		'node_modules/a/node_modules/@b/c': { version: '2.0.0', integrity: 'sha512-c' },
		'node_modules/alias': { name: 'real', version: '3.0.0', integrity: 'sha512-r' },
	};
	write('package-lock.json', JSON.stringify({ packages }));
	const ours = [
		'["a@1.0.0", "", { "dependencies": { "@b/c": "2", }, }, "sha512-a"]',
		'["@b/c@2.0.0", "", {}, "sha512-c"]',
		'["real@3.0.0", "", {}, "sha512-r"]',
	];
	const others = [
		'["a@1.0.1", "", {}, "sha512-a"]',
		'["a@1.0.0", "", {}, "sha512-x"]',
		'["a@1.0.0", "", {}]',
		'["d@1.0.0", "", {}, "sha512-a"]',
	];
	// As bun writes it, with commas after the last entries.
	const entries = [...ours, ...others].map((entry, index) => `"${index}": ${entry},`);
	write('bun.lock', `{ "packages": { ${entries.join('\n')} }, }`);
	expect(strangersIn(folder)).toEqual([
		'a@1.0.1 sha512-a',
		'a@1.0.0 sha512-x',
		'a@1.0.0 undefined',
		'd@1.0.0 sha512-a',
	]);
});

describe('the database driver', () => {
	const compiled = () =>
		readFileSync(path.join(folder, 'node_modules/sqlite3/build/Release/node_sqlite3.node'), 'utf8');

	/** A sqlite3 whose driver runs when it holds "works"; compiling it makes one, unless told to fail. */
	function sqlite3({ compiles = true } = {}): void {
		write('package.json', JSON.stringify({ name: 'lab', dependencies: { sqlite3: '1.0.0' } }));
		const compile =
			"require('fs').mkdirSync('build/Release', { recursive: true });" +
			"require('fs').writeFileSync('build/Release/node_sqlite3.node', 'works, compiled');";
		write('node_modules/sqlite3/compile.js', compiles ? compile : 'process.exit(1)');
		const scripts = { install: 'node compile.js' };
		write(
			'node_modules/sqlite3/package.json',
			JSON.stringify({ name: 'sqlite3', version: '1.0.0', main: 'index.js', scripts }),
		);
		write(
			'node_modules/sqlite3/index.js',
			`const driver = require('fs').readFileSync(__dirname + '/build/Release/node_sqlite3.node', 'utf8');
			if (!driver.startsWith('works')) throw new Error('wrong ELF class');
			exports.Database = class { get(sql, done) { done(null, { one: 1 }); } };`,
		);
	}

	test('is compiled where the one that was brought does not run', async () => {
		sqlite3();
		await installDriver(folder, write('brought.node', 'for another system'), process.execPath);
		expect(compiled()).toBe('works, compiled');
	});
});
