import type { Clock } from '../clock';
import { ApiError } from '../errors';
import type { Persistence } from '../store';

/** The credits of a workspace, whole ones. */
export interface Balance {
	available: number;
	reserved: number;
	spent: number;
}

interface Account extends Balance {
	/** What was granted and not withdrawn, below 0. */
	outside: number;
	/** What the reservation of each resource still holds. */
	holds: Map<string, number>;
}

type Pot = keyof Balance | 'outside';

/** Where each movement takes credits from and puts them; nothing else changes a balance. */
const POSTINGS = {
	grant: ['outside', 'available'],
	withdraw: ['available', 'outside'],
	charge: ['available', 'spent'],
	reserve: ['available', 'reserved'],
	spend: ['reserved', 'spent'],
	/** Gives back what was reserved. */
	release: ['reserved', 'available'],
} satisfies Record<string, [from: Pot, to: Pot]>;

type Movement = keyof typeof POSTINGS;

/** One movement and the balance after it. */
export interface LedgerLine extends Balance {
	/** 1, 2, 3 … over all workspaces. */
	sequence: number;
	workspace: string;
	movement: Movement;
	amount: number;
	/** The id of what caused it. */
	resource: string | null;
	/** Wall-clock milliseconds. */
	at: number;
}

/** The credits of all workspaces. Every change is a line; the balance is what the lines add up to. */
export class Ledger {
	private readonly lines: LedgerLine[];
	private readonly accounts = new Map<string, Account>();

	constructor(
		private readonly clock: Pick<Clock, 'now'>,
		private readonly persistence: Persistence,
	) {
		this.lines = persistence.values<LedgerLine>('ledger');
		for (const { workspace, movement, amount, resource } of this.lines)
			this.move(workspace, movement, amount, resource);
	}

	balance(workspace: string): Balance {
		const { available, reserved, spent } = this.account(workspace);
		return { available, reserved, spent };
	}

	/** What a resource's reservation still holds; 0 without one. */
	held(workspace: string, resource: string): number {
		return this.account(workspace).holds.get(resource) ?? 0;
	}

	/** Adds credits, or takes available ones away (never below 0). */
	grant(workspace: string, amount: number): void {
		if (amount >= 0) return this.write(workspace, 'grant', amount, null);
		const { available } = this.account(workspace);
		this.write(workspace, 'withdraw', Math.min(-amount, available), null);
	}

	/** Sets credits aside for a resource. 402 without enough. */
	reserve(workspace: string, resource: string, amount: number): void {
		this.demand(workspace, amount);
		this.write(workspace, 'reserve', amount, resource);
	}

	/** Spends a part of a reservation, which stays open. */
	spend(workspace: string, resource: string, amount: number): void {
		const held = this.held(workspace, resource);
		if (amount > held) throw new Error(`${resource} holds ${held} credits, not ${amount}`);
		if (amount > 0) this.write(workspace, 'spend', amount, resource);
	}

	/** Spends a part of a reservation and gives the rest back. */
	settle(workspace: string, resource: string, spent: number): void {
		this.spend(workspace, resource, spent);
		const rest = this.held(workspace, resource);
		if (rest > 0) this.write(workspace, 'release', rest, resource);
		this.account(workspace).holds.delete(resource);
	}

	/** Takes credits at once, without a reservation. 402 without enough. */
	charge(workspace: string, resource: string, amount: number): void {
		this.demand(workspace, amount);
		this.write(workspace, 'charge', amount, resource);
	}

	/** The lines of one workspace, or all. */
	read(workspace?: string): LedgerLine[] {
		return this.lines.filter((line) => workspace === undefined || line.workspace === workspace);
	}

	private demand(workspace: string, needed: number): void {
		const { available } = this.account(workspace);
		if (needed <= available) return;
		const message = `This needs ${needed} credits; the workspace has ${available} available.`;
		throw new ApiError(402, 'insufficient_credits', message, { needed, available });
	}

	private write(workspace: string, movement: Movement, amount: number, resource: string | null) {
		if (!Number.isSafeInteger(amount) || amount < 0) throw new Error(`Bad amount ${amount}`);
		this.move(workspace, movement, amount, resource);
		const sequence = this.lines.length + 1;
		const balance = this.balance(workspace);
		const at = this.clock.now();
		const line = { sequence, workspace, movement, amount, resource, ...balance, at };
		this.lines.push(line);
		this.persistence.put('ledger', String(sequence).padStart(12, '0'), line);
	}

	private move(workspace: string, movement: Movement, amount: number, resource: string | null) {
		const account = this.account(workspace);
		const [from, to] = POSTINGS[movement];
		account[from] -= amount;
		account[to] += amount;
		if (resource === null) return;
		const held = this.held(workspace, resource);
		if (to === 'reserved') account.holds.set(resource, held + amount);
		if (from === 'reserved') account.holds.set(resource, held - amount);
	}

	private account(workspace: string): Account {
		const empty = { available: 0, reserved: 0, spent: 0, outside: 0 };
		const account = this.accounts.get(workspace) ?? { ...empty, holds: new Map() };
		this.accounts.set(workspace, account);
		return account;
	}
}
