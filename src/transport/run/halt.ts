import { fail, refusalStatusOf, type Failed, type Result } from '../base/result';
import type { Channel } from '../base/types';
import { meaningOf } from '../http/statuses';
import { isOutOfCredits } from './credits';
import type { Item } from './item';

/** Halts the run if the failure of an item holds for the others too. */
export function halt({ batch, itemIndex, settings }: Item, failed: Failed): void {
	if (failed.failure.kind === 'creditCap') {
		// With error items, cheaper items may still fit under the limit.
		if (settings.onInsufficientCredits === 'continue') return;
		const cause = `Max Credits per Execution was reached at item ${itemIndex}`;
		return batch.halt({ cause, credits: true });
	}
	const status = refusalStatusOf(failed);
	// A key that may not upload can still serve the items without files.
	const isPartial = failed.endpoint !== undefined && status === 403;
	const why = status === undefined ? undefined : meaningOf(status).concernsRun;
	if (why === undefined || isPartial) return;
	batch.halt({ cause: `${why} at item ${itemIndex}`, credits: isOutOfCredits(failed) });
}

/** Why an item of a halted run is not sent; `undefined` while it may be. */
export const halted = ({ batch }: Item): Failed | undefined =>
	batch.halted && fail({ kind: 'skipped', ...batch.halted });

/**
 * Why a request ended that was under way when the run was halted. One that was given up because the
 * service answers nothing any more says so: no other item reports it.
 */
export const orSilence = ({ batch, host }: Item, failed: Failed): Failed =>
	failed.failure.kind === 'cancelled' && batch.isSilent && !host.channel.signal?.aborted
		? fail({
				...{ kind: 'noResponse', reason: 'it answers nothing any more', attempts: 1 },
				...{ replayable: true, outcomeUnknown: true },
			})
		: failed;

/** Sends what neither creates nor approves: a few items at a time, and none once the run is halted. */
export async function inTurn<T>(
	item: Item,
	send: (channel: Channel) => Promise<Result<T>>,
): Promise<Result<T>> {
	const { batch, host } = item;
	const channel = { ...host.channel, signal: batch.stopSignal(host.channel.signal) };
	const sent = await batch.reads.run(channel, async () => await send(channel));
	if (sent?.ok) return sent;
	const failed = sent ? orSilence(item, sent) : fail({ kind: 'cancelled' });
	return failed.failure.kind === 'cancelled' ? (halted(item) ?? failed) : failed;
}
