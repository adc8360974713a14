import { randomUUID } from 'node:crypto';
import type { FaultKind } from '../../sandbox/faults';
import type { RequestEntry } from '../../sandbox/http/exchange';
import type { Balance, LedgerLine } from '../../sandbox/credits/ledger';
import type { Settings, SettingsInput } from '../../sandbox/settings';
import type { Sandbox } from '../../sandbox/server';

/** Where a sandbox is, and the keys that it knows from the start. */
export type SandboxAddress = Pick<Sandbox, 'baseUrl' | 'adminUrl' | 'keys'>;

type Key = Sandbox['keys'][number];

/** What should go wrong; `sandbox/faults.ts` says which fields a kind has, and refuses others. */
export type FaultRules = Array<{ kind: FaultKind; [field: string]: unknown }>;

/** A job as the sandbox's own page shows it; `text` is its prompt, brief, name, or first text. */
type SandboxJob = Record<'id' | 'text' | 'status', string>;

/** The sandbox's controls: settings, faults, credits and what it has recorded. No key is needed. */
export class SandboxAdmin {
	constructor(private readonly adminUrl: string) {}

	/** State and settings as at start. */
	async reset(): Promise<void> {
		await this.call('POST', '/reset', {});
	}

	/** Changes some settings; gives all of them. */
	async settings(change: SettingsInput = {}): Promise<Settings> {
		return await this.call('PATCH', '/settings', change);
	}

	/** Replaces the faults that are injected; none of them by `[]`. */
	async setFaults(rules: FaultRules): Promise<void> {
		await this.call('PUT', '/faults', { rules });
	}

	/** Gives credits to a workspace; a negative amount takes away, down to 0. */
	async addCredits(workspace: string, amount: number): Promise<Balance> {
		return await this.call('POST', '/credits', { workspace, amount });
	}

	/** Makes a further key of a workspace with just these scopes. */
	async addKey(workspace: string, scopes: string[]): Promise<string> {
		const key = `mgs_live_${randomUUID()}`;
		await this.call('POST', '/keys', { key, workspace, scopes });
		return key;
	}

	/** All movements of a workspace's credits, oldest first, and what they add up to. */
	async ledger(workspace: string): Promise<{ balance: Balance; lines: LedgerLine[] }> {
		return await this.call('GET', `/ledger?workspace=${encodeURIComponent(workspace)}`);
	}

	/** All requests since the start or the last reset, oldest first. */
	async requests(): Promise<RequestEntry[]> {
		return (await this.call<{ data: RequestEntry[] }>('GET', '/requests')).data;
	}

	/** The newest forty jobs with what was asked for, newest first. */
	async jobs(): Promise<SandboxJob[]> {
		const { jobs } = await this.call<{ jobs: { newest: SandboxJob[] } }>('GET', '/overview');
		return jobs.newest;
	}

	private async call<T>(method: string, path: string, body?: unknown): Promise<T> {
		const answer = await fetch(`${this.adminUrl}${path}`, {
			method,
			headers: { 'content-type': 'application/json' },
			body: body === undefined ? undefined : JSON.stringify(body),
			signal: AbortSignal.timeout(10_000),
		});
		const text = await answer.text();
		if (!answer.ok) throw new Error(`${method} ${path} of the sandbox: ${answer.status} ${text}`);
		return (text ? JSON.parse(text) : undefined) as T;
	}
}

export type KeyRing = ReturnType<typeof keyRing>;

/** The keys that the sandbox starts with, by what they may do. */
export function keyRing({ keys }: SandboxAddress) {
	const [full, readOnly, otherWorkspace, notEntitled] = keys as [Key, Key, Key, Key];
	return {
		/** Every scope, in the first workspace. */
		full,
		/** Only the `:read` scopes, in the first workspace. */
		readOnly,
		/** Every scope, in another workspace. */
		otherWorkspace,
		/** Every scope, in a workspace without API entitlement. */
		notEntitled,
	};
}
