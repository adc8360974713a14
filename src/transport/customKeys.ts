import type { Prepared } from './batch';
import { fingerprint, shortHash } from './idempotency';
import { fail, type Failed } from './result';
import type { Run } from './run';

const nameOf = (item: string): string => {
	const [round = '0', index = '0'] = item.split(':');
	if (round === 'call') return 'a call of this tool';
	return round === '0' ? `item ${index}` : `item ${index} of run ${Number(round) + 1}`;
};

/** @returns an input error that names both items */
const sharedKey = (own: string, other: string): Failed =>
	fail({
		kind: 'input',
		field: 'Idempotency Key',
		problem: `is the same for ${nameOf(other)} and ${nameOf(own)}, which ask for different things`,
		hint: 'Give each request a key of its own, for example one with the ID of the item in it',
	});

/** Whether this item has sent something under its key in this execution. */
export function isOwnKey({ settings, node, place }: Run): boolean {
	if (settings.idempotency !== 'custom') return false;
	return node.keys?.[shortHash(settings.idempotencyKey)]?.item === place.item;
}

/**
 * Takes the key of the user for a request. One key for items that ask for different things would give all of them the media of the
 * first one, so that is refused, also where the other item was in an earlier run of the node in this execution.
 */
export function takeKey({ settings, node, place }: Run, print: string): Failed | undefined {
	if (settings.idempotency !== 'custom') return undefined;
	const keys = (node.keys ??= {});
	const name = shortHash(settings.idempotencyKey);
	const use = keys[name];
	if (use && use.item !== place.item) {
		return use.print === print ? undefined : sharedKey(place.item, use.item);
	}
	keys[name] = { print, item: place.item };
	return undefined;
}

/** Why an item cannot have its key, and the item that has it. */
export interface KeyClash {
	item: number;
	failed: Failed;
}

/** The custom keys of a run, looked at before anything is sent. */
export class KeysOfRun {
	private readonly uses = new Map<string, { item: number; print: string }>();

	/** Whether an item has the key of another one that asks for something else. */
	clashOf(item: number, { request, settings }: Prepared): KeyClash | undefined {
		if (settings.idempotency !== 'custom') return undefined;
		// Files are compared later, by their content, when they have been read.
		const print = fingerprint([request.path, request.body], {});
		const first = this.uses.get(settings.idempotencyKey);
		if (!first) this.uses.set(settings.idempotencyKey, { item, print });
		if (!first || first.print === print) return undefined;
		return { item: first.item, failed: sharedKey(`0:${item}`, `0:${first.item}`) };
	}
}
