import type {
	DeclarativeRestApiSettings,
	IExecutePaginationFunctions,
	IExecuteSingleFunctions,
	IHttpRequestOptions,
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
} from '../service/credential';
import { n8nHost } from '../service/n8n';
import { isAnswerOfService } from '../service/statuses';
import { isLocalService } from '../service/urls';
import { readerOf } from '../service/jobState';
import { workspaceOf } from '../service/workspace';
import type { Batch } from './run';
import { referencesIn } from './uploads';
import { becomesErrorItem, executionCredits } from './credits';
import {
	completeError,
	describeFailure,
	detailsOf,
	nodeError,
	type ErrorContext,
	type Labels,
} from './errors';
import type { Item, OperationSpec, Outcome, Prepared } from './item';
import { isOutcomeOpen, nodeMemory, statesOf } from './state';
import { identify } from './identity';
import { batchOf, itemContext } from './nodeInput';
import { runOperation } from './operations';
import { errorOutputItem, errorRow, itemsOf } from './output';
import { answerInTime } from './toolAnswer';

/** All scopes that an item will need, so that none turns out to be missing once something is paid for. */
function scopesNeeded(spec: OperationSpec, { request, settings }: Prepared): Scope[] {
	const { endpoint, output, object = '', creates } = spec;
	const waits = output === 'job' && creates && settings.waitForCompletion;
	return [
		endpoint.scope,
		waits ? readerOf(object).scope : undefined,
		referencesIn(request.body).length > 0 ? ENDPOINTS.createFile.scope : undefined,
	].filter((scope) => scope !== undefined);
}

/** Which run of which node. Slow to get from n8n. */
function locateRun(context: IExecuteSingleFunctions): { runIndex: number; node: string } {
	const { $runIndex: runIndex } = context.getWorkflowDataProxy(context.getItemIndex());
	const { id: workflowId } = context.getWorkflow();
	return { runIndex: Number(runIndex), node: `${workflowId ?? ''}/${context.getNode().id}` };
}

/** Puts together all that an item needs. Fails if the credential shows that the operation is impossible. */
async function openItem(
	context: IExecuteSingleFunctions,
	options: IHttpRequestOptions,
	spec: OperationSpec,
	batch: Batch,
	prepared: Prepared,
): Promise<Result<Item>> {
	const unusable = (name: string, problem: string) =>
		fail({ kind: 'input', field: `${name} of the credential`, problem });
	const credential = await context.getCredentials(CREDENTIAL);
	const read = readCredential(credential);
	if (read.problem !== undefined) return unusable(read.field, read.problem);
	const { baseUrl, apiKey: key } = read;
	const isLocal = isLocalService(baseUrl);
	batch.locateService(isLocal);
	// By itself as well: in a run in portions it was not there yet, and expressions may give each
	// item another service.
	if (prepared.unlessLocal && !isLocal) return prepared.unlessLocal;
	const excluded = excludedScope(credential, scopesNeeded(spec, prepared));
	if (excluded) return fail({ kind: 'scope', scope: excluded });

	const itemIndex = context.getItemIndex();
	const location = (batch.location ??= locateRun(context));
	const node = nodeMemory(context.getContext('node'));
	const { item, memory, inputFingerprint } = identify(context, spec, batch, node);
	const credentialId = credentialIdOf(context.getNode());
	const workspace = workspaceOf(baseUrl, key, rateLimitsOf(credential), credentialId);
	// Without n8n's list of domains, which was made for another address: `authenticate` keeps the key
	// to the base URL.
	const { responseTimeoutMs } = spec;
	const toService = { ...options, baseURL: baseUrl, allowedDomains: undefined };
	const host = n8nHost({ ...itemContext(context), responseTimeoutMs }, toService, key);
	const { send } = host.channel;
	const noting: typeof send = async (request) => {
		const sentAt = workspace.clock.monotonic();
		const result = await send(request);
		batch.noteAnswer(isAnswerOfService(result), sentAt, workspace.clock);
		return result;
	};
	const opened: Item = {
		...prepared,
		spec,
		batch,
		itemIndex,
		host: { ...host, channel: { ...host.channel, send: noting } },
		workspace,
		memory,
		node,
		credits: executionCredits(context.getContext('flow')),
		inputFingerprint,
		origin: {
			runId: node.runId,
			item,
			node: location.node,
			executionId: context.getExecutionId() ?? '',
			isManual: context.getMode() === 'manual',
		},
	};
	// Named by the error too if the run is halted before they are read again, or if they cannot be read.
	for (const [part, state] of statesOf(opened)) {
		if (!('job' in state)) continue;
		batch.addJob(itemIndex, { id: state.job.id, status: 'from an earlier try' }, part);
	}
	return ok(opened);
}

/** Runs the operation of an item. Another item of the run may have turned out to be invalid meanwhile. */
function runOpened(item: Item): Promise<Result<Outcome>> {
	const rejected = item.batch.rejectionOf(item.itemIndex);
	if (rejected) return Promise.resolve(rejected);
	return item.settings.isTool ? answerInTime(item, runOperation) : runOperation(item);
}

