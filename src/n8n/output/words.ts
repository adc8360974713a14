import { ENDPOINTS, textOf, type Endpoint } from '../../api';
import type { DayObstacle, Failed, Failure } from '../../base/result';
import { asText } from '../../base/types';
import { counted, creditWords, roundedUp } from '../../base/texts';
import { meaningOf, type AnswerKind } from '../../transport/statuses';
import { plainText } from '../../transport/bodies';
import { statedReason } from '../../transport/jobFailure';
import { holdsSlot, readerOf } from '../../transport/jobState';
import type { IdempotencyMode } from '../../creation/item';
import { wordsOfAnswer, wordsOfNoResponse, type Text } from './answerWords';
import { withEditorLabels } from './editorLabels';
import { canGoOn, goOn, type ErrorContext } from './errorContext';

/*
 * What a person or an agent reads of a failure: what has happened, and what to do. The kinds stand in the
 * order of `Failure` in `result.ts`. What takes more than a sentence is a function below, in the same order.
 */

type FailureOf<K extends Failure['kind']> = Extract<Failure, { kind: K }>;

/**
 * Says what happened and what to do about it. A message of the service is part of that, with the labels of
 * the editor.
 */
export function wordsOf(failed: Failed, context: ErrorContext): Text {
	const { failure } = failed;
	switch (failure.kind) {
		case 'input':
			return [`${failure.field} ${failure.problem}`, failure.hint ? `${failure.hint}.` : ''];
		case 'scope':
			return [
				`The credential is limited to scopes without ${failure.scope}`,
				`If the key has the scope ${failure.scope}, add it to Scopes of the Key in the credential, or empty that list.`,
			];
		case 'upload':
			return [`The binary field "${failure.field}" could not be uploaded: ${failure.problem}`, ''];
		case 'skipped':
			return [
				`Not sent: ${failure.cause}`,
				context.isTool
					? `Once that is settled, ${goOn(context)}.`
					: 'Run this again once that is settled.',
			];
		case 'creditCap':
			return ofCreditCap(failure, context);
		case 'dayCap':
			return ofDayCap(failure, context);
		case 'possibleDuplicate':
			return ofPossibleDuplicate(failure, failed, context);
		case 'noSlot':
			return ofNoSlot(failure, context);
		case 'status':
			return ofStatus(failure, failed, context);
		case 'noResponse':
			return ofNoResponse(failure);
		case 'badResponse':
			return [
				'The answer of the service cannot be used',
				`The service answered with status ${failure.status}, but ${failure.problem}. Check that the base URL of the credential is the address of the API and ends in /v1.`,
			];
		case 'deadline':
			return ofDeadline(failure, failed, context);
		case 'jobFailed':
			return [`The job failed: ${failure.reason}`, cureOfJob(failure, context)];
		case 'notApproved':
			return ofNotApproved(failure, failed, context);
		case 'download':
			return [
				`Output ${failure.outputId} could not be downloaded: ${failure.problem}`,
				context.creates ? '' : 'Run this again to download it; that costs nothing.',
			];
		case 'cancelled':
			return ['The execution was cancelled', 'Nothing further was sent.'];
		case 'fault':
			return [
				`A fault of this node: ${failure.problem}`,
				'This is not your mistake: please report it, with what the node was meant to do.',
			];
	}
}

/**
 * How far the run has come; empty where that is not known or goes without saying. It says nothing of the
 * other items: some were not sent, and of some nobody knows what was done.
 */
function jobsSoFar({ items = 1, itemsWithJob }: ErrorContext): string {
	if (items === 1 || itemsWithJob === undefined) return '';
	return `${itemsWithJob} of ${items} items ${itemsWithJob === 1 ? 'has' : 'have'} a job. `;
}

function minutesOf(ms: number): string {
	const minutes = Math.round(ms / 6_000) / 10;
	return counted(minutes, 'minute');
}

/** How the user goes on after a limit of credits was changed. */
const afterLimit = (context: ErrorContext): string =>
	`${goOn(context)}${canGoOn(context) ? ': it goes on with what it has' : ''}`;

function ofCreditCap(
	{ maxCredits, reserved, price, isGuess }: FailureOf<'creditCap'>,
	context: ErrorContext,
): Text {
	if (isGuess)
		return [
			`Max Credits per Execution (${maxCredits}) cannot be kept: nobody knows what a request without an answer has cost`,
			`This execution has reserved ${creditWords(reserved)} as far as is known. ${jobsSoFar(context)}Wait until the service answers, or remove the limit, then ${afterLimit(context)}.`,
		];
	if (price === null)
		return [
			`Max Credits per Execution (${maxCredits}) cannot be kept: the service does not state what a job costs`,
			`One was created, which may have reserved any number of credits. ${jobsSoFar(context)}Remove the limit, then ${afterLimit(context)}.`,
		];
	const expected =
		price === undefined
			? ''
			: `, and this item is expected to cost ${roundedUp(price)}, at the prices of last time`;
	return [
		`Max Credits per Execution (${maxCredits}) would be exceeded`,
		`This execution has reserved ${creditWords(reserved)}${expected}. ${jobsSoFar(context)}Raise the limit, then ${afterLimit(context)}.`,
	];
}

