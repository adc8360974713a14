/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { readFileSync } from 'fs';
import { relative } from 'path';
import { releases } from '../../lab/n8n/release';
import { read, ROOT } from '../support/sources';

interface Lockfile {
	packages: Record<string, { version?: string; integrity?: string; resolved?: string }>;
}

const ofReleases = releases().map(({ lockfile }) => relative(ROOT, lockfile));
const files = ['package-lock.json', 'test/judges/package-lock.json', ...ofReleases];

test.each(files)('%s names no registry and no path of a machine', (file) => {
	const text = read(file);
	expect(text).not.toMatch(/"resolved"|file:|\/(home|work|tmp|root|Users)\//);
	const { packages } = JSON.parse(text) as Lockfile;
	const unlocked = Object.entries(packages).filter(
		([name, { version, integrity }]) => name !== '' && !(version && integrity),
	);
	expect(unlocked.map(([name]) => name)).toEqual([]);
});

test('each n8n that the lab pins is locked to its exact version, with the same Node', () => {
	const nodes = releases().map(({ version, root, lockfile }) => {
		const { packages } = JSON.parse(readFileSync(lockfile, 'utf8')) as Lockfile;
		expect([root, packages['node_modules/n8n']?.version]).toEqual([root, version]);
		return packages['node_modules/node']?.version;
	});
	expect(new Set(nodes).size).toBe(1);
});
