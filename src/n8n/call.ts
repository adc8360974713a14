import type {
	IAllExecuteFunctions,
	IBinaryData,
	ICredentialDataDecryptedObject,
	IDataObject,
	IExecuteFunctions,
	IExecutePaginationFunctions,
	IGetNodeParameterOptions,
	IBinaryKeyData,
	INode,
	INodeExecutionData,
	NodeExecutionHint,
	ITaskDataConnections,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import { BoundedMap } from '../base/boundedMap';
import { systemClock } from '../base/clock';
import { shortHash } from '../base/hash';
import { DAY_MS } from '../base/times';
import { isRecord, type Json } from '../base/types';
import { inOrder } from '../base/values';
import { hasEnded } from '../creation/memory';
import { CREDENTIAL } from '../transport/credential';
import { filesOf, readFiles, type ExecutionFile, type ExecutionFiles } from './executionFiles';

/*
 * What n8n gives to one run of a node, by whichever door it comes in, with a stated value where n8n gives
 * none. Whoever runs an operation knows n8n by this and by nothing else.
 */

/** One item of the input. */
export interface Input {
	/** As n8n numbers it. */
	index: number;
	json: IDataObject;
	binary: IBinaryKeyData;
	/** By the name of their field, wherever n8n keeps them. */
	files: Record<string, IBinaryData>;
}

/** "Request Options" of a declarative node, which n8n adds and only its routing engine would read. */
export interface NodeRequestOptions {
	batching?: { batch?: { batchSize?: unknown; batchInterval?: unknown } };
	proxy?: string;
	timeout?: number;
	allowUnauthorizedCerts?: boolean;
}

type ReadParameter = (
	name: string,
	fallback?: unknown,
	options?: IGetNodeParameterOptions,
) => unknown;

/** What an expression gets of another node by `$('Name')`. */
type OutputOf = (node: string) => { all(): INodeExecutionData[] };

export interface NodeCall {
	functions: IAllExecuteFunctions;
	node: INode;
	inputs: readonly Input[];
	/** Whether an AI agent reads the answer. */
	isTool: boolean;
	/** Whether n8n runs the tool from within another node, and the input is the arguments of one call. */
	isNested: boolean;
	continuesOnFail: boolean;
	mode: WorkflowExecuteMode;
	/** Empty outside of an execution. */
	executionId: string;
	/** Of the workflow; the credential where there is no workflow. */
	workflow: string;
	/** Workflow and node; the kind of node where there is no workflow. */
	place: string;
	/** The credential that the node has. */
	credentialId: string;
	/** A hash of what the trigger has given to the execution: the same in a retry of one that was stopped. */
	order(): string;
	runIndex: number;
	timezone: string;
	signal: AbortSignal | undefined;
	/** What n8n keeps of this node over the tries of an execution. */
	nodeMemory: IDataObject;
	/** What n8n keeps for all nodes of an execution. */
	executionMemory: IDataObject;
	/** A parameter of the node for an item, evaluated. */
	parameter(index: number, name: string, fallback?: unknown): unknown;
	evaluate(index: number, expression: string): unknown;
	/** Where n8n takes calls from outside; `undefined` where it does not say. */
	webhookAddress(index: number): string | undefined;
	/** The file that an expression has given, if it is one of this execution. */
	findFile(given: Json): ExecutionFile | undefined;
	credential(index: number): Promise<ICredentialDataDecryptedObject>;
	/** One sentence above the output; nowhere where n8n shows none. */
	addHint(hint: NodeExecutionHint): void;
	/**
	 * A link for a day to a file that n8n has stored. Only where it is of no workflow: n8n lets nobody have
	 * it by its id then.
	 */
	linkTo?: (file: IBinaryData) => string | undefined;
}

/** Whether something is a file: a binary field that a Code node has left empty is none. */
const hasContent = (file: unknown): boolean =>
	isRecord(file) && (typeof file.id === 'string' || typeof file.data === 'string');

/**
 * The one place in which an item is read: older nodes and the Code node may leave out what an item consists
 * of.
 */
function inputOf(index: number, item: unknown, isCombined: boolean): Input {
	const { json: given, binary: fields }: Json = isRecord(item) ? item : {};
	const json = isRecord(given) ? (given as IDataObject) : {};
	const files = Object.entries(isRecord(fields) ? fields : {}).filter(([, file]) =>
		hasContent(file),
	);
	const binary = Object.fromEntries(files) as IBinaryKeyData;
	return { index, json, binary, files: isCombined ? filesOf({ json, binary }) : binary };
}

/** Whether there is nothing in it for n8n to evaluate. */
function needsNoEvaluation(raw: unknown): boolean {
	if (typeof raw === 'string') return !raw.startsWith('=');
	return typeof raw !== 'object' || raw === null || Object.values(raw).every(needsNoEvaluation);
}

/** n8n gets ready to evaluate each parameter that it is asked for: so most are read as they are stored. */
function readParameter(read: ReadParameter, name: string, fallback: unknown): unknown {
	const raw = read(name, fallback, { rawExpressions: true });
	return needsNoEvaluation(raw) ? raw : read(name, fallback);
}

/** The value that n8n gives, or the one that is stated for where it has none and throws. */
function orElse<T, Other>(give: () => T, otherwise: Other): T | Other {
	try {
		return give();
	} catch {
		return otherwise;
	}
}

/**
 * Where n8n runs a node without an execution (its own Agents), nothing of a call is the same in the next one
 * but the credential, the parameters as they are stored and the arguments. So the memory of a call is kept by
 * these, in this process, until it has ended well: the same call is a new one then, and
 * after a day, when its keys are over.
 */
const withoutExecution = new BoundedMap<string, { memory: IDataObject; since: number }>(1_000);

function memoryOfCall(place: string, { parameters }: INode, inputs: readonly Input[]) {
	const call = shortHash(inOrder([place, parameters, inputs.map(({ json }) => json)]));
	const now = systemClock.monotonic();
	const known = withoutExecution.get(call);
	if (known && now - known.since < DAY_MS && !hasEnded(known.memory)) return known.memory;
	const memory: IDataObject = {};
	withoutExecution.set(call, { memory, since: now });
	return memory;
}

/** A hash of the data of the node that the execution has started with, of those that lead to this one. */
function orderOf(context: IExecuteFunctions | IExecutePaginationFunctions): string {
	const { $: outputOf } = context.getWorkflowDataProxy(0) as unknown as { $: OutputOf };
	const parents = context.getParentNodes(context.getNode().name);
	const started = parents.filter(({ name }) => context.getParentNodes(name).length === 0);
	// One that was not executed has no output.
	const given = started.map(({ name }) => orElse(() => outputOf(name).all(), []));
	return shortHash(JSON.stringify(given.flat().map(({ json }) => json)));
}

/** n8n names the address in one place only: in the link by which an execution that waits goes on. */
function webhookAddressOf(
	context: IExecuteFunctions | IExecutePaginationFunctions,
	index: number,
): string | undefined {
	const link = context.evaluateExpression('{{ $execution.resumeUrl }}', index);
	return typeof link === 'string' ? new URL(link).origin : undefined;
}

/** Several credentials may hold one key, each with its own limits. */
export const credentialIdOf = ({
	credentials,
}: {
	credentials?: Record<string, { id: string | null }>;
}): string => credentials?.[CREDENTIAL]?.id ?? '';

/** What is the same for all items, by whichever door n8n comes in. */
function ofNode(
	context: IExecuteFunctions | IExecutePaginationFunctions,
	inputs: readonly Input[],
	isCombined: boolean,
) {
	const node = context.getNode();
	const { id: workflowId } = context.getWorkflow();
	const mode = context.getMode();
	const credentialId = credentialIdOf(node);
	const workflow = workflowId ?? credentialId;
	const place = `${workflow}/${workflowId === undefined ? node.type : node.id}`;
	let order: string | undefined;
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
		place,
		credentialId,
		order() {
			order ??= orElse(() => orderOf(context), '');
			return order;
		},
		timezone: orElse(() => context.getTimezone(), 'UTC'),
		signal: context.getExecutionCancelSignal(),
		nodeMemory:
			orElse(() => context.getContext('node'), undefined) ?? memoryOfCall(place, node, inputs),
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

/** Which run of the node in its execution it is. n8n gives it to expressions only. */
const runIndexOf = (context: IExecuteFunctions | IExecutePaginationFunctions, index: number) =>
	orElse(() => Number(context.getWorkflowDataProxy(index).$runIndex), 0);

/** Older versions of n8n have neither the mode nor the function. */
const isCombined = (context: IExecuteFunctions | IExecutePaginationFunctions): boolean =>
	(context as Partial<IExecuteFunctions>).getWorkflowSettings?.call(context).binaryMode ===
	'combined';

/** A run of the node in a workflow, with all of its items. */
export function callOf(context: IExecuteFunctions): NodeCall {
	const combined = isCombined(context);
	const ofItem =
		(index: number): ReadParameter =>
		(name, fallback, options) =>
			context.getNodeParameter(name, index, fallback, options);
	const inputs = context.getInputData().map((item, index) => inputOf(index, item, combined));
	return {
		...ofNode(context, inputs, combined),
		inputs,
		isNested: false,
		runIndex: runIndexOf(context, 0),
		parameter: (index, name, fallback) => readParameter(ofItem(index), name, fallback),
		credential: async (index) => await context.getCredentials(CREDENTIAL, index),
		// Older versions of n8n have no such function.
		addHint: (hint) => (context as Partial<IExecuteFunctions>).addExecutionHints?.(hint),
	};
}

/** One item, where n8n's routing engine runs the node: a call of it as a tool from within another node. */
export function callOfOne(context: IExecutePaginationFunctions): NodeCall {
	const index = context.getItemIndex();
	const { inputData } = context as { inputData?: ITaskDataConnections };
	const { main, ai_tool: tool } = inputData ?? context.getExecuteData().data;
	const item = (main ?? tool)?.[0]?.[index];
	const combined = isCombined(context);
	const read: ReadParameter = (name, fallback, options) =>
		context.getNodeParameter(name, fallback, options);
	const inputs = [inputOf(index, item, combined)];
	const ofCall = ofNode(context, inputs, combined);
	const isNested = main === undefined;
	return {
		...ofCall,
		inputs,
		isNested,
		// Agents up to version 2 tell their model nothing of what is thrown. n8n itself tries again what is
		// thrown only.
		continuesOnFail: ofCall.continuesOnFail || (isNested && ofCall.node.retryOnFail !== true),
		runIndex: runIndexOf(context, index),
		parameter: (_, name, fallback) => readParameter(read, name, fallback),
		credential: async () => await context.getCredentials(CREDENTIAL),
		addHint: () => {},
	};
}
