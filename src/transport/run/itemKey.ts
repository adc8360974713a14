import { contentKey, executionKey } from './idempotency';
import type { Item } from './item';

/** The idempotency key of a request, by its number; `undefined` if the user wants none. */
export function keyOf(
	{ settings, origin }: Pick<Item, 'settings' | 'origin'>,
	requestFingerprint: string,
	attempt: number,
): string | undefined {
	switch (settings.idempotency) {
		case 'none':
			return undefined;
		case 'custom':
			return settings.idempotencyKey;
		case 'content':
			return contentKey(origin.node, requestFingerprint, attempt);
		case 'execution':
			return executionKey(origin.runId, origin.item, attempt);
	}
}
