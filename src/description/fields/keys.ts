import { idempotency, idempotencyKey } from './creation';
import { additionalJson } from './additionalJson';
import { dryRun, maxCreditsOrStop } from './cost';
import { options } from './options';

/** The options of a creation that is done when it is answered, and costs nothing. */
export const freeKeyOptions = options([additionalJson, dryRun, idempotencyKey, idempotency]);

/** The same of one that is paid for. */
export const keyOptions = options([
	additionalJson,
	dryRun,
	idempotencyKey,
	maxCreditsOrStop,
	idempotency,
]);
