/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { existsSync, readdirSync, readFileSync } from 'fs';
import { join } from 'path';

const ROOT = join(__dirname, '..', '..');
const TRANSPORT = join(ROOT, 'src', 'transport');
const text = readFileSync(join(ROOT, 'docs', 'development.md'), 'utf8');

function section(heading: string): string {
	const [, after = ''] = text.split(`\n## ${heading}\n`);
	return after.split('\n## ')[0] ?? '';
}

/** Paths of files in code spans. */
const pathsIn = (markdown: string): string[] =>
	[...markdown.matchAll(/`([\w@./-]+\.(?:ts|json|md))`/g)].map(([, path = '']) => path);

test('every file that docs/development.md names exists', () => {
	const paths = pathsIn(text);
	expect(paths).not.toEqual([]);
	const missing = paths.filter(
		(path) => ![ROOT, TRANSPORT].some((at) => existsSync(join(at, path))),
	);
	expect(missing).toEqual([]);
});

test('every room of src/transport is in the table of rooms', () => {
	const rooms = readdirSync(TRANSPORT, { withFileTypes: true })
		.filter((entry) => entry.isDirectory())
		.map(({ name }) => name);
	const house = section('The house');
	expect(rooms.filter((room) => !house.includes(`| \`${room}/\``))).toEqual([]);
});
