/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { readdirSync, readFileSync } from 'fs';
import { dirname, join } from 'path';
import { releases } from '../../lab/n8n/release';
import { tools } from '../../lab/n8n/tools';
import { filesIn, read, ROOT } from '../support/sources';

interface Entry {
	version?: string;
	integrity?: string;
	/** Where it comes from: for a link, a folder of this repository. */
	resolved?: string;
	link?: boolean;
}
interface Lockfile {
	packages: Record<string, Entry>;
}

const STAND_INS = 'scripts/standIns';

/** All of the repository. */
const files = filesIn('.', 'package-lock.json').map((file) => file.replace('./', ''));

/** What is no package of the registry but a folder of this repository. */
const OURS = ['sandbox', `${STAND_INS}/ai-node-sdk`];

/** What a lockfile has of the registry: not the project itself, nor a link to one of its folders. */
const fetched = (file: string) =>
	Object.entries((JSON.parse(read(file)) as Lockfile).packages).filter(
		([place, { link, resolved = '' }]) =>
			place !== '' && !OURS.includes(place) && !(link && OURS.includes(resolved)),
	);

test.each(files)('%s names no registry and no path of a machine', (file) => {
	expect(read(file)).not.toMatch(/\/(home|work|tmp|root|Users)\//);
	const places = (entries: Array<[string, Entry]>) => entries.map(([place]) => place);
	expect(places(fetched(file).filter(([, one]) => one.resolved || one.link))).toEqual([]);
	expect(places(fetched(file).filter(([, one]) => !one.version || !one.integrity))).toEqual([]);
});

test('no package is installed that something empty stands in for', () => {
	const { packages } = JSON.parse(read('package-lock.json')) as Lockfile;
	const names = readdirSync(join(ROOT, STAND_INS)).map(
		(folder) => (JSON.parse(read(`${STAND_INS}/${folder}/package.json`)) as { name: string }).name,
	);
	expect(names).not.toEqual([]);
	for (const name of names) {
		const places = Object.keys(packages).filter((place) => place.endsWith(`node_modules/${name}`));
		// A second place: what needs it has moved on to another version than the stand-in has.
		expect(places).toEqual([`node_modules/${name}`]);
		expect(packages[`node_modules/${name}`]?.link).toBe(true);
	}
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
	const [, ours] = /node-version: (\d+)/.exec(read('.github/workflows/docs.yml'))!;
	expect(nodes[0]![1].version).toMatch(new RegExp(`^${ours}\\.`));
});

test('Dependabot watches every lockfile', () => {
	const text = read('.github/dependabot.yml');
	const watched = [...text.matchAll(/\/\S*$/gm)].map(([place]) => place);
	const places = files.map((file) => `/${dirname(file)}`.replace(/^\/\.$/, '/'));
	expect(places.length).toBeGreaterThan(5);
	expect(places.filter((place) => !watched.includes(place))).toEqual([]);
});
