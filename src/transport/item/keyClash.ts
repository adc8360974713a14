import { fail, type Failed } from '../base/result';
import { fingerprint } from './idempotency';
import type { Prepared } from './prepared';

const nameOf = (item: string): string => {
	const [round = '0', index = '0'] = item.split(':');
	if (round === 'call') return 'a call of this tool';
	return round === '0' ? `item ${index}` : `item ${index} of run ${Number(round) + 1}`;
};

/** @returns an input error that names both items */
export const sharedKey = (own: string, other: string): Failed =>
	fail({
		kind: 'input',
		field: 'Idempotency Key',
		problem: `is the same for ${nameOf(other)} and ${nameOf(own)}, which ask for different things`,
		hint: 'Give each request a key of its own, for example one with the ID of the item in it',
	});

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
