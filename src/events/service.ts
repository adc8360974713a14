import {
	NodeOperationError,
	type IAllExecuteFunctions,
	type IBinaryKeyData,
	type IExecuteFunctions,
	type INodeExecutionData,
	type NodeApiError,
} from 'n8n-workflow';
import { ENDPOINTS, type Endpoint, type Scope } from '../contract';
import { connect } from '../fields/connection';
import { ok, type Failed, type Result } from '../base/result';
import type { ApiRequest, Resource } from '../base/types';
import { excludedScope } from '../service/credential';
import { requestResource, type RequestOptions } from '../service/client';
import { detailsOf, nodeError } from '../run/errors';
import { errorRow, inFields } from '../run/output';
import { collect } from '../run/files';

export type Service = Awaited<ReturnType<typeof openService>>;

/** @throws NodeOperationError when the credential's base URL or key cannot be used */
export async function openService(context: IAllExecuteFunctions) {
	const node = context.getNode();
	const connection = await connect(context, {
		signal: 'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal() : undefined,
		fairnessKey: `trigger ${context.getWorkflow().id ?? ''}/${node.id}`,
		timeoutMs: 0,
	});
	return {
		...connection,
		/** Sends a request. In an execution it ends when the execution is cancelled. */
		send: async (request: ApiRequest, options?: RequestOptions) =>
			await connection.workspace.client.request(connection.host.channel, request, options),
		/** Throws before anything is sent if the credential excludes this scope. */
		requireScope(scope: Scope | undefined): void {
			if (!excludedScope(connection.credential, [scope])) return;
			throw new NodeOperationError(node, `The credential is limited to scopes without ${scope}`, {
				description: `Nothing was sent. If the key has the scope ${scope}, add it to Limit to Scopes in the credential, or empty that list.`,
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
	const error = nodeError(context.getNode(), failed, { endpoint, itemIndex: 0, submitted: 0 });
	return Object.assign(error, { message: `${action}: ${error.message}` });
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
	{ host, workspace }: Service,
	job: Resource,
): Promise<Result<IBinaryKeyData>> {
	const collected = await collect({ host, workspace, settings: { downloadOutputs: true } }, job);
	return collected.ok ? ok(inFields(collected.value.files, 'data')) : collected;
}

/** One item of each, or none. A failure throws, or with Continue On Fail becomes an error row. */
export async function forEachItem(
	context: IExecuteFunctions,
	items: INodeExecutionData[],
	make: (item: INodeExecutionData) => Promise<Result<INodeExecutionData | undefined>>,
): Promise<INodeExecutionData[]> {
	const output: INodeExecutionData[] = [];
	for (const [itemIndex, item] of items.entries()) {
		const made = await make(item);
		if (made.ok) {
			if (made.value) output.push({ ...made.value, pairedItem: { item: itemIndex } });
			continue;
		}
		const { endpoint = ENDPOINTS.getJob } = made;
		const known = { endpoint, itemIndex, submitted: 0 };
		const error = nodeError(context.getNode(), made, known);
		if (!context.continueOnFail()) throw error;
		output.push(errorRow(error, detailsOf(made, known), itemIndex, item.json));
	}
	return output;
}
