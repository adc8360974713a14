/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'fs';
import { createServer } from 'http';
import type { AddressInfo } from 'net';
import { join } from 'path';
import manifest from '../../package.json';
import { clone, folder, origin, refused, well } from './support/clone';

const inClone = (file: string) => readFileSync(join(clone, file), 'utf8');

/** A line for each script that a release has run, in their order. */
const log = join(folder, 'scripts.log');
const ran = () => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []);
const ALL = ['lint', 'test', 'mutants', 'build'];
/** While it is there, a mutant survives. */
const survivor = join(folder, 'survivor');
/** While it is there, somebody else pushes a commit when all checks are over. */
const rival = join(folder, 'rival');

/** Where there is nothing. */
const nowhere = join(folder, 'nowhere');

const git = async (...args: string[]) => await well('git', ...args);
const release = async (version: string) => await well('tsx', 'scripts/release.ts', version);
const refusal = async (version: string) => await refused('tsx', ['scripts/release.ts', version]);

/** What a call that comes to nothing leaves as it is. */
const state = async () => ({
	head: await git('rev-parse', 'HEAD'),
	tags: await git('tag'),
	status: await git('status', '--porcelain'),
	atOrigin: await git('ls-remote', origin),
});

/** A script that git runs in a repository, until it is deleted. */
function hook(repository: string, name: string, script: string): string {
	const file = join(repository, 'hooks', name);
	writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
	return file;
}

/** What npm answers about the package: here it has none of its versions. */
let answer = { status: 404, versions: [] as string[] };
const registry = createServer((_, response) => {
	const entries = answer.versions.map((version) => [version, { name: manifest.name, version }]);
	const versions = Object.fromEntries(entries) as object;
	response.writeHead(answer.status, { 'content-type': 'application/json' });
	response.end(JSON.stringify({ name: manifest.name, 'dist-tags': {}, versions }));
});

// What lint, tests, mutants and build find is seen where they run, in `.ci/run`; here it counts when they do.
beforeAll(async () => {
	const standIn = (script: string) => `scripts.${script}=echo ${script} >> ${log}`;
	const mutants = `${standIn('mutants')}; test ! -e ${survivor}`;
	const build = `${standIn('build')}; test ! -e ${rival} || git push -q ${origin} rival:main`;
	await well('npm', 'pkg', 'set', mutants, build, standIn('lint'), standIn('test'));
	await git('commit', '--quiet', '-am', 'Stand-ins');
	await git('push', '--quiet', 'origin', 'main');
	await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve));
	const { port } = registry.address() as AddressInfo;
	await well('npm', 'config', 'set', 'registry', `http://127.0.0.1:${port}/`);
});
afterAll(() => registry.close());
beforeEach(() => rmSync(log, { force: true }));

test('a release is refused without a version, and while the addresses are placeholders', async () => {
	expect(await refused('npm', ['run', 'release'])).toContain('npm run release -- 0.2.0');
	expect(await refusal('0.1.0')).toContain('npm run address');
});

test('npm run address gives all files their addresses, or is refused with what is wrong with them', async () => {
	const good = [
		'--repository=https://github.com/somebody/n8n-nodes-mediagen',
		'--homepage=https://somebody.github.io/n8n-nodes-mediagen',
		'--email=somebody@host.test',
	];
	const said = await refused('npm', ['run', 'address', '--', '--repository=no', ...good.slice(1)]);
	expect(said).toContain('--repository no: is no address');
	expect(await git('status', '--porcelain')).toBe('');
	await well('npm', 'run', 'address', '--', ...good);
	const once = await git('diff');
	expect(await refused('git', ['grep', '-lF', manifest.homepage])).toBe('');
	expect(inClone('docs/SECURITY.md')).toContain('Write to somebody@host.test instead');
	await well('npm', 'run', 'address', '--', ...good);
	expect(await git('diff')).toBe(once);
	await git('commit', '--quiet', '-am', 'Addresses');
	await git('push', '--quiet', 'origin', 'main');
});

interface Obstacle {
	arises: () => Promise<unknown> | void;
	goes: () => Promise<unknown> | void;
	says: RegExp;
}

