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

export interface Account extends Balance {
	/** What each open reservation still holds. */
	holds: Map<string, number>;
}

export function newAccount(): Account {
	return { available: 0, reserved: 0, spent: 0, holds: new Map() };
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
export function move(
	account: Account,
	movement: Movement,
	amount: number,
	resource: string | null,
): void {
	const { from, to, hold } = POSTINGS[movement];
	if (from) account[from] -= amount;
	if (to) account[to] += amount;
	if (hold === 0 || resource === null) return;
	account.holds.set(resource, (account.holds.get(resource) ?? 0) + hold * amount);
}
