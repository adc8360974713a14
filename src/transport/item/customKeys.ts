import type { Failed } from '../base/result';
import { shortHash } from './idempotency';
import { sharedKey } from './keyClash';
import type { Item } from './item';

/** Whether this item has sent something under its key in this execution. */
export function isOwnKey({ settings, node, origin: place }: Item): boolean {
	if (settings.idempotency !== 'custom') return false;
	return node.keys?.[shortHash(settings.idempotencyKey)]?.item === place.item;
}

/**
 * Takes the key of the user for a request. One key for items that ask for different things would give all of them the media of the
 * first one, so that is refused, also where the other item was in an earlier run of the node in this execution.
 */
export function takeKey(
	{ settings, node, origin: place }: Item,
	print: string,
): Failed | undefined {
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