const OBSTACLES: Record<string, Obstacle> = {
	'another branch': {
		arises: async () => await git('switch', '--quiet', '--create', 'other'),
		goes: async () => await git('switch', '--quiet', 'main'),
		says: /Release from main/,
	},
	'a change that is not committed': {
		arises: async () => await git('rm', '--quiet', 'LICENSE'),
		goes: async () => await git('reset', '--quiet', '--hard'),
		says: /Commit or remove/,
	},
	'a commit that is not pushed': {
		arises: async () => await git('commit', '--quiet', '--allow-empty', '-m', 'More'),
		goes: async () => await git('reset', '--quiet', '--hard', 'HEAD^'),
		says: /differs from origin\/main/,
	},
	'a tag here': {
		arises: async () => await git('tag', '0.1.0', 'HEAD^'),
		goes: async () => await git('tag', '--delete', '0.1.0'),
		says: /git tag --delete 0\.1\.0/,
	},
	'a tag at origin': {
		arises: async () => await git('push', '--quiet', 'origin', 'HEAD:refs/tags/0.1.0'),
		goes: async () => await git('push', '--quiet', '--delete', 'origin', 'refs/tags/0.1.0'),
		says: /origin has the tag 0\.1\.0 already/,
	},
	'an origin that is away': {
		arises: async () => await git('remote', 'set-url', 'origin', nowhere),
		goes: async () => await git('remote', 'set-url', 'origin', origin),
		says: /origin does not answer/,
	},
	'no right to push': {
		arises: async () => await git('remote', 'set-url', '--push', 'origin', nowhere),
		goes: async () => await git('config', '--unset', 'remote.origin.pushurl'),
		says: /You may not push/,
	},
	'nobody who commits': {
		arises: async () => await git('config', '--unset', 'user.email'),
		goes: async () => await git('config', 'user.email', 'test@example.com'),
		says: /set user\.name and user\.email/,
	},
	'a version that npm has': {
		arises: () => void (answer = { status: 200, versions: ['0.0.9', '0.1.0'] }),
		goes: () => void (answer = { status: 200, versions: ['0.0.9'] }),
		says: /npm has 0\.1\.0 already/,
	},
	'an npm that is away': {
		arises: () => void (answer = { status: 500, versions: [] }),
		goes: () => void (answer = { status: 404, versions: [] }),
		says: /npm cannot be asked/,
	},
};

test.each(Object.entries(OBSTACLES))('%s is told before any check runs', async (_, obstacle) => {
	await obstacle.arises();
	const before = await state();
	expect(await refusal('0.1.0')).toMatch(obstacle.says);
	expect(await state()).toEqual(before);
	expect(ran()).toEqual([]);
	await obstacle.goes();
});

test('so is a version of which CHANGELOG.md tells nothing', async () => {
	expect(await refusal('0.9.0')).toContain('no line "## 0.9.0 (unreleased)"');
	expect(ran()).toEqual([]);
});

test('a failing check ends a release before anything is changed', async () => {
	const before = await state();
	writeFileSync(survivor, '');
	await refusal('0.1.0');
	rmSync(survivor);
	expect(ran()).toEqual(['lint', 'test', 'mutants']);
	expect(await state()).toEqual(before);
});

test.each([
	['a commit that a hook refuses', () => hook(join(clone, '.git'), 'pre-commit', 'exit 1'), ''],
	['a push that origin refuses', () => hook(origin, 'pre-receive', 'exit 1'), 'origin has refused'],
])('%s leaves all as it was', async (_, begin, said) => {
	const before = await state();
	const file = begin();
	expect(await refusal('0.1.0')).toContain(said);
	rmSync(file);
	expect(ran()).toEqual(ALL);
	expect(await state()).toEqual(before);
});

test('a push that does not reach origin is made by the next call, without the checks', async () => {
	const before = await state();
	// Not while it is only asked whether it may be pushed: there is no tag then.
	const away = `git rev-parse -q --verify refs/tags/0.1.0 && mv ${origin} ${nowhere} && exit 1; exit 0`;
	const file = hook(join(clone, '.git'), 'pre-push', away);
	expect(await refusal('0.1.0')).toContain('run the same command again');
	rmSync(file);
	renameSync(nowhere, origin);
	expect((await state()).atOrigin).toBe(before.atOrigin);
	expect(ran()).toEqual(ALL);
	await release('0.1.0');
	expect(ran()).toEqual(ALL);
	expect(await git('rev-parse', 'origin/main')).toBe(await git('rev-parse', 'HEAD'));
	expect((await state()).atOrigin).toMatch(/refs\/tags\/0\.1\.0$/m);
});

