import { IDEMPOTENCY_HEADER } from '../api';
import { offAbort, onAbort } from '../base/abort';
import { fail, type Failed, type Result } from '../base/result';
import type { ApiResponse, Channel } from '../base/types';
import { mustHaveId } from '../transport/client';
import { applyAnswer } from './answer';
import { takeCreditLock } from './credits/creditLock';
import { beyondLimits, dependsOnOpen, withBudget } from './credits/creditLimits';
import { addEntry, pricedOf } from './credits/ledger';
import { askToday } from './credits/today';
import type { QueueBehind } from './idempotency/equalRequests';
import { filledIn } from './idempotency/idempotency';
import { isKeyExpired, isOutcomeOpen, recordEvent } from './idempotency/itemState';
import { isPaidKey } from './idempotency/paidKeys';
import type { Item } from './item';
import type { JobOrAgain, Progress } from './progress';
import { haltAlike, refusedAlike } from './refusals';

/*
 * One request of a creation goes out, in five steps. Each waits for the one before:
 *
 * 1. There may be credits, under Wait for Top-Up (`sendCreation`).
 * 2. It has the lock of its execution, where credits are limited.
 * 3. It has a slot (`sendInSlot`).
 * 4. It may still be sent, with the key and the body of that moment (`sendNow`).
 * 5. There is a final answer, which is applied (`exchange`).
 */

/** The request of a creation. */
export interface CreationRequest {
	path: string;
	body: unknown;
	/** Of one that is sent again as it was; otherwise it is made when it is sent. */
	key?: string;
	/** Whether it is sent again as it was. */
	isResend: boolean;
}

/**
 * Sends a creation as soon as it may be sent, once.
 * @param channel its signal ends what is not out yet
 */
export async function sendCreation(
	progress: Progress,
	request: CreationRequest,
	channel: Channel,
): Promise<JobOrAgain> {
	const { item, creditWait, slotWait } = progress;
	const { settings, workspace } = item;
	if (waitsForCredits(progress, request)) {
		const { creditWaitTimeoutMs } = settings;
		const { topUpGate } = workspace;
		const lacking = await topUpGate.awaitCredits(channel, creditWait, creditWaitTimeoutMs);
		const unsent = lacking ?? refusedAlike(item);
		if (unsent) return unsent;
	}
	// Before it waits for the lock: behind others that wait for a slot it must not wait as long once more.
	slotWait.waitsSince ??= workspace.clock.monotonic();
	const queue = queueBehindEqual(progress, request);
	if (queue) return waitBehind(queue, progress, channel);
	if (!isLimited(item)) {
		// Not awaited, so that this call does not stay suspended while it waits for a slot.
		return sendInSlot(progress, request, channel);
	}
	const isOnlyRepeated = () => isRepetition(progress, request);
	// Of what will be sent: a budget that is filled in makes the price certain.
	const priced = pricedOf(item, withKeyAndBudget(progress, request).body);
	// Those that wait for the lock hold no slot meanwhile.
	const lock = await takeCreditLock(item, priced, isOnlyRepeated, channel);
	if (!lock) return fail({ kind: 'cancelled' });
	try {
		return await sendInSlot(progress, request, channel);
	} finally {
		// At once, unless after a cancel its request is still out: nobody knows what that costs before it was
		// answered.
		const leave = () => lock.leave();
		void Promise.resolve(progress.lastRequest.stillOut).then(leave, leave);
	}
}

/**
 * Under Wait for Top-Up, a request waits until it is tried once credits lack: not for what costs nothing, and
 * not again only because its key has led to nothing, or because it has let others go first.
 */
function waitsForCredits(progress: Progress, request: CreationRequest): boolean {
	const { again, item } = progress;
	const isSet = item.settings.onInsufficientCredits === 'wait';
	const hasWaited = again === 'otherKey' || again === 'othersFirst';
	return isSet && !hasWaited && !isRepetition(progress, request);
}

/**
 * Whether it is known that a request would only be repeated, for nothing: limits are there for what would be
 * paid for now.
 */
export function isRepetition(progress: Progress, request: CreationRequest): boolean {
	if (!progress.idempotency.othersUseKey) return false;
	return isPaidKey(progress, withKeyAndBudget(progress, request).key);
}

