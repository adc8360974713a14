/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import type { INode } from 'n8n-workflow';
import path from 'node:path';
import type { Access } from '../n8n/credential';
import { LabError } from '../process/failure';
import { stateRoot } from '../process/paths';
import { createSandbox } from '../../sandbox/server';
import { keyRing, SandboxAdmin, type SandboxAddress } from '../sandbox/admin';
import { modeOf } from './examples';
import type { StartContext } from './start';

/** How many times faster than life the sandbox makes media for a demonstration. */
const clockScale = 60;

/**
 * What a job has cost since the start, as text for the table.
 *
 * @param estimated its `estimated_credits`
 * @param isAsked whether the execution has asked for it
 */
export type CreditsOf = (job: unknown, estimated: unknown, isAsked: boolean) => string;

/** What is shown for a job that was paid for before. */
const EARLIER = 'earlier';

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

/** What a job has reserved: what it spent the real service does not show. */
const reserved: CreditsOf = (_, estimated, isAsked) => {
	if (!isAsked) return EARLIER;
	return estimated === undefined ? '?' : `≤ ${String(estimated)}`;
};

/** The real service where one was given, otherwise a sandbox with the state of the last start. */
export async function startService(
	{ options: { service }, sandboxPort, cleanup }: StartContext,
	deliveryCa?: string,
): Promise<Service> {
	if (service) {
		const choose = await modelChooser(service);
		return { access: service, choose, readCredits: async () => reserved };
	}
	const sandbox = await createSandbox({
		settings: { clockScale },
		seed: 1,
		deliveryCa,
		// The same one every time, because addresses of earlier results and credentials hold it.
		port: sandboxPort,
		data: path.join(stateRoot, 'sandbox'),
	});
	cleanup.add(sandbox.close);
	const access = { apiKey: keyRing(sandbox).full.key, baseUrl: sandbox.baseUrl, clockScale };
	return {
		access,
		choose: await modelChooser(access),
		readCredits: spentInSandbox(sandbox),
		page: sandbox.pageUrl,
		admin: new SandboxAdmin(sandbox.adminUrl),
	};
}

/** The sandbox keeps a ledger of what was really spent: what a job has spent from now on. */
export function spentInSandbox(sandbox: SandboxAddress): Service['readCredits'] {
	const since = Date.now();
	const { workspace } = keyRing(sandbox).full;
	return async () => {
		const { lines } = await new SandboxAdmin(sandbox.adminUrl).ledger(workspace);
		return (job) => {
			const all = lines.filter(({ resource }) => resource === job);
			const now = all.filter(({ at }) => at >= since);
			if (all.length > 0 && now.length === 0) return EARLIER;
			const spent = now.filter(({ movement }) => ['spend', 'charge'].includes(movement));
			return String(spent.reduce((sum, { amount }) => sum + amount, 0));
		};
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
		// Only speech models carry a list of voices.
		const speaks = ({ capabilities }: Model) => capabilities?.voices !== undefined;
		const chosen =
			models.find(({ id }) => id === wanted) ??
			models.find(({ id }) => wanted.includes('music') && id.includes('music')) ??
			models.find((one) => mode !== 'audio' || speaks(one) === wanted.includes('speech'));
		if (!chosen) throw new LabError(`The service has no model for "${node.name}" (mode ${mode})`);
		return chosen.id;
	};
}

async function readModels({ baseUrl, apiKey }: Access, mode: string): Promise<Model[]> {
	const headers = { authorization: `Bearer ${apiKey}` };
	const signal = AbortSignal.timeout(30_000);
	const options = { headers, redirect: 'error', signal } as const;
	const answer = await fetch(`${baseUrl}/models?mode=${mode}`, options).catch(() => undefined);
	if (answer?.ok) return ((await answer.json()) as { data: Model[] }).data;
	const what = answer ? `answered ${answer.status} to GET /models` : 'cannot be reached';
	throw new LabError(
		`The service at ${new URL(baseUrl).host} ${what}: check MEDIAGEN_BASE_URL, which ends in /v1, and ` +
			'MEDIAGEN_API_KEY, which needs models:read and API access',
	);
}