test('a release that is at origin is pushed again without harm, in another clone too', async () => {
	await git('tag', '--delete', '0.1.0');
	const { atOrigin } = await state();
	await release('0.1.0');
	expect(ran()).toEqual([]);
	expect((await state()).atOrigin).toBe(atOrigin);
});

test('so it is when main has gone on at origin', async () => {
	await git('commit', '--quiet', '--allow-empty', '-m', 'Theirs');
	await git('push', '--quiet', 'origin', 'main');
	await git('reset', '--quiet', '--hard', 'HEAD^');
	const before = await state();
	await release('0.1.0');
	expect(ran()).toEqual([]);
	expect(await state()).toEqual(before);
	await git('pull', '--quiet');
});

test('a release that loses the race at its push is taken back, and made after a pull', async () => {
	const changes = inClone('CHANGELOG.md').replace(
		'## 0.1.0',
		'## 0.2.0 (unreleased)\n\nMore\n\n$&',
	);
	writeFileSync(join(clone, 'CHANGELOG.md'), changes);
	await git('commit', '--quiet', '-am', 'More');
	await git('push', '--quiet', 'origin', 'main');
	await git('branch', 'rival');
	await git('switch', '--quiet', 'rival');
	await git('commit', '--quiet', '--allow-empty', '-m', 'Theirs');
	await git('switch', '--quiet', 'main');
	const before = await state();
	writeFileSync(rival, '');
	expect(await refusal('0.2.0')).toContain('Pull, and run the same command again');
	rmSync(rival);
	const { atOrigin, ...here } = await state();
	expect({ ...here, atOrigin: before.atOrigin }).toEqual(before);
	expect(atOrigin).not.toContain('0.2.0');
	await git('pull', '--quiet');
	await release('0.2.0');
	expect((await state()).atOrigin).toMatch(/refs\/tags\/0\.2\.0$/m);
});

test('a release lints, tests, tries all mutants, builds, dates the entry of the changelog and sets the version', async () => {
	const changes = inClone('CHANGELOG.md').replace(
		'## 0.2.0',
		'## 0.3.0 (unreleased)\n\nMore\n\n$&',
	);
	writeFileSync(join(clone, 'CHANGELOG.md'), changes);
	await git('commit', '--quiet', '-am', 'More');
	await git('push', '--quiet', 'origin', 'main');
	await release('0.3.0');
	expect(ran()).toEqual(ALL);
	const after = inClone('CHANGELOG.md');
	expect(after.replace(/0\.3\.0 \(\d{4}-\d\d-\d\d\)/, '0.3.0 (unreleased)')).toBe(changes);
	for (const file of ['package.json', 'package-lock.json'])
		expect(JSON.parse(inClone(file))).toMatchObject({ version: '0.3.0' });
	const tag = await git('rev-parse', '0.3.0');
	const { status, atOrigin } = await state();
	expect(status).toBe('');
	expect(atOrigin).toContain(`${tag}\trefs/heads/main\n`);
	expect(atOrigin).toContain(`${tag}\trefs/tags/0.3.0`);
	expect(await git('log', '-1', '--format=%s')).toBe('Release 0.3.0');
});

/** What publish.yml asks first. */
describe('.ci/tag', () => {
	const asked = async (tag: string) => await refused('.ci/tag', [tag]);

	test('lets a release through, also when main has gone on', async () => {
		await well('.ci/tag', '0.3.0');
		await git('commit', '--quiet', '--allow-empty', '-m', 'More');
		await git('push', '--quiet', 'origin', 'main');
		await git('switch', '--quiet', '--detach', '0.3.0');
		await well('.ci/tag', '0.3.0');
	});

	test('refuses a tag that is not the version', async () => {
		await git('tag', '0.4.0');
		expect(await asked('0.4.0')).toContain('package.json has the version 0.3.0');
	});

	test('refuses a commit that is not on main, whatever is called main here', async () => {
		await git('commit', '--quiet', '--allow-empty', '-m', 'Not reviewed');
		await git('tag', '--force', '0.3.0');
		await git('branch', '--force', 'main');
		expect(await asked('0.3.0')).toContain('not on main');
	});
});
