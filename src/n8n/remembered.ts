import { systemClock } from '../base/clock';
import { shortHash } from '../base/hash';
import { BoundedMap } from '../base/maps';
import { DAY_MS } from '../base/times';
import type { ApiRequest } from '../base/types';
import { canonicalJson, valueAt, withoutInstances } from '../base/values';
import { ExecutionSum } from '../creation/credits/ledger';
import {
	hasEnded,
	itemMemory,
	newMemory,
	nodeMemoryIn,
	type ItemMemory,
	type NodeMemory,
} from '../creation/idempotency/itemState';
import {
	lostRequestsOf,
	type LostOfWorkflow,
	type LostRequests,
	type Requester,
} from '../creation/idempotency/lostRequests';
import type { OperationSpec } from '../creation/operationSpec';
import { BinaryReference } from '../files/localFile';
import type { Input, NodeCall } from './nodeCall';
import { placeOfToolCall, readsOtherNode } from './tool';
import { randomUUID } from 'crypto';

/*
 * What earlier runs and executions have left for a run of the node, and by what an item is known again: in a
 * workflow by its place, in a tool of an agent by its content.
 */

/** What earlier runs and executions have left for this run. */
export interface Remembered {
	nodeMemory: NodeMemory;
	/** What all nodes of the execution have reserved. */
	executionSum: ExecutionSum;
	/** All that executions of this workflow have lost. */
	ofWorkflow: LostOfWorkflow;
	/** The part of that in which this execution looks. */
	lost: LostRequests;
	/** Whether an item goes on with what a former execution has lost. */
	mayResumeLost: boolean;
	requester: Requester;
	/** A hash of the parameters as the workflow stores them. */
	parametersHash: string;
}

/**
 * n8n's own Agents run a node without an execution. Two calls of theirs have nothing in common but the
 * credential, the stored parameters and the arguments. So the memory of a call is kept in this process under
 * these, until the call has ended well: the same call is a new one then. After a day its keys are over, and
 * so is its memory.
 */
const withoutExecution = new BoundedMap<string, { memory: Record<string, unknown>; since: number }>(
	1_000,
);

function memoryOfCall({ fullNodeId, node, inputs }: NodeCall): Record<string, unknown> {
	const call = shortHash(
		canonicalJson([fullNodeId, node.parameters, inputs.map(({ json }) => json)]),
	);
	const now = systemClock.monotonic();
	const earlier = withoutExecution.get(call);
	if (earlier && now - earlier.since < DAY_MS && !hasEnded(earlier.memory)) return earlier.memory;
	const memory: Record<string, unknown> = {};
	withoutExecution.set(call, { memory, since: now });
	return memory;
}

/** An execution with its retries. */
interface Order {
	id: string;
	/** The execution that it began with. */
	startedIn: string;
}

/**
 * The order of an execution. It is in the flow context, because a retry may begin with a node that its
 * execution had not come to.
 */
function orderIn(flow: Record<string, unknown>, execution: string): Order {
	flow.mediaGenOrder ??= { id: randomUUID(), startedIn: execution };
	return flow.mediaGenOrder as Order;
}

/** What earlier runs and executions have left, as far as this process knows. */
export function rememberedBy(call: NodeCall, spec: OperationSpec): Remembered {
	const {
		executionId: execution,
		fullNodeId,
		credentialId: credential,
		mode,
		startDataHash,
	} = call;
	const requester = {
		execution,
		isManual: mode === 'manual',
		nodeId: fullNodeId,
		credential,
		startDataHash,
	};
	const parametersHash = parametersHashOf(call, spec);
	const context = call.nodeContext ?? memoryOfCall(call);
	const nodeMemory = nodeMemoryIn(context, execution, mode === 'retry');
	const ofWorkflow = lostRequestsOf(call.workflow);
	const lost = ofWorkflow.poolOf(requester);
	const order = orderIn(call.executionMemory, execution);
	const executionSum = new ExecutionSum(call.executionMemory, lost.orders.sumOf(order.id));
	if (order.startedIn !== execution) lost.orders.noteSum(order.id, executionSum);
	return {
		nodeMemory,
		executionSum,
		ofWorkflow,
		lost,
		// Where n8n gives no memory of the former execution: in the editor, and in a retry of one that was
		// stopped.
		mayResumeLost: ['manual', 'retry'].includes(mode) && nodeMemory.startedIn === execution,
		requester,
		parametersHash,
	};
}

/**
 * A hash of the parameters as the workflow stores them. They are not evaluated, so that an expression which
 * gives another value each time stays the same.
 */
function parametersHashOf(
	{ node: { parameters: values } }: NodeCall,
	{ parameters = [] }: OperationSpec,
): string {
	const names = ['resource', 'operation', ...parameters, 'options.idempotencyKey'];
	return shortHash(JSON.stringify(names.map((name) => valueAt(values, name.split('.')) ?? null)));
}

/** What is remembered of an item, and by what it was found. */
interface FoundMemory {
	/** Its place, `run:item`; of a tool call, its content. */
	place: string;
	memory: ItemMemory;
	/** What the user controls: the unevaluated parameters and the input item. */
	userInputHash: string;
}

/**
 * Finds the memory of an item: in a workflow by the run index and the item index, because both stay the same
 * with Retry On Fail and Retry Execution. In a tool of an AI agent they do not: see `placeOfToolCall`.
 */
export function findMemory(
	call: NodeCall,
	spec: OperationSpec,
	{ nodeMemory, parametersHash }: Remembered,
	input: Input,
	request: ApiRequest,
): FoundMemory {
	const place = `${call.runIndex}:${input.index}`;
	// An operation that creates nothing has nothing to remember.
	if (!spec.creates && spec.output !== 'file')
		return { place, memory: newMemory(), userInputHash: '' };
	const { isTool } = call;
	const userInputHash = shortHash(`${parametersHash}\n${inputText(input, isTool)}`);
	if (!isTool) return { place, memory: itemMemory(nodeMemory, place), userInputHash };
	const read = readsOtherNode(call, spec) ? storedRequestHashOf(input, request) : '';
	const content = shortHash(`${userInputHash}\n${read}`);
	const placeOfCall = placeOfToolCall(nodeMemory, content, call.executionId);
	return { place: placeOfCall, memory: itemMemory(nodeMemory, placeOfCall), userInputHash };
}

/** A hash of a request in which each file is named by where n8n stores it, or else by its content. */
export function storedRequestHashOf({ files }: Input, { path, body }: ApiRequest): string {
	const named = withoutInstances(body, BinaryReference, ({ field, file = files[field] }) => {
		return file && (file.id ?? shortHash(file.data));
	});
	return shortHash(JSON.stringify([path, named]));
}

/** The input item as text, in which each file is named by where n8n stores it. */
function inputText({ json, binary }: Input, isTool: boolean): string {
	const files = Object.entries(binary).map(([field, { id, data }]) => [
		field,
		id ?? shortHash(data),
	]);
	if (!isTool) return JSON.stringify([json, files]);
	// Equal calls have different ids, and an agent may name the arguments in another order.
	return canonicalJson([{ ...json, toolCallId: undefined }, files]);
}
