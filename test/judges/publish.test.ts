import manifest from '../../package.json';
import { refused, well } from './support/clone';

const tarball = `${manifest.name}-${manifest.version}.tgz`;

test('npm pack says what to run before, and packs all that is registered after a build, and nothing of the workshop', async () => {
	expect(await refused('npm', ['pack'])).toContain('run-npm-run-build-first');
	await well('npm', 'run', 'build');
	await well('npm', 'pack');
	const list = await well('tar', '-tzf', tarball);
	const files = list.split('\n').map((file) => file.replace(/^package\//, ''));
	const { nodes, credentials } = manifest.n8n;
	const codexes = nodes.map((file) => file.replace(/\.js$/, '.json'));
	expect(files).toEqual(expect.arrayContaining([...nodes, ...codexes, ...credentials]));
	expect(files.some((file) => file.endsWith('.svg'))).toBe(true);
	const others = files.filter((file) => !/^dist\/(nodes|credentials|src)\//.test(file));
	expect(others.sort()).toEqual(['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json']);
});

test.each([
	[[]],
	[['--ignore-scripts', '--no-provenance', '--force']],
	[[tarball, '--no-provenance', '--access=public']],
])('npm publish with %j is refused', async (args) => {
	expect(await refused('npm', ['publish', ...args])).toMatch(/EPRIVATE|marked as private/);
});
