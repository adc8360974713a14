import { NodeApiError, type IDataObject, type INode } from 'n8n-workflow';
import { ENDPOINTS, type Endpoint } from '../contract';
import type { Failed, Failure, NoResponseFailure, ServiceError } from '../base/result';
import { asText } from '../base/types';
import { wordsOfNoResponse } from '../service/network';
import { meaningOf, refusalOf, type Text } from '../service/statuses';
import { jobState, readerOf } from '../service/jobState';
import type { IdempotencyMode, OperationSpec, WorkflowMode } from './item';
import type { Run } from './run';

/** Labels of the editor by the path of the field in the request, such as `parameters.count`. */
export type Labels = Record<string, string>;

export interface ErrorContext extends Pick<
	OperationSpec,
	'endpoint' | 'object' | 'creates' | 'charges'
> {
	itemIndex: number;
	/** How many items the run has. */
	items?: number;
	/** How many of them have a job; `undefined` if the run goes on and the count would soon be wrong. */
	submitted?: number;
	/** The items of the run that are wrong by themselves, if it is known that none is sent. */
	invalid?: readonly number[];
	labels?: Labels;
	/** The jobs that the item has created, also by an earlier try: several where it has parts. */
	jobIds?: readonly string[];
	/** Whether a request was sent whose outcome is unknown, also by an earlier try. */
	outcomeUnknown?: boolean;
	idempotency?: IdempotencyMode;
	/** Whether the failure becomes a row of a run that goes on: n8n retries only executions that failed. */
	isRow?: boolean;
	/** How the workflow is run; default: `production`. */
	mode?: WorkflowMode;
}

/**
 * What a failure means for the credits of its item. Every sentence about credits follows from this
 * and nothing else. `free`: the operation can neither create nor charge anything.
 */
type Spending =
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
	'cancelled',
	'noResponse',
]);

function spendingOf(failed: Failed, context: ErrorContext): Spending {
	const { failure, job } = failed;
	if (!context.creates) return 'free';
	if (failure.kind === 'jobFailed') return 'jobFailed';
	if (failure.kind === 'notApproved') return 'planned';
	if (job ?? context.jobIds?.[0]) return 'jobExists';
	if (context.outcomeUnknown) return 'outcomeUnknown';
	// An upload or a search, before the item's own request.
	if (failed.endpoint && failed.endpoint !== context.endpoint) return 'nothingDone';
	if (mayBeCarriedOut(failed)) return 'outcomeUnknown';
	return NEVER_SENT.has(failure.kind) ? 'notSent' : 'nothingDone';
}

/** How to go on with what is paid for, where the error is read. */
const GO_ON: Record<WorkflowMode, string> = {
	manual: 'execute the node again',
	nested: 'retry the execution of this sub-workflow',
	production: 'retry this execution',
};

/** n8n retries only executions that have failed: not that of a row among others. */
const goOn = ({ isRow, mode = 'production' }: ErrorContext): string =>
	isRow && mode !== 'manual' ? 'run this again' : GO_ON[mode];

/** Whether the user can go on with an item: a row of an execution that went on only in the editor. */
const canGoOn = ({ idempotency, isRow, mode }: ErrorContext): boolean =>
	idempotency !== 'none' && (!isRow || mode === 'manual');

const MAX_NAMED = 10;

/** The first of a list of names, and how many more there are. */
function firstOf(names: readonly unknown[], where = ''): string {
	const rest = names.length - MAX_NAMED;
	return `${names.slice(0, MAX_NAMED).join(', ')}${rest > 0 ? ` and ${rest} more${where}` : ''}`;
}

