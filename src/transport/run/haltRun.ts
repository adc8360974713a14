import { isOutOfCredits } from './credits';
import { meaningOf } from '../http/statuses';
import { fail, refusalStatusOf, type Failed, type Result } from '../base/result';
import type { Item } from './item';

const NO_ANSWER = 'the service gave no answer';

const CAP_REACHED = 'Max Credits per Execution was reached';

/** Whether the rate or the number of jobs was refused. */
export const isLimited = (failed: Failed) => refusalStatusOf(failed) === 429;

/** Halts the run if the failure of an item holds for the others too. */
export function halt({ batch, itemIndex, settings }: Item, failed: Failed): void {
	if (failed.failure.kind === 'creditCap') {
		// With error items, cheaper items may still fit under the limit.
		if (settings.onInsufficientCredits === 'continue') return;
		return batch.halt({ cause: `${CAP_REACHED} at item ${itemIndex}`, credits: true });
	}
	const status = refusalStatusOf(failed);
	// A key that may not upload can still serve the items without files.
	const isPartial = failed.endpoint !== undefined && status === 403;
	const why = status === undefined ? undefined : meaningOf(status).concernsRun;
	if (why === undefined || isPartial) return;
	batch.halt({
		cause: `${why} at item ${itemIndex}`,
		credits: isOutOfCredits(failed),
	});
}

/**
 * Halts a run whose items have met nothing but silence. Once one has got through the others are
 * worth their attempts.
 */
export function haltInOutage({ batch, itemIndex }: Item, result: Result<unknown>): void {
	if (!batch.outage.note(result) || batch.hasReachedJobs) return;
	batch.halt({ cause: `${NO_ANSWER} to item ${itemIndex} and those before it`, credits: false });
}

/** Why an item of a halted run is not sent; `undefined` while it may be. */
export const halted = ({ batch }: Item): Failed | undefined =>
	batch.halted && fail({ kind: 'skipped', ...batch.halted });
