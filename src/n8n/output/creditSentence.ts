import type { Failed, Failure } from '../../base/result';
import { creditWords } from '../../base/texts';
import { meaningOf, saysGone } from '../../transport/statuses';
import { holdsSlot, jobState } from '../../transport/jobState';
import { creditsOf } from '../../transport/priceBook';
import { canGoOn, firstOf, goOn, type ErrorContext } from './errorContext';

/**
 * What a failure means for the credits of its item. Every sentence about credits follows from this and from
 * nothing else. `free`: the operation can neither create nor charge anything.
 */
type CreditCase =
	'free' | 'notSent' | 'nothingDone' | 'outcomeUnknown' | 'jobExists' | 'jobFailed' | 'planned';

function mayBeCarriedOut({ failure }: Failed): boolean {
	if (failure.kind === 'status')
		return failure.outcomeUnknown || !meaningOf(failure.status, failure.serviceError).nothingDone;
	if (failure.kind === 'noResponse') return failure.outcomeUnknown;
	if (failure.kind === 'cancelled') return failure.outcomeUnknown ?? false;
	return failure.kind === 'badResponse' || failure.kind === 'possibleDuplicate';
}

const NEVER_SENT = new Set<Failure['kind']>([
	'input',
	'scope',
	'skipped',
	'noSlot',
	'creditCap',
	'dayCap',
	'cancelled',
	'noResponse',
]);

function creditCaseOf(failed: Failed, context: ErrorContext): CreditCase {
	const { failure, job } = failed;
	if (!context.creates) return 'free';
	if (failure.kind === 'jobFailed') return 'jobFailed';
	if (failure.kind === 'notApproved') return 'planned';
	// Its job is at the service no more, or in another workspace.
	if (failure.kind === 'possibleDuplicate' && job) return 'outcomeUnknown';
	if (job ?? context.jobIds?.[0]) return 'jobExists';
	if (context.outcomeUnknown) return 'outcomeUnknown';
	// The failed request was an upload or a search, which went out before the item's own request.
	if (failed.endpoint && failed.endpoint !== context.endpoint) return 'nothingDone';
	if (mayBeCarriedOut(failed)) return 'outcomeUnknown';
	return NEVER_SENT.has(failure.kind) ? 'notSent' : 'nothingDone';
}

/** Says that nothing was sent or created, for which items, and that it cost nothing. */
function nothing(done: 'sent' | 'created', { failure }: Failed, context: ErrorContext): string {
	const { items = 1, isRow, charges, invalid = [] } = context;
	// An item that was found wrong before anything was sent stops the whole run. One that turns out to be
	// wrong later does not, and others may have been sent.
	const stopsAll = done === 'sent' && failure.kind === 'input' && !isRow && invalid.length > 0;
	const isOneOfMany = items > 1;
	let sentence = `Nothing was ${done}`;
	if (isOneOfMany) sentence += stopsAll ? ' for any item' : ' for this item';
	if (charges !== false) {
		sentence += done === 'sent' ? ', so no credits were spent' : ' and no credits were spent';
		if (isOneOfMany && !stopsAll) sentence += ' on it';
	}
	if (!stopsAll || invalid.length < 2) return `${sentence}.`;
	const numbers = firstOf(invalid.map((index) => index + 1));
	return `${sentence}. ${invalid.length} items are wrong: ${numbers}.`;
}

/**
 * What an agent has to know where there is no idempotency key: of other failures it is told that the same
 * call costs nothing.
 */
const paysAgain = ({ idempotency, isTool, charges }: ErrorContext): string =>
	isTool && idempotency === 'none' && charges !== false
		? ' The same call again would be paid for again.'
		: '';

/** What a job has reserved, for an agent: it sees nothing else of a job that it is not given. */
function reservedBy({ job }: Failed, { isTool }: ErrorContext): string {
	const credits = isTool && job ? creditsOf(job) : undefined;
	return credits === undefined ? '' : `It has reserved ${creditWords(credits)}. `;
}

