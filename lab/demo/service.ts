/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import type { INode } from 'n8n-workflow';
import path from 'node:path';
import type { Access } from '../n8n/credential';
import { stateRoot } from '../process/paths';
import type { Log } from '../process/progress';
import { startSandbox } from '../sandbox/start';
import { keyRing, SandboxAdmin } from '../sandbox/admin';
import type { Cleanup } from './cleanup';
import { estimated, spentInSandbox, type CreditsOf } from './credits';
import { modelChooser } from './models';
import type { StartOptions } from './options';
import { availablePort } from './port';

/** How many times faster than life the sandbox makes media for a demonstration. */
const clockScale = 60;

/** A service that media can be asked of, and how to learn what they cost. */
export interface Service {
	access: Access;
	/** Chooses a model for a creation of the examples. */
	choose: (node: INode) => string;
	readCredits: () => Promise<CreditsOf>;
	/** Page of the sandbox. */
	page?: string;
	/** Controls of the sandbox. */
	admin?: SandboxAdmin;
}

/** The real service where one was given, otherwise a sandbox with the state of the last start. */
export async function startService(
	{ service, sandboxPort }: StartOptions,
	cleanup: Cleanup,
	log: Log,
	caFile?: string,
): Promise<Service> {
	if (service) {
		const choose = await modelChooser(service);
		return { access: service, choose, readCredits: async () => estimated };
	}
	const sandbox = await startSandbox({
		clockScale,
		caFile,
		// The same one every time, because addresses of earlier results and credentials hold it.
		port: await availablePort(sandboxPort, 'the sandbox', 'SANDBOX_PORT', log),
		data: path.join(stateRoot, 'sandbox'),
	});
	cleanup.add(sandbox.stop);
	const { key } = keyRing(sandbox).full;
	const access = { apiKey: key, baseUrl: sandbox.baseUrl, clockScale };
	return {
		access,
		choose: await modelChooser(access),
		readCredits: async () => await spentInSandbox(sandbox),
		page: new URL('/', sandbox.baseUrl).href,
		admin: new SandboxAdmin(sandbox.adminUrl),
	};
}
