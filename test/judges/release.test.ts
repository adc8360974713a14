/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'fs';
import { join } from 'path';
import manifest from '../../package.json';
import { clone, folder, refused, well } from './support/clone';

const inClone = (file: string) => readFileSync(join(clone, file), 'utf8');

const release = ['scripts/release.ts', manifest.version];
/** A line for each script that a release has run, in their order. */
const log = join(folder, 'scripts.log');
const ran = () => readFileSync(log, 'utf8').trim().split('\n');
/** While it is there, a mutant survives. */
const survivor = join(folder, 'survivor');

// What lint, tests, mutants and build find is seen where they run, in `.ci/run`; here it counts when they do.
beforeAll(async () => {
	const standIn = (script: string) => `scripts.${script}=echo ${script} >> ${log}`;
	const mutants = `${standIn('mutants')}; test ! -e ${survivor}`;
	const others = ['lint', 'test', 'build'].map(standIn);
	await well('npm', 'pkg', 'set', mutants, ...others);
	await well('git', 'commit', '--quiet', '-am', 'Stand-ins');
	await well('git', 'push', '--quiet', 'origin', 'main');
});
beforeEach(() => rmSync(log, { force: true }));

test('npm run release is refused without a version, and while the addresses are placeholders', async () => {
	expect(await refused('npm', ['run', 'release'])).toContain('npm run release -- 0.2.0');
	expect(await refused('tsx', release)).toContain('npm run address');
});

test('npm run address gives all files their addresses, which have to be on main', async () => {
	const repository = 'https://github.com/somebody/n8n-nodes-mediagen';
	const homepage = 'https://somebody.github.io/n8n-nodes-mediagen';
	const addresses = [`--repository=${repository}`, `--homepage=${homepage}`];
	await well('npm', 'run', 'address', '--', ...addresses, '--email=somebody@host.test');
	expect(await refused('git', ['grep', '-lF', manifest.homepage])).toBe('');
	expect(inClone('docs/SECURITY.md')).toContain('Write to somebody@host.test instead');
	await well('git', 'commit', '--quiet', '-am', 'Addresses');
	expect(await refused('tsx', release)).toContain('differs from origin/main');
	await well('git', 'push', '--quiet', 'origin', 'main');
	expect(existsSync(log)).toBe(false);
});

test('a failing check ends a release before anything is changed', async () => {
	writeFileSync(survivor, '');
	await refused('tsx', release);
	rmSync(survivor);
	expect(ran()).toEqual(['lint', 'test', 'mutants']);
	expect(await well('git', 'status', '--porcelain')).toBe('');
	expect(await well('git', 'tag')).toBe('');
});

test('a release lints, tests, tries all mutants, builds, dates the entry of the changelog and pushes version and tag', async () => {
	const before = inClone('CHANGELOG.md');
	await well('tsx', ...release);
	expect(ran()).toEqual(['lint', 'test', 'mutants', 'build']);
	const after = inClone('CHANGELOG.md');
	expect(after).toMatch(/## 0\.1\.0 \(\d{4}-\d\d-\d\d\)\n/);
	expect(after.replace(/\(\d{4}-\d\d-\d\d\)/, '(unreleased)')).toBe(before);
	expect(await well('git', 'ls-remote', 'origin')).toMatch(/refs\/tags\/0\.1\.0$/m);
	expect(await well('git', 'status', '--porcelain')).toBe('');
});

test('on GitHub it lints, builds, and publishes with provenance or not at all', async () => {
	await well('npm', 'pkg', 'delete', 'private');
	const gitHub = { GITHUB_ACTIONS: 'true', CI: 'true' };
	const said = await refused('npm', ['run', 'release'], gitHub);
	expect(said).toMatch(/id-token|provenance/);
	expect(ran()).toEqual(['lint', 'build']);
});
