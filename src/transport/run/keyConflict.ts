import { fail, type Failed } from '../base/result';
import type { ApiRequest } from '../base/types';
import { fingerprint } from './idempotency';
import type { Prepared } from './prepared';

const itemName = (item: string): string => {
	const [round = '0', index = '0'] = item.split(':');
	if (round === 'call') return 'a call of this tool';
	return round === '0' ? `item ${index}` : `item ${index} of run ${Number(round) + 1}`;
};

/** @returns an input error that names both items */
export const sharedKeyFailure = (own: string, other: string): Failed =>
	fail({
		kind: 'input',
		field: 'Idempotency Key',
		problem: `is the same for ${itemName(other)} and ${itemName(own)}, which make different requests`,
		hint: 'Give each request a key of its own, for example one that contains the ID of the item',
	});

/** Why an item cannot have its key, and the item that has it. */
export interface KeyConflict {
	item: number;
	failed: Failed;
}

/**
 * Two items of a run with one key for different requests.
 * @param first the one that has the key
 */
export const conflictOf = (item: number, first: number): KeyConflict => ({
	item: first,
	failed: sharedKeyFailure(`0:${item}`, `0:${first}`),
});

/** An item and the request it sends under its key. */
export interface KeyUse {
	item: number;
	request: ApiRequest;
}

/** The custom keys of a run, checked before anything is sent. */
export class CustomKeyRegistry {
	private readonly uses = new Map<
		string,
		{ items: [KeyUse, ...KeyUse[]]; requestFingerprint: string }
	>();

	/** The item that already uses this item's key for a different request, if any. */
	findConflict(item: number, { request, settings }: Prepared): KeyConflict | undefined {
		if (settings.idempotency !== 'custom') return undefined;
		// Files are compared by `rejectMismatchedFiles`, because reading them takes an `await`.
		const requestFingerprint = fingerprint([request.path, request.body], {});
		const use = this.uses.get(settings.idempotencyKey);
		if (!use) {
			this.uses.set(settings.idempotencyKey, { items: [{ item, request }], requestFingerprint });
		} else if (use.requestFingerprint !== requestFingerprint) {
			return conflictOf(item, use.items[0].item);
		} else use.items.push({ item, request });
		return undefined;
	}

	/** The items of each key that several share, whose requests differ in their files at most. */
	get shared(): KeyUse[][] {
		return [...this.uses.values()].map(({ items }) => items).filter(({ length }) => length > 1);
	}
}