/** What helps where it is not known what was spent today. */
function cureOfDay(obstacle: DayObstacle): string {
	switch (obstacle.kind) {
		case 'forbidden':
			return `Give the key the scope ${obstacle.scope}, or remove the limit`;
		case 'unreadable':
			return 'Wait until the service answers, or remove the limit';
		case 'tooMany':
			return 'Wait until tomorrow, or remove the limit';
		case 'unsaid':
			return 'Remove the limit';
	}
}

function ofDayCap(
	{ maxCredits, spent, price, obstacle }: FailureOf<'dayCap'>,
	context: ErrorContext,
): Text {
	if (obstacle !== undefined)
		return [
			`Max Credits per Day (${maxCredits}) cannot be kept: ${obstacle.problem}`,
			`${jobsSoFar(context)}${cureOfDay(obstacle)}; then ${goOn(context)}.`,
		];
	const need =
		price === undefined
			? 'what this item costs is not known'
			: `this item is expected to cost ${roundedUp(price)}`;
	const figures = `${creditWords(spent)} spent today in this workspace, and ${need}`;
	return [
		`Max Credits per Day (${maxCredits}) would be exceeded: ${figures}`,
		`${jobsSoFar(context)}Raise Max Credits per Day or wait until tomorrow, then ${afterLimit(context)}.`,
	];
}

function ofPossibleDuplicate(
	{ because }: FailureOf<'possibleDuplicate'>,
	{ job }: Failed,
	context: ErrorContext,
): Text {
	// A person has to decide that, also where an agent reads it.
	const next = goOn({ ...context, isTool: false });
	if (because === 'jobGone' || because === 'jobElsewhere') {
		const isElsewhere = because === 'jobElsewhere';
		const cause = isElsewhere
			? 'was made with another API key. To get it, enter that key again, or another one of its workspace'
			: 'may have been deleted. If the base URL or the key is wrong, correct it';
		// In its own workspace the same Own Key leads to the job that is gone.
		const needsKey = !isElsewhere && context.idempotency === 'custom';
		const key = needsKey ? 'enter another Own Key and ' : '';
		return [
			'Not created again, because the service does not know its job',
			`The job ${job?.id ?? ''} ${cause}. For a new one, which is paid for, ${key}${next}.`,
		];
	}
	const why = {
		changed: 'the request has been changed since',
		noKey: 'it had no idempotency key (Avoid Paying Twice: Off)',
		expired: 'its idempotency key is no longer valid after 24 hours',
		otherWorkspace: 'the credential has another API key or base URL since',
	};
	const isOther = because === 'otherWorkspace';
	const where = isOther ? 'with the earlier key' : 'at the service';
	const none = isOther ? 'none, as where the base URL was wrong' : 'none';
	const then = isOther ? 'sends it with the new one' : 'creates a new one';
	return [
		'Not created again, because an earlier try may have been carried out',
		`The service did not answer that try, and ${why[because]}. Look for its job ${where} (Get Many lists the newest): if there is ${none}, ${next}, which then ${then}.`,
	];
}

/** Whether the request that failed only read the job that the item has created. */
const readsOwnJob = (failed: Failed, { creates }: ErrorContext): boolean =>
	creates === true && failed.job !== undefined && failed.endpoint?.method !== 'POST';

/** The endpoint of the request that failed. */
function failedEndpoint(failed: Failed, context: ErrorContext): Endpoint {
	if (failed.endpoint) return failed.endpoint;
	if (!readsOwnJob(failed, context)) return context.endpoint;
	const object = asText(failed.job?.object) || (context.object ?? '');
	return { ...ENDPOINTS.getJob, scope: readerOf(object).scope };
}

/** A key of the user's own is the only one under which a refusal that is kept stays. */
const KEPT_REFUSAL =
	'If it is refused again then, the service keeps the refusal for this Own Key: enter another one.';

function ofNoSlot({ waitedMs, others }: FailureOf<'noSlot'>, { idempotency }: ErrorContext): Text {
	const happened = `No job slot was free for ${minutesOf(waitedMs)}`;
	if (others > 0)
		return [
			happened,
			`${others} jobs of other clients of the workspace are running. Run this later, or lower Concurrent Jobs in the credentials of the others.`,
		];
	const todo = 'The service kept refusing, or jobs that do not end use them. Run this later.';
	return [happened, idempotency === 'custom' ? `${todo} ${KEPT_REFUSAL}` : todo];
}

/**
 * What is added to a refusal that may be about the idempotency key: an earlier execution may have used the
 * same key for another request, or been refused under it, which some services keep.
 */
