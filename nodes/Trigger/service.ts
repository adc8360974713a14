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
import { LIMITS, type Endpoint, type Scope } from '../../src/contract';
import { baseUrlProblem } from '../../src/transport/binary/urlRules';
import { tell } from '../../src/transport/errors';
import type { Host } from '../../src/transport/host';
import { CREDENTIAL, n8nHost } from '../../src/transport/n8nHost';
import type { Failed } from '../../src/transport/result';
import { workspaceOf, type Workspace } from '../../src/transport/workspace';

/** Every place where n8n runs a part of a trigger. */
export type TriggerContext =
	IHookFunctions | IWebhookFunctions | IPollFunctions | IExecuteFunctions;

/** The service behind the node's credential. */
export interface Service {
	baseUrl: string;
	apiKey: string;
	host: Host;
	workspace: Workspace;
	/** Refuses before anything is sent when the credential does not declare the scope. */
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

const positive = (value: unknown, fallback: number) => {
	const number = Number(value);
	return Number.isFinite(number) && number > 0 ? number : fallback;
};

/** @throws NodeOperationError when the credential's base URL cannot be used */
export async function openService(context: TriggerContext): Promise<Service> {
	const credential = await context.getCredentials(CREDENTIAL);
	const { scopes, requestsPerMinute, concurrentJobs } = credential;
	const apiKey = String(credential.apiKey);
	const baseUrl = String(credential.baseUrl);
	const node = context.getNode();
	const problem = baseUrlProblem(baseUrl);
	if (problem) throw new NodeOperationError(node, `The base URL of the credential ${problem}`);
	const owner = `trigger ${context.getWorkflow().id ?? ''}/${node.id}`;
	return {
		baseUrl,
		apiKey,
		host: n8nHost(asSingle(context, owner), { url: '', baseURL: baseUrl }, apiKey),
		workspace: workspaceOf(baseUrl, apiKey, {
			requestsPerMinute: positive(requestsPerMinute, LIMITS.requestsPerMinute),
			concurrentJobs: positive(concurrentJobs, LIMITS.concurrentJobs),
		}),
		needs(scope) {
			if (!scope || !Array.isArray(scopes) || (scopes as unknown[]).includes(scope)) return;
			throw new NodeOperationError(node, `The credential does not declare the scope ${scope}`, {
				description: `Nothing was sent. If the key has the scope ${scope}, add it to Scopes in the credential; if not, create a key that has it.`,
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
	const words = tell(failed, { endpoint, itemIndex: 0, submitted: 0, notSubmitted: 0 });
	const message = `${doing}: ${words.message.replace(/ \[item 0\]$/, '')}`;
	const { description, httpCode } = words;
	const node = context.getNode();
	if (httpCode === undefined) return new NodeOperationError(node, message, { description });
	return new NodeApiError(node, {} as JsonObject, { message, description, httpCode });
}
