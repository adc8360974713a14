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

	get uploadOwner(): string {
		return this.item.node.runId;
	}

	keyOf(filledIn?: unknown): string {
		const { memory } = this.item;
		const scope = memory.scope ?? scopeOf(this.item, this.content);
		return keyFrom(scope, memory.state.nextKey, filledIn);
	}

	giveWay(): boolean {
		return false;
	}

	startAgain(): void {}

	claim(): undefined {
		return undefined;
	}
}
