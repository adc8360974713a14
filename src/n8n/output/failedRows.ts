import type {
	IDataObject,
	INodeExecutionData,
	NodeApiError,
	NodeOperationError,
} from 'n8n-workflow';
import type { Failed } from '../../base/result';
import { errorContextOf } from './errorContext';
import { describeFailure, detailsOf, nodeError } from './errors';
import { retryMayPay } from '../../creation/idempotency/idempotency';
import { columnsOf } from '../../fields/reservedNames';
import type { End, NodeCall, Running } from '../nodeCall';
import { jsonOf, withInputFields } from './rows';

/*
 * The rows of items that have failed, where the run goes on (On Error, or a tool of an agent). n8n tells such
 * rows by their shape, and each way to go on has a shape of its own.
 */

/** Chooses the shape that n8n needs for what is set under _On Error_. */
export function failedRow(running: Running, end: End, failed: Failed): INodeExecutionData {
	const { node, isTool } = running.call;
	const { index, json } = end.input;
	const context = { ...errorContextOf(running, end), isRow: true };
	// With Retry On Fail, n8n runs the node again if the first item has an `error` in its json. Without
	// idempotency keys all would be paid for again, so the error stands beside the json here.
	const mayPay = context.idempotency !== undefined && retryMayPay(context.idempotency);
	if (node.retryOnFail && index === 0 && mayPay)
		return { json: {}, error: nodeError(node, failed, context), pairedItem: { item: index } };
	const details = detailsOf(failed, context);
	if (node.onError === 'continueErrorOutput')
		return errorOutputItem(nodeError(node, failed, context), details, index);
	if (isTool) return toolRow(describeFailure(failed, context), details, index);
	const settings = end.item?.settings;
	const ofSettings = settings?.includeInputFields ? settings.resultField : undefined;
	return errorRow(describeFailure(failed, context), details, {
		itemIndex: index,
		json,
		resultField: ofSettings ?? failed.resultField,
		resource: agentRunOfRow(failed),
	});
}

/** The row of an item for which nothing can be run, because the node has no operation of the chosen name. */
export function rowWithoutOperation(
	{ node, inputs, isTool }: NodeCall,
	error: NodeOperationError,
): INodeExecutionData {
	const [{ index, json } = { index: 0, json: {} }] = inputs;
	const details = { item: index + 1, credits: 'none spent', tryAgain: 'never' };
	if (node.onError === 'continueErrorOutput') return errorOutputItem(error, details, index);
	if (isTool) return toolRow(error, details, index);
	return errorRow(error, details, { itemIndex: index, json });
}

/**
 * The row where even the words of a failure cannot be made: a fault of ours must not take the rows of other
 * items with it.
 */
export function bareRow(call: NodeCall, { input: { index } }: End): INodeExecutionData[] {
	if (!call.continuesOnFail) return [];
	const json = {
		status: 'failed',
		error: 'A fault of this node: what became of it cannot be said',
	};
	return [{ json, pairedItem: { item: index } }];
}

/** What an error says: a `NodeApiError`, or only its words. */
type Words = Pick<NodeApiError, 'message'> & { description?: string | null };

/** Where a failed row comes from. */
interface FailedSource {
	itemIndex: number;
	/** The json of the input item. */
	json?: IDataObject;
	/** With Include Input Fields, the field that gets what went wrong. */
	resultField?: string;
	/** A resource that the next node can go on with. */
	resource?: IDataObject;
}

/**
 * The row of an execution that continues: the input item with what went wrong in front, where Table view
 * shows it. The error stands in the json, because n8n reduces an item with an `error` beside its json to `{
 * error: message }`.
 */
export function errorRow(
	{ message, description }: Words,
	details: IDataObject,
	{ itemIndex, json = {}, resultField, resource = {} }: FailedSource,
): INodeExecutionData {
	const pairedItem = { item: itemIndex };
	const described = { ...details, description: description ?? '' };
	const failed: IDataObject = { ...resource, status: 'failed', error: message, details: described };
	if (resultField !== undefined) {
		// The result has the field that it has on a good row. `error` is n8n's own name for what has failed.
		return {
			json: { ...withInputFields({ json, resultField }, failed), error: message },
			pairedItem,
		};
	}
	const first = { status: 'failed', error: message };
	// A column `error` of the input must not be taken for the error of this node.
	const columns = columnsOf({ ...json, error: undefined }) as IDataObject;
	return { json: { ...first, ...columns, ...failed }, pairedItem };
}

/** The row of a failed tool call: what an agent needs to know, without what it has said itself. */
function toolRow(
	{ message, description }: Words,
	{ jobId, credits }: IDataObject,
	itemIndex: number,
): INodeExecutionData {
	const json: IDataObject = { status: 'failed', error: message };
	if (jobId !== undefined) json.id = jobId;
	if (credits !== undefined) json.credits = credits;
	if (description) json.next = description;
	return { json, pairedItem: { item: itemIndex } };
}

/**
 * The row of an error output. n8n 2.41 takes a row for one if it has no fields but `error` and `details`, and
 * adds the fields of the input item itself.
 */
export function errorOutputItem(
	error: NodeApiError | NodeOperationError,
	details: IDataObject,
	itemIndex: number,
): INodeExecutionData {
	const { message, description } = error;
	const json = { error: message, details: { ...details, description: description ?? '' } };
	// Older versions take a row for one if it has an error beside its json. The error is not enumerable, so
	// that it is not copied to the output.
	const row: INodeExecutionData = { json, pairedItem: { item: itemIndex } };
	return Object.defineProperty(row, 'error', { value: error, writable: true });
}

/** An agent run that waits for approval, so that the next node can approve it. */
const agentRunOfRow = ({ failure, job }: Failed): IDataObject | undefined =>
	failure.kind === 'notApproved' && job ? jsonOf(job) : undefined;
