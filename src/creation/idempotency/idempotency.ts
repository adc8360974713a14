import { LIMITS } from '../../api';
import { sha256, shortHash } from '../../base/hash';
import { inOrder } from '../../base/values';
import type { Failed } from '../../base/result';
import type { Item } from '../item';

/**
 * What _Avoid Paying Twice_ means for the request of one item: under which key it is sent, and who else finds
 * that key. There is a class for each choice, and nobody else asks which one it is, but to word a message.
 *
 * A key (specification: Operation details, Idempotency-Key) is made of what names the request and a number.
 * The number rises when a key has led to nothing.
 *
 * What names the request, and what the number is:
 *
 * - _On Retries_ (`execution`): the scope of the item (its execution, content and place); a number kept in
 *   the item's state.
 * - _Same Request Within 24 Hours_ (`content`): the node and the content; 0 at first in each try.
 * - _Own Key_ (`custom`): what the user gave; no number.
 * - _Off_ (`none`): there is no key.
 *
 * _Content_ is a hash of the request as the user asks for it, with its files by their bytes.
 */
export interface Idempotency {
	/**
	 * Whose uploads its files are among: those of one owner have one key for the same bytes. The same for all
	 * items of a run; and under a key that others use, the same for these, as the request has to name the
	 * same URL.
	 */
	readonly uploadOwner: string;
	/** What names the request to executions that know nothing of this one, if anything does. */
	readonly sharedRequest?: string;
	/**
	 * Whether executions that know nothing of this one use the key as well. Then the request must depend on
	 * nothing that only this execution knows.
	 */
	readonly isShared: boolean;
	/** Whether the key is the same whatever is requested. */
	readonly isFixed: boolean;
	/** Whether an item goes on with what another try or execution has lost of the same request. */
	readonly takesOver: boolean;
	/** Whether each try of the node makes a request of its own. */
	readonly startsOver: boolean;
	/**
	 * The key of the next request; `undefined` if it has none.
	 * @param filledIn its body, where that says more than the user has asked for: under one key there is one
	 * body
	 */
	keyOf(filledIn?: unknown): string | undefined;
	/**
	 * The current key leads to nothing: to a job that had failed before this try, or to a 402, which a
	 * service may keep.
	 * @param isProven whether the service says that the job was made before this try
	 * @returns whether there is another key to try at once
	 */
	giveWay(because: 'failedBefore' | 'noCredits', isProven?: boolean): boolean;
	/** Credits may have come since the last 402. */
	startAgain(): void;
	/** Why the request must not be sent under its key. */
	claim(): Failed | undefined;
}

/** @param filledIn see {@link Idempotency.keyOf} */
export function keyFrom(owner: string, number: number, filledIn: unknown): string {
	const parts = [owner, String(number)];
	if (filledIn !== undefined) parts.push(inOrder(filledIn));
	return `n8n-${sha256(parts.join('\n'))}`;
}

/** The key of an upload: a repeated request has to name the same URL. */
export const uploadKey = (owner: string, identity: string): string =>
	`n8n-${sha256(`upload\n${owner}\n${identity}`)}`;

/**
 * What the own keys of an item are made of. Its place tells it from others of the execution that ask for the
 * same.
 */
export const scopeOf = ({ node, origin }: Pick<Item, 'node' | 'origin'>, content: string): string =>
	shortHash([node.runId, content, origin.item].join('\n'));

/** What is wrong with a key of the user's own. Specification: Operation details, Idempotency-Key. */
export function ownKeyProblem(key: string): string | undefined {
	if (key === '') return 'is empty';
	if (key.length > LIMITS.idempotencyKeyLength.max) {
		return `has ${key.length} characters; at most ${LIMITS.idempotencyKeyLength.max} are allowed`;
	}
	return /^[\x20-\x7e]+$/.test(key) ? undefined : 'may only contain printable ASCII characters';
}
