import type { IExecuteSingleFunctions, IHttpRequestOptions } from 'n8n-workflow';
import { ENDPOINTS, type Scope } from '../../contract';
import type { Batch, RunLocation } from './batch';
import type { Prepared } from './prepared';
import { referencesIn } from './binaryReference';
import { baseUrlProblem, isLocalService } from '../http/urlRules';
import { apiKeyOf, apiKeyProblem, CREDENTIAL, excludedScope, rateLimitsOf } from '../credential';
import { executionCredits } from './executionCredits';
import { identify } from './itemIdentity';
import { nodeMemory } from './itemMemory';
import { readerScope } from '../jobs/jobState';
import { itemContext } from './nodeInput';
import { n8nHost } from '../http/n8nHost';
import { fail, ok, type Failed, type Result } from '../base/result';
import type { OperationSpec, Item } from './item';
import { workspaceOf } from '../workspace';

const NO_OP = () => {};

/**
 * All scopes that this item will need, so that none turns out to be missing after something was
 * paid for.
 */
function scopesNeeded(spec: OperationSpec, { request, settings }: Prepared): Scope[] {
	const { endpoint, output, object = '' } = spec;
	const waits = output === 'job' && endpoint.method === 'POST' && settings.waitForCompletion;
	return [
		endpoint.scope,
		waits ? readerScope(object) : undefined,
		referencesIn(request.body).length > 0 ? ENDPOINTS.createFile.scope : undefined,
	].filter((scope) => scope !== undefined);
}

function credentialProblem(baseUrl: string, apiKey: string): Failed | undefined {
	const problems = [
		['Base URL', baseUrlProblem(baseUrl)],
		['API Key', apiKeyProblem(apiKey)],
	] as const;
	const [name, problem] = problems.find(([, problem]) => problem !== undefined) ?? [];
	if (!problem) return undefined;
	return fail({ kind: 'input', field: `${name} of the credential`, problem });
}

/**
 * Which run of which node. The same for all its items and slow to get from n8n, so it is read once.
 */
function locateRun(context: IExecuteSingleFunctions): RunLocation {
	const { $runIndex: runIndex } = context.getWorkflowDataProxy(context.getItemIndex());
	const { id: workflowId } = context.getWorkflow();
	return { runIndex: Number(runIndex), node: `${workflowId ?? ''}/${context.getNode().id}` };
}

/**
 * Without n8n's list of domains, which was made for another address: `authenticate` keeps the key
 * to the base URL.
 */
const toService = (options: IHttpRequestOptions, baseURL: string): IHttpRequestOptions => ({
	...options,
	baseURL,
	allowedDomains: undefined,
});

/**
 * Puts together all that an item needs. Fails if the credential shows that the operation is
 * impossible.
 */
export async function openItem(
	context: IExecuteSingleFunctions,
	options: IHttpRequestOptions,
	spec: OperationSpec,
	batch: Batch,
	prepared: Prepared,
): Promise<Result<Item>> {
	const credential = await context.getCredentials(CREDENTIAL);
	const baseUrl = typeof credential.baseUrl === 'string' ? credential.baseUrl : '';
	const key = apiKeyOf(credential);
	const unusable = credentialProblem(baseUrl, key);
	if (unusable) return unusable;
	const isLocal = isLocalService(baseUrl);
	batch.locateService(isLocal);
	// By itself as well: in a run in portions it was not there yet, and expressions may give each
	// item another service.
	if (prepared.unlessLocal && !isLocal) return prepared.unlessLocal;
	const excluded = excludedScope(credential, scopesNeeded(spec, prepared));
	if (excluded) return fail({ kind: 'scope', scope: excluded });

	const itemIndex = context.getItemIndex();
	const runLocation = (batch.runLocation ??= locateRun(context));
	const node = nodeMemory(context.getContext('node'));
	const { item, memory, inputFingerprint, release } = identify(context, spec, batch, node);
	if ('job' in memory.state) batch.addKnownJob(itemIndex, memory.state.job);
	const workspace = workspaceOf(baseUrl, key, rateLimitsOf(credential));
	const { isTool, waitTimeoutMs } = prepared.settings;
	return ok({
		...prepared,
		spec,
		batch,
		itemIndex,
		host: n8nHost(itemContext(context), toService(options, baseUrl), key, spec.responseTimeoutMs),
		workspace,
		memory,
		node,
		credits: executionCredits(context.getContext('flow')),
		inputFingerprint,
		answerBy: isTool ? workspace.clock.monotonic() + waitTimeoutMs : undefined,
		release,
		releaseGate: NO_OP,
		origin: {
			runId: node.runId,
			item,
			node: runLocation.node,
			executionId: context.getExecutionId() ?? '',
		},
	});
}
