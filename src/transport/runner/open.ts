import type { IExecuteSingleFunctions, IHttpRequestOptions } from 'n8n-workflow';
import { ENDPOINTS, type Scope } from '../../contract';
import type { Batch, RunLocation } from '../item/batch';
import type { Prepared } from '../item/prepared';
import { BinaryReference } from '../item/binaryReference';
import { baseUrlProblem } from '../host/urlRules';
import { apiKeyOf, apiKeyProblem, excludedScope, planOf } from '../credential';
import { identify } from '../item/itemIdentity';
import { nodeMemory } from '../item/itemMemory';
import { readerScope } from '../jobs/jobState';
import { CREDENTIAL, n8nHost } from '../host/n8nHost';
import { fail, ok, type Failed, type Result } from '../base/result';
import type { OperationSpec, Item } from '../item/item';
import { workspaceOf } from '../workspace';

const sendsFiles = (value: unknown): boolean =>
	value instanceof BinaryReference ||
	(typeof value === 'object' && value !== null && Object.values(value).some(sendsFiles));

/** All scopes that the story of this item will need, so that none turns out to be missing after something was paid. */
function scopesNeeded(spec: OperationSpec, { request, settings }: Prepared): Scope[] {
	const { endpoint, output, object = '' } = spec;
	const waits = output === 'job' && endpoint.method === 'POST' && settings.waitForCompletion;
	return [
		endpoint.scope,
		waits ? readerScope(object) : undefined,
		sendsFiles(request.body) ? ENDPOINTS.createFile.scope : undefined,
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

/** Where a run of a node is. The same for all its items, and costly to ask n8n for. */
function placeOf(context: IExecuteSingleFunctions): RunLocation {
	const { $runIndex: runIndex } = context.getWorkflowDataProxy(context.getItemIndex());
	const { id: workflowId } = context.getWorkflow();
	return { runIndex: Number(runIndex), node: `${workflowId ?? ''}/${context.getNode().id}` };
}

/** Puts together all that an item needs on its way. Refuses what the credential shows to be impossible. */
export async function openRun(
	context: IExecuteSingleFunctions,
	options: IHttpRequestOptions,
	spec: OperationSpec,
	batch: Batch,
	prepared: Prepared,
): Promise<Result<Item>> {
	const credential = await context.getCredentials(CREDENTIAL);
	const baseUrl = options.baseURL ?? '';
	const key = apiKeyOf(credential);
	const unusable = credentialProblem(baseUrl, key);
	if (unusable) return unusable;
	const excluded = excludedScope(credential, scopesNeeded(spec, prepared));
	if (excluded) return fail({ kind: 'scope', scope: excluded });

	const itemIndex = context.getItemIndex();
	const runLocation = (batch.runLocation ??= placeOf(context));
	const own = nodeMemory(context.getContext('node'));
	const { item, memory, source, release } = identify(context, spec, batch, own);
	return ok({
		...prepared,
		spec,
		batch,
		itemIndex,
		host: n8nHost(context, options, key, spec.responseTimeoutMs),
		workspace: workspaceOf(baseUrl, key, planOf(credential)),
		memory,
		node: own,
		source,
		release,
		handOver: () => {},
		origin: {
			seed: own.seed,
			item,
			node: runLocation.node,
			executionId: context.getExecutionId() ?? '',
		},
	});
}