/** A request with the body and the key that it is sent with, as of now: credits are spent meanwhile. */
function withKeyAndBudget(
	{ item, idempotency }: Progress,
	request: CreationRequest,
): CreationRequest {
	if (request.isResend) {
		const key = idempotency.leadingKey?.(filledIn(request.body, item.request)) ?? request.key;
		return { ...request, key };
	}
	const body = isLimited(item)
		? withBudget(item, request.body, idempotency.othersUseKey)
		: request.body;
	return { ...request, body, key: idempotency.currentKey(filledIn(body, item.request)) };
}

/** Whether a limit of credits is set. */
const isLimited = ({ settings }: Item): boolean =>
	settings.maxCredits < Infinity || settings.maxCreditsPerDay < Infinity;

/** Where a request waits if an equal one is out whose answer decides how it is sent. */
function queueBehindEqual(progress: Progress, request: CreationRequest): QueueBehind | undefined {
	const { body } = withKeyAndBudget(progress, request);
	return progress.idempotency.queueBehind?.(filledIn(body, progress.item.request));
}

/** Waits for the answer to an equal request. Then it is decided anew. Not `async`: see `WaitQueue`. */
function waitBehind(queue: QueueBehind, progress: Progress, channel: Channel): Promise<JobOrAgain> {
	const { lastRequest, slotWait } = progress;
	return queue.wait(channel).then((isUnknown) => {
		if (channel.signal?.aborted) return fail({ kind: 'cancelled' });
		// For how long it is sent again itself counts from when it began to wait.
		if (isUnknown) lastRequest.openSince ??= slotWait.waitsSince;
		else slotWait.waitsSince = undefined;
		return { again: 'outdated' };
	});
}

/** Sends a creation as soon as it has a slot. Not `async`: see `WaitQueue`. */
function sendInSlot(
	progress: Progress,
	request: CreationRequest,
	channel: Channel,
): Promise<JobOrAgain> {
	const { item, slotWait } = progress;
	const { settings, workspace } = item;
	const acquired = workspace.slots.acquire(channel, {
		timeoutMs: settings.waitTimeoutMs,
		takesSlot: slotWait.kind ?? false,
		since: slotWait.waitsSince,
	});
	return acquired.then((slot) => {
		if (!slot.ok) return slot;
		slotWait.slot = slot.value;
		return sendNow(progress, request, channel);
	});
}

/** Sends a creation that has got its slot, if it may still be sent, with the key and the body of now. */
async function sendNow(
	progress: Progress,
	request: CreationRequest,
	channel: Channel,
): Promise<JobOrAgain> {
	const { item, idempotency, slotWait } = progress;
	// Only now: it may have waited for hours, in which others have spent, or for the next day.
	if (isLimited(item) && !isRepetition(progress, request))
		await askToday(item, pricedOf(item, request.body));
	const sent = withKeyAndBudget(progress, request);
	const { key, body } = sent;
	const isFree = isRepetition(progress, request);
	const unsent = whyNotNow(progress, request, body, isFree);
	if (unsent) {
		slotWait.slot?.release();
		return unsent;
	}
	progress.entry = addEntry(item, body, key, isFree);
	// Last, because equal requests wait from now on until `exchange` has an answer.
	if (key !== undefined) idempotency.holdEqualRequests?.(key, filledIn(body, item.request));
	return await exchange(progress, sent, channel);
}

/**
 * Why a creation that has its slot is not sent in it: it is decided anew, or must not be sent at all.
 * @param body as it would be sent
 * @param isFree whether it would only be repeated
 */
function whyNotNow(
	progress: Progress,
	request: CreationRequest,
	body: unknown,
	isFree: boolean,
): JobOrAgain | undefined {
	const { item, slotWait } = progress;
	if (hasWaitedTooLong(progress, request) || queueBehindEqual(progress, request)) {
		slotWait.waitsSince = undefined;
		return { again: 'outdated' };
	}
	const { hasRefusals } = item.run.itemsOfKey(item.workspace);
	if (isFree || !(isLimited(item) || hasRefusals)) return undefined;
	if (isLimited(item) && !progress.hasLetOthersFirst && dependsOnOpen(item)) {
		progress.hasLetOthersFirst = true;
		return { again: 'othersFirst' };
	}
	const unfit = refusedAlike(item) ?? beyondLimits(item, body);
	if (unfit) {
		item.partsOfItem?.fail(unfit);
		haltAlike(item, unfit);
	}
	return unfit;
}

