import { randomUUID } from 'node:crypto';
import { saveCredential } from '../../../lab/n8n/credential';
import { keyRing, SandboxAdmin } from '../../../lab/sandbox/admin';
import { createSandbox } from '../../../sandbox/server';
import type { SettingsInput } from '../../../sandbox/settings';
import { quickRender } from '../../sandbox/support/harness';
import { rest, runOurs, type OurRun } from './harness';

/** What is called at the end of the file. */
export const closing: Array<() => Promise<void>> = [];

afterAll(async () => await Promise.all(closing.map(async (close) => await close())));

/**
 * A sandbox of a test's own and a credential for it, so that the tests of a file wait for their jobs
 * side by side; it is closed at the end of the file.
 */
export async function ownSandbox(settings: SettingsInput = {}, render = quickRender) {
	const clockScale = 60;
	const service = await createSandbox({
		render,
		// What the nodes send by mistake fails a test instead of being ignored.
		settings: { clockScale, strictFields: true, ...settings },
	});
	closing.push(service.close);
	const { key, workspace, scopes } = keyRing(service).full;
	const access = { apiKey: key, baseUrl: service.baseUrl, clockScale };
	const credential = await saveCredential(rest, randomUUID(), access);
	const sandbox = new SandboxAdmin(service.adminUrl);
	return {
		sandbox,
		credential,
		workspace,
		/** What the credential holds. */
		access,
		/** Another key of the same workspace, which may do the same. */
		addKey: async () => await sandbox.addKey(workspace, scopes),
		run: async (run: OurRun) => await runOurs({ credential, ...run }),
		/** Movements that reserve credits. */
		charged: async () =>
			(await sandbox.ledger(workspace)).lines.filter(({ movement }) => movement === 'reserve'),
		creations: async () =>
			(await sandbox.requests()).filter(
				({ method, path }) => method === 'POST' && path === '/v1/generations',
			),
	};
}