const ABOUT_KEY: Partial<Record<AnswerKind, Partial<Record<IdempotencyMode, string>>>> = {
	invalid: {
		content: 'If that is the idempotency key, set Avoid Paying Twice to On Retries.',
		custom: 'If that is the idempotency key, enter a new one.',
	},
	keyOfOther: {
		execution: 'On Retries takes one by itself when this is run again.',
		content: 'Set Avoid Paying Twice to On Retries.',
		custom: 'Enter another Own Key.',
	},
	noCredits: { custom: KEPT_REFUSAL },
};

/** The words of an answer of the service that is no success, with what the service says itself. */
function ofStatus(
	{ status, serviceError }: FailureOf<'status'>,
	failed: Failed,
	context: ErrorContext,
): Text {
	const { creates, idempotency = 'none', labels = {} } = context;
	const { scope, path } = failedEndpoint(failed, context);
	const [happened, todo] = wordsOfAnswer(status, serviceError, {
		scope,
		hasId: path.includes('{id}'),
		readsOwnJob: readsOwnJob(failed, context),
		jobsSoFar: jobsSoFar(context),
		goOn: goOn(context),
	});
	const serviceWords = withEditorLabels(serviceError.message ?? '', labels);
	const isNew = serviceWords !== '' && serviceWords.toLowerCase() !== happened.toLowerCase();
	const { kind } = meaningOf(status, serviceError);
	const ofKey = creates === true ? ABOUT_KEY[kind]?.[idempotency] : undefined;
	return [
		isNew ? `${happened}: ${serviceWords}` : happened,
		ofKey === undefined ? todo : `${todo} ${ofKey}`,
	];
}

function ofNoResponse({ reason, attempts, unsent }: FailureOf<'noResponse'>): Text {
	const [happened, todo] = wordsOfNoResponse({ noResponse: reason, unsent });
	return [happened, `${attempts > 1 ? `Tried ${attempts} times. ` : ''}${todo}`];
}

/**
 * How the user gets a new job where the known one may have ended under a status that nobody documents, by
 * _Avoid Paying Twice_.
 */
const ANEW: Record<IdempotencyMode, string> = {
	execution: 'a new execution makes a new one',
	none: 'a new execution makes a new one',
	content: 'another prompt makes a new one',
	custom: 'another Own Key makes a new one',
};

/**
 * The words of a wait that ended before its job did. They name the status of the job, unless it is a known
 * one of a job that runs.
 */
function ofDeadline(
	failure: FailureOf<'deadline'>,
	{ job = { id: '' } }: Failed,
	context: ErrorContext,
): Text {
	const { creates, idempotency, isTool } = context;
	const waited = `Not finished after ${minutesOf(failure.waitedMs)}`;
	const status = textOf(job.status);
	if (status === undefined || holdsSlot(job))
		return [
			waited,
			creates
				? 'Raise Wait Timeout to wait longer.'
				: 'The job goes on at the service: raise Wait Timeout, or fetch it later by its ID.',
		];
	const statusWords = `its status has been "${plainText(status)}" for ${minutesOf(failure.inStatusMs ?? 0)}`;
	const reason = statedReason(job);
	const happened = `${waited}: ${statusWords}${reason === undefined ? '' : `: ${reason}`}`;
	if (job.object === 'agent_run')
		return [
			happened,
			'If that status means the end, enter it in Statuses That End the Wait or in Statuses That Mean Failure. If the run goes on, raise Wait Timeout.',
		];
	const toGetNew = isTool
		? 'a call with other arguments makes a new one'
		: ANEW[idempotency ?? 'execution'];
	const anew = creates ? toGetNew : 'create it again';
	return [
		happened,
		`The service does not document this status. If it means the end, ${anew}. If the job goes on, raise Wait Timeout.`,
	];
}

/** What to do about a job that has failed. */
function cureOfJob({ lacks }: FailureOf<'jobFailed'>, context: ErrorContext): string {
	if (lacks === 'budget') return 'Give the next run a larger Budget in Credits.';
	const again = context.creates ? '' : ' and create it again';
	if (lacks === undefined) return `Change the prompt or the inputs${again}.`;
	return `Top up the workspace${context.creates ? `, then ${goOn(context)}` : again}.`;
}

/** The words of a plan of an agent run that was not approved by itself. */
function ofNotApproved(
	{ reason }: FailureOf<'notApproved'>,
	{ job }: Failed,
	{ labels = {} }: ErrorContext,
): Text {
	const estimate = job?.estimated_credits;
	const atLeast = typeof estimate === 'number' ? ` of at least ${estimate}` : '';
	return [
		`The plan could not be approved automatically: ${withEditorLabels(reason, labels)}`,
		`The plan waits: approve it by its ID with Agent Run: Approve and Budget in Credits${atLeast}.`,
	];
}
