import {
	NodeOperationError,
	type IBinaryData,
	type IDataObject,
	type IExecuteFunctions,
	type IExecutePaginationFunctions,
	type IGetNodeParameterOptions,
	type IBinaryKeyData,
	type INodeExecutionData,
	type INodeType,
	type ITaskDataConnections,
} from 'n8n-workflow';
import { getOrCreate } from '../base/maps';
import { shortHash } from '../base/hash';
import { quoted } from '../base/texts';
import { isRecord, type Json } from '../base/types';
import type { Operation } from '../fields/operation';
import { mappedFields } from '../fields/readFields';
import { CREDENTIAL } from '../transport/credential';
import { operationError } from './output/errors';
import { rowWithoutOperation } from './output/failedRows';
import { filesOf, readFiles, type ExecutionFiles } from './executionFiles';
import { knownFieldsOf } from '../fields/guards';
import type { Input, NodeCall, Runnable, RunContext } from './nodeCall';
import type { NodeResource } from './properties';
import { runOperation } from './runOperation';

/*
 * The two doors by which n8n calls an operation, and what it gives at them; both lead to `runOperation`.
 *
 * - In a workflow n8n runs a node as a whole, by its `customOperations`.
 * - As a tool from within another node (agents up to version 2, sub-agents, MCP in queue mode, n8n's own
 *   Agents) n8n knows only its routing engine, which calls the `pagination` of the node for one item at a
 *   time.
 *
 * What n8n gives is a `NodeCall`, the same for both doors. Where n8n gives no value, the one that stands for
 * it is stated here. The rest of the code knows n8n's functions by this, and by `n8nHost.ts`.
 */

type CustomOperations = NonNullable<INodeType['customOperations']>;

/** What n8n calls in a workflow, by resource and operation. */
export function customOperations(resources: NodeResource[]): CustomOperations {
	const all = resources.flatMap(({ operations }) => operations);
	const runs: CustomOperations = {};
	for (const { value: resource, operations } of resources) {
		const ofResource: CustomOperations[string] = {};
		for (const operation of operations) {
			const ready = runnable(operation, all);
			const run = async function (this: IExecuteFunctions) {
				return [await runOperation(callOf(this), ready)];
			};
			ofResource[operation.value] = run;
		}
		runs[resource] = ofResource;
	}
	return runs;
}

/** What n8n's routing engine calls: it runs the chosen operation for one item. */
export function oneItem(resources: NodeResource[]) {
	const all = resources.flatMap(({ operations }) => operations);
	const runnables = new Map<object, Runnable>();
	return async function (this: IExecutePaginationFunctions): Promise<INodeExecutionData[]> {
		const call = callOfOne(this);
		const operation = chosenOperation(this, resources);
		if (operation instanceof NodeOperationError) {
			// n8n makes a row of what is thrown that does not say which item it belongs to.
			if (call.continuesOnFail) return [rowWithoutOperation(call, operation)];
			throw operation;
		}
		const ready = getOrCreate(runnables, operation, () => runnable(operation, all));
		return await runOperation(call, ready);
	};
}

/** The operation that is chosen in the node, or the error that there is none of that name. */
function chosenOperation(
	context: IExecutePaginationFunctions,
	resources: NodeResource[],
): Operation | NodeOperationError {
	const resource = chosenIn(context, 'resource', resources);
	if (resource instanceof NodeOperationError) return resource;
	return chosenIn(context, 'operation', resource.operations);
}

/**
 * The resource or operation that is chosen in the node. Stored parameters may name one that does not exist.
 */
function chosenIn<T extends { value: string }>(
	context: IExecutePaginationFunctions,
	what: string,
	all: T[],
): T | NodeOperationError {
	const chosen: unknown = context.getNodeParameter(what, '');
	const found = all.find(({ value }) => value === chosen);
	if (found) return found;
	const names = all.map(({ value }) => value).join(', ');
	return operationError(
		context.getNode(),
		`This node has no ${what} ${quoted(chosen)}; it has ${names}`,
		{
			itemIndex: context.getItemIndex(),
			description: `Choose the ${what} in the node again. Nothing was sent.`,
		},
	);
}

