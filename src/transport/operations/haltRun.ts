import { fail, ok, type Failed, type Result } from '../base/result';
import type { Item } from '../item/item';

/** What holds for every item of a run, so that what has not been sent is not sent. */
const HALTING: Record<number, string> = {
	401: 'the API key was refused',
	402: 'the credits ran out',
	403: 'the key is not allowed to do this',
	429: 'the service kept refusing with 429',
};

const statusOf = ({ failure }: Failed) => (failure.kind === 'status' ? failure.status : undefined);

export const isOutOfCredits = (failed: Failed) => statusOf(failed) === 402;

export const isLimited = (failed: Failed) => statusOf(failed) === 429;

/** Takes note of what the end of an item means for the others of its run. */
export function halt({ batch, itemIndex }: Item, failed: Failed): void {
	const cause = HALTING[statusOf(failed) ?? 0];
	// A key that may not upload may still do what the items without files ask for.
	const isPartial = failed.endpoint !== undefined && statusOf(failed) === 403;
	if (!cause || isPartial) return;
	batch.halt({ cause: `${cause} at item ${itemIndex}`, credits: isOutOfCredits(failed) });
}

/** Why an item of a halted run is not sent; `undefined` when it may be. */
export const halted = ({ batch }: Item): Failed | undefined =>
	batch.halted && fail({ kind: 'skipped', ...batch.halted });

/** Patience with an empty balance, for items whose policy is to wait for a top-up. */
export class CreditWait {
	/** On the monotonic clock. */
	private deadline: number | undefined;

	private refusal: Failed | undefined;

	constructor(private readonly run: Item) {}

	/** Waits while the workspace has no credits. The refusal itself when they have not come in time. */
	async mayTry(): Promise<Result<undefined>> {
		const { workspace, host } = this.run;
		if (!this.refusal || this.deadline === undefined) return ok(undefined);
		if (await workspace.creditGate.mayTry(host.channel, this.deadline)) return ok(undefined);
		return host.channel.signal?.aborted ? fail({ kind: 'cancelled' }) : this.refusal;
	}

	/** @returns whether the item is to wait and try again */
	ranOut(refusal: Failed): boolean {
		const { workspace, settings } = this.run;
		if (settings.onInsufficientCredits !== 'wait') return false;
		this.refusal = refusal;
		this.deadline ??= workspace.clock.monotonic() + settings.creditWaitTimeoutMs;
		workspace.creditGate.markEmpty();
		return true;
	}
}
