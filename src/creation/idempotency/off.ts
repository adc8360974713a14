import type { Item } from '../item';
import { scopeOf, type Idempotency } from './idempotency';

/** No key: each try of the node pays again. */
export class Off implements Idempotency {
	readonly isShared = false;
	readonly isFixed = false;
	readonly takesOver = false;
	readonly startsOver = true;
	readonly owner: string;

	constructor(item: Item, content: string) {
		this.owner = scopeOf(item, content);
	}

	keyOf(): undefined {
		return undefined;
	}

	giveWay(): boolean {
		return false;
	}

	startAgain(): void {}

	claim(): undefined {
		return undefined;
	}
}
