import { NodeApiError, type IDataObject, type INode } from 'n8n-workflow';
import type { Failed, ServiceError } from '../base/result';
import { cut } from '../base/texts';
import { asText } from '../base/types';
import { creditWords } from '../transport/priceBook';
import { canGoOn, firstOf, goOn, type ErrorContext } from './errorContext';
import type { Run } from '../creation/run';
import { asWritten, notStopped } from './shownErrors';
import { creditSentence, creditState } from './creditSentence';
import { tryAgainOf } from './tryAgain';
import { wordsOf } from './words';

const statusOf = ({ failure }: Failed): number | undefined =>
	failure.kind === 'status' || failure.kind === 'badResponse' ? failure.status : undefined;

/** What is said of a failure. */
interface Described {
	message: string;
	description: string;
	httpCode?: string;
}

/** Characters of an ID and of a sentence, which may quote the service, another node or what was entered. */
const MOST_OF_ID = 200;
const MOST_SAID = 1_000;

/** Characters of what the service says that n8n keeps with an error: a batch may have it for each row. */
const MOST_KEPT = 10_000;

/** What the service says, as text where it is cut. */
function kept(said: unknown): unknown {
	const text = typeof said === 'string' ? said : (JSON.stringify(said) ?? '');
	return text.length > MOST_KEPT ? cut(text, MOST_KEPT) : said;
}

/** What happened, what to do, and what it means for the user's credits. The job is named once. */
export function describeFailure(failed: Failed, context: ErrorContext): Described {
	const { itemIndex, items = 1 } = context;
	const id = failed.job?.id ?? context.jobIds?.[0];
	const [happened, todo] = wordsOf(failed, context);
	const status = statusOf(failed);
	const ofJob = id ? ` (job ${cut(id, MOST_OF_ID)})` : '';
	const ofItem = items > 1 ? ` [item ${itemIndex + 1} of ${items}]` : '';
	const said: Described = {
		message: notStopped(`${cut(happened, MOST_SAID)}${ofJob}${ofItem}`),
		description: [cut(todo, MOST_SAID), creditSentence(failed, context)]
			.filter((part) => part !== '')
			.join(' '),
	};
	if (status !== undefined) said.httpCode = String(status);
	return said;
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
	// Of an item with several jobs one may have failed, and is none that it goes on with.
	const ids = new Set([job?.id, ...(context.jobIds ?? [])].filter((id) => id !== undefined));
	const known: Record<string, unknown> = {
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
	const given = Object.entries(known).filter(([, value]) => value !== undefined && value !== null);
	return Object.fromEntries(given) as IDataObject;
}

/** The error that n8n shows. It contains nothing of the request or of an earlier error, and so no secret. */
export function nodeError(node: INode, failed: Failed, context: ErrorContext): NodeApiError {
	const said = describeFailure(failed, context);
	const more = { ...said, itemIndex: context.itemIndex };
	const error = asWritten(new NodeApiError(node, {}, more), said.message);
	error.description = said.description;
	error.context.data = detailsOf(failed, context);
	return error;
}

/** Of what a tool throws, n8n gives a model the message alone. */
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

/**
 * What becomes of the jobs of the other items. All their ids stand in the error's data, which the editor does
 * not show.
 */
function jobsSentence(jobs: OtherJob[], context: ErrorContext): string {
	const kept = jobs.filter(({ status }) => status !== 'failed').map(({ id }) => id);
	if (kept.length === 0) return '';
	const [exist, are] =
		kept.length === 1 ? ['1 other job exists', 'is'] : [`${kept.length} other jobs exist`, 'are'];
	if (!canGoOn(context)) return `${exist}: ${firstOf(kept)}.`;
	return `${exist} and ${are} kept: ${goOn(context)}, and nothing of that is paid for again (${firstOf(kept)}).`;
}

/** What the run has reserved. Whether a failed job was paid for, the service tells by the balance alone. */
function reservedSentence({ bought, inVain, mayBeOld }: Run['account']): string {
	const paid = bought.reduce<number>((sum, credits = 0) => sum + credits, inVain);
	if (paid === 0) return '';
	const sentence = `This run has reserved ${mayBeOld > 0 ? 'at most ' : ''}${creditWords(paid)}`;
	if (inVain === 0) return `${sentence}.`;
	const share = inVain < paid ? `, ${inVain} of them` : '';
	return `${sentence}${share} for what has failed: MediaGen Workspace, Get Credits shows whether they came back.`;
}

/** The error of a run that has ended: with its counts, and the jobs that exist nevertheless. */
export function runError(
	node: INode,
	failed: Failed,
	known: ErrorContext,
	{ made, submitted, invalid, account }: Run,
): NodeApiError {
	const context = { ...known, submitted, invalid };
	const error = nodeError(node, failed, context);
	const others = made
		.filter(({ item, job }) => item !== context.itemIndex || !error.message.includes(job.id))
		.sort((one, other) => one.item - other.item)
		.map(({ item, job }): OtherJob => {
			return { id: job.id, item: item + 1, status: asText(job.status) || 'no status' };
		});
	const paidSentence = context.isTool ? '' : reservedSentence(account);
	const sentences = [error.description, jobsSentence(others, context), paidSentence];
	error.description = sentences.filter(Boolean).join(' ');
	if (others.length > 0)
		error.context.data = { ...(error.context.data as IDataObject), otherJobs: others };
	return context.isTool ? forModel(error) : error;
}
