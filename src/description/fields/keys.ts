import { idempotency, idempotencyKey } from './creation';
import { options } from './options';

/** The options of a creation that is done when it is answered. */
export const keyOptions = options([idempotencyKey, idempotency]);
