/* eslint-disable @n8n/community-nodes/no-dangerous-functions, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports, no-console -- not published */
import { buildSync, type Metafile } from 'esbuild';
import { execFileSync } from 'child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'fs';
import { join, resolve } from 'path';

/** What of this folder is read when the sandbox runs, by the same paths; see `assets.ts`. */
const ASSETS = ['page', join('media', 'fonts'), join('media', 'speak.mjs')];

/** One file, as `bin` of the manifest names it. */
const PROGRAM = 'mediagen-sandbox.js';

/**
 * Writes the program and what it reads into a folder: all code in one file, with the libraries that are
 * plain JavaScript; native code and large binaries remain dependencies of the manifest here.
 *
 * @returns the path of the program, and what is in it
 */
export function bundleSandbox(folder: string): { program: string; metafile: Metafile } {
	const manifest = JSON.parse(readFileSync(join(__dirname, 'package.json'), 'utf8')) as {
		dependencies: Record<string, string>;
	};
	const program = join(folder, PROGRAM);
	const { metafile } = buildSync({
		entryPoints: [join(__dirname, 'main.ts')],
		outfile: program,
		absWorkingDir: resolve(__dirname, '..'),
		bundle: true,
		platform: 'node',
		target: 'node20',
		banner: { js: '#!/usr/bin/env node' },
		external: Object.keys(manifest.dependencies),
		legalComments: 'none',
		// As in the checkout, where what is imported late is required: it finds all names of CommonJS.
		supported: { 'dynamic-import': false },
		minifySyntax: true,
		minifyWhitespace: true,
		metafile: true,
	});
	for (const asset of ASSETS)
		cpSync(join(__dirname, asset), join(folder, asset), { recursive: true });
	return { program, metafile };
}

/**
 * Writes the tarball of the package `mediagen-sandbox`.
 *
 * @param output a folder, which is made anew
 * @returns the path of the tarball
 */
export function packSandbox(output: string): string {
	const root = resolve(__dirname, '..');
	const folder = join(output, 'package');
	rmSync(output, { recursive: true, force: true });
	mkdirSync(folder, { recursive: true });
	const { metafile } = bundleSandbox(folder);
	for (const file of ['package.json', 'README.md'])
		cpSync(join(__dirname, file), join(folder, file));
	cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
	writeFileSync(join(folder, 'THIRD-PARTY-LICENSES.txt'), licencesOf(root, metafile));
	const options = ['--ignore-scripts', '--json', '--pack-destination', output];
	const said = execFileSync('npm', ['pack', ...options], { cwd: folder, encoding: 'utf8' });
	const [{ filename }] = JSON.parse(said) as [{ filename: string }];
	return join(output, filename);
}

/** The licences of all libraries whose code is in the bundle. */
function licencesOf(root: string, { inputs }: Metafile): string {
	const packages = Object.keys(inputs).flatMap(
		(path) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0] ?? [],
	);
	return [...new Set(packages)]
		.sort()
		.map((path) => licenceOf(join(root, path)))
		.join('\n\n');
}

function licenceOf(folder: string): string {
	const manifest = readFileSync(join(folder, 'package.json'), 'utf8');
	const { name, version, license } = JSON.parse(manifest) as Record<string, string>;
	const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
	const text = file === undefined ? '' : readFileSync(join(folder, file), 'utf8').trim();
	return [`${name} ${version} (${license})`, text].filter(Boolean).join('\n\n');
}

if (require.main === module) {
	const output = resolve(__dirname, '..', 'dist-sandbox');
	console.log(packSandbox(output));
}
