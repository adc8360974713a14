/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { packageFingerprint } from '../../../lab/n8n/package';

let root: string;

function write(file: string, content: string): void {
	mkdirSync(path.join(root, path.dirname(file)), { recursive: true });
	writeFileSync(path.join(root, file), content);
}

beforeEach(() => {
	root = mkdtempSync(path.join(tmpdir(), 'mediagen-sources-'));
	write('package.json', '{}');
	write('scripts/tsconfig.build.json', '{ "include": ["../nodes", "../src/transport"] }');
	write('nodes/Job/MediaGenJob.node.ts', 'export class MediaGenJob {}');
	write('nodes/Job/MediaGenJob.node.json', '{}');
	write('src/transport/run.ts', '');
	write('sandbox/app.ts', '');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test.each([
	['sandbox/app.ts', 'changed'],
	['README.md', 'changed'],
])('stays when %s changes, which is not compiled into the package', (file, content) => {
	const before = packageFingerprint(root);
	write(file, content);
	expect(packageFingerprint(root)).toBe(before);
});

test.each([
	['package.json', '{ "version": "2" }'],
	['nodes/Job/MediaGenJob.node.ts', 'export class Other {}'],
	['nodes/Job/MediaGenJob.node.json', '{ "x": 1 }'],
	['src/transport/deep/new.ts', ''],
])('changes with %s', (file, content) => {
	const before = packageFingerprint(root);
	write(file, content);
	expect(packageFingerprint(root)).not.toBe(before);
});

test('changes when a file is renamed or goes', () => {
	const before = packageFingerprint(root);
	rmSync(path.join(root, 'src/transport/run.ts'));
	const without = packageFingerprint(root);
	write('src/transport/go.ts', '');
	expect(new Set([before, without, packageFingerprint(root)]).size).toBe(3);
});
