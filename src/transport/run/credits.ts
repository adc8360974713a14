import { fail, ok, refusalStatusOf, type Failed, type Failure, type Result } from '../base/result';
import type { Item } from './item';
import type { Settings } from './settings';

/**
 * Everything that a 402 means. What On Insufficient Credits says decides about the items of the
 * run:
 *
 * | value | the refused item | items not sent yet |
 * | -------- | ------------------------------------------ | --------------------------------- |
 * | stop | fails | not sent; the run fails |
 * | continue | becomes an error item | not sent; they become error items |
 * | wait | waits for a top-up; at its timeout as stop | keep trying |
 *
 * While a workspace is out of credits, the waiting items of all executions share one attempt in a
 * while (`POLICIES.credits`, counted by `CreditGate`), and the first creation that succeeds lets
 * all of them go on. The next attempt uses a new key where the refused one may be answered with its
 * 402 again: By Execution at once (`item/itemState.ts`), By Content only once the same key has met
 * a second 402 (`KeysWithoutCredits`).
 */

/**
 * Whether the service refused for lack of credits: nothing was created. Specification: Errors 2.
 */
export const isOutOfCredits = (failed: Failed): boolean => refusalStatusOf(failed) === 402;

/** Whether an item failed only for lack of credits, and the user wants error items for that. */
export function becomesErrorItem(failed: Failed, { onInsufficientCredits }: Settings): boolean {
	const { failure } = failed;
	const lacksCredits =
		failure.kind === 'skipped'
			? failure.credits
			: failure.kind === 'creditCap' || isOutOfCredits(failed);
	return lacksCredits && onInsufficientCredits === 'continue';
}

/** The wait of one item for a top-up. */
export class CreditWait {
	/** On the monotonic clock. */
	private deadline: number | undefined;

	private refusal: Failed | undefined;

	constructor(private readonly item: Item) {}

	/**
	 * Waits while the workspace is out of credits. Returns the refusal if no top-up comes in time.
	 */
	async mayTry(): Promise<Result<undefined>> {
		const { workspace, host } = this.item;
		if (!this.refusal || this.deadline === undefined) return ok(undefined);
		if (await workspace.creditGate.mayTry(host.channel, this.deadline)) return ok(undefined);
		return host.channel.signal?.aborted ? fail({ kind: 'cancelled' }) : this.refusal;
	}

	/** @returns whether the item is to wait and try again */
	waitsAfter(failed: Failed): boolean {
		const { workspace, settings, answerBy = Infinity } = this.item;
		if (!isOutOfCredits(failed) || settings.onInsufficientCredits !== 'wait') return false;
		this.refusal = failed;
		const until = workspace.clock.monotonic() + settings.creditWaitTimeoutMs;
		this.deadline ??= Math.min(until, answerBy);
		workspace.creditGate.markEmpty();
		return true;
	}

	/** A creation has succeeded, so the workspace has credits: all waiting items go on. */
	succeeded(): void {
		this.item.workspace.creditGate.markAvailable();
	}
}

/**
 * By Content: how many keys of a content, counted from the first, have met a 402. A service that
 * replays its refusals answers such a key with 402 even after a top-up. To be created before the
 * request is sent.
 */
export class KeysWithoutCredits {
	private readonly before: number;

	constructor(
		private readonly item: Item,
		private readonly content: string,
	) {
		const known = item.workspace.creations.countKeysWithoutCredits(content);
		this.before = Math.max(item.memory.state.insufficientKeys ?? 0, known);
	}

	/**
	 * The number of the key to try after a 402 under this one; `undefined` if that was its first 402.
	 */
	nextAfter(attempt: number): number | undefined {
		return this.before > attempt ? this.before : undefined;
	}

	/** Notifies the other executions of this process. */
	share(): void {
		const { workspace, memory } = this.item;
		const count = memory.state.insufficientKeys ?? 0;
		workspace.creations.noteKeysWithoutCredits(this.content, count);
	}
}

interface Counts {
	/** Items of the run. */
	items: number;
	/**
	 * How many of them have a job; `undefined` if the run goes on, so that the number would not stay
	 * right.
	 */
	submitted?: number;
	notSubmitted: number;
}

const wasOrWere = (count: number) => (count === 1 ? 'was' : 'were');

/** How far the run has come; empty where that is not known or goes without saying. */
export const progress = ({ items, submitted, notSubmitted }: Counts): string =>
	items > 1 && submitted !== undefined
		? `${submitted} ${submitted === 1 ? 'item' : 'items'} of this run ${wasOrWere(submitted)} submitted, ${notSubmitted} ${wasOrWere(notSubmitted)} not. `
		: '';

/** What the error says where the limit of the execution was reached. */
export function creditCapText(
	{ maxCredits, reserved, price }: Extract<Failure, { kind: 'creditCap' }>,
	counts: Counts,
): [string, string] {
	const expected = price === undefined ? '' : `, and this item is expected to cost ${price}`;
	return [
		`Max Credits per Execution (${maxCredits}) would be exceeded`,
		`This execution has reserved ${reserved} credits${expected}. ${progress(counts)}Raise the limit, then retry this execution: it goes on with what it has.`,
	];
}
