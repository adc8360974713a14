/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { installDriver, installPackages, strangersIn } from '../../../lab/n8n/install';

let folder: string;
beforeEach(() => {
	folder = mkdtempSync(path.join(tmpdir(), 'mediagen-install-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, content: string | object, mode?: number): string {
	const file = path.join(folder, name);
	mkdirSync(path.dirname(file), { recursive: true });
	writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content), { mode });
	return file;
}

test.each([
	["bun's when it has the same as npm's lockfile", 'isFirst ? lock({}) : install()', 'by-bun'],
	["npm's when it would fetch more", "lock({ b: ['b@1.0.0', '', {}, 'sha512-b'] })", 'a'],
	["npm's when it breaks off", 'isFirst ? lock({}) : (install(), process.exit(1))', 'a'],
])("the packages are %s, and nothing of the other's is there", async (_, does, installed) => {
	// A project that npm can install without a registry: its one package is a folder.
	const manifest = { name: 'lab', version: '1.0.0', dependencies: { a: 'file:a' } };
	write('package.json', manifest);
	write('a/package.json', { name: 'a', version: '1.0.0' });
	const link = { resolved: 'a', link: true };
	const packages = { '': manifest, a: { version: '1.0.0' }, 'node_modules/a': link };
	write('package-lock.json', { ...manifest, lockfileVersion: 3, requires: true, packages });
	const bun = write(
		'bun',
		`#!/usr/bin/env node
		const fs = require('fs');
		const isFirst = process.argv.includes('--lockfile-only');
		const lock = (packages) => fs.writeFileSync('bun.lock', JSON.stringify({ packages }));
		const install = () => fs.mkdirSync('node_modules/by-bun', { recursive: true });
		${does}`,
		0o755,
	);
	await installPackages(folder, bun);
	const names = readdirSync(path.join(folder, 'node_modules'));
	expect(names.filter((name) => !name.startsWith('.'))).toEqual([installed]);
});

test("what npm has not locked, by version and digest, is a stranger in bun's lockfile", () => {
	const packages = {
		'node_modules/a': { version: '1.0.0', integrity: 'sha512-a' },
		'node_modules/a/node_modules/@b/c': { version: '2.0.0', integrity: 'sha512-c' },
		'node_modules/alias': { name: 'real', version: '3.0.0', integrity: 'sha512-r' },
	};
	write('package-lock.json', { packages });
	// As bun writes it, with commas after the last entries.
	write(
		'bun.lock',
		`{ "packages": {
			"1": ["a@1.0.0", "", { "dependencies": { "@b/c": "2", }, }, "sha512-a"],
			"2": ["@b/c@2.0.0", "", {}, "sha512-c"],
			"3": ["real@3.0.0", "", {}, "sha512-r"],
			"4": ["a@1.0.1", "", {}, "sha512-a"],
			"5": ["a@1.0.0", "", {}, "sha512-x"],
			"6": ["a@1.0.0", "", {}],
			"7": ["d@1.0.0", "", {}, "sha512-a"],
		}, }`,
	);
	expect(strangersIn(folder)).toEqual([
		'a@1.0.1 sha512-a',
		'a@1.0.0 sha512-x',
		'a@1.0.0 undefined',
		'd@1.0.0 sha512-a',
	]);
});

test('the database driver is compiled where the one that was brought does not run', async () => {
	const driver = 'build/Release/node_sqlite3.node';
	const sqlite3 = { version: '1.0.0', main: 'index.js', scripts: { install: 'node compile.js' } };
	write('package.json', { name: 'lab', dependencies: { sqlite3: '1.0.0' } });
	write('node_modules/sqlite3/package.json', { name: 'sqlite3', ...sqlite3 });
	write(
		'node_modules/sqlite3/compile.js',
		`require('fs').mkdirSync('build/Release', { recursive: true });
		require('fs').writeFileSync('${driver}', 'works, compiled');`,
	);
	write(
		'node_modules/sqlite3/index.js',
		`const driver = require('fs').readFileSync(__dirname + '/${driver}', 'utf8');
		if (!driver.startsWith('works')) throw new Error('wrong ELF class');
		exports.Database = class { get(sql, done) { done(null, { one: 1 }); } };`,
	);
	await installDriver(folder, write('brought.node', 'for another system'), process.execPath);
	const used = readFileSync(path.join(folder, 'node_modules/sqlite3', driver), 'utf8');
	expect(used).toBe('works, compiled');
});
