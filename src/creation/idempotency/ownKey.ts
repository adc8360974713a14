import { shortHash } from '../../base/hash';
import { fail, type Failed } from '../../base/result';
import type { Item } from '../item';
import type { JobReference } from '../state';
import type { Idempotency } from './idempotency';

export const GIVE_EACH_A_KEY =
	'Give each request a key of its own, for example one that contains the ID of the item';

/**
 * The key of the user's own belongs to another request: to this one as it was before it was changed, or to
 * one elsewhere.
 */
export function keyInUse(job: JobReference | undefined): Failed {
	const problem = job
		? `belongs to another request, whose job is ${job.id}`
		: 'belongs to another request, which may or may not have been carried out';
	const hint = 'Give the changed request a key of its own';
	return fail({ kind: 'input', field: 'Own Key', problem, hint }, job && { ...job });
}

/** The user says which requests are the same. */
export class OwnKey implements Idempotency {
	readonly isShared = true;
	readonly isFixed = true;
	readonly takesOver = false;
	readonly startsOver = false;
	/** Other workflows may use the key too. */
	readonly uploadOwner = 'own key';

	constructor(
		private readonly item: Item,
		private readonly content: string,
	) {}

	get sharedRequest(): string {
		return this.item.settings.idempotencyKey;
	}

	keyOf(): string {
		return this.sharedRequest;
	}

	giveWay(): boolean {
		return false;
	}

	startAgain(): void {}

	/**
	 * In all rounds of a loop a key is that of one request: for another one the service would give the media
	 * of the first.
	 */
	claim(): Failed | undefined {
		const { node, origin } = this.item;
		const hash = shortHash(this.keyOf());
		node.keys ??= {};
		node.keys[hash] ??= { content: this.content, item: origin.item };
		const first = node.keys[hash];
		if (first.item === origin.item) first.content = this.content;
		if (first.content === this.content) return undefined;
		return fail({
			kind: 'input',
			field: 'Own Key',
			problem: 'was used in this execution for another request',
			hint: GIVE_EACH_A_KEY,
		});
	}
}
