import type { Endpoint } from '../../contract';
import { jobState } from '../jobs/jobState';
import { provesNothingDone } from '../http/statuses';
import type { Failed, Failure } from '../base/result';
import type { IdempotencyMode } from './settings';

/**
 * What is known about an item's credits when it fails. `free`: the operation can neither create nor
 * charge anything. Every sentence of an error about credits follows from this and nothing else.
 */
export type Spending =
	'free' | 'notSent' | 'nothingDone' | 'outcomeUnknown' | 'jobExists' | 'jobFailed';

/** What is remembered about an item besides how its last request failed. */
export interface Known {
	/** The job that it has created, also by an earlier try. */
	jobId?: string;
	/** Whether a request was sent whose outcome is unknown, also by an earlier try. */
	outcomeUnknown: boolean;
}

/** What decides what an error says of credits. */
export interface SpendingContext {
	/** The operation of the item. */
	endpoint: Endpoint;
	/** Whether it makes or approves something that must not be made twice. */
	creates?: boolean;
	/** Whether it may cost credits. */
	charges?: boolean;
	/** `undefined` if nothing is remembered: the failure alone decides then. */
	known?: Known;
	idempotency?: IdempotencyMode;
	/**
	 * Whether the failure becomes a row of a run that goes on: n8n retries only executions that failed.
	 */
	isRow?: boolean;
	/** How many items the run has. With several, the sentence is about this one only. */
	items?: number;
	/** Whether somebody runs the node in the editor, where each click is a new execution. */
	isManual?: boolean;
}

/** Whether the request that failed may have been carried out all the same. */
function mayBeCarriedOut({ failure }: Failed): boolean {
	if (failure.kind === 'status')
		return failure.outcomeUnknown || !provesNothingDone(failure.status);
	if (failure.kind === 'noResponse') return failure.outcomeUnknown;
	return failure.kind === 'badResponse' || failure.kind === 'possibleDuplicate';
}

const NEVER_SENT = new Set<Failure['kind']>([
	'input',
	'scope',
	'skipped',
	'noSlot',
	'creditCap',
	'cancelled',
	'noResponse',
]);

function spendingOf(failed: Failed, { endpoint, creates, known }: SpendingContext): Spending {
	const { failure, job } = failed;
	if (!creates) return 'free';
	if (failure.kind === 'jobFailed') return 'jobFailed';
	if (job ?? known?.jobId) return 'jobExists';
	if (known?.outcomeUnknown) return 'outcomeUnknown';
	// An upload or a search, before the item's own request.
	if (failed.endpoint && failed.endpoint !== endpoint) return 'nothingDone';
	if (mayBeCarriedOut(failed)) return 'outcomeUnknown';
	return NEVER_SENT.has(failure.kind) ? 'notSent' : 'nothingDone';
}

/** A new execution derives these keys again. */
const isKeyPersistent = (idempotency: IdempotencyMode | undefined) =>
	idempotency === 'content' || idempotency === 'custom';

const ofUnknownRow = (unknown: string, idempotency: IdempotencyMode | undefined): string =>
	isKeyPersistent(idempotency)
		? `${unknown} Within 24 hours a new execution sends it again under the same idempotency key, so that nothing is paid for twice.`
		: `${unknown} A new execution would pay again: look for it at the service before creating it again.`;

/** How to go on with what is paid for, where the error is read. */
export const goOn = ({ isManual }: Pick<SpendingContext, 'isManual'>): string =>
	isManual ? 'execute the node again' : 'retry this execution';

function ofUnknown(failed: Failed, { idempotency, isRow, isManual }: SpendingContext): string {
	if (failed.failure.kind === 'possibleDuplicate') return '';
	const unknown = 'Whether the request was carried out is not known.';
	if (isRow && idempotency !== 'none') return ofUnknownRow(unknown, idempotency);
	// A search at the service, because the key can no longer settle it.
	if (failed.endpoint) return `${unknown} Retrying this execution checks again before it pays.`;
	// In the editor another click is another execution, with a key of its own.
	const mayPayAgain = isManual && !isKeyPersistent(idempotency) && idempotency !== 'none';
	if (mayPayAgain) {
		return `${unknown} Under Executions, retry this one: that sends it again under the same idempotency key. Executing the node again may pay twice.`;
	}
	return idempotency === 'none'
		? `${unknown} It had no idempotency key, so it was not sent again: look for it at the service before creating it again.`
		: `${unknown} Retrying this execution sends it again under the same idempotency key, so that nothing is paid for twice.`;
}

function ofJob({ failure, job }: Failed, context: SpendingContext): string {
	const { idempotency, isRow } = context;
	const states = { running: 'goes on', good: 'has finished', bad: 'has failed' };
	const now = job?.status === undefined ? 'exists' : states[jobState(job)];
	// If an input is wrong, the next try may make a different request.
	const continues =
		isRow || idempotency === 'none' || failure.kind === 'input'
			? ''
			: `, or ${goOn(context)}, which goes on with it instead of paying again`;
	return `The job ${now} at the service: fetch it by its ID${continues}.`;
}

function ofFailedJob({ endpoint, idempotency }: SpendingContext): string {
	// What approves or reviews a run makes no new one.
	if (endpoint.path.includes('{id}')) return 'It cannot be done again: create a new run.';
	return idempotency === 'custom'
		? 'The same Idempotency Key gives this job again: a new job needs another key.'
		: 'Running it again creates a new job.';
}

/** For an operation that costs nothing, what matters is whether anything was changed. */
function ofFree(failed: Failed, { endpoint }: SpendingContext): string {
	if (endpoint.method !== 'PATCH' && endpoint.method !== 'DELETE') return '';
	return mayBeCarriedOut(failed)
		? 'Whether it was carried out is not known; running it again is safe.'
		: 'Nothing was changed.';
}

const SENTENCES: Record<Spending, (failed: Failed, context: SpendingContext) => string> = {
	free: ofFree,
	notSent: ({ failure }, { items = 1, isRow }) => {
		if (items === 1) return 'Nothing was sent, so no credits were spent.';
		// One invalid item stops a run before anything is sent.
		return failure.kind === 'input' && !isRow
			? 'Nothing was sent for any item, so no credits were spent.'
			: 'Nothing was sent for this item, so no credits were spent on it.';
	},
	nothingDone: (_, { items = 1 }) =>
		items > 1
			? 'Nothing was created for this item and no credits were spent on it.'
			: 'Nothing was created and no credits were spent.',
	outcomeUnknown: ofUnknown,
	jobExists: ofJob,
	jobFailed: (_, context) => ofFailedJob(context),
};

/** What a failure means for the user's credits; empty if there is nothing to say. */
export const creditSentence = (failed: Failed, context: SpendingContext): string =>
	context.charges === false
		? SENTENCES[spendingOf(failed, context)](failed, context).replace(
				/,? (so|and) no credits.*\./,
				'.',
			)
		: SENTENCES[spendingOf(failed, context)](failed, context);

const STATES: Record<Spending, string | undefined> = {
	free: undefined,
	notSent: 'none spent',
	nothingDone: 'none spent',
	outcomeUnknown: 'unknown',
	jobExists: 'reserved or spent',
	jobFailed: undefined,
};

/** The same in a few words, for expressions; `undefined` if only the service knows. */
export const creditState = (failed: Failed, context: SpendingContext): string | undefined =>
	STATES[spendingOf(failed, context)];
