import type { IBinaryData, IExecuteSingleFunctions } from 'n8n-workflow';
import type { Batch } from './batch';
import { shortHash } from './idempotency';
import { claimCall, newMemory, itemMemory, type Claim, type NodeMemory } from './itemMemory';
import { inputItems, isTool } from './nodeInput';
import type { OperationSpec } from './item';
import { valueAt } from '../base/values';

/**
 * Unevaluated, as the workflow stores them: an expression that gives a new value each time stays
 * the same.
 */
function parametersFingerprint(
	context: IExecuteSingleFunctions,
	{ parameters = [] }: OperationSpec,
): string {
	const { parameters: values } = context.getNode();
	const names = ['resource', 'operation', ...parameters, 'options.idempotencyKey'];
	return shortHash(JSON.stringify(names.map((name) => valueAt(values, name.split('.')) ?? null)));
}

/** The input item as text, with files represented by where n8n stores them. */
function inputText(context: IExecuteSingleFunctions): string {
	const { json, binary = {} } = inputItems(context)[context.getItemIndex()] ?? { json: {} };
	const files = Object.entries<IBinaryData>(binary).map(([field, { id, data }]) => [
		field,
		id ?? shortHash(data),
	]);
	// The id differs between calls that are otherwise identical.
	const input = isTool(context) ? { ...json, toolCallId: undefined } : json;
	return JSON.stringify([input, files]);
}

/** Identifies an item within the memory of its node. */
export interface Identity extends Pick<Claim, 'item' | 'memory'> {
	/** Fingerprint of what the user controls: the unevaluated parameters and the input item. */
	inputFingerprint: string;
	/** Only for a tool call: to be called when it has ended. */
	release?: Claim['release'];
}

/**
 * The memory of an item. In a workflow, run index and item index identify it: both stay the same
 * with Retry On Fail and Retry Execution. In a tool of an AI agent they do not, so the content of
 * the call identifies it: see `claimCall`.
 */
export function identify(
	context: IExecuteSingleFunctions,
	spec: OperationSpec,
	batch: Batch,
	memory: NodeMemory,
): Identity {
	const item = `${batch.runLocation?.runIndex ?? 0}:${context.getItemIndex()}`;
	// There is nothing to remember about an operation that creates nothing.
	if (spec.endpoint.method !== 'POST') return { inputFingerprint: '', item, memory: newMemory() };
	const parameters = (batch.parameters ??= parametersFingerprint(context, spec));
	const inputFingerprint = shortHash(`${parameters}\n${inputText(context)}`);
	if (isTool(context)) {
		return {
			inputFingerprint,
			...claimCall(memory, inputFingerprint, context.getExecutionId() ?? ''),
		};
	}
	return { inputFingerprint, item, memory: itemMemory(memory, item) };
}
