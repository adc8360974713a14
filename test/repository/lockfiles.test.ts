/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { readFileSync } from 'fs';
import { relative } from 'path';
import { releases } from '../../lab/n8n/release';
import { tools } from '../../lab/n8n/tools';
import { read, ROOT } from '../support/sources';

interface Lockfile {
	packages: Record<string, { version?: string; integrity?: string; resolved?: string }>;
}

const ofReleases = releases().map(({ lockfile }) => lockfile);
const files = [
	'package-lock.json',
	'test/judges/package-lock.json',
	...[tools.lockfile, ...ofReleases].map((file) => relative(ROOT, file)),
];

test.each(files)('%s names no registry and no path of a machine', (file) => {
	const text = read(file);
	expect(text).not.toMatch(/"resolved"|file:|\/(home|work|tmp|root|Users)\//);
	const { packages } = JSON.parse(text) as Lockfile;
	const unlocked = Object.entries(packages).filter(
		([name, { version, integrity }]) => name !== '' && !(version && integrity),
	);
	expect(unlocked.map(([name]) => name)).toEqual([]);
});

test('each n8n that the lab pins is locked to its exact version', () => {
	for (const { version, root, lockfile } of releases()) {
		const { packages } = JSON.parse(readFileSync(lockfile, 'utf8')) as Lockfile;
		expect([root, packages['node_modules/n8n']?.version]).toEqual([root, version]);
	}
});

test('Node is the same in every system that a package brings it for', () => {
	const { packages } = JSON.parse(readFileSync(tools.lockfile, 'utf8')) as Lockfile;
	const nodes = Object.entries(packages).filter(([name]) => /node-\w+-(x64|arm64)$/.test(name));
	expect(nodes).toHaveLength(3);
	expect(new Set(nodes.map(([, { version }]) => version)).size).toBe(1);
	expect(nodes[0]![1].version).toMatch(new RegExp(`^${read('.nvmrc').trim()}\\.`));
});
