/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not published */
import { keyRing } from '../../../lab/sandbox/admin';
import { saveCredential } from '../../../lab/n8n/credential';
import { startSandbox } from '../../../lab/sandbox/start';
import { setStage } from '../../../lab/n8n/stage';
import { handOver, type Handover } from './handover';

/** The sandbox's clock in end-to-end tests: a video of 40 s is there in 0.7 s. */
const clockScale = 60;

/**
 * Starts one sandbox and one n8n, with our packed package in it, for the whole run: starting them for
 * each file would take longer than the tests. Test files get at them through `harness.ts`.
 */
export default async function globalSetup(): Promise<void> {
	const tell = (line: string) => process.stderr.write(`${line}\n`);
	const sandbox = await startSandbox({ clockScale });
	const { n8n, rest } = await setStage({ tell }).catch(async (error: unknown) => {
		await sandbox.stop();
		throw error;
	});
	globalThis.stopEverything = async () => {
		await Promise.all([n8n.stop(), sandbox.stop()]);
	};
	const { baseUrl, adminUrl, keys } = sandbox;
	const ring = { ...keyRing(sandbox), wrongKey: { key: 'not-a-key' } };
	const credentials = {} as Handover['credentials'];
	for (const [name, { key }] of Object.entries(ring)) {
		const access = { apiKey: key, baseUrl, clockScale };
		credentials[name as keyof Handover['credentials']] = await saveCredential(rest, name, access);
	}
	handOver({
		sandbox: { baseUrl, adminUrl, keys },
		ticket: rest.session.ticket,
		n8nLog: n8n.logFile,
		filesFolder: n8n.filesFolder,
		credentials,
	});
}
