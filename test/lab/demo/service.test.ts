/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { StartContext } from '../../../lab/demo/start';

let state: string;

beforeAll(() => {
	state = mkdtempSync(path.join(tmpdir(), 'mediagen-service-'));
	process.env.MEDIAGEN_LAB_STATE = state;
});

afterAll(() => {
	delete process.env.MEDIAGEN_LAB_STATE;
	rmSync(state, { recursive: true, force: true });
});

test('the sandbox of npm start refuses nothing that its credential lets through at once', async () => {
	// Only now: where the state lies is read once.
	const { startService } = await import('../../../lab/demo/service');
	const closing: Array<() => Promise<void>> = [];
	const cleanup = { add: (close: () => Promise<void>) => void closing.push(close) };
	const context = { options: {}, sandboxPort: 0, cleanup } as unknown as StartContext;
	const { access } = await startService(context);
	try {
		const headers = { authorization: `Bearer ${access.apiKey}` };
		const read = async () => (await fetch(`${access.baseUrl}/credits`, { headers })).status;
		const statuses = await Promise.all(Array.from({ length: 200 }, read));
		expect(new Set(statuses)).toEqual(new Set([200]));
	} finally {
		await Promise.all(closing.map(async (close) => await close()));
	}
});
