import { NodeApiError, NodeOperationError, type INode } from 'n8n-workflow';

/*
 * Every error for n8n is made here, or by `nodeError` in `errors.ts`, so that its message is shown as it was
 * written and never changes what a run is.
 */

/**
 * A message as n8n may have it: n8n 1 and 2 show a failed execution as stopped by hand if the message of its
 * error contains this word in lower case, whoever has written it.
 */
export const notStopped = (message: string): string => message.replace(/canceled/g, 'Canceled');

/** n8n replaces a message that contains a code it knows, such as ENOENT, by words of its own. */
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
