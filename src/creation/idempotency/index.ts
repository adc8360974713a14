import type { IdempotencyMode, Item } from '../item';
import type { Idempotency } from './idempotency';
import { Off } from './off';
import { OnRetries } from './onRetries';
import { OwnKey } from './ownKey';
import { SameRequest } from './sameRequest';

const MODES: Record<IdempotencyMode, new (item: Item, content: string) => Idempotency> = {
	execution: OnRetries,
	content: SameRequest,
	custom: OwnKey,
	none: Off,
};

/** @param content hash of the request as the user asks for it, with its files by their bytes */
export const idempotencyOf = (item: Item, content: string): Idempotency =>
	new MODES[item.settings.idempotency](item, content);

export { GIVE_EACH_A_KEY, keyInUse } from './ownKey';
export { ownKeyProblem, scopeOf, uploadKey, type Idempotency } from './idempotency';
