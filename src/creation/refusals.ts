import { ENDPOINTS } from '../api';
import { getOrCreate } from '../base/maps';
import { fail, outageIn, type Failed, type Result } from '../base/result';
import { isRecord, type Json } from '../base/types';
import { amountOf, priceKindOf, similarKindOf } from '../transport/priceBook';
import { meaningOf, type Refusal } from '../transport/statuses';
import { pricedOf } from './credits/ledger';
import { isOutcomeOpen } from './idempotency/itemState';
import type { Item } from './item';

/*
 * What the failure of one item does to the others of its run (`effectOnOthers`). Nothing further is sent for
 * those that it ends, and what is under way goes on. A failure that others would not meet, such as a 400 or a
 * failed job, ends none of them, also where the run fails in the end. One that others would meet:
 *
 * - Where the run fails with it (On Error: Stop), it ends all.
 * - Where the user wants rows (On Error: Continue), it ends only those that would fail alike (`Reach`). The
 *   API does not always say which these are: a 403 may mean that the key lacks a scope, or that one persona
 *   is somebody else's, and a 402 does not say how much is left. So many refusals in a row, with no success
 *   between them, end all rows with their key.
 *
 * A 402, from its answer to the rows:
 *
 * 1. By the answer (`answer.ts`) nothing was made and nothing is charged. Under Same Request it goes out once
 *    more with another key (`settleKey`). Under Wait for Top-Up the row waits for credits
 *    (`tellTopUpGate`). The run is told (`haltAlike`) at once (`tellRun`), or, after such a wait, when the
 *    row ends (`runItem`).
 * 2. `ItemsOfKey` keeps how much the row has asked for.
 * 3. Each other row asks `refusedAlike` before it is sent (`sendCreation`, `whyNotNow` in `sending.ts`), one
 *    with files before they go up (`newRequest` in `creation.ts`). The same kind and as much or more is not
 *    sent: "Not sent: the credits ran out at item 3". All else is sent and finds out for itself, as is what
 *    may be paid for already, and each row once the `TopUpGate` has seen a top-up.
 * 4. Each of them becomes a failed row (`failedRows.ts`), which says that no credits were spent unless an
 *    earlier request of it is open (`creditSentence.ts`).
 */

/**
 * Ends those other items for which a failure holds too. Each failure comes here when its item ends (`runItem`
 * in `n8n/runOperation.ts`). Where other items wait for its permit or its slot, that is too late: the next
 * one would be sent before it is known. So it comes here once more before
 *
 * - the permit goes to the next item (`withReadPermit`)
 * - the answer to a creation frees its slot (`tellRun` in `answer.ts`)
 * - a creation that a limit keeps back frees its slot (`whyNotNow` in `sending.ts`)
 *
 * The same failure twice changes nothing, unless there was a top-up in between.
 */
export function haltAlike(item: Item, failed: Failed): void {
	const { run, workspace, itemIndex } = item;
	const effect = effectOnOthers(failed, itemIndex);
	if (!effect) return;
	if (!run.continuesOnFail) return run.all.halt(effect.halt);
	const ofKey = run.itemsOfKey(workspace);
	const { failure, endpoint } = failed;
	const path = failure.kind === 'upload' ? ENDPOINTS.createFile.path : endpoint?.path;
	if (effect.reach === 'key') ofKey.halt(effect.halt);
	else if (effect.reach !== 'none') ofKey.refused(item, effect, path);
}

/** What a failure does to other items; `undefined` where it concerns its own item alone. */
function effectOnOthers({ failure }: Failed, itemIndex: number): EffectOnOthers | undefined {
	const at = `at item ${itemIndex + 1}`;
	const because = (reach: Reach, cause: string, lacksCredits = false): EffectOnOthers => {
		return { reach, halt: { cause, lacksCredits } };
	};
	if (failure.kind === 'creditCap')
		return because('none', `Max Credits per Execution was reached ${at}`);
	if (failure.kind === 'dayCap') return because('none', `Max Credits per Day was reached ${at}`);
	const outage = outageIn(failure);
	if (outage) return because(outage.of, `${outage.away} gave no answer`);
	if (failure.kind !== 'status') return undefined;
	const { refusal, concernsOthers } = meaningOf(failure.status, failure.serviceError);
	if (concernsOthers === undefined) return undefined;
	const reach = (refusal && REACH_OF_REFUSAL[refusal]) ?? 'key';
	return because(reach, `${concernsOthers} ${at}`, refusal === 'noCredits');
}

