import type { Clock } from '../clock';
import { ApiError } from '../errors';
import type { Persistence } from '../store';

/**
 * What a line of the ledger does. `spend` moves reserved credits to spent, `release` gives them
 * back.
 */
export type Movement = 'grant' | 'withdraw' | 'reserve' | 'spend' | 'release' | 'charge';

export interface Balance {
	available: number;
	reserved: number;
	spent: number;
}

interface Account extends Balance {
	/** What each open reservation still holds. */
	holds: Map<string, number>;
}

/** Where each movement takes credits from and puts them; nothing else changes a balance. */
const POSTINGS: Record<Movement, { from?: keyof Balance; to?: keyof Balance; hold: 1 | 0 | -1 }> = {
	grant: { to: 'available', hold: 0 },
	withdraw: { from: 'available', hold: 0 },
	charge: { from: 'available', to: 'spent', hold: 0 },
	reserve: { from: 'available', to: 'reserved', hold: 1 },
	spend: { from: 'reserved', to: 'spent', hold: -1 },
	release: { from: 'reserved', to: 'available', hold: -1 },
};

/** Moves credits within an account. */
function move(account: Account, movement: Movement, amount: number, resource: string | null): void {
	const { from, to, hold } = POSTINGS[movement];
	if (from) account[from] -= amount;
	if (to) account[to] += amount;
	if (hold === 0 || resource === null) return;
	account.holds.set(resource, (account.holds.get(resource) ?? 0) + hold * amount);
}

/** One movement and the balance after it; all amounts are whole credits. */
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

/**
 * The credits of all workspaces. Every change is a line; the balance is what the lines add up to:
 * available + reserved + spent = granted - withdrawn, at every line.
 */
export class Ledger {
	readonly lines: LedgerLine[] = [];
	private readonly accounts = new Map<string, Account>();

	constructor(
		private readonly clock: Pick<Clock, 'now'>,
		private readonly persistence: Persistence,
	) {
		for (const line of persistence.values<LedgerLine>('ledger')) {
			move(this.account(line.workspace), line.movement, line.amount, line.resource);
			this.lines.push(line);
		}
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
		if (this.account(workspace).holds.has(resource)) {
			throw new Error(`${resource} has a reservation already`);
		}
		this.demand(workspace, amount);
		this.write(workspace, 'reserve', amount, resource);
	}

	/** Spends a part of a reservation, which stays open. */
	spend(workspace: string, resource: string, amount: number): void {
		const held = this.open(workspace, resource);
		if (amount > held) throw new Error(`${resource} holds ${held} credits, not ${amount}`);
		if (amount > 0) this.write(workspace, 'spend', amount, resource);
	}

	/** Spends a part of a reservation, gives the rest back and closes it. */
	settle(workspace: string, resource: string, spent: number): void {
		this.spend(workspace, resource, spent);
		const rest = this.open(workspace, resource);
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

	private open(workspace: string, resource: string): number {
		const held = this.account(workspace).holds.get(resource);
		if (held === undefined) throw new Error(`${resource} has no open reservation`);
		return held;
	}

	private write(workspace: string, movement: Movement, amount: number, resource: string | null) {
		if (!Number.isSafeInteger(amount) || amount < 0) throw new Error(`Bad amount ${amount}`);
		move(this.account(workspace), movement, amount, resource);
		const sequence = this.lines.length + 1;
		const balance = this.balance(workspace);
		const at = this.clock.now();
		const line = { sequence, workspace, movement, amount, resource, ...balance, at };
		this.lines.push(line);
		this.persistence.put('ledger', String(sequence).padStart(12, '0'), line);
	}

	private account(workspace: string): Account {
		const known = this.accounts.get(workspace);
		if (known) return known;
		const account: Account = { available: 0, reserved: 0, spent: 0, holds: new Map() };
		this.accounts.set(workspace, account);
		return account;
	}
}
