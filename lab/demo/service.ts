/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import type { INode } from 'n8n-workflow';
import path from 'node:path';
import type { Access } from '../n8n/credential';
import { LabError } from '../process/failure';
import { stateRoot } from '../process/paths';
import type { Log } from '../process/progress';
import { keyRing, SandboxAdmin } from '../sandbox/admin';
import { startSandbox, type SandboxAddress } from '../sandbox/start';
import type { Cleanup } from './cleanup';
import { modeOf } from './examples';
import { availablePort, type StartOptions } from './options';
import type { MadeFile } from './show';

/** How many times faster than life the sandbox makes media for a demonstration. */
const clockScale = 60;

/** What a generation cost, as text for the table. */
export type CreditsOf = (file: MadeFile) => string;

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
		// It shows what a generation has reserved; what it spent is not shown.
		const estimated: CreditsOf = ({ estimatedCredits: most }) =>
			most === undefined ? '?' : `≤ ${most}`;
		const choose = await modelChooser(service);
		return { access: service, choose, readCredits: async () => estimated };
	}
	const sandbox = await startSandbox({
		clockScale,
		caFile,
		// The same one every time, because addresses of earlier results and credentials hold it.
		port: await availablePort(sandboxPort, log),
		data: path.join(stateRoot, 'sandbox'),
		logFile: path.join(stateRoot, 'sandbox.log'),
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

/** The sandbox keeps a ledger of what was really spent. */
export async function spentInSandbox(sandbox: SandboxAddress): Promise<CreditsOf> {
	const { workspace } = keyRing(sandbox).full;
	const { lines } = await new SandboxAdmin(sandbox.adminUrl).ledger(workspace);
	return ({ generation }) => {
		const spent = lines.filter(
			({ resource, movement }) => resource === generation && ['spend', 'charge'].includes(movement),
		);
		return String(spent.reduce((sum, { amount }) => sum + amount, 0));
	};
}

/** An entry of GET /models, as far as the specification shows it. */
interface Model {
	id: string;
	capabilities?: { voices?: unknown };
}

/**
 * Reads the service's catalogue and chooses a model for each creation of the examples: the
 * example's own if the service has it, otherwise one of the same mode. Specification: GET /models.
 *
 * @throws LabError when the service refuses, or has no model of a mode
 */
async function modelChooser(access: Access): Promise<(node: INode) => string> {
	const catalogue: Record<string, Model[]> = {};
	for (const mode of ['image', 'video', 'audio']) catalogue[mode] = await readModels(access, mode);
	return (node) => {
		const mode = modeOf(node) ?? '';
		const wanted = (node.parameters.model as { value: string }).value;
		const models = catalogue[mode] ?? [];
		const isSpeech = wanted.includes('speech');
		// Only speech models carry a list of voices.
		const suitable = models.filter(
			({ capabilities }) => mode !== 'audio' || (capabilities?.voices !== undefined) === isSpeech,
		);
		const chosen =
			models.find(({ id }) => id === wanted) ??
			suitable.find(({ id }) => wanted.includes('music') && id.includes('music')) ??
			suitable[0];
		if (!chosen) throw new LabError(`The service has no model for "${node.name}" (mode ${mode})`);
		return chosen.id;
	};
}

const refusals: Record<number, string> = {
	401: 'The service does not know the key: check MEDIAGEN_API_KEY',
	403: 'The key may not read the models: it needs models:read and API access',
	404: 'There is no API at MEDIAGEN_BASE_URL: it must end in /v1',
};

async function readModels({ baseUrl, apiKey }: Access, mode: string): Promise<Model[]> {
	const answer = await fetch(`${baseUrl}/models?mode=${mode}`, {
		headers: { authorization: `Bearer ${apiKey}` },
		redirect: 'error',
		signal: AbortSignal.timeout(30_000),
	}).catch(() => {
		throw new LabError(`The service cannot be reached: ${new URL(baseUrl).host}`);
	});
	if (!answer.ok) {
		const refusal = refusals[answer.status];
		throw new LabError(refusal ?? `The service answered ${answer.status} to GET /models`);
	}
	return ((await answer.json()) as { data: Model[] }).data;
}
