require('tsx/cjs');
const { readFileSync, rmSync, writeFileSync } = require('node:fs');
const { dest, parallel, series, src, task } = require('gulp');
const manifest = require('./package.json');
const { addressesIn } = require('./scripts/addresses');
const { PACKED_PAGES, withAbsoluteLinks } = require('./scripts/packedPages');

/*
 * What TypeScript does not make of the build. `npm run build` is `gulp clean`, `tsc` and `gulp`; it ends with
 * dist/package, the folder that is published: the compiled nodes, README and CHANGELOG with absolute links,
 * and a package.json without scripts and development dependencies. `npm pack ./dist/package` packs it.
 *
 * The checkout itself cannot be packed or published, whatever is typed: among its `files` is a folder with a
 * .npmignore that is a link to itself. npm cannot read it, ends, and prints its path, which says what to
 * type. A `prepack` script would be skipped under `ignore-scripts`, which .npmrc sets.
 */

/** Copies files from beside the nodes to the same places in the build, byte for byte. */
const copy = (pattern) => () => src(pattern, { encoding: false }).pipe(dest('dist/nodes'));

task('clean', async () => rmSync('dist', { recursive: true, force: true }));
task('build:icons', copy('nodes/**/*.svg'));
task('build:descriptions', copy('nodes/**/*.json'));

const { nodes, credentials } = manifest.n8n;
const rest = ['dist/nodes/**', 'dist/credentials/**', 'dist/src/**'];
// What has a name has to be there, or gulp fails.
task('package:files', () =>
	src([...nodes, ...credentials, 'LICENSE', ...rest], { encoding: false, base: '.' }).pipe(
		dest('dist/package'),
	),
);

// npm shows them away from the files that they link to.
task('package:pages', async () => {
	for (const page of PACKED_PAGES) {
		const text = readFileSync(page, 'utf8');
		const linked = withAbsoluteLinks(text, addressesIn(manifest), manifest.version);
		writeFileSync(`dist/package/${page}`, linked);
	}
});

/** What of package.json only this checkout needs. */
const OURS = ['scripts', 'devDependencies', 'workspaces', 'jest', 'prettier', 'knip'];
// After the files: a folder without package.json cannot be packed, so half of a build cannot either.
task('package:manifest', async () => {
	const needed = Object.entries(manifest).filter(([name]) => !OURS.includes(name));
	const published = Object.fromEntries(needed);
	published.files = ['dist', 'CHANGELOG.md'];
	writeFileSync('dist/package/package.json', `${JSON.stringify(published, null, 2)}\n`);
});

task(
	'default',
	series(
		parallel('build:icons', 'build:descriptions'),
		'package:files',
		'package:pages',
		'package:manifest',
	),
);