/** What a failure does to other items. */
interface EffectOnOthers {
	reach: Reach;
	halt: Halt;
}

/** Which other items a failure ends, where failed items become rows. */
type Reach =
	/** None: what costs less may still fit under a limit of credits. */
	| 'none'
	/** Those that ask for as much or more of a similar kind (`similarKindOf`). */
	| 'amount'
	/** Those that name the same model, persona and voice, after a few such failures and no success. */
	| 'names'
	/** Those of the same operation, mode and model (`priceKindOf`), if none was accepted for Wait Timeout. */
	| 'busyKind'
	/** The same, if none was answered for as long as two of them were tried: the client has seen that. */
	| 'kind'
	/** Those with the same API key at the same address: of the same workspace. */
	| 'key';

const REACH_OF_REFUSAL: Partial<Record<Refusal, Reach>> = {
	noCredits: 'amount',
	forbidden: 'names',
	throttled: 'busyKind',
};

/** Why something is not sent. */
interface Halt {
	cause: string;
	/** Whether that is for lack of credits. */
	lacksCredits?: boolean;
}

/**
 * The service has accepted an item. Where a run fails with its first failure, nobody asks.
 * @param path of another request of the item, such as an upload
 */
export function recordAccepted(item: Item, path?: string): void {
	const { run, workspace } = item;
	if (run.continuesOnFail) run.itemsOfKey(workspace).accepted(item, path);
}

/**
 * Why an item is not sent where others that ask for the same were refused. What may be paid for already is
 * asked for again all the same.
 * @param path of another request of the item, such as an upload
 */
export function refusedAlike(item: Item, path?: string): Failed | undefined {
	if (path === undefined && isOutcomeOpen(item.memory.state)) return undefined;
	return skipped(item.run.itemsOfKey(item.workspace).whyNot(item, path));
}

/** Sends another request of an item than its own, such as an upload, unless it was refused to others. */
export async function unlessRefusedAlike<T>(
	item: Item,
	path: string,
	send: () => Promise<Result<T>>,
): Promise<Result<T>> {
	const sent = refusedAlike(item, path) ?? (await send());
	if (sent.ok) recordAccepted(item, path);
	return sent;
}

/**
 * Why an item was stopped: because its group was halted, or because the execution was cancelled. A halt stops
 * only what is not out yet, so what it has stopped costs nothing. Whether an earlier request of the item is
 * open, its state says.
 */
export function whyStopped(item: Item, failed: Failed): Failed {
	const isStop = failed.failure.kind === 'cancelled';
	if (!isStop || item.host.channel.signal?.aborted) return failed;
	return skipped(item.run.groupOf(item).halted) ?? failed;
}

const skipped = (reason: Halt | undefined): Failed | undefined =>
	reason && fail({ kind: 'skipped', ...reason });

/** Items that one failure ends together. */
export class Group {
	/** Fires when it is halted or the execution cancelled, so that items waiting to send stop waiting. */
	readonly stop: AbortSignal;
	private reason: Halt | undefined;
	private readonly controller = new AbortController();

	/**
	 * @param cancel fires when the execution is cancelled
	 * @param whole the group of which it is a part
	 */
	constructor(
		cancel: AbortSignal | undefined,
		private readonly whole?: Group,
	) {
		const signals = [cancel, whole?.stop, this.controller.signal];
		this.stop = AbortSignal.any(signals.filter((signal) => signal !== undefined));
	}

	/** Why nothing further is sent for its items; `undefined` while they may be sent. */
	get halted(): Halt | undefined {
		return this.reason ?? this.whole?.halted;
	}

	/** Only the first reason is kept. */
	halt(reason: Halt): void {
		this.reason ??= reason;
		this.controller.abort();
	}
}

/** Items of one kind: of the same operation, mode and model, or which need the same other request. */
class Kind extends Group {
	/** When one of them was last accepted, on the monotonic clock. */
	acceptedAt = -Infinity;
}

/**
 * The items of a run with one API key, and what was refused to it. Wherever a path is named, it is that of
 * another request of the item, such as an upload.
 */
export class ItemsOfKey extends Group {
	/**
	 * Whether any of them was refused, so that it is worth asking `refusedAlike`. What halts all of them is
	 * told by their signal, and not here.
	 */
	hasRefusals = false;
	private readonly kinds = new Map<string, Kind>();
	private readonly tooDear: TooDear[] = [];
	private readonly byNames = new Map<string, SameNames>();
	/** The rows that were refused since the last success. */
	private readonly inARow = new Set<number>();

