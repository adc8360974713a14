import type { Item } from '../item';
import { keyFrom, type Idempotency } from './idempotency';
import { OnRetries } from './onRetries';

/**
 * How many keys may lead to failed jobs that cannot be told from this try's own, before the key is one that
 * only this execution knows: a job that fails at once must not be made without end.
 */
const MAX_UNPROVEN = 2;

/** Far more than anybody needs: only a service that is out of its mind gets there. */
const MAX_KEYS = 50;

/**
 * All executions that ask for the same share a key, without any memory: each try begins with number 0. A key
 * whose job had failed before the try gives way to the next one. A 402 is answered by a key that only this
 * execution knows, as others may find credits.
 */
export class SameRequest implements Idempotency {
	readonly isFixed = false;
	readonly takesOver = true;
	readonly startsOver = false;
	private readonly own: OnRetries;
	/** How many shared keys led to jobs that had failed before this try. */
	private number = 0;
	private unproven = 0;
	/** Whether the next key is one that only this execution knows. */
	private isLastResort = false;

	constructor(
		private readonly item: Item,
		private readonly content: string,
	) {
		this.own = new OnRetries(item, content);
	}

	get uploadOwner(): string {
		return this.item.origin.owner.node;
	}

	get sharedRequest(): string {
		return `${this.uploadOwner}\n${this.content}`;
	}

	get isShared(): boolean {
		return !this.isLastResort;
	}

	keyOf(filledIn?: unknown): string {
		if (this.isLastResort) return this.own.keyOf(filledIn);
		return keyFrom(this.sharedRequest, this.number, filledIn);
	}

	giveWay(because: 'failedBefore' | 'noCredits', isProven = false): boolean {
		if (this.isLastResort) return false;
		if (because === 'noCredits') {
			this.isLastResort = true;
			return true;
		}
		this.number += 1;
		if (!isProven) this.unproven += 1;
		this.isLastResort = this.hasTriedAll;
		return true;
	}

	private get hasTriedAll(): boolean {
		return this.unproven >= MAX_UNPROVEN || this.number >= MAX_KEYS;
	}

	/** Jobs that had failed before stay failed. */
	startAgain(): void {
		this.isLastResort = this.hasTriedAll;
	}

	claim(): undefined {
		return undefined;
	}
}
