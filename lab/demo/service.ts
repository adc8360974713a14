/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import path from 'node:path';
import type { Access } from '../n8n/credential';
import { LabError } from '../process/failure';
import { stateRoot } from '../process/paths';
import { createSandbox } from '../../sandbox/server';
import { keyRing, SandboxAdmin, type SandboxAddress } from '../sandbox/admin';
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
		await requireAccess(service);
		return { access: service, readCredits: async () => reserved };
	}
	const sandbox = await createSandbox({
		// A minute of the service is a second here. What the credential allows in a minute comes within one
		// when two hundred rows are read, and would be refused.
		settings: { clockScale, requestsPerMinute: 60 * clockScale },
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

/**
 * Asks the service for its models, which costs nothing.
 *
 * @throws LabError when it refuses or cannot be reached
 */
async function requireAccess({ baseUrl, apiKey }: Access): Promise<void> {
	const headers = { authorization: `Bearer ${apiKey}` };
	const signal = AbortSignal.timeout(30_000);
	const options = { headers, redirect: 'error', signal } as const;
	const answer = await fetch(`${baseUrl}/models`, options).catch(() => undefined);
	if (answer?.ok) return;
	const what = answer ? `answered ${answer.status} to GET /models` : 'cannot be reached';
	throw new LabError(
		`The service at ${new URL(baseUrl).host} ${what}: check MEDIAGEN_BASE_URL, which ends in /v1, and ` +
			'MEDIAGEN_API_KEY, which needs models:read and API access',
	);
}
