import type { IBinaryData, IExecuteSingleFunctions } from 'n8n-workflow';
import type { Batch } from './batch';
import { shortHash } from './idempotency';
import { claimCall, freshMemory, itemMemory, type Claim, type NodeMemory } from './itemMemory';
import { inputItems, isTool } from '../host/nodeInput';
import type { OperationSpec } from './item';
import { isRecord } from '../base/types';

function valueAt(values: unknown, path: string[]): unknown {
	let value = values;
	for (const name of path) value = isRecord(value) ? value[name] : undefined;
	return value;
}

/** Unevaluated, as the workflow has them: an expression that gives another value each time stays the same. */
function unevaluated(context: IExecuteSingleFunctions, { parameters = [] }: OperationSpec): string {
	const given = context.getNode().parameters;
	const names = ['resource', 'operation', ...parameters, 'options.idempotencyKey'];
	return shortHash(JSON.stringify(names.map((name) => valueAt(given, name.split('.')) ?? null)));
}

/** The input item, files by where n8n keeps them. */
function inputOf(context: IExecuteSingleFunctions): string {
	const { json, binary = {} } = inputItems(context)[context.getItemIndex()] ?? { json: {} };
	const files = Object.entries<IBinaryData>(binary).map(([field, { id, data }]) => [
		field,
		id ?? shortHash(data),
	]);
	// The id of a call is not shared by another one that asks for the same.
	const own = isTool(context) ? { ...json, toolCallId: undefined } : json;
	return JSON.stringify([own, files]);
}

/** Who an item is within the memory of its node. */
export interface Identity extends Pick<Claim, 'item' | 'memory'> {
	/** Fingerprint of what the user can change: the unevaluated parameters and the input item. */
	source: string;
	/** Of a tool call: to be called when it has ended. */
	release?: Claim['release'];
}

/**
 * The memory of an item. In a workflow its place identifies it: n8n keeps run index and item index over Retry On Fail and Retry
 * Execution. As a tool of an AI agent it does not, so the content of the call does: see `claimCall`.
 */
export function identify(
	context: IExecuteSingleFunctions,
	spec: OperationSpec,
	batch: Batch,
	memory: NodeMemory,
): Identity {
	const item = `${batch.runLocation?.runIndex ?? 0}:${context.getItemIndex()}`;
	// What creates nothing leaves nothing to remember.
	if (spec.endpoint.method !== 'POST') return { source: '', item, memory: freshMemory() };
	const parameters = (batch.parameters ??= unevaluated(context, spec));
	const source = shortHash(`${parameters}\n${inputOf(context)}`);
	if (isTool(context)) {
		return { source, ...claimCall(memory, source, context.getExecutionId() ?? '') };
	}
	return { source, item, memory: itemMemory(memory, item) };
}
