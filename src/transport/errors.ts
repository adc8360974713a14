import { NodeApiError, NodeOperationError, type INode, type JsonObject } from 'n8n-workflow';
import type { Endpoint } from '../contract';
import type { Failed, Failure, Lost, ServiceWords } from './result';
import type { Resource, Unsent } from './types';

/** What an error says: what happened, what it means for the user's credits, and what to do. */
export interface Words {
	message: string;
	description: string;
	httpCode?: string;
}

export interface ErrorContext {
	endpoint: Endpoint;
	itemIndex: number;
	submitted: number;
	notSubmitted: number;
	/** Job of this item, if one exists. */
	job?: Resource;
}

type Teller<K extends Failure['kind']> = (
	failure: Extract<Failure, { kind: K }>,
	context: ErrorContext,
) => Words;

const NOTHING_SPENT = 'Nothing was created and no credits were spent.';

const said = ({ message }: ServiceWords) => (message ? `: ${message}` : '');

function trace({ requestId, type, details }: ServiceWords): string {
	const parts = [
		requestId && `Request ID: ${requestId}.`,
		type && `Error type: ${type}.`,
		details !== undefined &&
			details !== null &&
			`Details: ${JSON.stringify(details).slice(0, 2000)}.`,
	];
	return parts
		.filter(Boolean)
		.map((part) => ` ${part}`)
		.join('');
}

const scopeHint = ({ scope }: Endpoint) =>
	scope
		? `The key needs the scope ${scope}.`
		: 'The key needs the read scope of the resource that the job is.';

const creditHint = ({ submitted, notSubmitted }: ErrorContext) =>
	`${submitted} item(s) of this run were submitted, ${notSubmitted} were not. ` +
	'Top up the workspace, then retry this execution: what was submitted is not paid for again.';

const BY_STATUS: Record<number, (context: ErrorContext) => [message: string, description: string]> =
	{
		400: () => [
			'The service refused the request as invalid',
			`${NOTHING_SPENT} Correct the field that the service names.`,
		],
		401: () => [
			'The API key is invalid or missing',
			`${NOTHING_SPENT} Open the credential, enter a valid key of the workspace and test it.`,
		],
		402: (context) => ['Not enough credits', creditHint(context)],
		403: ({ endpoint }) => [
			'The key is not allowed to do this',
			`${NOTHING_SPENT} ${scopeHint(endpoint)} If it has it, the workspace may lack API access: that requires an active subscription or a successful top-up.`,
		],
		404: () => [
			'Not found',
			'No resource with this ID exists in the workspace of the key. Check the ID, and that the credential belongs to the same workspace.',
		],
		429: () => [
			'Rate or concurrency limit exceeded',
			'The service still refused after waiting and trying again; nothing was created by this request. Others may be using the workspace: lower Requests per Minute or Concurrent Jobs in the credential to leave them room, or run this later.',
		],
	};

function tellStatus(failure: Extract<Failure, { kind: 'status' }>, context: ErrorContext): Words {
	const { status, said: words, unclear } = failure;
	const known = Object.hasOwn(BY_STATUS, status) ? BY_STATUS[status]?.(context) : undefined;
	const [message, description] = known ?? [
		`The service answered with status ${status}`,
		unclear && context.endpoint.method === 'POST'
			? 'Whether the request was carried out is unclear. Retrying this execution sends the same idempotency key, so that nothing is paid for twice.'
			: 'Try again later. If it stays, check the base URL of the credential.',
	];
	return {
		message: `${message}${said(words)}`,
		description: `${description}${trace(words)}`,
		httpCode: String(status),
	};
}

const UNSENT: Record<Unsent, (reason: string) => [message: string, todo: string]> = {
	connection: (reason) => [
		`The service cannot be reached (${reason})`,
		'Check the base URL of the credential and the network.',
	],
	certificate: (reason) => [
		`The certificate of the service is not accepted (${reason})`,
		'Check the base URL of the credential. A certificate of a private authority must be made known to n8n.',
	],
	local: (reason) => [`n8n could not send the request: ${reason}`, 'Check the credential.'],
};

