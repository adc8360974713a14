// How large each room of the repository is, as `npm run size` prints it: tracked files and their lines, the sandbox's
// page with its style and icon among them, and how many files of src/transport have exactly one importer. Nothing fails
// on these numbers; they are for reading.
import execa from 'execa';
import { existsSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import ts from 'typescript';

const isCounted = (file) =>
	/\.(ts|js|cjs|mjs|md)$/.test(file) || /^src\/sandbox\/.*\.(html|css|svg)$/.test(file);
const tracked = execa
	.sync('git', ['ls-files'])
	.stdout.split('\n')
	.filter((file) => isCounted(file) && existsSync(file));
const texts = new Map(tracked.map((file) => [file, readFileSync(file, 'utf8')]));
const pages = tracked.filter((file) => file.endsWith('.md'));
const code = tracked.filter((file) => !file.endsWith('.md'));

const linesOf = (file) => texts.get(file).split('\n').length - 1;
const wordsOf = (file) => texts.get(file).split(/\s+/).filter(Boolean).length;
const inside = (folders) =>
	code.filter((file) => folders.some((folder) => file.startsWith(`${folder}/`)));
function room(name, files, of = linesOf) {
	const amount = files.map(of).reduce((total, number) => total + number, 0);
	const unit = of === linesOf ? 'lines' : 'words';
	const figure = amount.toLocaleString('en').padStart(8);
	console.log(`${name.padEnd(28)}${figure} ${unit} ${String(files.length).padStart(4)} files`);
}
const foldersIn = (folder) => {
	const paths = inside([folder]).map((file) => file.slice(folder.length + 1).split('/'));
	const names = paths.filter(({ length }) => length > 1).map(([first]) => `${folder}/${first}`);
	return [...new Set(names)].sort();
};

const rooms = foldersIn('src').filter((folder) => folder !== 'src/sandbox');
const published = inside(['nodes', 'credentials', ...rooms]);
room('published code', published);
for (const folder of ['nodes', 'credentials', ...rooms]) room(`  ${folder}`, inside([folder]));
for (const folder of foldersIn('src/transport')) room(`    ${folder.slice(14)}/`, inside([folder]));
for (const folder of ['src/sandbox', 'bench', 'lab', 'scripts']) room(folder, inside([folder]));
room('test, testing', inside(['test', 'testing']));
for (const folder of foldersIn('test')) room(`  ${folder}`, inside([folder]));
const isWritten = (file) => /^docs\/(reference|nodes)\b/.test(file);
room(
	'pages',
	pages.filter((file) => !isWritten(file)),
	wordsOf,
);
room('  and reference pages', pages.filter(isWritten), wordsOf);

const importers = new Map(inside(['src/transport']).map((file) => [file, []]));
for (const file of published) {
	const targets = ts
		.preProcessFile(texts.get(file), true, true)
		.importedFiles.map(({ fileName }) => posix.join(posix.dirname(file), fileName))
		.flatMap((path) => [`${path}.ts`, `${path}/index.ts`].find((one) => texts.has(one)) ?? []);
	for (const target of new Set(targets)) importers.get(target)?.push(file);
}
const single = [...importers].filter(([, by]) => by.length === 1);
console.log(`\nfiles of src/transport with exactly one importer: ${single.length}`);
for (const [file, [by]] of single) console.log(`  ${file}  <-  ${by}`);
