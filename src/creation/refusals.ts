import type { Endpoint } from '../api';
import { getOrCreate } from '../base/maps';
import { fail, whatIsAway, type Failed } from '../base/result';
import { isRecord, type Json } from '../base/types';
import { amountOf, exactKindOf } from '../transport/priceBook';
import { meaningOf, type Refusal } from '../transport/statuses';
import type { Item } from './item';

/*
 * What the failure of one item means for the others of its run. It may halt the run (`noteFailure`). Where
 * the user wants rows (On Error: Continue), only those are left out that would be refused too (`Refusals`).
 * A key without the scope and a persona of somebody else's are both answered with 403, and a 402 says
 * nothing of what is left. So the refusals themselves tell what is not sent any more:
 *
 * - after a 402, rows that ask for as much or more of the same kind: with the same model and settings but
 *   for the count (`exactKindOf` in `transport/priceBook.ts`)
 * - after a few 403, and no success, rows with the same model, persona and voice
 * - after many refusals in a row, everything
 *
 * What is of all rows halts the run also then: 401, 407 and 511, an outage, a 429 that has lasted for Wait
 * Timeout, a 402 after the wait for a top-up.
 *
 * A 402, from its answer to the rows:
 *
 * 1. `answer.ts` hears it: nothing was made and nothing is charged. Under Same Request it
 *    goes out once more with another key (`settleKey`). Under Wait for Top-Up the row waits for credits
 *    (`tellTopUpGate`), and the first row of the run whose time is over halts it: nothing further is sent,
 *    also of rows that were not tried yet. Otherwise the run is told (`tellRun`, then `noteFailure`).
 * 2. `noteLackOfCredits` keeps how much the row has asked for. What is under way goes on, and so do jobs that
 *    were made: their rows are good ones.
 * 3. Each other row asks `whyNot` before it is sent (`newRequest` in `creation.ts`, `sendNow` in
 *    `sending.ts`). The same kind and as much or more is not sent: "Not sent: the credits ran out at item 3".
 *    All else is sent and finds out for itself.
 * 4. Once 17 rows in a row were refused, each of another kind or for less than those before, nothing further
 *    is sent.
 * 5. Each of them becomes a failed row (`failedRows.ts`), which says that no credits were spent unless
 *    an earlier request of it is open (`creditSentence.ts`).
 *
 * Without On Error: Continue the first 402 halts the run, and its error names the jobs that exist.
 */

/**
 * After so many 403, rows that name the same model, persona and voice are not sent. Fewer may be about
 * something else in their requests, such as a prompt.
 */
const FEW = 3;

/**
 * After so many refusals in a row nothing is sent any more. A generation asks for 1 to 16 outputs, so of one
 * kind 16 rows may be refused with 402, each for less than the one before; one more is of another kind.
 */
const MANY = 17;

/** Why something is not sent. */
export interface Halt {
	cause: string;
	/** Whether that is for lack of credits. */
	lacksCredits?: boolean;
}

/** A row that was refused for lack of credits. */
interface TooDear {
	kind: string;
	amount: number;
	halt: Halt;
}

/** Rows that name the same things which a key may not be allowed to use. */
interface Alike {
	/** The rows by n8n's number, because a row with several parts is refused only once. */
	refused: Set<number>;
	isAccepted: boolean;
	halt?: Halt;
}

const voicesIn = (body: Json): unknown[] => {
	const { blocks, parameters } = body;
	const ofBlocks = Array.isArray(blocks) ? blocks.filter(isRecord).map(({ voice }) => voice) : [];
	return [isRecord(parameters) ? parameters.voice : undefined, ...new Set(ofBlocks)];
};

/** @param path of what was refused */
function likenessOf({ request }: Item, path = request.path): string {
	const body = isRecord(request.body) && path === request.path ? request.body : {};
	return JSON.stringify([path, body.mode, body.model, body.persona_id, voicesIn(body)]);
}

/** What was refused in one run. */
export class Refusals {
	/** Whether nothing was refused yet. */
	isEmpty = true;
	private readonly tooDear: TooDear[] = [];
	private readonly alike = new Map<string, Alike>();
	/** The rows that were refused since the last success. */
	private readonly inARow = new Set<number>();

	private alikeOf(item: Item, path?: string): Alike {
		const likeness = likenessOf(item, path);
		const none = () => ({ refused: new Set<number>(), isAccepted: false });
		return getOrCreate(this.alike, likeness, none);
	}

	private tooDearFor({ spec, request }: Item): TooDear | undefined {
		const priced = { endpoint: spec.endpoint, body: request.body };
		const kind = exactKindOf(priced);
		return this.tooDear.find((one) => one.kind === kind && amountOf(priced) >= one.amount);
	}

	/** Whether so many rows in a row were refused that all others would be too. */
	get areMany(): boolean {
		return this.inARow.size >= MANY;
	}

