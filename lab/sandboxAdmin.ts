import type { SandboxAddress, SandboxKey } from './sandbox';

/** What a movement of credits is recorded as. */
export interface LedgerLine {
	workspace: string;
	movement: string;
	amount: number;
	/** Id of the resource that caused it. */
	resource: string | null;
}

/** A request that the sandbox got, as it records it. */
export interface SeenRequest {
	method: string;
	path: string;
	status?: number;
	[field: string]: unknown;
}

/** The sandbox's controls: settings, faults, credits and what it has recorded. No key is needed. */
export class SandboxAdmin {
	constructor(private readonly adminUrl: string) {}

	/** State and settings as at start. */
	async reset(): Promise<void> {
		await this.call('POST', '/reset', {});
	}

	/** Changes some settings (open-points of the specification, limits, clock); gives all of them. */
	async settings(change?: Record<string, unknown>): Promise<Record<string, unknown>> {
		return await (change ? this.call('PATCH', '/settings', change) : this.call('GET', '/settings'));
	}

	/** Replaces the faults that are injected. */
	async setFaults(faults: unknown): Promise<void> {
		await this.call('PUT', '/faults', faults);
	}

	/** Gives credits to a workspace; a negative amount takes away, down to 0. */
	async addCredits(workspace: string, amount: number): Promise<void> {
		await this.call('POST', '/credits', { workspace, amount });
	}

	async ledger(workspace: string): Promise<LedgerLine[]> {
		return this.rows(await this.call('GET', `/ledger?workspace=${encodeURIComponent(workspace)}`));
	}

	/** All requests since the start or the last reset, oldest first. */
	async requests(): Promise<SeenRequest[]> {
		return this.rows(await this.call('GET', '/requests'));
	}

	async deliveries(): Promise<Array<Record<string, unknown>>> {
		return this.rows(await this.call('GET', '/deliveries'));
	}

	private rows<T>(answer: unknown): T[] {
		return (Array.isArray(answer) ? answer : (answer as { data: T[] }).data) as T[];
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

/** The keys that the sandbox starts with, by what they are for. */
export interface KeyRing {
	/** Every scope, in the first workspace. */
	full: SandboxKey;
	/** Only the `:read` scopes, in the first workspace. */
	readOnly: SandboxKey;
	/** Every scope, in another workspace. */
	otherWorkspace: SandboxKey;
	/** Every scope, in a workspace without API entitlement. */
	notEntitled: SandboxKey;
}

/** Finds the sandbox's keys by what they may do, not by their place in the list. */
export function keyRing({ keys }: SandboxAddress): KeyRing {
	const find = (what: string, test: (key: SandboxKey) => boolean) => {
		const key = keys.find(test);
		if (!key) throw new Error(`The sandbox has no key ${what}`);
		return key;
	};
	const writes = ({ scopes }: SandboxKey) => scopes.some((scope) => scope.endsWith(':write'));
	const full = find('with all scopes', (key) => key.entitled && writes(key));
	return {
		full,
		readOnly: find('that only reads', (key) => key.entitled && !writes(key)),
		otherWorkspace: find(
			'of another workspace',
			(key) => key.entitled && writes(key) && key.workspace !== full.workspace,
		),
		notEntitled: find('without entitlement', (key) => !key.entitled),
	};
}