	/** Those of the kind of an item. */
	ofKind(item: Item, path?: string): Kind {
		const kind = path ?? priceKindOf(pricedOf(item));
		return getOrCreate(this.kinds, kind, () => new Kind(undefined, this));
	}

	private ofNames(item: Item, path?: string): SameNames {
		const none = () => ({ refused: new Set<number>(), isAccepted: false });
		return getOrCreate(this.byNames, namesIn(item, path), none);
	}

	private tooDearFor(item: Item): TooDear | undefined {
		const priced = pricedOf(item);
		const kind = similarKindOf(priced);
		const { toppedUpAt } = item.workspace.topUpGate;
		return this.tooDear.find(
			(one) => one.endedAt > toppedUpAt && one.kind === kind && amountOf(priced) >= one.amount,
		);
	}

	/** An item was refused, or had no answer. */
	refused(item: Item, { reach, halt }: EffectOnOthers, path?: string): void {
		this.hasRefusals = true;
		if (this.isNew(item, { reach, halt }, path)) this.inARow.add(item.itemIndex);
		if (this.inARow.size >= MANY) this.halt(halt);
	}

	/** Whether that is told for the first time. An item that was under way already says nothing new. */
	private isNew(item: Item, { reach, halt }: EffectOnOthers, path?: string): boolean {
		if (reach === 'amount') {
			if (this.tooDearFor(item)) return false;
			const priced = pricedOf(item);
			const endedAt = item.workspace.clock.monotonic();
			this.tooDear.push({
				kind: similarKindOf(priced),
				amount: amountOf(priced),
				halt,
				endedAt,
			});
			return true;
		}
		if (reach === 'names') {
			const sameNames = this.ofNames(item, path);
			if (sameNames.refused.has(item.itemIndex)) return false;
			sameNames.refused.add(item.itemIndex);
			sameNames.halt ??= halt;
			// A key that may not upload can still make what needs no files.
			return path === undefined;
		}
		const kind = this.ofKind(item, path);
		if (kind.halted) return false;
		const { settings, workspace } = item;
		const isBusy = workspace.clock.monotonic() - kind.acceptedAt >= settings.waitTimeoutMs;
		if (reach === 'kind' || isBusy) kind.halt(halt);
		return true;
	}

	accepted(item: Item, path?: string): void {
		if (path === undefined) this.inARow.clear();
		this.ofNames(item, path).isAccepted = true;
		this.ofKind(item, path).acceptedAt = item.workspace.clock.monotonic();
	}

	/** Why an item need not be sent, because of others that ask for the same. */
	whyNot(item: Item, path?: string): Halt | undefined {
		const { halted } = this.ofKind(item, path);
		if (halted) return halted;
		const sameNames = this.byNames.get(namesIn(item, path));
		const isForbidden = sameNames && !sameNames.isAccepted && sameNames.refused.size >= FEW;
		if (isForbidden) return sameNames.halt;
		// A 402 is about what would be paid for, not about a file or a job that is read.
		return path === undefined ? this.tooDearFor(item)?.halt : undefined;
	}
}

/** A row that was refused for lack of credits. */
interface TooDear {
	/** See `similarKindOf`. */
	kind: string;
	amount: number;
	halt: Halt;
	/** When it ended, on the monotonic clock. A top-up after that may have paid for others. */
	endedAt: number;
}

/** Rows that name the same things, which a key may not be allowed to use. */
interface SameNames {
	/** The rows by n8n's number, because a row with several parts is refused only once. */
	refused: Set<number>;
	isAccepted: boolean;
	halt?: Halt;
}

/**
 * After so many 403, rows that name the same model, persona and voice are not sent. Fewer may be about
 * something else in their requests, such as a prompt.
 */
const FEW = 3;

/**
 * After so many refusals in a row nothing more is sent with their key. A generation asks for 1 to 16 outputs,
 * so of one kind 16 rows may be refused with 402, each for less than the one before; one more is of another
 * kind.
 */
const MANY = 17;

/**
 * What a request names: the path, mode, model, persona and voices.
 * @param path of what was refused
 */
function namesIn({ request }: Item, path = request.path): string {
	const body = isRecord(request.body) && path === request.path ? request.body : {};
	return JSON.stringify([path, body.mode, body.model, body.persona_id, voicesIn(body)]);
}

const voicesIn = (body: Json): unknown[] => {
	const { blocks, parameters } = body;
	const ofBlocks = Array.isArray(blocks) ? blocks.filter(isRecord).map(({ voice }) => voice) : [];
	return [isRecord(parameters) ? parameters.voice : undefined, ...new Set(ofBlocks)];
};