	/** A row was refused for lack of credits. */
	noteLackOfCredits(item: Item, halt: Halt): void {
		this.isEmpty = false;
		// It was under way already when a row of this kind was refused, and says nothing new.
		if (this.tooDearFor(item)) return;
		const { spec, request } = item;
		const priced = { endpoint: spec.endpoint, body: request.body };
		this.tooDear.push({ kind: exactKindOf(priced), amount: amountOf(priced), halt });
		this.inARow.add(item.itemIndex);
	}

	/**
	 * A row was refused as not allowed.
	 * @param path of another request of the row, such as an upload
	 */
	noteForbidden(item: Item, halt: Halt, path?: string): void {
		this.isEmpty = false;
		const alike = this.alikeOf(item, path);
		if (alike.refused.has(item.itemIndex)) return;
		alike.refused.add(item.itemIndex);
		alike.halt ??= halt;
		if (path === undefined) this.inARow.add(item.itemIndex);
	}

	/** @param path of another request of the row, such as an upload */
	accepted(item: Item, path?: string): void {
		if (path === undefined) this.inARow.clear();
		this.alikeOf(item, path).isAccepted = true;
	}

	/** Why a row need not be sent. @param path of another request of the row, such as an upload */
	whyNot(item: Item, path?: string): Halt | undefined {
		const alike = this.alike.get(likenessOf(item, path));
		const isForbidden = alike && !alike.isAccepted && alike.refused.size >= FEW;
		return isForbidden ? alike.halt : this.tooDearFor(item)?.halt;
	}
}

/**
 * Halts the run if the failure of an item holds for the others too. Each failure comes here when its item
 * ends (`runItem` in `n8n/runOperation.ts`). Where other items wait for its turn or its slot, that is too
 * late: the next one would be sent before the run knows of the failure. So it comes here once more before
 *
 * - the turn goes to the next item (`withReadPermit`)
 * - the answer to a creation frees its slot (`tellRun` in `answer.ts`)
 * - a creation that a limit keeps back frees its slot (`sendNow` in `sending.ts`)
 *
 * The same failure twice changes nothing.
 */
export function noteFailure(item: Item, failed: Failed): void {
	const { run, itemIndex } = item;
	const { failure, endpoint } = failed;
	if (failure.kind === 'creditCap' || failure.kind === 'dayCap') {
		// Where failed items become rows, the others are tried: cheaper ones may still fit under the limit.
		if (run.continuesOnFail) return;
		const limit = failure.kind === 'dayCap' ? 'Day' : 'Execution';
		return run.halt({ cause: `Max Credits per ${limit} was reached at item ${itemIndex + 1}` });
	}
	const away = whatIsAway(failed);
	if (away !== undefined) return run.halt({ cause: `${away} gave no answer` });
	if (failure.kind !== 'status') return;
	const { refusal, concernsRun } = meaningOf(failure.status, failure.serviceError);
	if (concernsRun === undefined) return;
	const cause = `${concernsRun} at item ${itemIndex + 1}`;
	const reason: Halt = { cause, lacksCredits: refusal === 'noCredits' };
	if (mayConcernOnlyAlike(item, refusal, endpoint)) {
		const { refusals } = run;
		if (refusal === 'forbidden') refusals.noteForbidden(item, reason, endpoint?.path);
		else refusals.noteLackOfCredits(item, reason);
		if (!refusals.areMany) return;
	}
	run.halt(reason);
}

/**
 * Whether a refusal may end only its own item and the items that ask for the same, and not the whole run.
 * @param endpoint of another request of the item, such as an upload
 */
function mayConcernOnlyAlike(
	{ run, settings }: Item,
	refusal: Refusal | undefined,
	endpoint: Endpoint | undefined,
): boolean {
	// A key that may not upload can still make what needs no files.
	if (refusal === 'forbidden') return endpoint !== undefined || run.continuesOnFail;
	// Under Wait for Top-Up the item has waited for credits as long as it may, so that the others need not.
	const hasWaited = settings.onInsufficientCredits === 'wait';
	return refusal === 'noCredits' && run.continuesOnFail && !hasWaited;
}

const skipped = (reason: Halt | undefined): Failed | undefined =>
	reason && fail({ kind: 'skipped', ...reason });

/** Why an item of a halted run is not sent; `undefined` while it may be. */
export const whyNotSent = ({ run }: Item): Failed | undefined => skipped(run.halted);

/**
 * The same where others that ask for the same were refused.
 * @param path of another request of the item, such as an upload
 */
export const refusedAlike = (item: Item, path?: string): Failed | undefined =>
	skipped(item.run.refusals.whyNot(item, path));

/**
 * Why an item was stopped: because the run was halted, or because the execution was cancelled. A halt stops
 * only what is not out yet, so what it has stopped costs nothing. Whether an earlier request of the item is
 * open, its state says.
 */
export function whyStopped(item: Item, failed: Failed): Failed {
	const isStop = failed.failure.kind === 'cancelled';
	if (!isStop || item.host.channel.signal?.aborted) return failed;
	return whyNotSent(item) ?? failed;
}
