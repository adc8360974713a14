/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not published */
import type { SavedCredential, Ticket } from '../../../lab/n8n/rest';
import type { KeyRing, SandboxAddress } from '../../../lab/sandbox/admin';

/** What test files need to know of what `globalSetup.ts` has started. */
export interface Handover {
	sandbox: SandboxAddress;
	/** The owner's session: n8n allows few sign-ins a minute. */
	ticket: Ticket;
	n8nLog: string;
	/** The guard whose only child n8n is. */
	n8nGuard: number;
	/** Folder that n8n's Read/Write Files node may use. */
	filesFolder: string;
	/** One saved credential for each key of the sandbox, and one with a key that it does not know. */
	credentials: Record<keyof KeyRing | 'wrongKey', SavedCredential>;
}

declare global {
	// Only `var` declares a property of globalThis.
	var stopEverything: (() => Promise<void>) | undefined;
}

// Test files run in a context of their own and share nothing with the global setup but the
// environment.
const variable = (worker: number | string) => `MEDIAGEN_E2E_${worker}`;

/** @param worker jest's number of the worker, from 1 */
export function handOver(worker: number, handover: Handover): void {
	process.env[variable(worker)] = JSON.stringify(handover);
}

/** @throws Error outside of a run of `test/jest/e2e.js` */
export function takeOver(): Handover {
	const text = process.env[variable(process.env.JEST_WORKER_ID ?? 1)];
	if (!text) throw new Error('End-to-end tests need the global setup: run npm run test:e2e');
	return JSON.parse(text) as Handover;
}
