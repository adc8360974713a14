import { NodeApiError, NodeOperationError, type IDataObject, type INode } from 'n8n-workflow';
import type { Failed, ServiceError } from '../../base/result';
import { creditWords, cut, roundedUp } from '../../base/texts';
import { asText } from '../../base/types';
import { canGoOn, firstOf, goOn, type ErrorContext } from './errorContext';
import { accountOf, type Account } from '../../creation/credits/ledger';
import type { Run } from '../../creation/run';
import { refusalOf } from '../../transport/statuses';
import { creditSentence, creditState } from './creditSentence';
import { wordsOf } from './words';

/*
 * Every error that n8n gets is made here: what it says, its facts for expressions, and how its message stays
 * as it was written.
 */

const statusOf = ({ failure }: Failed): number | undefined =>
	failure.kind === 'status' || failure.kind === 'badResponse' ? failure.status : undefined;

/** The words of a failure, as n8n shows them. */
interface Described {
	message: string;
	description: string;
	httpCode?: string;
}

/**
 * The most characters of an ID, and of a sentence, which may quote the service, another node or what the user
 * has entered.
 */
const MOST_OF_ID = 200;
const MOST_SAID = 1_000;

/**
 * The most characters of what the service says that are kept with an error, because n8n may keep one for each
 * row of a batch.
 */
const MOST_KEPT = 10_000;

/** What the service says, or the beginning of it as text where it is too long. */
function kept(value: unknown): unknown {
	const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
	return text.length > MOST_KEPT ? cut(text, MOST_KEPT) : value;
}

/** Says what happened, what to do, and what it means for the user's credits. The job is named once. */
export function describeFailure(failed: Failed, context: ErrorContext): Described {
	const { itemIndex, items = 1 } = context;
	const id = failed.job?.id ?? context.jobIds?.[0];
	const [happened, todo] = wordsOf(failed, context);
	const status = statusOf(failed);
	const ofJob = id ? ` (job ${cut(id, MOST_OF_ID)})` : '';
	const ofItem = items > 1 ? ` [item ${itemIndex + 1} of ${items}]` : '';
	// A message of n8n ends without a full stop, and the last words of this one may be those of the service.
	const what = cut(happened, MOST_SAID).replace(/\.$/, '');
	const described: Described = {
		message: notStopped(`${what}${ofJob}${ofItem}`),
		description: [cut(todo, MOST_SAID), creditSentence(failed, context)]
			.filter((part) => part !== '')
			.join(' '),
	};
	if (status !== undefined) described.httpCode = String(status);
	return described;
}

/**
 * The facts of a failure, for expressions and for n8n's error data, which error workflows get: `item` (from
 * 1), `jobId` (and `jobIds` of an item with several), `status` (of the job, else of the response),
 * `httpStatus`, `credits` (`none spent`, `unknown` or `reserved or spent`), `tryAgain` (`never`, `later` or
 * `afterTopUp`), the job's own fields about credits, and `type`, `requestId` and `details` of the service's
 * error.
 */
export function detailsOf(failed: Failed, context: ErrorContext): IDataObject {
	const { failure, job } = failed;
	const httpStatus = statusOf(failed);
	const { type, requestId, details }: ServiceError =
		failure.kind === 'status' ? failure.serviceError : {};
	// Of several jobs of an item, one may have failed: it is no longer among those that the item goes on
	// with.
	const ids = new Set([job?.id, ...(context.jobIds ?? [])].filter((id) => id !== undefined));
	const facts: Record<string, unknown> = {
		...Object.fromEntries(
			Object.entries(job ?? {})
				.filter(([name]) => /credit/i.test(name))
				.map(([name, value]) => [cut(name, MOST_OF_ID), kept(value)]),
		),
		item: context.itemIndex + 1,
		jobId: [...ids][0],
		jobIds: ids.size > 1 ? [...ids] : undefined,
		status: kept(job?.status) ?? httpStatus,
		httpStatus,
		credits: creditState(failed, context),
		tryAgain: tryAgainOf(failed),
		type: kept(type),
		requestId: kept(requestId),
		details: kept(details),
	};
	const stated = Object.entries(facts).filter(([, value]) => value !== undefined && value !== null);
	return Object.fromEntries(stated) as IDataObject;
}

/**
 * Whether a failed row may succeed without being changed:
 * - `never`: something is wrong with the request itself, or the media model could not make it
 * - `later`: once what was in the way is gone
 * - `afterTopUp`: once the workspace has credits
 */
export type TryAgain = 'never' | 'later' | 'afterTopUp';

/** For batches that try failed rows again: they can leave out the rows that will never succeed. */
export function tryAgainOf(failed: Failed): TryAgain {
	const { failure } = failed;
	switch (failure.kind) {
		case 'input':
			return 'never';
		case 'upload':
			return failure.isTransient ? 'later' : 'never';
		case 'jobFailed':
			return failure.lacks === 'credits' ? 'afterTopUp' : 'never';
		case 'status':
			return afterRefusal(failed);
		case 'skipped':
			return failure.lacksCredits ? 'afterTopUp' : 'later';
		default:
			return 'later';
	}
}