/**
 * Gets an operation ready to be run.
 * @param all all operations of its node
 */
export function runnable(operation: Operation, all = [operation]): Runnable {
	const mapped = mappedFields(operation.fields);
	const requested = mapped.filter(({ mapping }) => mapping.in !== 'setting');
	return {
		...operation,
		spec: { ...operation.spec, parameters: requested.map(({ parameter }) => parameter) },
		mapped,
		labels: Object.fromEntries(requested.map(({ mapping, label }) => [mapping.as, label])),
		knownFields: knownFieldsOf(all),
	};
}

/** The call of a node in a workflow, with all of its items. */
export function callOf(context: IExecuteFunctions): NodeCall {
	const combined = isCombined(context);
	const ofItem =
		(index: number): ReadParameter =>
		(name, fallback, options) =>
			context.getNodeParameter(name, index, fallback, options);
	const inputs = context.getInputData().map((item, index) => inputOf(index, item, combined));
	return {
		...ofNode(context, combined),
		inputs,
		isNested: false,
		runIndex: runIndexOf(context, 0),
		parameter: (index, name, fallback) => readParameter(ofItem(index), name, fallback),
		credential: async (index) => await context.getCredentials(CREDENTIAL, index),
		// Older versions of n8n have no such function.
		addHint: (hint) => (context as Partial<IExecuteFunctions>).addExecutionHints?.(hint),
	};
}

/** The call with a single item that n8n's routing engine makes for a tool within another node. */
export function callOfOne(context: IExecutePaginationFunctions): NodeCall {
	const index = context.getItemIndex();
	const { inputData } = context as { inputData?: ITaskDataConnections };
	const { main, ai_tool: tool } = inputData ?? context.getExecuteData().data;
	const item = (main ?? tool)?.[0]?.[index];
	const combined = isCombined(context);
	const read: ReadParameter = (name, fallback, options) =>
		context.getNodeParameter(name, fallback, options);
	const inputs = [inputOf(index, item, combined)];
	const ofCall = ofNode(context, combined);
	const isNested = main === undefined;
	return {
		...ofCall,
		inputs,
		isNested,
		// Agents up to version 2 tell their language model nothing of what is thrown, so a failure becomes a
		// row. But Retry On Fail tries again only what is thrown.
		continuesOnFail: ofCall.continuesOnFail || (isNested && ofCall.node.retryOnFail !== true),
		runIndex: runIndexOf(context, index),
		parameter: (_, name, fallback) => readParameter(read, name, fallback),
		credential: async () => await context.getCredentials(CREDENTIAL),
		addHint: () => {},
	};
}

/** The parts of a call that both doors have in common. */
function ofNode(context: RunContext, isCombined: boolean) {
	const node = context.getNode();
	const { id: workflowId } = context.getWorkflow();
	const mode = context.getMode();
	const credentialId = credentialIdOf(node);
	const workflow = workflowId ?? credentialId;
	const fullNodeId = `${workflow}/${workflowId === undefined ? node.type : node.id}`;
	let startData: string | undefined;
	let files: ExecutionFiles | undefined;
	const linkTo = (file: IBinaryData): string | undefined =>
		orElse(() => context.helpers.createBinarySignedUrl(file, '1 day'), undefined);
	return {
		functions: context,
		node,
		isTool: node.type.endsWith('Tool') || (mode as string) === 'internal',
		continuesOnFail: context.continueOnFail(),
		mode,
		executionId: context.getExecutionId() ?? '',
		workflow,
		fullNodeId,
		credentialId,
		startDataHash() {
			startData ??= orElse(() => startDataHashOf(context), '');
			return startData;
		},
		timezone: orElse(() => context.getTimezone(), 'UTC'),
		signal: context.getExecutionCancelSignal(),
		nodeContext: orElse(() => context.getContext('node'), undefined),
		executionMemory: orElse(() => context.getContext('flow'), {}),
		evaluate: (index: number, expression: string) => context.evaluateExpression(expression, index),
		linkTo: workflowId === undefined ? linkTo : undefined,
		webhookAddress: (index: number) => orElse(() => webhookAddressOf(context, index), undefined),
		findFile(given: Json) {
			files ??= readFiles(context, isCombined);
			return files.find(given);
		},
	};
}

