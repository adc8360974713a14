/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { existsSync } from 'fs';
import { join } from 'path';
import manifest from '../../package.json';
import sandboxManifest from '../../sandbox/package.json';
import { filesIn, importsOf, ROOT } from '../support/sources';

/** What whoever asked for this package named: its packages, and its top level. */
const IMPORTED: Record<string, string[]> = {
	'n8n-workflow': ['nodes', 'credentials', 'src'],
	express: ['sandbox', 'lab'],
	nock: ['test/wire'],
};
const RUN = ['tsx', 'jest'];
const ENTRIES = [
	'package.json',
	'tsconfig.json',
	'nodes',
	'credentials',
	'src',
	'test',
	'gulpfile.js',
	'README.md',
];

const { devDependencies, scripts } = manifest;

test.each(Object.entries(IMPORTED))('%s is a dependency, and %j import it', (name, folders) => {
	expect(Object.keys(devDependencies)).toContain(name);
	for (const folder of folders) {
		const using = filesIn(folder).filter((file) => importsOf(file).includes(name));
		expect([folder, using.length > 0]).toEqual([folder, true]);
	}
});

test('the types of express are those of the express that is used', () => {
	const major = (range: string) => /\d+/.exec(range)?.[0];
	expect(major(devDependencies['@types/express'])).toBe(major(devDependencies.express));
	expect(sandboxManifest.devDependencies.express).toBe(devDependencies.express);
});

test.each(RUN)('%s is a dependency, and scripts run it', (name) => {
	expect(Object.keys(devDependencies)).toContain(name);
	const using = Object.values(scripts).filter((script) => script.split(' ').includes(name));
	expect(using).not.toEqual([]);
});

test.each(ENTRIES)('the top level has %s', (entry) => {
	expect(existsSync(join(ROOT, entry))).toBe(true);
});
