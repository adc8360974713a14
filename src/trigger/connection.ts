import {
	NodeApiError,
	NodeOperationError,
	type IExecuteFunctions,
	type IExecuteSingleFunctions,
	type IHookFunctions,
	type IPollFunctions,
	type IWebhookFunctions,
	type JsonObject,
} from 'n8n-workflow';
import type { Endpoint, Scope } from '../contract';
import { baseUrlProblem } from '../transport/host/urlRules';
import { apiKeyOf, apiKeyProblem, excludedScope, planOf } from '../transport/credential';
import { describeFailure } from '../transport/runner/errors';
import type { Host } from '../transport/host/host';
import { CREDENTIAL, n8nHost } from '../transport/host/n8nHost';
import type { Failed } from '../transport/base/result';
import { workspaceOf, type Workspace } from '../transport/workspace';

/** Every place where n8n runs a part of a trigger. */
export type TriggerContext =
	IHookFunctions | IWebhookFunctions | IPollFunctions | IExecuteFunctions;

/** The service behind the node's credential. */
export interface Service {
	baseUrl: string;
	apiKey: string;
	host: Host;
	workspace: Workspace;
	/** Refuses before anything is sent when the credential is limited to other scopes. */
	needs(scope: Scope | undefined): void;
}

/**
 * The transport is made for the items of an execution; hooks, webhooks and polls have no items, and their functions differ in
 * what they take. What the transport asks for beyond the helpers is given here.
 */
function asSingle(context: TriggerContext, owner: string): IExecuteSingleFunctions {
	const signal =
		'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal() : undefined;
	const added = {
		getNodeParameter: (_name: string, fallback: unknown) => fallback,
		getExecutionCancelSignal: () => signal,
		getExecutionId: () => owner,
		getInputData: () => ({ json: {} }),
	};
	return Object.assign(Object.create(context) as object, added) as IExecuteSingleFunctions;
}

/** @throws NodeOperationError when the credential's base URL or key cannot be used */
export async function openService(context: TriggerContext): Promise<Service> {
	const credential = await context.getCredentials(CREDENTIAL);
	const apiKey = apiKeyOf(credential);
	const baseUrl = String(credential.baseUrl);
	const node = context.getNode();
	const problem = baseUrlProblem(baseUrl);
	if (problem) throw new NodeOperationError(node, `The base URL of the credential ${problem}`);
	const wrong = apiKeyProblem(apiKey);
	if (wrong) throw new NodeOperationError(node, `The API key of the credential ${wrong}`);
	const owner = `trigger ${context.getWorkflow().id ?? ''}/${node.id}`;
	return {
		baseUrl,
		apiKey,
		host: n8nHost(asSingle(context, owner), { url: '', baseURL: baseUrl }, apiKey),
		workspace: workspaceOf(baseUrl, apiKey, planOf(credential)),
		needs(scope) {
			if (!excludedScope(credential, [scope])) return;
			throw new NodeOperationError(node, `The credential is limited to scopes without ${scope}`, {
				description: `Nothing was sent. If the key has the scope ${scope}, add it to Limit to Scopes in the credential, or empty that list.`,
			});
		},
	};
}

/** The error for a failure that belongs to no item. */
export function serviceError(
	context: TriggerContext,
	failed: Failed,
	endpoint: Endpoint,
	doing: string,
): NodeApiError | NodeOperationError {
	const words = describeFailure(failed, { endpoint, itemIndex: 0, submitted: 0, notSubmitted: 0 });
	const message = `${doing}: ${words.message.replace(/ \[item 0\]$/, '')}`;
	const { description, httpCode } = words;
	const node = context.getNode();
	if (httpCode === undefined) return new NodeOperationError(node, message, { description });
	return new NodeApiError(node, {} as JsonObject, { message, description, httpCode });
}