/**
 * The id of the credential that a node has. Several credentials may hold the same key, each with limits of
 * its own.
 */
export const credentialIdOf = ({
	credentials,
}: {
	credentials?: Record<string, { id: string | null }>;
}): string => credentials?.[CREDENTIAL]?.id ?? '';

/**
 * Whether n8n keeps files in the json of an item. Older versions of n8n have neither that mode nor the
 * function.
 */
const isCombined = (context: RunContext): boolean =>
	(context as Partial<IExecuteFunctions>).getWorkflowSettings?.call(context).binaryMode ===
	'combined';

/** Whether something is a file. A Code node may have left a binary field empty. */
const hasContent = (file: unknown): boolean =>
	isRecord(file) && (typeof file.id === 'string' || typeof file.data === 'string');

/**
 * Reads an item, as nothing else does: older nodes and the Code node may leave out what an item consists of.
 */
function inputOf(index: number, item: unknown, isCombined: boolean): Input {
	const { json: itemJson, binary: fields }: Json = isRecord(item) ? item : {};
	const json = isRecord(itemJson) ? (itemJson as IDataObject) : {};
	const files = Object.entries(isRecord(fields) ? fields : {}).filter(([, file]) =>
		hasContent(file),
	);
	const binary = Object.fromEntries(files) as IBinaryKeyData;
	return { index, json, binary, files: isCombined ? filesOf({ json, binary }) : binary };
}

type ReadParameter = (
	name: string,
	fallback?: unknown,
	options?: IGetNodeParameterOptions,
) => unknown;

/** Whether a stored parameter has no expression in it. */
function needsNoEvaluation(raw: unknown): boolean {
	if (typeof raw === 'string') return !raw.startsWith('=');
	return typeof raw !== 'object' || raw === null || Object.values(raw).every(needsNoEvaluation);
}

/**
 * Reads a parameter as it is stored, and has it evaluated only where it has an expression: n8n takes long to
 * get ready for evaluating.
 */
function readParameter(read: ReadParameter, name: string, fallback: unknown): unknown {
	const raw = read(name, fallback, { rawExpressions: true });
	return needsNoEvaluation(raw) ? raw : read(name, fallback);
}

/** The number of this run of the node in its execution, which n8n tells only to expressions. */
const runIndexOf = (context: RunContext, index: number) =>
	orElse(() => Number(context.getWorkflowDataProxy(index).$runIndex), 0);

/** What an expression reads of another node by `$('Name')`. */
type OutputOf = (node: string) => { all(): INodeExecutionData[] };

/**
 * A hash of the data with which the execution has started: the output of those nodes before this one that
 * have none before them.
 */
function startDataHashOf(context: RunContext): string {
	const { $: outputOf } = context.getWorkflowDataProxy(0) as unknown as { $: OutputOf };
	const parents = context.getParentNodes(context.getNode().name);
	const started = parents.filter(({ name }) => context.getParentNodes(name).length === 0);
	// A node that was not executed has no output.
	const startData = started.map(({ name }) => orElse(() => outputOf(name).all(), []));
	return shortHash(JSON.stringify(startData.flat().map(({ json }) => json)));
}

/** n8n tells its address in one place only: in the link by which a waiting execution goes on. */
function webhookAddressOf(context: RunContext, index: number): string | undefined {
	const link = context.evaluateExpression('{{ $execution.resumeUrl }}', index);
	return typeof link === 'string' ? new URL(link).origin : undefined;
}

/** The value that n8n gives, or the one that stands for it where n8n throws because it has none. */
function orElse<T, Other>(give: () => T, otherwise: Other): T | Other {
	try {
		return give();
	} catch {
		return otherwise;
	}
}
