import { move, newAccount, type Account, type Balance, type Movement } from './account';

export type { Balance, Movement };

/** One movement and the balance after it; all amounts are whole credits. */
export interface LedgerLine {
	/** 1, 2, 3 … over all workspaces. */
	sequence: number;
	workspace: string;
	movement: Movement;
	amount: number;
	/** The id of what caused it. */
	resource: string | null;
	available: number;
	reserved: number;
	spent: number;
	/** Wall-clock milliseconds. */
	at: number;
}

/** Thrown when a workspace lacks the credits; nothing was changed. */
export class InsufficientCredits extends Error {
	constructor(
		readonly needed: number,
		readonly available: number,
	) {
		super(`This needs ${needed} credits; the workspace has ${available} available.`);
	}
}

/**
 * The credits of all workspaces. Every change is a line; the balance is what the lines add up to:
 * available + reserved + spent = granted - withdrawn, at every line.
 */
export class Ledger {
	readonly lines: LedgerLine[] = [];
	private readonly accounts = new Map<string, Account>();

	constructor(
		private readonly now: () => number,
		private readonly written: (line: LedgerLine) => void = () => {},
	) {}

	/** Continues from stored lines, without writing them again. */
	restore(lines: Iterable<LedgerLine>): void {
		for (const line of lines) {
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

	/** Resources whose reservation still holds credits. */
	openHolds(workspace: string): string[] {
		const holds = [...this.account(workspace).holds];
		return holds.filter(([, held]) => held > 0).map(([resource]) => resource);
	}

	/** Adds credits, or takes available ones away (never below 0). */
	grant(workspace: string, amount: number): void {
		if (amount >= 0) return this.write(workspace, 'grant', amount, null);
		const { available } = this.account(workspace);
		this.write(workspace, 'withdraw', Math.min(-amount, available), null);
	}

	/** Sets credits aside for a resource. Throws {@link InsufficientCredits}. */
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

	/** Takes credits at once, without a reservation. Throws {@link InsufficientCredits}. */
	charge(workspace: string, resource: string, amount: number): void {
		this.demand(workspace, amount);
		this.write(workspace, 'charge', amount, resource);
	}

	/** The lines of one workspace, or all. */
	read(workspace?: string): LedgerLine[] {
		return this.lines.filter((line) => workspace === undefined || line.workspace === workspace);
	}

	private demand(workspace: string, amount: number): void {
		const { available } = this.account(workspace);
		if (amount > available) throw new InsufficientCredits(amount, available);
	}

	private open(workspace: string, resource: string): number {
		const held = this.account(workspace).holds.get(resource);
		if (held === undefined) throw new Error(`${resource} has no open reservation`);
		return held;
	}

	private write(workspace: string, movement: Movement, amount: number, resource: string | null) {
		if (!Number.isSafeInteger(amount) || amount < 0) throw new Error(`Bad amount ${amount}`);
		const account = this.account(workspace);
		move(account, movement, amount, resource);
		const { available, reserved, spent } = account;
		const sequence = this.lines.length + 1;
		const at = this.now();
		const line = {
			sequence,
			workspace,
			movement,
			amount,
			resource,
			available,
			reserved,
			spent,
			at,
		};
		this.lines.push(line);
		this.written(line);
	}

	private account(workspace: string): Account {
		const known = this.accounts.get(workspace);
		if (known) return known;
		const account = newAccount();
		this.accounts.set(workspace, account);
		return account;
	}
}