function openOutcome({ failure }: Failed, context: ErrorContext): string {
	const { idempotency, isTool, charges } = context;
	if (failure.kind === 'possibleDuplicate') return '';
	const notKnown = 'Whether the request was carried out is not known.';
	if (idempotency === 'none')
		return `${notKnown} It had no idempotency key, so it was not sent again: look for it at the service before creating it again.${paysAgain(context)}`;
	const isKeyPersistent = idempotency === 'content' || idempotency === 'custom';
	if (isKeyPersistent && !isTool)
		return `${notKnown} Within 24 hours the next execution sends it again under the same idempotency key, so that nothing is paid for twice.`;
	// Such as a review: to send it twice may do it twice, but costs nothing.
	if (charges === false)
		return canGoOn(context)
			? `${notKnown} To go on, ${goOn(context)}: that sends it again under the same idempotency key. It costs nothing.`
			: `${notKnown} It costs nothing: look at the service whether it was done before you do it again.`;
	if (!canGoOn(context))
		return `${notKnown} A new execution would pay again: look for it at the service before creating it again.`;
	return `${notKnown} To go on, ${goOn(context)}: that sends it again under the same idempotency key, so that nothing is paid for twice.`;
}

function existing(failed: Failed, context: ErrorContext): string {
	const { failure, job } = failed;
	const states = { running: 'goes on', good: 'has finished', bad: 'has failed' };
	const isUnknown = job?.status === undefined || (jobState(job) === 'running' && !holdsSlot(job));
	const now = isUnknown ? 'exists' : states[jobState(job)];
	// If an input was wrong, the next try may make a different request.
	const continues = canGoOn(context) && failure.kind !== 'input';
	if (job && saysGone(failed)) {
		const next = `: ${goOn(context)}, which looks for it again before anything is paid for`;
		return `Nobody knows more of the job than its ID${continues ? next : ''}.${paysAgain(context)}`;
	}
	const how = continues
		? `, or ${goOn(context)}, which goes on with it instead of paying again`
		: '';
	const fetchIt = `The job ${now} at the service: fetch it by its ID${how}.`;
	return `${reservedBy(failed, context)}${fetchIt}${paysAgain(context)}`;
}

/** Specification: Limits, credit rules. Planning is paid for by itself. */
const planned = () => 'Only the planning was paid for.';

function jobFailed(failed: Failed, context: ErrorContext): string {
	const { endpoint, idempotency, isTool } = context;
	const reserved = reservedBy(failed, context);
	// An operation that approves or reviews an agent run makes no new one.
	if (endpoint.does === 'advances') return `${reserved}It cannot be done again: create a new run.`;
	if (idempotency === 'custom')
		return `${reserved}The same Own Key gives this job again: a new job needs another key.`;
	return `${reserved}Another ${isTool ? 'call' : 'try'} creates a new job, which is paid for.`;
}

/** The sentence for an operation that costs nothing: what matters is whether anything was changed. */
function free(failed: Failed, { endpoint: { method }, isTool }: ErrorContext): string {
	if (method !== 'PATCH' && method !== 'DELETE')
		return isTool ? 'This tool costs nothing, also if it is called again.' : '';
	return mayBeCarriedOut(failed) || failed.failure.kind === 'fault'
		? 'Whether it was carried out is not known; running it again is safe.'
		: 'Nothing was changed.';
}

const CREDITS: Record<
	CreditCase,
	[state: string | undefined, sentence: (failed: Failed, context: ErrorContext) => string]
> = {
	free: [undefined, free],
	notSent: ['none spent', (failed, context) => nothing('sent', failed, context)],
	nothingDone: ['none spent', (failed, context) => nothing('created', failed, context)],
	outcomeUnknown: ['unknown', openOutcome],
	jobExists: ['reserved or spent', existing],
	jobFailed: [undefined, jobFailed],
	planned: ['reserved or spent', planned],
};

/** The sentence about the user's credits; empty if there is nothing to say. */
export const creditSentence = (failed: Failed, context: ErrorContext): string =>
	CREDITS[creditCaseOf(failed, context)][1](failed, context);

/** The same in a few words, for expressions; `undefined` if only the service knows. */
export const creditState = (failed: Failed, context: ErrorContext): string | undefined => {
	const creditCase = creditCaseOf(failed, context);
	const isFree = creditCase === 'outcomeUnknown' && context.charges === false;
	return isFree ? 'none spent' : CREDITS[creditCase][0];
};