/** After a refusal by the service. If the key is at fault, the row is not. */
function afterRefusal(failed: Failed): TryAgain {
	const refusal = refusalOf(failed);
	if (refusal === 'noCredits') return 'afterTopUp';
	// A job that cannot be found may be in the workspace of another key.
	const isAboutRow = refusal === 'invalid' || refusal === 'notFound';
	return isAboutRow && failed.job === undefined ? 'never' : 'later';
}

/**
 * The error that n8n shows for an item. It contains nothing of the request or of an earlier error, and so no
 * secret.
 */
export function nodeError(node: INode, failed: Failed, context: ErrorContext): NodeApiError {
	const described = describeFailure(failed, context);
	const { itemIndex, items = 1 } = context;
	// Of several items the message names the one that failed. The editor would add the number that n8n gives
	// it, which counts from 0: `[item 7 of 10] [item 6]`.
	const more = { ...described, itemIndex: items > 1 ? undefined : itemIndex };
	const error = asWritten(new NodeApiError(node, {}, more), described.message);
	error.description = described.description;
	error.context.data = detailsOf(failed, context);
	return error;
}

/** Puts all into the message, because n8n gives a language model nothing else of what a tool throws. */
function forModel(error: NodeApiError): NodeApiError {
	const { message, description } = error;
	return description
		? asWritten(error, `${message.replace(/[.\s]+$/, '')}. ${description}`)
		: error;
}

interface OtherJob extends IDataObject {
	id: string;
	item: number;
	status: string;
}

/** How many other jobs a sentence names. All of them stand in the error's data. */
const JOBS_NAMED = 3;

/** What becomes of the jobs of the other items. */
function jobsSentence(jobs: OtherJob[], context: ErrorContext): string {
	const kept = jobs.filter(({ status }) => status !== 'failed').map(({ id }) => id);
	if (kept.length === 0) return '';
	const [exist, are] =
		kept.length === 1 ? ['1 other job exists', 'is'] : [`${kept.length} other jobs exist`, 'are'];
	if (!canGoOn(context)) return `${exist}: ${firstOf(kept, JOBS_NAMED)}.`;
	return `${exist} and ${are} kept: ${goOn(context)}, and nothing of that is paid for again (${firstOf(kept, JOBS_NAMED)}).`;
}

/** What the run has reserved. Only the balance tells whether a failed job was paid for. */
function reservedSentence({ bought, inVain, mayBeOld }: Account): string {
	const reserved = bought.reduce<number>((sum, credits = 0) => sum + credits, inVain);
	if (reserved === 0) return '';
	const sentence = `This run has reserved ${mayBeOld > 0 ? 'at most ' : ''}${creditWords(reserved)}`;
	if (inVain === 0) return `${sentence}.`;
	const share = inVain < reserved ? `, ${roundedUp(inVain)} of them` : '';
	return `${sentence}${share} for failed jobs: MediaGen Workspace, Get Credits shows whether they came back.`;
}

/** The error of a run: with its counts, and with the jobs that exist nevertheless. */
export function runError(
	node: INode,
	failed: Failed,
	itemContext: ErrorContext,
	run: Run,
): NodeApiError {
	const { made, itemsWithJob, invalid } = run;
	const context = { ...itemContext, itemsWithJob, invalid };
	const error = nodeError(node, failed, context);
	const others = made
		.filter(
			({ itemIndex, job }) => itemIndex !== context.itemIndex || !error.message.includes(job.id),
		)
		.sort((one, other) => one.itemIndex - other.itemIndex)
		.map(({ itemIndex, job }): OtherJob => {
			return { id: job.id, item: itemIndex + 1, status: asText(job.status) || 'no status' };
		});
	const paidSentence = context.isTool ? '' : reservedSentence(accountOf(run));
	const sentences = [error.description, jobsSentence(others, context), paidSentence];
	error.description = sentences.filter(Boolean).join(' ');
	if (others.length > 0)
		error.context.data = { ...(error.context.data as IDataObject), otherJobs: others };
	return context.isTool ? forModel(error) : error;
}

/**
 * Writes the word "canceled" with a capital letter. In lower case it makes n8n 1 and 2 show a failed
 * execution as stopped by hand, whoever has written it.
 */
export const notStopped = (message: string): string => message.replace(/canceled/g, 'Canceled');

/**
 * Sets the message of an error so that it stays. n8n replaces a message that contains a code it knows, such
 * as ENOENT, by words of its own.
 */
export function asWritten<E extends NodeApiError | NodeOperationError>(
	error: E,
	message: string,
): E {
	error.message = notStopped(message);
	error.messages = [];
	return error;
}

/** An error that is not about a failure of the service. */
export const operationError = (
	node: INode,
	message: string,
	more: { description?: string; itemIndex?: number } = {},
): NodeOperationError => asWritten(new NodeOperationError(node, message, more), message);

/** An error of a list in the editor. */
export const apiError = (node: INode, message: string): NodeApiError =>
	asWritten(new NodeApiError(node, {}, { message }), message);
