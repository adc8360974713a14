import type {
	IAllExecuteFunctions,
	IBinaryKeyData,
	IExecuteFunctions,
	INodeExecutionData,
	NodeApiError,
} from 'n8n-workflow';
import { createHash } from 'crypto';
import { ENDPOINTS, type Endpoint, type Scope } from '../api';
import { connect } from '../n8n/connection';
import { fail, ok, outageIn, type Failed, type Result } from '../base/result';
import {
	isNoResponse,
	isSuccess,
	type ApiRequest,
	type ApiResponse,
	type Resource,
	type SendResult,
} from '../base/types';
import { requestResource, type RequestOptions } from '../transport/client';
import { errorOf, isOutcomeUnknown } from '../transport/statuses';
import { asWritten, detailsOf, nodeError, operationError } from '../n8n/output/errors';
import { errorRow } from '../n8n/output/failedRows';
import { inFields } from '../n8n/output/rows';
import { fetchFiles } from '../creation/outputs';

export type Service = Awaited<ReturnType<typeof openService>>;

const cancelSignalOf = (context: IAllExecuteFunctions): AbortSignal | undefined =>
	'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal() : undefined;

/** The failure of a request that had no more time: what the service has said last of it. */
function outOfTime(last: SendResult | undefined): Failed {
	if (last === undefined) {
		const reason =
			'it had no turn under Requests per Minute, or waits since the service refused another request with 429';
		const unsent = 'noTurn' as const;
		return fail({ kind: 'noResponse', reason, attempts: 0, outcomeUnknown: false, unsent });
	}
	if (isNoResponse(last) || isSuccess(last.status)) {
		const reason = 'no answer in time';
		return fail({ kind: 'noResponse', reason, attempts: 1, outcomeUnknown: true });
	}
	const { status, body, headers } = last;
	const outcomeUnknown = isOutcomeUnknown(last);
	return fail({ kind: 'status', status, serviceError: errorOf(body, headers), outcomeUnknown });
}

/**
 * Opens the service for a trigger.
 * @param deadline ends every request; without it they end when the execution is cancelled
 * @throws NodeOperationError when the credential's base URL or key cannot be used
 */
export async function openService(context: IAllExecuteFunctions, deadline?: AbortSignal) {
	const node = context.getNode();
	const { access, host, workspace } = await connect(context, {
		signal: deadline ?? cancelSignalOf(context),
		fairnessKey: `trigger ${context.getWorkflow().id ?? ''}/${node.id}`,
		timeoutMs: 0,
	});
	const { baseUrl, apiKey, excludedScopes } = access;
	let last: SendResult | undefined;
	const send = async (request: ApiRequest) => {
		const response = await host.channel.send(request);
		// A request that is cut off at the deadline says less than the answer before it.
		if (last === undefined || !isNoResponse(response)) last = response;
		return response;
	};
	const channel = { ...host.channel, send };
	return {
		host,
		workspace,
		baseUrl,
		/** Names the service and the key without revealing the key. */
		account: createHash('sha256').update(`${baseUrl}\n${apiKey}`).digest('base64'),
		async send(request: ApiRequest, options?: RequestOptions): Promise<Result<ApiResponse>> {
			const answer = await workspace.client.request(channel, request, options);
			const isLate = !answer.ok && answer.failure.kind === 'cancelled' && deadline !== undefined;
			return isLate ? outOfTime(last) : answer;
		},
		/** Throws before anything is sent if the credential excludes this scope. */
		requireScope(scope: Scope | undefined): void {
			if (scope === undefined || !excludedScopes.includes(scope)) return;
			throw operationError(node, `The credential is limited to scopes without ${scope}`, {
				description: `Nothing was sent. If the key has the scope ${scope}, add it to Scopes of the Key in the credential, or empty that list.`,
			});
		},
	};
}

/** The error for a failure that belongs to no item. */
export function serviceError(
	context: IAllExecuteFunctions,
	failed: Failed,
	endpoint: Endpoint,
	action: string,
): NodeApiError {
	const error = nodeError(context.getNode(), failed, { endpoint, itemIndex: 0, itemsWithJob: 0 });
	return asWritten(error, `${action}: ${error.message}`);
}

/** What happened and what to do, in one line of a log. */
export function reasonInLog(
	context: IAllExecuteFunctions,
	failed: Failed,
	endpoint: Endpoint,
): string {
	const { message, description } = serviceError(context, failed, endpoint, '');
	return [message.replace(/^: /, ''), description].filter(Boolean).join('. ');
}

/** Reads a resource by its id. A failure names it. */
export async function readResource(
	{ host, workspace, requireScope }: Service,
	endpoint: Endpoint,
	id: string,
	options?: RequestOptions,
): Promise<Result<Resource>> {
	requireScope(endpoint.scope);
	const path = endpoint.path.replace('{id}', encodeURIComponent(id));
	const request = { method: 'GET', path } as const;
	const read = await requestResource(workspace.client, host.channel, request, options);
	return read.ok ? read : { ...read, job: { id }, endpoint };
}

/** Downloads the outputs of a job into the binary fields `data`, `data_1` and so on. */
export async function downloadFiles(
	context: IExecuteFunctions,
	{ host, workspace }: Service,
	job: Resource,
): Promise<Result<IBinaryKeyData>> {
	const nodeMemory = context.getContext('node');
	const settings = { downloadOutputs: true };
	workspace.workBegins();
	let collected: Awaited<ReturnType<typeof fetchFiles>>;
	try {
		collected = await fetchFiles({ host, workspace, nodeMemory, settings }, job);
	} finally {
		workspace.workEnds();
	}
	if (!collected.ok) return collected;
	const [files = []] = collected.value.files ?? [];
	return ok(inFields(files, 'data'));
}

/**
 * Makes an item of each item, or none. A failure throws, or with Continue On Fail becomes a row with the
 * error. Where the service or its storage is away, the other items are not tried: each would take minutes.
 */
export async function forEachItem(
	context: IExecuteFunctions,
	items: INodeExecutionData[],
	make: (item: INodeExecutionData) => Promise<Result<INodeExecutionData | undefined>>,
): Promise<INodeExecutionData[]> {
	const output: INodeExecutionData[] = [];
	let unsent: Failed | undefined;
	for (const [itemIndex, item] of items.entries()) {
		const made = unsent ?? (await make(item));
		if (made.ok) {
			if (made.value) output.push({ ...made.value, pairedItem: { item: itemIndex } });
			continue;
		}
		const outage = outageIn(made.failure);
		if (outage) unsent = fail({ kind: 'skipped', cause: `${outage.away} gave no answer` });
		const { endpoint = ENDPOINTS.getJob } = made;
		const errorContext = { endpoint, itemIndex, itemsWithJob: 0 };
		const error = nodeError(context.getNode(), made, errorContext);
		if (!context.continueOnFail()) throw error;
		output.push(errorRow(error, detailsOf(made, errorContext), { itemIndex, json: item.json }));
	}
	return output;
}
