import type {
	DeclarativeRestApiSettings,
	IExecutePaginationFunctions,
	IExecuteSingleFunctions,
	IHttpRequestOptions,
	INode,
	INodeExecutionData,
} from 'n8n-workflow';
import { ENDPOINTS, type Scope } from '../contract';
import { fail, ok, type Failed, type Result } from '../base/result';
import {
	CREDENTIAL,
	credentialIdOf,
	excludedScope,
	rateLimitsOf,
	readCredential,
	type RateLimits,
} from '../service/credential';
import { n8nHost } from '../service/n8n';
import { isLocalService } from '../service/urls';
import { readerOf } from '../service/jobState';
import { workspaceOf } from '../service/workspace';
import { halt, halted, type Location, type Run } from './run';
import { referencesIn } from './uploads';
import { becomesErrorItem, executionCredits } from './credits';
import type { ErrorContext, Labels } from './errorContext';
import { completeError, describeFailure, detailsOf, nodeError } from './errors';
import type { Item, OperationSpec, Outcome, Prepared, WorkflowMode } from './item';
import { isOutcomeOpen, nodeMemory, statesOf, type NodeMemory } from './state';
import { identify } from './identity';
import { openRequestsOf } from './openRequests';
import { currentRun, itemContext } from './nodeInput';
import { create } from './creation';
import { dryRun } from './dryRun';
import { WITHOUT_CREATION } from './operations';
import { createParts } from './parts';
import { asksForFirstModel } from './firstModel';
import { runOfRow } from './agent';
import { errorOutputItem, errorRow, forOutput, itemsOf } from './output';
import { answerInTime } from './toolAnswer';

/** All scopes that an item will need, so that none turns out to be missing once something is paid for. */
function scopesNeeded(spec: OperationSpec, { request, settings }: Prepared): Scope[] {
	const { endpoint, output, object = '', creates } = spec;
	const waits = output === 'job' && creates && settings.waitForCompletion;
	return [
		endpoint.scope,
		waits ? readerOf(object).scope : undefined,
		referencesIn(request.body).length > 0 ? ENDPOINTS.createFile.scope : undefined,
		asksForFirstModel(request) ? ENDPOINTS.listModels.scope : undefined,
	].filter((scope) => scope !== undefined);
}

/** Which run of which node. Slow to get from n8n. */
function locateRun(context: IExecuteSingleFunctions): { runIndex: number; node: string } {
	const { $runIndex: runIndex } = context.getWorkflowDataProxy(context.getItemIndex());
	const { id: workflowId } = context.getWorkflow();
	return { runIndex: Number(runIndex), node: `${workflowId ?? ''}/${context.getNode().id}` };
}

/** The same for all items of a run. */
function locationOf(run: Run, context: IExecuteSingleFunctions): Location {
	run.cache.location ??= locateRun(context);
	return run.cache.location;
}

function workflowMode(context: IExecuteSingleFunctions): WorkflowMode {
	const mode = context.getMode();
	if (mode === 'manual') return 'manual';
	return mode === 'integrated' ? 'nested' : 'production';
}

/** Whether to look for what a former execution has lost: in the editor, and in a retry for which n8n kept no memory of the node. */
function looksBack(
	context: IExecuteSingleFunctions,
	{ startedIn }: NodeMemory,
	executionId: string,
): boolean {
	return ['manual', 'retry'].includes(context.getMode()) && startedIn === executionId;
}

interface Access {
	baseUrl: string;
	key: string;
	limits: RateLimits;
}

/** For a dry run, which needs no credential. */
const NO_SERVICE: Access = { baseUrl: '', key: '', limits: rateLimitsOf({}) };

/** What the credential says, or why the operation is impossible with it. */
async function readAccess(
	context: IExecuteSingleFunctions,
	spec: OperationSpec,
	run: Run,
	prepared: Prepared,
): Promise<Result<Access>> {
	const unusable = (name: string, problem: string, hint?: string) =>
		fail({ kind: 'input', field: name, problem, hint });
	if (!context.getNode().credentials?.[CREDENTIAL])
		return unusable('The credential', 'is not set', 'Open the node and choose one, or create one');
	// As a failure of its item: an error that is thrown here would not name the jobs of the others.
	const credential = await context.getCredentials(CREDENTIAL).catch((error: Error) => error);
	if (credential instanceof Error)
		return unusable('The credential', `could not be read by n8n: ${credential.message}`);
	const read = readCredential(credential);
	if (read.problem !== undefined) return unusable(`${read.field} of the credential`, read.problem);
	const { baseUrl, apiKey: key } = read;
	const isLocal = isLocalService(baseUrl);
	run.locateService(isLocal);
	// By itself as well: in a run in portions it was not there yet, and expressions may give each
	// item another service.
	if (prepared.unlessLocal && !isLocal) return prepared.unlessLocal;
	const excluded = excludedScope(credential, scopesNeeded(spec, prepared));
	if (excluded) return fail({ kind: 'scope', scope: excluded });
	return ok({ baseUrl, key, limits: rateLimitsOf(credential) });
}