/** What an error says of an item, as far as it could be opened. */
function ofItem(item: Item): Partial<ErrorContext> {
	const states = statesOf(item).map(([, state]) => state);
	return {
		idempotency: item.settings.idempotency,
		isManual: item.origin.isManual,
		jobIds: states.flatMap((state) => ('job' in state ? [state.job.id] : [])),
		outcomeUnknown: states.some(isOutcomeOpen),
	};
}

async function runItem(
	context: IExecutePaginationFunctions,
	options: IHttpRequestOptions,
	spec: OperationSpec,
	labels: Labels,
	batch: Batch,
	prepared: Result<Prepared>,
): Promise<INodeExecutionData[]> {
	const itemIndex = context.getItemIndex();
	const continuesOnFail = context.continueOnFail();
	if (!continuesOnFail && prepared.ok && batch.isRejected) return [];

	const opened = prepared.ok
		? ((await batch.opening.run({ fairnessKey: '' }, async () => {
				return await openItem(context, options, spec, batch, prepared.value);
			})) ?? fail({ kind: 'cancelled' }))
		: prepared;
	const result = opened.ok ? await runOpened(opened.value) : opened;
	if (result.ok && opened.ok) {
		const { settings, request } = opened.value;
		const row = settings.includeInputFields ? context.getInputData().json : undefined;
		const asked = spec.creates && !settings.dryRun ? request : undefined;
		return itemsOf(result.value, settings, { item: itemIndex, row, request: asked });
	}

	const failed = result as Failed;
	const node = context.getNode();
	const { endpoint, object, creates = false, charges = false } = spec;
	const known: ErrorContext = {
		...{ endpoint, object, creates, charges, labels, itemIndex, items: batch.total },
		...(opened.ok && ofItem(opened.value)),
	};
	const becomesItem = opened.ok && becomesErrorItem(failed, opened.value.settings);
	if (!continuesOnFail && !becomesItem) {
		// An error takes a stack trace; when thousands of items fail at once, n8n would stand still. So only where n8n needs one.
		// An item that was not sent leaves it to the one that halted the run; silence is nobody's, and a
		// call of a tool may end with what halted the call before it.
		const isOwn = failed.failure.kind !== 'skipped' || batch.isSilent || batch.total === 1;
		const isReported = isOwn && batch.reportsErrorOf(itemIndex);
		if (!isReported) return [];
		const { submitted, invalid } = batch;
		const error = nodeError(node, failed, { ...known, submitted, invalid });
		const complete = () => completeError(error, failed, known, batch);
		batch.addError({ thrownBy: itemIndex, complete });
		throw error;
	}
	batch.failedRows.add(itemIndex);
	const ofRow = { ...known, isRow: true };
	// n8n runs the node again if the first item has an `error` in its json (Retry On Fail). Without keys that would be
	// paid for again.
	if (node.retryOnFail && itemIndex === 0 && ofRow.idempotency === 'none')
		return [{ json: {}, error: nodeError(node, failed, ofRow), pairedItem: { item: itemIndex } }];
	const details = detailsOf(failed, ofRow);
	return node.onError === 'continueErrorOutput'
		? [errorOutputItem(nodeError(node, failed, ofRow), details, itemIndex)]
		: [errorRow(describeFailure(failed, ofRow), details, itemIndex, context.getInputData().json)];
}

/** What n8n keeps of one value, in characters. */
const MAX_CHARACTERS = 512;

/** Older versions of n8n do not have it, and its type is not public. */
interface CustomData {
	get(name: string): string | undefined;
	set(name: string, value: string): void;
}

/**
 * Shows in the highlighted data of the execution what it has reserved and which jobs it has, so
 * that an id found at the service leads to its execution. Once for each run of a node: n8n writes a
 * line into its log for each long value.
 */
function highlightJobs(context: IExecuteSingleFunctions, { made }: Batch): void {
	const ids = made.map(({ job }) => job.id);
	const { customData } = context as unknown as { customData?: CustomData };
	if (!customData || ids.length === 0) return;
	try {
		const { reserved } = executionCredits(context.getContext('flow'));
		customData.set('mediagenCredits', String(reserved));
		const known = customData.get('mediagenJobs')?.split(',') ?? [];
		const all = [...new Set([...known, ...ids])].slice(0, MAX_CHARACTERS);
		// Whole ids only, so that the last one can be searched for as well.
		while (all.join().length > MAX_CHARACTERS) all.pop();
		customData.set('mediagenJobs', all.join());
	} catch {
		// It is only shown to people; no job fails because of it.
	}
}

/**
 * The runner: n8n's routing engine passes it the finished request of an item (as the pagination function of the node).
 * Everything after that happens here: gate, key, retries, paging, waiting, download and error handling.
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
		const itemIndex = this.getItemIndex();
		const batch = batchOf(this);
		const prepared = batch?.beginItem(itemIndex);
		if (!batch || !prepared) return [];
		try {
			const request = options as IHttpRequestOptions;
			return await runItem(this, request, spec, labels, batch, prepared);
		} finally {
			batch.endItem(itemIndex);
			if (batch.hasEnded) {
				highlightJobs(this, batch);
				batch.noteDeliveries();
			}
		}
	};
}