/** That nothing was sent or created, for whom, and that it cost nothing. */
function nothing(done: 'sent' | 'created', { failure }: Failed, context: ErrorContext): string {
	const { items = 1, isRow, charges, invalid = [], submitted = 0 } = context;
	// One invalid item stops a run before anything is sent, unless n8n starts the items in portions.
	const stopsAll = done === 'sent' && failure.kind === 'input' && !isRow && submitted === 0;
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

function unknown({ failure }: Failed, context: ErrorContext): string {
	const { idempotency } = context;
	if (failure.kind === 'possibleDuplicate') return '';
	const notKnown = 'Whether the request was carried out is not known.';
	if (idempotency === 'none')
		return `${notKnown} It had no idempotency key, so it was not sent again: look for it at the service before creating it again.`;
	const isKeyPersistent = idempotency === 'content' || idempotency === 'custom';
	if (isKeyPersistent)
		return `${notKnown} Within 24 hours the next execution sends it again under the same idempotency key, so that nothing is paid for twice.`;
	if (!canGoOn(context))
		return `${notKnown} A new execution would pay again: look for it at the service before creating it again.`;
	return `${notKnown} To go on, ${goOn(context)}: that sends it again under the same idempotency key, so that nothing is paid for twice.`;
}

function existing({ failure, job }: Failed, context: ErrorContext): string {
	const states = { running: 'goes on', good: 'has finished', bad: 'has failed' };
	const now = job?.status === undefined ? 'exists' : states[jobState(job)];
	// If an input is wrong, the next try may make a different request.
	const continues = canGoOn(context) && failure.kind !== 'input';
	const how = continues
		? `, or ${goOn(context)}, which goes on with it instead of paying again`
		: '';
	return `The job ${now} at the service: fetch it by its ID${how}.`;
}

/** Specification: Limits, credit rules: planning is paid for by itself. */
const planned = () => 'Only the planning was paid for.';

function jobFailed(_: Failed, { endpoint, idempotency }: ErrorContext): string {
	// What approves or reviews a run makes no new one.
	if (endpoint.path.includes('{id}')) return 'It cannot be done again: create a new run.';
	return idempotency === 'custom'
		? 'The same Own Key gives this job again: a new job needs another key.'
		: 'A new execution creates a new job.';
}

/** For an operation that costs nothing, what matters is whether anything was changed. */
function free(failed: Failed, { endpoint: { method } }: ErrorContext): string {
	if (method !== 'PATCH' && method !== 'DELETE') return '';
	return mayBeCarriedOut(failed)
		? 'Whether it was carried out is not known; running it again is safe.'
		: 'Nothing was changed.';
}

const CREDITS: Record<
	Spending,
	[state: string | undefined, sentence: (failed: Failed, context: ErrorContext) => string]
> = {
	free: [undefined, free],
	notSent: ['none spent', (failed, context) => nothing('sent', failed, context)],
	nothingDone: ['none spent', (failed, context) => nothing('created', failed, context)],
	outcomeUnknown: ['unknown', unknown],
	jobExists: ['reserved or spent', existing],
	jobFailed: [undefined, jobFailed],
	planned: ['reserved or spent', planned],
};

/** What a failure means for the user's credits; empty if there is nothing to say. */
export const creditSentence = (failed: Failed, context: ErrorContext): string =>
	CREDITS[spendingOf(failed, context)][1](failed, context);

/** The same in a few words, for expressions; `undefined` if only the service knows. */
export const creditState = (failed: Failed, context: ErrorContext): string | undefined =>
	CREDITS[spendingOf(failed, context)][0];

/**
 * A message of the service with API field names replaced by the labels of the editor. A name that
 * is also an English word, such as `model`, is replaced only if it is quoted or begins the message.
 */
export function withEditorLabels(text: string, labels: Labels): string {
	const paths = Object.keys(labels).sort((a, b) => b.length - a.length);
	return paths.reduce((message, path) => {
		const names = path.split('.').map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
		const name = `/?${names.join('[./]')}(?:\\[\\d+\\]|[./]\\d+)?`;
		const isWord = !/[._]/.test(path);
		const bare = isWord ? `^${name}(?=[\\s:])` : `(?<![\\w./])${name}(?![\\w[]|[./]\\w)`;
		return message.replace(new RegExp(`(["'\`])${name}\\1|${bare}`, 'g'), labels[path] ?? path);
	}, text);
}

/** Whether only reading the job that the item has created can have failed. */
const readsOwnJob = (failed: Failed, { creates }: ErrorContext): boolean =>
	creates === true && failed.job !== undefined && failed.endpoint?.method !== 'POST';

/** The operation whose request failed. */
function failedEndpoint(failed: Failed, context: ErrorContext): Endpoint {
	if (failed.endpoint) return failed.endpoint;
	if (!readsOwnJob(failed, context)) return context.endpoint;
	const object = asText(failed.job?.object) || (context.object ?? '');
	return { ...ENDPOINTS.getJob, scope: readerOf(object).scope };
}

/** How far the run has come; empty where that is not known or goes without saying. */
function progress({ items = 1, submitted }: ErrorContext): string {
	if (items === 1 || submitted === undefined) return '';
	const were = (count: number) => (count === 1 ? 'was' : 'were');
	const left = items - submitted;
	return `${submitted} ${submitted === 1 ? 'item' : 'items'} ${were(submitted)} submitted, ${left} ${were(left)} not. `;
}

/** A service may refuse a request because its key was used for another one: of an earlier execution, then. */
const REFUSED_KEY: Partial<Record<IdempotencyMode, string>> = {
	content: ' If that is the idempotency key, set Avoid Paying Twice to On Retries.',
	custom: ' If that is the idempotency key, enter a new one.',
};

const minutes = (ms: number) => Math.round(ms / 6_000) / 10;

function ofNoResponse({ reason, attempts, unsent }: NoResponseFailure): Text {
	const [happened, todo] = wordsOfNoResponse({ noResponse: reason, unsent });
	return [happened, `${attempts > 1 ? `Tried ${attempts} times. ` : ''}${todo}`];
}

/** What happened and what to do about it. What the service says counts, with the labels of the editor. */
export function wordsOf(failed: Failed, context: ErrorContext): Text {
	const { failure } = failed;
	const { creates } = context;
	switch (failure.kind) {
		case 'input':
			return [`${failure.field} ${failure.problem}`, failure.hint ? `${failure.hint}.` : ''];
		case 'scope':
			return [
				`The credential is limited to scopes without ${failure.scope}`,
				`If the key has the scope ${failure.scope}, add it to Scopes of the Key in the credential, or empty that list.`,
			];
		case 'status': {
			const { scope, path } = failedEndpoint(failed, context);
			const [happened, todo] = meaningOf(failure.status, failure.serviceError).words({
				scope,
				hasId: path.includes('{id}'),
				readsOwnJob: readsOwnJob(failed, context),
				progress: progress(context),
				goOn: goOn(context),
			});
			const said = withEditorLabels(failure.serviceError.message ?? '', context.labels ?? {});
			const isNew = said !== '' && said.toLowerCase() !== happened.toLowerCase();
			const mayBeKey = creates === true && refusalOf(failed) === 'invalid';
			const ofKey = (mayBeKey && context.idempotency && REFUSED_KEY[context.idempotency]) || '';
			return [isNew ? `${happened}: ${said}` : happened, `${todo}${ofKey}`];
		}
		case 'noResponse':
			return ofNoResponse(failure);
		case 'badResponse':
			return [
				'The answer of the service cannot be used',
				`The service answered with status ${failure.status}, but ${failure.problem}. Check that the base URL of the credential is the address of the API and ends in /v1.`,
			];
		case 'cancelled':
			return ['The execution was cancelled', 'Nothing further was sent.'];
		case 'deadline':
			return [
				`Not finished after ${minutes(failure.waitedMs)} minutes`,
				creates
					? 'Raise Wait Timeout to wait longer.'
					: 'The job goes on at the service: raise Wait Timeout, or fetch it later by its ID.',
			];
		case 'jobFailed':
			return [
				`The job failed: ${failure.reason}`,
				`Change the prompt or the inputs${creates ? '' : ' and create it again'}.`,
			];
		case 'notApproved': {
			const estimate = failed.job?.estimated_credits;
			const atLeast = typeof estimate === 'number' ? ` of at least ${estimate}` : '';
			const reason = withEditorLabels(failure.reason, context.labels ?? {});
			return [
				`The plan could not be approved automatically: ${reason}`,
				`The plan waits: approve it by its ID with Agent Run: Approve and Budget in Credits${atLeast}.`,
			];
		}
		case 'download':
			return [
				`Output ${failure.outputId} could not be downloaded: ${failure.problem}`,
				creates ? '' : 'Run this again to download it; that costs nothing.',
			];
		case 'upload':
			return [`The binary field "${failure.field}" could not be uploaded: ${failure.problem}`, ''];
		case 'possibleDuplicate': {
			const why = {
				changed: 'the request has been changed since',
				expired: 'its idempotency key is no longer valid after 24 hours',
			};
			return [
				'Not created again, because an earlier try may have been carried out',
				`The service did not answer that try, and ${why[failure.because]}. Look for its job at the service (Get Many lists the newest): if there is none, ${goOn(context)}, which then creates a new one.`,
			];
		}
		case 'creditCap': {
			const { maxCredits, reserved, price } = failure;
			const expected = price === undefined ? '' : `, and this item is expected to cost ${price}`;
			return [
				`Max Credits per Execution (${maxCredits}) would be exceeded`,
				`This execution has reserved ${reserved} credits${expected}. ${progress(context)}Raise the limit, then ${goOn(context)}${canGoOn(context) ? ': it goes on with what it has' : ''}.`,
			];
		}
		case 'noSlot':
			return [
				`No job slot was free for ${minutes(failure.waitedMs)} minutes`,
				failure.others > 0
					? `${failure.others} jobs of other clients of the workspace are running. Run this later, or lower Concurrent Jobs in the credentials of the others.`
					: 'The service kept refusing, or jobs that do not end use them. Run this later.',
			];
		case 'skipped':
			return [`Not sent: ${failure.cause}`, 'Run this again once that is settled.'];
	}
}

const statusOf = ({ failure }: Failed): number | undefined =>
	failure.kind === 'status' || failure.kind === 'badResponse' ? failure.status : undefined;

/** What happened, what to do, and what it means for the user's credits. The job is named once. */
export function describeFailure(failed: Failed, context: ErrorContext) {
	const { itemIndex, items = 1 } = context;
	const id = failed.job?.id ?? context.jobIds?.[0];
	const [happened, todo] = wordsOf(failed, context);
	const status = statusOf(failed);
	return {
		message: `${happened}${id ? ` (job ${id})` : ''}${items > 1 ? ` [item ${itemIndex + 1} of ${items}]` : ''}`,
		description: [todo, creditSentence(failed, context)].filter((part) => part !== '').join(' '),
		...(status !== undefined && { httpCode: String(status) }),
	};
}

/**
 * The facts of a failure, for expressions and for n8n's error data, which error workflows get: `item` (from 1), `jobId` (and `jobIds`
 * of an item with several), `status` (of the job, else of the response), `httpStatus`, `credits` (`none
 * spent`, `unknown` or `reserved or spent`), the job's own fields about credits, and `type`,
 * `requestId` and `details` of the service's error.
 */
export function detailsOf(failed: Failed, context: ErrorContext): IDataObject {
	const { failure, job } = failed;
	const httpStatus = statusOf(failed);
	const { type, requestId, details }: ServiceError =
		failure.kind === 'status' ? failure.serviceError : {};
	const known: Record<string, unknown> = {
		...Object.fromEntries(Object.entries(job ?? {}).filter(([name]) => /credit/i.test(name))),
		item: context.itemIndex + 1,
		jobId: job?.id ?? context.jobIds?.[0],
		jobIds: (context.jobIds?.length ?? 0) > 1 ? context.jobIds : undefined,
		status: job?.status ?? httpStatus,
		httpStatus,
		credits: creditState(failed, context),
		type,
		requestId,
		details,
	};
	const given = Object.entries(known).filter(([, value]) => value !== undefined && value !== null);
	return Object.fromEntries(given) as IDataObject;
}

/** The error that n8n shows. It contains nothing of the request or of an earlier error, and so no secret. */
export function nodeError(node: INode, failed: Failed, context: ErrorContext): NodeApiError {
	const text = describeFailure(failed, context);
	const error = new NodeApiError(node, {}, { ...text, itemIndex: context.itemIndex });
	// n8n replaces messages that contain a code it knows, such as ENOENT, and a description equal to
	// the message.
	Object.assign(error, { ...text, messages: [] });
	error.context.data = detailsOf(failed, context);
	return error;
}

interface OtherJob extends IDataObject {
	id: string;
	item: number;
	status: string;
}

/** What becomes of the jobs of the other items. All their ids stand in the error's data, which the editor does not show. */
function jobsSentence(jobs: OtherJob[], context: ErrorContext): string {
	const kept = jobs.filter(({ status }) => status !== 'failed').map(({ id }) => id);
	if (kept.length === 0) return '';
	const [exist, are] =
		kept.length === 1 ? ['1 other job exists', 'is'] : [`${kept.length} other jobs exist`, 'are'];
	if (!canGoOn(context)) return `${exist}: ${firstOf(kept)}.`;
	return `${exist} and ${are} kept: ${goOn(context)}, and nothing of that is paid for again (${firstOf(kept)}).`;
}

/** Adds to the error of a run that has ended its counts, and the jobs that exist nevertheless. */
export function completeError(
	error: NodeApiError,
	failed: Failed,
	context: ErrorContext,
	{ made, submitted, invalid }: Run,
): void {
	const others = made
		.filter(({ item, job }) => item !== context.itemIndex || !error.message.includes(job.id))
		.sort((a, b) => a.item - b.item)
		.map(({ item, job }): OtherJob => {
			return { id: job.id, item: item + 1, status: asText(job.status) || 'no status' };
		});
	const { description } = describeFailure(failed, { ...context, submitted, invalid });
	error.description = [description, jobsSentence(others, context)].filter(Boolean).join(' ');
	if (others.length > 0) {
		error.context.data = { ...(error.context.data as IDataObject), otherJobs: others };
	}
}