/** Puts together all that an item needs. Fails if the credential shows that the operation is impossible. */
async function openItem(
	context: IExecuteSingleFunctions,
	options: IHttpRequestOptions,
	spec: OperationSpec,
	run: Run,
	prepared: Prepared,
): Promise<Result<Item>> {
	const access = await readAccess(context, spec, run, prepared);
	// A dry run needs no credential, but says what a real run would refuse for the scopes of this one or the address of the service.
	const isDryRun = spec.creates === true && prepared.settings.dryRun;
	const wouldBeRefused =
		!access.ok && (access.failure.kind === 'scope' || access === prepared.unlessLocal);
	if (!access.ok && (!isDryRun || wouldBeRefused)) return access;
	const { baseUrl, key, limits } = access.ok ? access.value : NO_SERVICE;

	const itemIndex = context.getItemIndex();
	const location = locationOf(run, context);
	const executionId = context.getExecutionId() ?? '';
	const node = nodeMemory(context.getContext('node'), executionId);
	const { item, memory, inputFingerprint } = identify(context, spec, run, location.runIndex, node);
	const credentialId = credentialIdOf(context.getNode());
	const workspace = workspaceOf(baseUrl, key, limits, credentialId);
	// Without n8n's list of domains, which was made for another address: `authenticate` keeps the key
	// to the base URL.
	const { responseTimeoutMs } = spec;
	const toService = { ...options, baseURL: baseUrl, allowedDomains: undefined };
	const opened: Item = {
		...prepared,
		spec,
		run,
		itemIndex,
		host: n8nHost({ ...itemContext(context), responseTimeoutMs }, toService, key),
		workspace,
		hasService: access.ok,
		memory,
		node,
		credits: executionCredits(context.getContext('flow')),
		openRequests: openRequestsOf(location.node),
		inputFingerprint,
		origin: {
			item,
			node: location.node,
			executionId,
			mode: workflowMode(context),
			looksBack: looksBack(context, node, executionId),
		},
	};
	// Named by the error too if the run is halted before they are read again, or if they cannot be read.
	for (const [part, state] of statesOf(opened)) {
		if (!('job' in state)) continue;
		run.addJob(itemIndex, { id: state.job.id, status: 'from an earlier try' }, part);
	}
	return ok(opened);
}

/** The way of an item. Not `async`: thousands may wait. */
function operate(item: Item): Promise<Result<Outcome>> {
	const { spec, settings, parts = [] } = item;
	if (!spec.creates) return WITHOUT_CREATION[spec.output](item);
	if (settings.dryRun) return dryRun(item);
	return parts.length < 2 ? create(item) : createParts(item, parts);
}

/**
 * Runs the operation of an item, from its checked request to its output. Nothing is sent if another item has turned
 * out to be invalid meanwhile, or has halted the run.
 */
export async function runOperation(item: Item): Promise<Result<Outcome>> {
	const notSent = item.run.rejectionOf(item.itemIndex) ?? halted(item);
	const result = notSent ?? (await operate(item));
	if (!result.ok) {
		halt(item, result);
		return result;
	}
	const resources = result.value.resources.map((resource) => forOutput(item, resource));
	const warnings = [result.value.warning, item.warning].filter((one) => one !== undefined);
	const warning = warnings.length > 0 ? warnings.join('. ') : undefined;
	return ok({ ...result.value, resources, warning });
}

/** What an error says of an item, as far as it could be opened. */
function ofItem(item: Item): Partial<ErrorContext> {
	const states = statesOf(item).map(([, state]) => state);
	return {
		idempotency: item.settings.idempotency,
		mode: item.origin.mode,
		jobIds: states.flatMap((state) => ('job' in state ? [state.job.id] : [])),
		outcomeUnknown: states.some(isOutcomeOpen),
	};
}

async function runItem(
	context: IExecutePaginationFunctions,
	options: IHttpRequestOptions,
	spec: OperationSpec,
	labels: Labels,
	run: Run,
	prepared: Result<Prepared>,
): Promise<INodeExecutionData[]> {
	if (!context.continueOnFail() && prepared.ok && run.isRejected) return [];
	const opened = prepared.ok
		? await openItem(context, options, spec, run, prepared.value)
		: prepared;
	if (!opened.ok) return failItem(context, spec, labels, run, opened, opened);
	const { settings, request } = opened.value;
	const result = settings.isTool
		? await answerInTime(opened.value, runOperation)
		: await runOperation(opened.value);
	if (!result.ok) return failItem(context, spec, labels, run, opened, result);
	const { includeInputFields, isTool, resultField = '' } = settings;
	// An agent has written the input itself.
	const isWanted = includeInputFields && !isTool;
	const row = isWanted ? { json: context.getInputData().json, resultField } : undefined;
	const asked = spec.creates ? request : undefined;
	return itemsOf(result.value, settings, { item: context.getItemIndex(), row, request: asked });
}

