import type { Item } from '../item';
import { keyFrom, scopeOf, type Idempotency } from './idempotency';

/** Each item of each execution makes a request of its own, and a retry finds it by the memory of the item. */
export class OnRetries implements Idempotency {
	readonly isShared = false;
	readonly isFixed = false;
	readonly takesOver = true;
	readonly startsOver = false;

	constructor(
		private readonly item: Item,
		private readonly content: string,
	) {}

	get owner(): string {
		return this.item.memory.scope ?? scopeOf(this.item, this.content);
	}

	keyOf(filledIn?: unknown): string {
		return keyFrom(this.owner, this.item.memory.state.nextKey, filledIn);
	}

	giveWay(): boolean {
		return false;
	}

	startAgain(): void {}

	claim(): undefined {
		return undefined;
	}
}
