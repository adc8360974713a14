/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { mkdirSync, readdirSync } from 'fs';
import { join } from 'path';
import manifest from '../../package.json';
import { PACKED_PAGES } from '../../scripts/packedPages';
import { read, ROOT } from '../support/sources';
import { clone, folder, refused, well } from './support/clone';

const tarball = `${manifest.name}-${manifest.version}.tgz`;
const published = './dist/package';

/** Whatever is typed in the checkout. */
const TYPED = [
	'pack',
	'pack .',
	'pack --dry-run',
	'pack --ignore-scripts=false',
	'pack --force --ignore-scripts',
	`pack --pack-destination=${folder}`,
	'publish',
	'publish --dry-run',
	'publish --dry-run --force --ignore-scripts',
	'publish --ignore-scripts=false --no-provenance',
	`install --install-links --prefix=${folder}/elsewhere .`,
];

const packed = () =>
	[clone, folder].flatMap((each) => readdirSync(each)).filter((file) => file.endsWith('.tgz'));

async function expectRefusal(typed: string): Promise<void> {
	const said = await refused('npm', typed.split(' '));
	expect(said).toContain('npm-run-build-then-npm-pack-dist-package');
	expect(packed()).toEqual([]);
}

describe('before a build', () => {
	test.each(TYPED)('npm %s packs nothing and says what to type', async (typed) => {
		await expectRefusal(typed);
	});

	test('there is nothing that could be packed, not even after half of a build', async () => {
		await refused('npm', ['pack', published]);
		await refused('gulp', []);
		await refused('npm', ['pack', published]);
		expect(packed()).toEqual([]);
	});
});

describe('after a build', () => {
	beforeAll(async () => void (await well('npm', 'run', 'build')));

	test('packs nothing but what the build has made, and says what to type', async () => {
		await expectRefusal('pack');
		await expectRefusal('publish --dry-run');
	});

	test('npm publish is refused on the machine of anybody', async () => {
		const forced = ['--ignore-scripts', '--no-provenance', '--force'];
		const said = await refused('npm', ['publish', published, ...forced]);
		expect(said).toMatch(/EPRIVATE|marked as private/);
	});

	test('what is packed has all that is registered, and nothing of the workshop', async () => {
		await well('npm', 'pack', published);
		const list = await well('tar', '-tzf', tarball);
		const files = list.split('\n').map((file) => file.replace(/^package\//, ''));
		const { nodes, credentials } = manifest.n8n;
		const codexes = nodes.map((file) => file.replace(/\.js$/, '.json'));
		expect(files).toEqual(expect.arrayContaining([...nodes, ...codexes, ...credentials]));
		expect(files.some((file) => file.endsWith('.svg'))).toBe(true);
		const others = files.filter((file) => !/^dist\/(nodes|credentials|src)\//.test(file));
		expect(others.sort()).toEqual(['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json']);
		for (const page of PACKED_PAGES)
			expect(await well('tar', '-xzOf', tarball, `package/${page}`)).toContain(manifest.homepage);
		const args = ['publish', tarball, '--no-provenance', '--access=public'];
		expect(await refused('npm', args)).toMatch(/EPRIVATE|marked as private/);
	});

	test('publint finds nothing in it', async () => {
		const publint = join(ROOT, 'test', 'judges', 'node_modules', '.bin', 'publint');
		expect(await well(publint, 'run', published, '--strict')).toContain('All good!');
	});

	test('its package.json says what is needed, and nothing else', async () => {
		const text = await well('tar', '-xzOf', tarball, 'package/package.json');
		const needed = JSON.parse(text) as Record<string, unknown>;
		expect(text).not.toMatch(/file:|scripts/);
		expect(Object.keys(needed).sort()).toEqual([
			'author',
			'bugs',
			'description',
			'engines',
			'files',
			'homepage',
			'keywords',
			'license',
			'n8n',
			'name',
			'peerDependencies',
			'peerDependenciesMeta',
			'private',
			'publishConfig',
			'repository',
			'type',
			'version',
		]);
		const { files, ...same } = needed;
		expect(manifest).toMatchObject(same);
		expect(files).toEqual(['dist', 'CHANGELOG.md']);
	});

	test('what publish.yml packs may be published, and differs in nothing else', async () => {
		const workflow = read('.github/workflows/publish.yml');
		const [, step = ''] =
			/name: Pack what was tested\n +run: \|\n((?: {10}.*\n)+)/.exec(workflow) ?? [];
		const elsewhere = join(folder, 'runner');
		mkdirSync(elsewhere);
		await well('env', `RUNNER_TEMP=${elsewhere}`, 'bash', '-e', '-c', step);
		const packedThere = join(elsewhere, tarball);
		const text = async (file: string) => await well('tar', '-xzOf', file, 'package/package.json');
		const { private: isPrivate, ...same } = JSON.parse(await text(tarball)) as { private: boolean };
		expect(isPrivate).toBe(true);
		expect(JSON.parse(await text(packedThere))).toEqual(same);
		expect(await well('tar', '-tzf', packedThere)).toBe(await well('tar', '-tzf', tarball));
		// At a registry where nobody answers.
		const said = await refused('npm', ['publish', packedThere, '--no-provenance']);
		expect(said).toMatch(/ECONNREFUSED/);
	});
});
