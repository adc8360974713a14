/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { packageFingerprint } from '../../../lab/n8n/package';

test('the fingerprint of the package changes with what is compiled into it, and with nothing else', () => {
	const root = mkdtempSync(path.join(tmpdir(), 'mediagen-sources-'));
	const fingerprints = new Set<string>();
	const after = (file: string, content: string) => {
		mkdirSync(path.join(root, path.dirname(file)), { recursive: true });
		writeFileSync(path.join(root, file), content);
		return fingerprints.add(packageFingerprint(root)).size;
	};
	try {
		mkdirSync(path.join(root, 'nodes'));
		expect(after('scripts/tsconfig.build.json', '{ "include": ["../nodes"] }')).toBe(1);
		expect(after('package.json', '{ "version": "2" }')).toBe(2);
		expect(after('nodes/Job/Job.node.ts', 'export class Job {}')).toBe(3);
		expect(after('nodes/Job/Job.node.json', '{}')).toBe(4);
		expect(after('nodes/Job/Job.node.json', '{ "x": 1 }')).toBe(5);
		expect(after('sandbox/app.ts', '')).toBe(5);
		expect(after('README.md', '')).toBe(5);
		const job = path.join(root, 'nodes/Job/Job.node');
		renameSync(`${job}.ts`, `${job}2.ts`);
		expect(fingerprints.add(packageFingerprint(root)).size).toBe(6);
	} finally {
		rmSync(root, { recursive: true, force: true });
	}
});
