import { ENDPOINTS, idAskedFor, textOf } from '../api';
import { fail, ok, type Failed, type Result } from '../base/result';
import { asText, isRecord, type ApiResponse, type Resource } from '../base/types';
import { AGENT_STATUS } from '../transport/jobState';
import { meaningOf, refusalOf } from '../transport/statuses';
import { settleEntry } from './credits/ledger';
import { keyInUse } from './idempotency/idempotency';
import { isOutcomeOpen, type ItemEvent, recordEvent } from './idempotency/itemState';
import { forgetPaidKey } from './idempotency/paidKeys';
import { rememberSeenJob } from './idempotency/replayedJob';
import type { Item } from './item';
import type { OperationSpec } from './operationSpec';
import type { Again, JobOrAgain, ObtainedJob, Progress } from './progress';
import { haltAlike, recordAccepted } from './refusals';

/*
 * What the final answer to a creation means, and what it changes (`applyAnswer`).
 */

/**
 * Applies the final answer to a creation: six functions, each for another part of what is known, in the order
 * that matters. Everybody else asks the state of the item. If only the key may be to blame for a 402, the
 * item goes on with another one, and neither the gate nor the run is told. The run comes last, when it is
 * known whether the item goes on.
 * @param body what was sent
 */
export function applyAnswer(
	progress: Progress,
	answer: Result<ApiResponse>,
	body: unknown,
): JobOrAgain {
	const made = answer.ok ? madeOf(progress, answer.value, body) : answer;
	recordState(progress, made);
	const otherKey = settleKey(progress, made);
	settleLedger(progress, made, body);
	const topUp = otherKey ? undefined : tellTopUpGate(progress, made);
	const slot = settleSlot(progress, made);
	const again = otherKey ?? topUp ?? slot;
	tellRun(progress, made, again);
	return again === undefined ? made : { again };
}

/** The job of an answer, if it is about this request. @param sent the body of the request */
function madeOf(
	progress: Progress,
	{ status, headers, body: resource }: ApiResponse,
	sent: unknown,
): Result<ObtainedJob> {
	const { item, idempotency } = progress;
	const { clock } = item.workspace;
	const { state } = item.memory;
	// An earlier try may have sent it first, and this answer be about what that has made.
	const firstOutMs = state.is === 'sent' ? clock.now() - state.firstSentAt : 0;
	const wasOutMs = Math.max(firstOutMs, clock.monotonic() - progress.lastRequest.since);
	progress.lastRequest.sentAt = Date.parse(headers.date ?? '') - wasOutMs - CLOCK_RESOLUTION_MS;
	const answered = resource as Resource;
	const job: Resource = { ...answered, object: answered.object ?? item.spec.object };
	const mismatch = mismatchOf(item, job, sent);
	if (mismatch === undefined) return ok({ job, ...impliedByStatus(status, item.spec, job) });
	if (idempotency.sameBy === 'ownKey') return keyInUse({ id: job.id });
	return fail({ kind: 'badResponse', status, problem: mismatch });
}

/** The clock of a service shows seconds. */
const CLOCK_RESOLUTION_MS = 1_000;

/**
 * An answer is about this request, or an error: under one key a service may answer with the job of another
 * request.
 * @returns what is wrong with it
 */
function mismatchOf(item: Item, job: Resource, sent: unknown): string | undefined {
	const differs = (expected: unknown, actual: unknown) =>
		textOf(expected) !== undefined && textOf(actual) !== undefined && expected !== actual;
	const { mode } = isRecord(sent) ? sent : {};
	const about = `the response is about ${job.id}, which is another`;
	const { endpoint } = item.spec;
	if (differs(idAskedFor(endpoint, item.request.path), job.id)) return `${about} resource`;
	if (differs(item.spec.object, job.object)) return `${about} kind of resource`;
	return differs(mode, job.mode) ? `${about} kind of media` : undefined;
}

/**
 * What the specification says by the status of the answer (Operation details, States and transitions), so
 * that no word in it decides: an agent run is planned (201) or approved (202), or completed by its review; a
 * persona of pictures is ready (201).
 */
function impliedByStatus(
	status: number,
	{ endpoint }: OperationSpec,
	job: Resource,
): Omit<ObtainedJob, 'job'> {
	if (endpoint === ENDPOINTS.reviewAgentRun) return { isOver: status !== 202 };
	if (endpoint === ENDPOINTS.createAgentRun) {
		const isRefused = textOf(job.auto_approval_error) !== undefined;
		// In no contract is any other status: there only the word is left.
		const isOther = status !== 201 && status !== 202;
		const isPlan = isRefused || status === 201 || (isOther && job.status === AGENT_STATUS.planned);
		return { isOver: isPlan, isPlan };
	}
	return { isOver: job.object === 'persona' && status === 201 };
}

/** The state of the item, which none of the other five changes. */
function recordState(progress: Progress, made: Result<ObtainedJob>): void {
	const { item, lastRequest } = progress;
	const { executionSum, memory } = item;
	// Only now: while it was out, a retry of an execution that was stopped had to count it. And before its
	// state changes, which names it. What its answer says counts from `settleLedger` on, in the same step.
	executionSum.subtractOpen(item);
	recordEvent(memory, eventOf(progress, made));
	// A 429 between two requests without an answer does not begin Wait Timeout anew.
	const { openSince = lastRequest.since } = lastRequest;
	lastRequest.openSince = isOutcomeOpen(memory.state) ? openSince : undefined;
}

