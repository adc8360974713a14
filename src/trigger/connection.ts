import {
	NodeApiError,
	NodeOperationError,
	type IAllExecuteFunctions,
	type JsonObject,
} from 'n8n-workflow';
import type { Endpoint, Scope } from '../contract';
import { baseUrlProblem } from '../transport/http/urlRules';
import { apiKeyOf, apiKeyProblem, excludedScope, rateLimitsOf } from '../transport/credential';
import { describeFailure } from '../transport/run/errors';
import type { Host } from '../transport/http/host';
import type { HostContext } from '../transport/http/hostContext';
import { n8nHost } from '../transport/http/n8nHost';
import { CREDENTIAL } from '../transport/http/credentialName';
import type { Failed } from '../transport/base/result';
import { workspaceOf, type Workspace } from '../transport/workspace';

/** Whatever runs a part of a trigger: a hook, a webhook, a poll or an execution. */
export type TriggerContext = IAllExecuteFunctions;

/** The service behind the node's credential. */
export interface Service {
	baseUrl: string;
	apiKey: string;
	host: Host;
	workspace: Workspace;
	/** Whether the credential does not exclude this scope. */
	allows(scope: Scope | undefined): boolean;
	/** Throws before anything is sent if the credential excludes this scope. */
	requireScope(scope: Scope | undefined): void;
}

/**
 * A trigger has no item, hence no files and no timeout of the node; the requests of one node share
 * a fairness key.
 */
function hostContext(context: TriggerContext, signal: AbortSignal | undefined): HostContext {
	const { helpers } = context;
	return {
		functions: context,
		request: helpers,
		binary: 'prepareBinaryData' in helpers ? helpers : undefined,
		files: () => ({}),
		signal,
		fairnessKey: `trigger ${context.getWorkflow().id ?? ''}/${context.getNode().id}`,
		timeoutMs: 0,
	};
}

const cancelSignal = (context: TriggerContext): AbortSignal | undefined =>
	'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal() : undefined;

/**
 * @param signal ends all requests; default: that of the execution, if there is one
 * @throws NodeOperationError when the credential's base URL or key cannot be used
 */
export async function openService(
	context: TriggerContext,
	signal: AbortSignal | undefined = cancelSignal(context),
): Promise<Service> {
	const credential = await context.getCredentials(CREDENTIAL);
	const apiKey = apiKeyOf(credential);
	const baseUrl = String(credential.baseUrl);
	const node = context.getNode();
	const problem = baseUrlProblem(baseUrl);
	if (problem) throw new NodeOperationError(node, `The base URL of the credential ${problem}`);
	const keyProblem = apiKeyProblem(apiKey);
	if (keyProblem) throw new NodeOperationError(node, `The API key of the credential ${keyProblem}`);
	const allows = (scope: Scope | undefined) => !excludedScope(credential, [scope]);
	return {
		baseUrl,
		apiKey,
		host: n8nHost(hostContext(context, signal), { url: '', baseURL: baseUrl }, apiKey),
		workspace: workspaceOf(baseUrl, apiKey, rateLimitsOf(credential)),
		allows,
		requireScope(scope) {
			if (allows(scope)) return;
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
	action: string,
): NodeApiError | NodeOperationError {
	const text = describeFailure(failed, { endpoint, itemIndex: 0, submitted: 0, notSubmitted: 0 });
	const message = `${action}: ${text.message.replace(/ \[item 0\]$/, '')}`;
	const { description, httpCode } = text;
	const node = context.getNode();
	if (httpCode === undefined) return new NodeOperationError(node, message, { description });
	return new NodeApiError(node, {} as JsonObject, { message, description, httpCode });
}
