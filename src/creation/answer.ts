import { fail, ok, type Failed, type Result } from '../base/result';
import { isRecord, type ApiResponse, type Resource } from '../base/types';
import { ENDPOINTS, idAskedFor, textOf } from '../api';
import { meaningOf, refusalOf } from '../transport/statuses';
import { countCredits, endSpending, isOutOfCredits } from './cap';
import { keyInUse } from './idempotency';
import type { Item, OperationSpec } from './item';
import type { Again, Heard, Made, Progress } from './progress';
import { noteFailure } from './run';
import { isOutcomeOpen, type ItemEvent, recordEvent } from './state';
import { forgetKey, isPaidKey, noteKey } from './paidKeys';
import { ageOf, meet } from './thereBefore';

/*
 * What the final answer to a creation means. Who has to hear of it stands in one list, in the order that
 * matters.
 */

interface Answer {
	made: Result<Made>;
	/** What was sent. */
	body: unknown;
}

/** @returns why the creation is sent again, if this hearer wants that */
type Hearer = (answer: Answer, progress: Progress, again?: Again) => Again | undefined;

/** The state of the item, which all others ask. */
const recordState: Hearer = ({ made }, { item }) => {
	recordEvent(item.memory, eventOf(made, item.spec));
	return undefined;
};

/** Under a key that others share, a 402 may be an earlier one, kept by the service. */
const takeOtherKey: Hearer = ({ made }, { item, idempotency }) => {
	if (made.ok || !isOutOfCredits(made) || item.memory.state.is !== 'new') return undefined;
	return idempotency.giveWay?.('noCredits') ? 'otherKey' : undefined;
};

/** After so many 429 under one key, the service may keep them for the key. */
const REFUSALS_OF_ONE_KEY = 3;

/**
 * Nothing was done, so after several 429 the next attempt may take another key, unless others share this one.
 */
const countRefusals: Hearer = ({ made }, progress) => {
	if (made.ok || refusalOf(made) !== 'throttled') return undefined;
	const { item, idempotency, place } = progress;
	place.refusals += 1;
	if (isOutcomeOpen(item.memory.state)) return undefined;
	const isOwn = !idempotency.isShared;
	// One without a slot the client has tried long enough: this try of the node is over.
	const isLastAttempt = place.kind === undefined;
	if (isLastAttempt || (isOwn && place.refusals % REFUSALS_OF_ONE_KEY === 0))
		recordEvent(item.memory, { kind: 'refused', keepsKey: !isOwn });
	return undefined;
};

/** The sum of the execution, and what the run has bought. */
const count: Hearer = ({ made, body }, progress) => {
	const { item, charge } = progress;
	if (made.ok && item.spec.charges) noteCharge(progress, made.value.job);
	// It would be paid for, so it is no repetition.
	if (!made.ok && isOutOfCredits(made)) forgetKey(progress);
	const result = made.ok ? ok(made.value.job) : made;
	charge.counted = countCredits(item, body, result, charge.isNew);
	endSpending(item, charge, result, body);
	return undefined;
};

/** Under a key that others share, the answer may be about a job that they have paid for. */
function noteCharge(progress: Progress, job: Resource): void {
	const { item, charge, idempotency, out } = progress;
	const age = ageOf(progress, job);
	progress.met = meet(progress, job);
	charge.isNew = progress.met === undefined && age !== 'before';
	if (charge.isNew && out.key !== undefined) idempotency.accepted?.(out.key);
	// With the same request, or the same key, others ask again.
	if (!charge.isNew || idempotency.sharedRequest === undefined) return;
	// The service does not keep its keys: nothing is known to be only repeated.
	if (isPaidKey(progress, out.key)) item.workspace.paidKeys.clear();
	if (age === 'since') noteKey(progress);
}

/** Others of the workspace that wait for a top-up. */
const tellGate: Hearer = ({ made }, progress, again) => {
	const { item, credits, idempotency } = progress;
	const { settings, workspace } = item;
	if (settings.onInsufficientCredits !== 'wait') return undefined;
	// Only items that wait for a top-up come here: a success of one that does not may be of a cheaper
	// request.
	if (made.ok) workspace.credits.succeeded(credits.lackedCredits !== undefined);
	if (made.ok || !isOutOfCredits(made) || again === 'otherKey') return undefined;
	workspace.credits.refused();
	credits.lackedCredits = made;
	progress.place.waitsSince = undefined;
	idempotency.startAgain?.();
	return 'topUp';
};

/** Keeps the slot for a job, or gives it back. A 429 means that there was none. */
const settleSlot: Hearer = ({ made }, progress) => {
	const { item, place } = progress;
	const { slot } = place;
	if (made.ok) {
		slot?.accepted(made.value.job);
		return undefined;
	}
	if (!place.kind || refusalOf(made) !== 'throttled') {
		place.refusedSince = undefined;
		slot?.release();
		return undefined;
	}
	slot?.refused(made.failure.kind === 'status' ? made.failure.hintMs : undefined);
	// While others get slots, waiting for one has no end of its own.
	const now = item.workspace.clock.monotonic();
	place.refusedSince ??= now;
	return now - place.refusedSince < item.settings.waitTimeoutMs ? 'slot' : undefined;
};

