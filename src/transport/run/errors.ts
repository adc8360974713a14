import { NodeApiError, type IDataObject, type INode, type JsonObject } from 'n8n-workflow';
import { ENDPOINTS, type Endpoint } from '../../contract';
import { textOf } from './texts';
import type { Labels } from './fieldLabels';
import { readerScope } from '../jobs/jobState';
import type { Failed } from '../base/result';
import { asText } from '../base/types';
import { creditSentence, creditState, goOn, type SpendingContext } from './spending';

/** The text of an error: what happened, what to do, and what it means for the user's credits. */
export interface ErrorText {
	message: string;
	description: string;
	httpCode?: string;
}

/** What an error says besides the failure itself. */
export interface ErrorContext extends SpendingContext {
	/** The `object` constant of what the item creates. */
	object?: string;
	itemIndex: number;
	/** How many items have a job; `undefined` if the run goes on. */
	submitted?: number;
	notSubmitted: number;
	/** Labels of the editor, by the names of the fields in the API. */
	labels?: Labels;
}

/** How much of the service's raw details is kept, in characters of JSON. */
const MAX_DETAILS_LENGTH = 2_000;

const statusOf = ({ failure }: Failed): number | undefined =>
	failure.kind === 'status' || failure.kind === 'badResponse' ? failure.status : undefined;

/** If the item has created a job, only reading that job can have failed. */
const readsOwnJob = (failed: Failed, { creates }: ErrorContext): boolean =>
	creates === true && failed.job !== undefined && failed.endpoint?.method !== 'POST';

function failedEndpoint(failed: Failed, context: ErrorContext): Endpoint {
	if (failed.endpoint) return failed.endpoint;
	if (!readsOwnJob(failed, context)) return context.endpoint;
	const object = asText(failed.job?.object) || (context.object ?? '');
	return { ...ENDPOINTS.getJob, scope: readerScope(object) };
}

/** Puts a failure into words. The job, if there is one, is named once. */
export function describeFailure(failed: Failed, context: ErrorContext): ErrorText {
	const { submitted, notSubmitted, itemIndex, items = 1, labels = {}, known } = context;
	const id = failed.job?.id ?? known?.jobId;
	const [happened, todo] = textOf(failed.failure, {
		endpoint: failedEndpoint(failed, context),
		readsOwnJob: readsOwnJob(failed, context),
		creates: context.creates ?? false,
		job: failed.job,
		labels,
		items,
		submitted,
		notSubmitted,
		goOn: goOn(context),
	});
	const status = statusOf(failed);
	return {
		message: `${happened}${id ? ` (job ${id})` : ''}${items > 1 ? ` [item ${itemIndex}]` : ''}`,
		description: [todo, creditSentence(failed, context)].filter((part) => part !== '').join(' '),
		...(status !== undefined && { httpCode: String(status) }),
	};
}

function shortened(details: unknown): unknown {
	const text = JSON.stringify(details) ?? '';
	return text.length > MAX_DETAILS_LENGTH ? `${text.slice(0, MAX_DETAILS_LENGTH)}…` : details;
}

const isPresent = ([, value]: [string, unknown]) => value !== undefined && value !== null;

/**
 * The facts of a failure, for expressions and for n8n's *Error details*: `item`, `jobId`, `status`
 * (of the job, else of the response), `httpStatus`, `credits` (`none spent`, `unknown` or `reserved
 * or spent`), the job's own fields about credits, and from the service's error `type`, `requestId`
 * and `details`.
 */
export function detailsOf(failed: Failed, context: ErrorContext): IDataObject {
	const { failure, job } = failed;
	const httpStatus = statusOf(failed);
	const said = failure.kind === 'status' ? failure.serviceError : {};
	const known: Record<string, unknown> = {
		...Object.fromEntries(Object.entries(job ?? {}).filter(([name]) => /credit/i.test(name))),
		item: context.itemIndex,
		jobId: job?.id ?? context.known?.jobId,
		status: job?.status ?? httpStatus,
		httpStatus,
		credits: creditState(failed, context),
		type: said.type,
		requestId: said.requestId,
		details: shortened(said.details),
	};
	return Object.fromEntries(Object.entries(known).filter(isPresent)) as IDataObject;
}

/**
 * The error that n8n shows. It contains nothing of the request or of an earlier error, and so no
 * secret.
 */
export function nodeError(node: INode, failed: Failed, context: ErrorContext): NodeApiError {
	const { message, description, httpCode } = describeFailure(failed, context);
	const { itemIndex } = context;
	const cause: JsonObject = {};
	const error = new NodeApiError(node, cause, { message, description, httpCode, itemIndex });
	// n8n replaces messages that contain a code it knows, such as ENOENT, and a description equal to
	// the message.
	Object.assign(error, { message, description, messages: [] });
	error.context.data = detailsOf(failed, context);
	return error;
}
