import { NodeApiError, type IDataObject, type INode, type JsonObject } from 'n8n-workflow';
import type { Failed } from '../base/result';
import { creditSentence, creditState, textOf, type ErrorContext } from './texts';

/** The text of an error: what happened, what to do, and what it means for the user's credits. */
interface ErrorText {
	message: string;
	description: string;
	httpCode?: string;
}

const statusOf = ({ failure }: Failed): number | undefined =>
	failure.kind === 'status' || failure.kind === 'badResponse' ? failure.status : undefined;

/** Puts a failure into words. The job, if there is one, is named once. */
export function describeFailure(failed: Failed, context: ErrorContext): ErrorText {
	const { itemIndex, items = 1 } = context;
	const id = failed.job?.id ?? context.jobId;
	const [happened, todo] = textOf(failed, context);
	const status = statusOf(failed);
	return {
		message: `${happened}${id ? ` (job ${id})` : ''}${items > 1 ? ` [item ${itemIndex}]` : ''}`,
		description: [todo, creditSentence(failed, context)].filter((part) => part !== '').join(' '),
		...(status !== undefined && { httpCode: String(status) }),
	};
}

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
		jobId: job?.id ?? context.jobId,
		status: job?.status ?? httpStatus,
		httpStatus,
		credits: creditState(failed, context),
		type: said.type,
		requestId: said.requestId,
		details: said.details,
	};
	const given = Object.entries(known).filter(([, value]) => value !== undefined && value !== null);
	return Object.fromEntries(given) as IDataObject;
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