/** What the final answer to a creation means for the item. */
function eventOf(progress: Progress, made: Result<ObtainedJob>): ItemEvent {
	const { holdsSecret, object } = progress.item.spec;
	if (made.ok) {
		// Only the answer itself reveals a secret, so the request is repeated rather than the resource read.
		if (holdsSecret) return { kind: 'outcomeUnknown' };
		const { job, isPlan } = made.value;
		const kind = textOf(job.object) ?? object;
		return {
			kind: 'jobKnown',
			job: kind === undefined ? { id: job.id } : { id: job.id, object: kind },
			planStatus: isPlan ? asText(job.status) : undefined,
		};
	}
	return eventOfFailure(progress, made);
}

function eventOfFailure(progress: Progress, { failure }: Failed): ItemEvent {
	// The key belongs to another request: nothing was done for this one.
	if (failure.kind === 'input') return { kind: 'refused', keepsKey: true };
	if (failure.kind === 'badResponse') return { kind: 'outcomeUnknown' };
	if (failure.kind === 'cancelled' || failure.kind === 'noResponse')
		return { kind: failure.outcomeUnknown ? 'outcomeUnknown' : 'noEffect' };
	if (failure.kind !== 'status' || failure.outcomeUnknown) return { kind: 'outcomeUnknown' };
	const { refusal, nothingDone, isSignIn } = meaningOf(failure.status, failure.serviceError);
	if (refusal === 'throttled' && endsKey(progress))
		return { kind: 'refused', keepsKey: progress.idempotency.othersUseKey };
	if (refusal === 'throttled' || isSignIn) return { kind: 'noEffect' };
	return { kind: 'refused', keepsKey: !nothingDone };
}

/** Whether after this 429 the next try, or the next request, takes another key. */
function endsKey({ idempotency, slotWait }: Progress): boolean {
	// Where no slot is needed, the client has repeated it as long as it may: this try of the node is over.
	if (slotWait.kind === undefined) return true;
	// Others find what is made under a key that they use too.
	if (idempotency.othersUseKey) return false;
	return (slotWait.timesThrottled + 1) % REFUSALS_OF_ONE_KEY === 0;
}

/** After so many 429 under one key, the service may keep them for the key. */
const REFUSALS_OF_ONE_KEY = 3;

/** The key: equal requests may go on, and after a 402 the item may have another key to try at once. */
function settleKey(progress: Progress, made: Result<ObtainedJob>): 'otherKey' | undefined {
	const { item, idempotency } = progress;
	const { state } = item.memory;
	const withoutJob = isOutcomeOpen(state) ? 'unknown' : 'nothing';
	idempotency.releaseEqualRequests?.(made.ok ? 'job' : withoutJob);
	if (made.ok || refusalOf(made) !== 'noCredits') return undefined;
	// The service wants credits for this key, so what it leads to is not known to be free any more.
	forgetPaidKey(progress);
	// A 402 may be an earlier one, which the service has kept, if others have used the key before.
	const hasOther = state.is === 'new' && idempotency.tryNextKey?.('noCredits');
	return hasOther ? 'otherKey' : undefined;
}

/** The ledger of credits, and what this process knows of jobs that were paid for. */
function settleLedger(progress: Progress, made: Result<ObtainedJob>, body: unknown): void {
	const { item, entry } = progress;
	if (entry === undefined) return;
	const isPaidNow = made.ok && rememberSeenJob(progress, made.value.job);
	settleEntry(item, entry, body, made, isPaidNow);
}

/** Others of the workspace that wait for a top-up. */
function tellTopUpGate(progress: Progress, made: Result<ObtainedJob>): 'topUp' | undefined {
	const { item, creditWait, idempotency } = progress;
	const { settings, workspace } = item;
	if (settings.onInsufficientCredits !== 'wait') return undefined;
	if (!made.ok && refusalOf(made) !== 'noCredits') return undefined;
	// This answer is about credits, so the gate learns of it below. To end the trial would begin another one.
	creditWait.endTrial = undefined;
	// Only items that wait for a top-up come here: a success of one that does not may be of a cheaper
	// request.
	if (made.ok) {
		workspace.topUpGate.succeeded(creditWait.lackedCredits !== undefined);
		return undefined;
	}
	workspace.topUpGate.refused();
	creditWait.lackedCredits = made;
	progress.slotWait.waitsSince = undefined;
	idempotency.retrySharedKey?.();
	return 'topUp';
}

/** Keeps the slot for a job, or gives it back. A 429 means that there was none. */
function settleSlot({ item, slotWait }: Progress, made: Result<ObtainedJob>): 'slot' | undefined {
	const { slot } = slotWait;
	if (made.ok) {
		slot?.accepted(made.value.job);
		return undefined;
	}
	if (!slotWait.kind || refusalOf(made) !== 'throttled') {
		slotWait.throttledSince = undefined;
		slot?.release();
		return undefined;
	}
	slot?.refused(made.failure.kind === 'status' ? made.failure.hintMs : undefined);
	// The queue counts from the last job that got a slot, so while others get slots its wait never ends. This
	// one counts from the first 429 of the item in a row.
	const now = item.workspace.clock.monotonic();
	slotWait.timesThrottled += 1;
	slotWait.throttledSince ??= now;
	return now - slotWait.throttledSince < item.settings.waitTimeoutMs ? 'slot' : undefined;
}

/** The other items of the run, if the item does not go on. */
function tellRun({ item }: Progress, made: Result<ObtainedJob>, again: Again | undefined): void {
	if (!made.ok && again === undefined) {
		item.partsOfItem?.fail(made);
		haltAlike(item, made);
	}
	// Where the run fails with its first failure, nobody asks what was accepted.
	if (made.ok && item.run.continuesOnFail) recordAccepted(item);
}