function tellLost(
	{ reason, attempts, replayable, sent, unsent }: Lost,
	context: ErrorContext,
): Words {
	const { endpoint } = context;
	const [message, todo] = unsent
		? UNSENT[unsent](reason)
		: ['No answer came from the service', `The last try ended with: ${reason}.`];
	const tried = attempts > 1 ? `Tried ${attempts} times. ` : '';
	const isCreation = endpoint.method === 'POST';
	if (!sent) {
		return { message, description: `${tried}${todo}${isCreation ? ` ${NOTHING_SPENT}` : ''}` };
	}
	const outcome = !isCreation
		? 'Check the base URL of the credential and the network.'
		: replayable
			? 'Whether the request was carried out is unclear. Retrying this execution sends the same idempotency key, so that nothing is paid for twice.'
			: 'Without an idempotency key it was not sent again, because it may have been carried out: look at Get Many before creating it again.';
	return { message, description: `${tried}${todo} ${outcome}` };
}

const TELLERS: { [K in Failure['kind']]: Teller<K> } = {
	input: ({ field, problem, hint }) => ({
		message: `${field} ${problem}`,
		description: `${hint ? `${hint}. ` : ''}Nothing was sent for this item, so no credits were spent.`,
	}),
	scope: ({ scope }) => ({
		message: `The credential is limited to scopes without ${scope}`,
		description: `Nothing was sent. If the key has the scope ${scope}, add it to Limit to Scopes in the credential, or empty that list.`,
	}),
	status: tellStatus,
	lost: tellLost,
	answer: ({ status, problem }) => ({
		message: 'The answer of the service cannot be used',
		description: `The service answered with status ${status}, but ${problem}. Check that the base URL of the credential is the address of the API and ends in /v1.`,
		httpCode: String(status),
	}),
	cancelled: () => ({
		message: 'The execution was cancelled',
		description: 'Nothing further was sent.',
	}),
	deadline: ({ waitedMs }) => ({
		message: `Not finished after ${Math.round(waitedMs / 6_000) / 10} minutes`,
		description:
			'The job goes on at the service and keeps what was paid for it. Fetch it later by its ID, or raise Wait Timeout and retry this execution: it continues with the same job.',
	}),
	jobFailed: ({ reason }) => ({
		message: `The job failed: ${reason}`,
		description: 'Change what the reason names, then run it again: that creates a new job.',
	}),
	download: ({ outputId, problem }) => ({
		message: `Output ${outputId} could not be downloaded: ${problem}`,
		description:
			'The job has finished and keeps its outputs. Retrying this execution downloads them again without creating anything.',
	}),
	upload: ({ field, problem }) => ({
		message: `The binary field "${field}" could not be uploaded: ${problem}`,
		description: NOTHING_SPENT,
	}),
	uncertain: ({ candidates }) => ({
		message: 'Not created again, because an earlier try may have been carried out',
		description:
			'No answer came to that try, and its idempotency key is no longer valid after 24 hours. ' +
			`These jobs may be the one: ${candidates.join(', ')}. Fetch the right one by its ID; if there is none, run a new execution.`,
	}),
	notSent: ({ cause }) => ({
		message: `Not sent: ${cause}`,
		description: 'Nothing was created for this item and no credits were spent.',
	}),
};

/** The words for a failure. The job, if there is one, is always named. */
export function tell({ failure, job, endpoint }: Failed, context: ErrorContext): Words {
	const teller = TELLERS[failure.kind] as Teller<Failure['kind']>;
	const words = teller(failure as never, {
		...context,
		endpoint: endpoint ?? context.endpoint,
		job,
	});
	const named = job ? ` (job ${job.id})` : '';
	const known = job ? ` The job of this item is ${job.id}.` : '';
	return {
		...words,
		message: `${words.message}${named} [item ${context.itemIndex}]`,
		description: `${words.description}${known}`,
	};
}

/** The error that n8n shows. Nothing of the request or of a former error goes into it, so no secret can. */
export function nodeError(
	node: INode,
	failed: Failed,
	context: ErrorContext,
): NodeApiError | NodeOperationError {
	const { message, description, httpCode } = tell(failed, context);
	const { itemIndex } = context;
	if (httpCode === undefined) {
		return new NodeOperationError(node, message, { description, itemIndex });
	}
	const cause: JsonObject = {};
	return new NodeApiError(node, cause, { message, description, httpCode, itemIndex });
}