/** An item that has failed: a failed row, or the error of the run. */
function failItem(
	context: IExecutePaginationFunctions,
	spec: OperationSpec,
	labels: Labels,
	run: Run,
	opened: Result<Item>,
	failed: Failed,
): INodeExecutionData[] {
	const itemIndex = context.getItemIndex();
	const known: ErrorContext = {
		endpoint: spec.endpoint,
		object: spec.object,
		creates: spec.creates ?? false,
		charges: spec.charges ?? false,
		labels,
		itemIndex,
		items: run.total,
		...(opened.ok && ofItem(opened.value)),
	};
	const becomesItem = opened.ok && becomesErrorItem(failed, opened.value.settings);
	if (context.continueOnFail() || becomesItem) {
		run.undelivered.add(itemIndex);
		return [failedItem(context, opened, failed, known)];
	}
	if (!isReported(run, failed, itemIndex)) return [];
	throw reportedError(context.getNode(), run, failed, known);
}

/** Creating an error takes a stack trace, so with thousands of failures only the item that n8n reports does. */
function isReported(run: Run, failed: Failed, itemIndex: number): boolean {
	// An item that was not sent leaves it to the one that halted the run; a call of a tool may end with
	// what halted the call before it.
	const isOwn = failed.failure.kind !== 'skipped' || run.total === 1;
	return isOwn && run.reportsErrorOf(itemIndex);
}

/** The error of the run; what the other items came to is added once they have ended. */
function reportedError(node: INode, run: Run, failed: Failed, known: ErrorContext) {
	const { submitted, invalid } = run;
	const error = nodeError(node, failed, { ...known, submitted, invalid });
	const complete = () => completeError(error, failed, known, run);
	run.addError({ thrownBy: known.itemIndex, complete });
	return error;
}

/** A failed row, in the shape that n8n needs for what is set under _On Error_. */
function failedItem(
	context: IExecutePaginationFunctions,
	opened: Result<Item>,
	failed: Failed,
	known: ErrorContext,
): INodeExecutionData {
	const node = context.getNode();
	const { itemIndex } = known;
	const ofRow = { ...known, isRow: true };
	// n8n runs the node again if the first item has an `error` in its json (Retry On Fail). Without keys that would be
	// paid for again.
	if (node.retryOnFail && itemIndex === 0 && ofRow.idempotency === 'none')
		return { json: {}, error: nodeError(node, failed, ofRow), pairedItem: { item: itemIndex } };
	const details = detailsOf(failed, ofRow);
	if (node.onError === 'continueErrorOutput')
		return errorOutputItem(nodeError(node, failed, ofRow), details, itemIndex);
	const settings = opened.ok ? opened.value.settings : undefined;
	const ofSettings = settings?.includeInputFields ? settings.resultField : undefined;
	const source = {
		item: itemIndex,
		json: context.getInputData().json,
		resultField: ofSettings ?? failed.resultField,
		resource: runOfRow(failed),
	};
	return errorRow(describeFailure(failed, ofRow), details, source);
}

/** Also of a run that failed before it created anything: with it n8n loses the earlier rounds of a loop. */
function noteDeliveries(context: IExecutePaginationFunctions, run: Run): void {
	const { node } = locationOf(run, context);
	const signal = context.getExecutionCancelSignal();
	run.noteDeliveries(openRequestsOf(node), context.getExecutionId() ?? '', signal);
}

/**
 * The runner: n8n's routing engine calls it for each item (as the pagination function of the node), once the requests
 * of all are checked, or with its batching option those of the items so far. Here an item begins and ends: what it needs is put together, its operation is run, and what comes of
 * it becomes items of n8n, a failed row or an error.
 *
 * Without Continue On Fail, n8n throws the error of the first item that rejects and sets that item's index on it. So
 * items without an error of their own return nothing, and the one with an error is reported.
 *
 * @param labels those of its fields, by the names of these fields in the API
 */
export function runner(spec: OperationSpec, labels: Labels = {}) {
	return async function (
		this: IExecutePaginationFunctions,
		{ options }: DeclarativeRestApiSettings.ResultOptions,
	): Promise<INodeExecutionData[]> {
		const run = currentRun(this);
		const prepared = run?.beginItem(this.getItemIndex());
		if (!run || !prepared) return [];
		let hasResult = false;
		try {
			// Of n8n's request only how it is sent, such as a proxy: what is sent was prepared.
			const sending = options as IHttpRequestOptions;
			const items = await runItem(this, sending, spec, labels, run, prepared);
			hasResult = true;
			return items;
		} finally {
			run.endItem(!hasResult);
			if (spec.creates && run.hasEnded) noteDeliveries(this, run);
		}
	};
}
