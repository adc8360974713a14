/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { strangersIn } from '../../../lab/n8n/install';

let folder: string;
beforeEach(() => {
	folder = mkdtempSync(path.join(tmpdir(), 'mediagen-lockfiles-'));
	const packages = {
		'': { name: 'lab' },
		'node_modules/a': { version: '1.0.0', integrity: 'sha512-a' },
		'node_modules/a/node_modules/@b/c': { version: '2.0.0', integrity: 'sha512-c' },
		'node_modules/alias': { name: 'real', version: '3.0.0', integrity: 'sha512-r' },
	};
	writeFileSync(path.join(folder, 'package-lock.json'), JSON.stringify({ packages }));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A lockfile as bun writes it, with commas after the last entries. */
function write(...entries: string[]): void {
	const lines = entries.map((entry, index) => `    "${index}": ${entry},\n`).join('\n');
	writeFileSync(path.join(folder, 'bun.lock'), `{\n  "packages": {\n${lines}  },\n}\n`);
}

test('what npm has locked is none, wherever bun puts it', () => {
	write(
		'["a@1.0.0", "", { "dependencies": { "@b/c": "2", }, }, "sha512-a"]',
		'["@b/c@2.0.0", "", {}, "sha512-c"]',
		'["real@3.0.0", "", {}, "sha512-r"]',
	);
	expect(strangersIn(folder)).toEqual([]);
});

test.each([
	['another version', '["a@1.0.1", "", {}, "sha512-a"]', 'a@1.0.1 sha512-a'],
	['another digest', '["a@1.0.0", "", {}, "sha512-x"]', 'a@1.0.0 sha512-x'],
	['no digest', '["a@1.0.0", "", {}]', 'a@1.0.0 undefined'],
	['another package', '["d@1.0.0", "", {}, "sha512-a"]', 'd@1.0.0 sha512-a'],
])('%s is a stranger, so that nothing of it is fetched', (_, entry, stranger) => {
	write('["@b/c@2.0.0", "", {}, "sha512-c"]', entry);
	expect(strangersIn(folder)).toEqual([stranger]);
});
