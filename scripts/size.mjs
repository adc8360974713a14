// How large each room of the repository is, as `npm run size` prints it: tracked files and their lines, and how many
// files of src/transport have exactly one importer. Nothing fails on these numbers; they are for reading.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import ts from 'typescript';

const tracked = execFileSync('git', ['ls-files'], { encoding: 'utf8', maxBuffer: 1e8 })
	.split('\n')
	.filter((file) => /\.(ts|js|cjs|mjs|md)$/.test(file) && existsSync(file));
const texts = new Map(tracked.map((file) => [file, readFileSync(file, 'utf8')]));

const inside = (folders, ending = /\.ts$/) =>
	tracked.filter(
		(file) => ending.test(file) && folders.some((folder) => file.startsWith(`${folder}/`)),
	);
const linesOf = (file) => texts.get(file).split('\n').length - 1;
const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
const row = (name, amount, unit, files) =>
	console.log(
		`${name.padEnd(28)}${amount.toLocaleString('en').padStart(8)} ${unit.padEnd(6)}${String(files).padStart(4)} files`,
	);
const room = (name, files) => row(name, sum(files.map(linesOf)), 'lines', files.length);
const childrenOf = (folder) =>
	[
		...new Set(
			inside([folder])
				.map((file) => file.slice(folder.length + 1))
				.filter((path) => path.includes('/'))
				.map((path) => `${folder}/${path.split('/')[0]}`),
		),
	].sort();

const published = inside(['nodes', 'credentials', 'src']).filter(
	(file) => !file.startsWith('src/sandbox/'),
);
room('published code', published);
room('  nodes', inside(['nodes']));
room('  credentials', inside(['credentials']));
for (const folder of childrenOf('src').filter((folder) => folder !== 'src/sandbox')) {
	room(`  ${folder}`, inside([folder]));
	if (folder !== 'src/transport') continue;
	for (const part of childrenOf(folder)) room(`    ${part.split('/').at(-1)}/`, inside([part]));
}
const code = /\.(ts|js|cjs|mjs)$/;
for (const folder of ['src/sandbox', 'bench', 'lab', 'scripts'])
	room(folder, inside([folder], code));
room('test, testing', inside(['test', 'testing'], code));
for (const folder of childrenOf('test')) room(`  ${folder}`, inside([folder], code));
const pages = tracked.filter((file) => file.endsWith('.md'));
const words = (file) => texts.get(file).split(/\s+/).filter(Boolean).length;
const isWritten = (file) => /^docs\/(reference|nodes)\b/.test(file);
const docs = pages.filter((file) => !isWritten(file));
row('pages', sum(docs.map(words)), 'words', docs.length);
row(
	'  and reference pages',
	sum(pages.filter(isWritten).map(words)),
	'words',
	pages.filter(isWritten).length,
);

const importers = new Map(inside(['src/transport']).map((file) => [file, []]));
for (const file of published) {
	const targets = ts
		.preProcessFile(texts.get(file), true, true)
		.importedFiles.filter(({ fileName }) => fileName.startsWith('.'))
		.map(({ fileName }) => posix.join(posix.dirname(file), fileName))
		.flatMap((path) => [`${path}.ts`, `${path}/index.ts`].find((one) => texts.has(one)) ?? []);
	for (const target of new Set(targets)) importers.get(target)?.push(file);
}
const single = [...importers].filter(([, by]) => by.length === 1);
console.log(`\nfiles of src/transport with exactly one importer: ${single.length}`);
for (const [file, [by]] of single) console.log(`  ${file}  <-  ${by}`);
