import type { Item } from '../item';
import type { Idempotency } from './idempotency';

/** No key: each try of the node pays again. */
export class Off implements Idempotency {
	readonly isShared = false;
	readonly isFixed = false;
	readonly takesOver = false;
	readonly startsOver = true;
	readonly uploadOwner: string;

	constructor({ node }: Item) {
		this.uploadOwner = node.runId;
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