/**
 * It may have waited for a slot for hours: then its key may no longer show what became of it, or the credits
 * have run out, and it waits for them.
 */
function hasWaitedTooLong(progress: Progress, request: CreationRequest): boolean {
	const { item, creditWait } = progress;
	if (request.isResend && hasKeyExpired(item)) return true;
	return waitsForCredits(progress, request) && item.workspace.topUpGate.isNewTo(creditWait);
}

/** Whether the key of an open outcome can no longer settle it. */
function hasKeyExpired({ memory: { state }, workspace }: Item): boolean {
	return isOutcomeOpen(state) && isKeyExpired(state.firstSentAt, workspace.clock.now());
}

/**
 * Sends a creation, again and again under its key as long as Wait Timeout lasts, until there is a final
 * answer, which is applied. The signal of the channel ends that only until the first attempt goes out. From
 * then on only a cancel of the execution ends the wait, and the answer is applied all the same: the request
 * may be carried out, and its job takes a slot.
 */
async function exchange(
	progress: Progress,
	{ key, path, body, isResend }: CreationRequest,
	channel: Channel,
): Promise<JobOrAgain> {
	const { item, idempotency, lastRequest, slotWait } = progress;
	const { host, memory, request, settings, spec, workspace } = item;
	const { clock, client } = workspace;
	const cancel = host.channel.signal;
	/** Fires when no further attempt is to go out. */
	const noFurther = new AbortController();
	let isOut = false;
	const onStop = () => {
		if (!isOut) noFurther.abort();
	};
	let onCancel = () => {};
	const cancelled = new Promise<Failed>((resolve) => {
		onCancel = () => {
			noFurther.abort();
			resolve(fail({ kind: 'cancelled', outcomeUnknown: isOut }));
		};
	});
	onAbort(cancel, onCancel);
	onAbort(channel.signal, onStop);
	if (channel.signal?.aborted) noFurther.abort();
	// Recorded before it is sent, so that a try after a crash knows of it.
	const onSending = () => {
		if (isOut) return;
		isOut = true;
		lastRequest.since = clock.monotonic();
		lastRequest.key = key;
		const now = clock.now();
		recordEvent(memory, { kind: 'sending', key, path, body, now, workspace: workspace.name });
	};
	const headers: Record<string, string> = {};
	if (key !== undefined) headers[IDEMPOTENCY_HEADER] = key;
	const answering: Promise<Result<ApiResponse>> = client.request(
		{ ...host.channel, signal: noFurther.signal },
		{ method: 'POST', path, query: request.query, body, headers, outlivesCancel: true },
		{
			onSending,
			replayable: () => key !== undefined && !hasKeyExpired(item),
			return429: slotWait.kind !== undefined,
			outcomeOpen: isResend,
			failingSince: lastRequest.openSince,
			waitTimeoutMs: spec.charges ? settings.waitTimeoutMs : undefined,
			validate: mustHaveId,
		},
	);
	const applying = answering
		.then((answer) => applyAnswer(progress, answer, body))
		// If our own code has thrown, nobody knows.
		.finally(() => idempotency.releaseEqualRequests?.('unknown'));
	try {
		return await Promise.race([applying, cancelled]);
	} finally {
		offAbort(cancel, onCancel);
		offAbort(channel.signal, onStop);
		if (cancel?.aborted) {
			lastRequest.stillOut = applying;
			void leaveSlotAfter(applying, slotWait);
		}
	}
}

/** After a cancel nobody waits for the job that a request may still make. */
async function leaveSlotAfter(
	applying: Promise<JobOrAgain>,
	slotWait: Progress['slotWait'],
): Promise<void> {
	try {
		const made = await applying;
		if ('again' in made || !made.ok) return;
		slotWait.slot?.abandon();
	} catch {
		slotWait.slot?.abandon();
	}
}
