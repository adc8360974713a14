/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { lock } from '../../../lab/demo/lock';

test('a second start learns of the first and its addresses, and starts once that has ended', () => {
	const folder = mkdtempSync(path.join(tmpdir(), 'mediagen-lock-'));
	const starting = () => {
		const held = lock(folder);
		if (!('release' in held)) throw new Error(`held by ${held.pid}`);
		return held;
	};
	try {
		const first = starting();
		expect(lock(folder)).toEqual({ pid: process.pid });
		first.publish({ editor: 'http://127.0.0.1:5678' });
		expect(lock(folder)).toEqual({ pid: process.pid, links: { editor: 'http://127.0.0.1:5678' } });
		first.release();
		starting().release();
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
});