/** The other items of the run. */
const tellRun: Hearer = ({ made }, { item }, again) => {
	const { refusals, continuesOnFail } = item.run;
	if (!made.ok && again === undefined) noteFailure(item, made);
	if (made.ok && continuesOnFail) refusals.accepted(item);
	return undefined;
};

const HEARERS: Hearer[] = [
	recordState,
	takeOtherKey,
	countRefusals,
	count,
	tellGate,
	settleSlot,
	tellRun,
];

/** The one place that hears the final answer to a creation. @param body what was sent */
export function hear(progress: Progress, answer: Result<ApiResponse>, body: unknown): Heard {
	const made = answer.ok ? madeOf(progress, answer.value, body) : answer;
	progress.again = undefined;
	for (const hearer of HEARERS) {
		const again = hearer({ made, body }, progress, progress.again);
		progress.again ??= again;
	}
	return progress.again === undefined ? made : { again: progress.again };
}

/** The clock of a service shows seconds. */
const CLOCK_RESOLUTION_MS = 1_000;

function madeOf(
	progress: Progress,
	{ status, headers, body: resource }: ApiResponse,
	sent: unknown,
): Result<Made> {
	const { item, idempotency } = progress;
	const { clock } = item.workspace;
	const { state } = item.memory;
	// An earlier try may have sent it first, and this answer be about what that has made.
	const firstOutMs = state.is === 'sent' ? clock.now() - state.firstSentAt : 0;
	const wasOutMs = Math.max(firstOutMs, clock.monotonic() - progress.out.since);
	progress.out.sentAt = Date.parse(headers.date ?? '') - wasOutMs - CLOCK_RESOLUTION_MS;
	const known = resource as Resource;
	const job: Resource = { ...known, object: known.object ?? item.spec.object };
	const difference = whyOfAnother(item, job, sent);
	if (difference === undefined) return ok({ job, ...saidBy(status, item.spec, job) });
	if (idempotency.sameBy === 'ownKey') return keyInUse({ id: job.id });
	return fail({ kind: 'badResponse', status, problem: difference });
}

/**
 * An answer is about this request, or an error: under one key a service may answer with the job of another
 * request.
 * @returns what is wrong with it
 */
function whyOfAnother(item: Item, job: Resource, sent: unknown): string | undefined {
	const differs = (mine: unknown, its: unknown) =>
		textOf(mine) !== undefined && textOf(its) !== undefined && mine !== its;
	const { mode } = isRecord(sent) ? sent : {};
	const about = `the response is about ${job.id}, which is another`;
	const { endpoint } = item.spec;
	if (differs(idAskedFor(endpoint, item.request.path), job.id)) return `${about} resource`;
	if (differs(item.spec.object, job.object)) return `${about} kind of resource`;
	return differs(mode, job.mode) ? `${about} kind of media` : undefined;
}

/** What the final answer to a creation means for the item. */
function eventOf(made: Result<Made>, { holdsSecret, object }: OperationSpec): ItemEvent {
	if (made.ok) {
		// Only the answer itself reveals a secret, so the request is repeated rather than the resource read.
		if (holdsSecret) return { kind: 'outcomeUnknown' };
		const { job } = made.value;
		const kind = textOf(job.object) ?? object;
		return {
			kind: 'jobKnown',
			job: kind === undefined ? { id: job.id } : { id: job.id, object: kind },
		};
	}
	return eventOfFailure(made);
}

function eventOfFailure({ failure }: Failed): ItemEvent {
	// The key belongs to another request: nothing was done for this one.
	if (failure.kind === 'input') return { kind: 'refused', keepsKey: true };
	if (failure.kind === 'badResponse') return { kind: 'outcomeUnknown' };
	if (failure.kind === 'cancelled' || failure.kind === 'noResponse')
		return { kind: failure.outcomeUnknown ? 'outcomeUnknown' : 'noEffect' };
	if (failure.kind !== 'status' || failure.outcomeUnknown) return { kind: 'outcomeUnknown' };
	const { refusal, nothingDone, hop } = meaningOf(failure.status, failure.serviceError);
	if (refusal === 'throttled' || hop) return { kind: 'noEffect' };
	// Such as 405: it is in no contract what that has done.
	if (refusal === undefined) return { kind: 'outcomeUnknown' };
	return { kind: 'refused', keepsKey: !nothingDone };
}

/**
 * What the specification says by the status of the answer (Operation details, States and transitions), so
 * that no word in it decides: a run is planned (201) or approved (202), or completed by its review; a persona
 * of pictures is ready (201).
 */
function saidBy(status: number, { endpoint }: OperationSpec, job: Resource): Omit<Made, 'job'> {
	if (endpoint === ENDPOINTS.reviewAgentRun) return { isOver: status !== 202 };
	if (job.object === 'agent_run' && typeof job.auto_approval_error === 'string')
		return { isOver: true };
	const isApproved = endpoint === ENDPOINTS.createAgentRun && status === 202;
	const isMade = job.object === 'agent_run' || job.object === 'persona';
	return { isOver: isMade && status === 201, isApproved };
}
