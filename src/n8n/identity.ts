import { shortHash } from '../base/hash';
import { inOrder, valueAt } from '../base/values';
import type { Input, NodeCall } from './call';
import { requestFingerprint } from './prepare';
import type { ApiRequest } from '../base/types';
import type { Run } from '../creation/run';
import type { OperationSpec } from '../creation/item';
import { itemMemory, newMemory, type ItemMemory, type NodeMemory } from '../creation/memory';

/**
 * Unevaluated, as the workflow stores them: an expression that gives a new value each time stays
 * the same.
 */
function parametersFingerprint(
	{ node: { parameters: values } }: NodeCall,
	{ parameters = [] }: OperationSpec,
): string {
	const names = ['resource', 'operation', ...parameters, 'options.idempotencyKey'];
	return shortHash(JSON.stringify(names.map((name) => valueAt(values, name.split('.')) ?? null)));
}

/** What stands in expressions: all between double braces. */
const EXPRESSION = /\{\{.*?\}\}/gs;

/** An expression that reads what another node has given. */
const READS_NODE = /\$\(|\$node\b|\$items\b/;

/** One that gives another value each time it is evaluated. */
const CHANGES =
	/\$now\b|\$today\b|\$(?:run|item)Index\b|\bnew Date\b|\bDate\.|DateTime\b|ToNow\b|isInLast|\brandom|randomUUID/;

/**
 * What a call of a tool asks for beside its arguments, where an expression reads it of another node: for
 * another row that is another call. Nothing if the request would differ each time: then it would never be
 * the same call, and be paid for again.
 */
function requestText(
	call: NodeCall,
	input: Input,
	spec: OperationSpec,
	request: ApiRequest,
): string {
	const { node } = call;
	const named = (spec.parameters ?? []).map((name) => valueAt(node.parameters, name.split('.')));
	const expressions = (JSON.stringify(named).match(EXPRESSION) ?? []).join('\n');
	const counts = READS_NODE.test(expressions) && !CHANGES.test(expressions);
	return counts ? requestFingerprint(input, request) : '';
}

/** The input item as text, with files represented by where n8n stores them. */
function inputText({ json, binary }: Input, tool: boolean): string {
	const files = Object.entries(binary).map(([field, { id, data }]) => [
		field,
		id ?? shortHash(data),
	]);
	if (!tool) return JSON.stringify([json, files]);
	// Calls that are otherwise identical have other ids, and a model may name the arguments in another order.
	return inOrder([{ ...json, toolCallId: undefined }, files]);
}

/**
 * The memory of an item, and the fingerprint of what the user controls: the unevaluated parameters
 * and the input item. In a workflow, run index and item index identify it: both stay the same with
 * Retry On Fail and Retry Execution. In a tool of an AI agent they do not: see `toolCall`.
 */
export function identify(
	call: NodeCall,
	input: Input,
	spec: OperationSpec,
	run: Run,
	node: NodeMemory,
	request: ApiRequest,
): { item: string; memory: ItemMemory; inputFingerprint: string } {
	const place = `${call.runIndex}:${input.index}`;
	// There is nothing to remember about an operation that creates nothing.
	if (!spec.creates && spec.output !== 'file')
		return { inputFingerprint: '', item: place, memory: newMemory() };
	run.cache.parameters ??= parametersFingerprint(call, spec);
	const { isTool: tool } = call;
	const inputFingerprint = shortHash(`${run.cache.parameters}\n${inputText(input, tool)}`);
	if (!tool) return { inputFingerprint, item: place, memory: itemMemory(node, place) };
	const content = shortHash(`${inputFingerprint}\n${requestText(call, input, spec, request)}`);
	const item = toolCall(node, content, call.executionId);
	return { inputFingerprint, item, memory: itemMemory(node, item) };
}

/**
 * Which call of a tool this is. n8n's run index and item index do not tell: agents up to version 2 get a new
 * run index for each try and share one between parallel calls. So the content does. A call with the same
 * content as one that has ended well in this execution is a new one; any other repeat is the same call, also
 * while the first still runs or, where the execution is retried, once it has ended.
 *
 * @param content fingerprint of the unevaluated parameters, the call's own arguments and its request
 */
export function toolCall({ items }: NodeMemory, content: string, execution: string): string {
	let endedEarlier: string | undefined;
	for (let index = 0; ; index += 1) {
		const call = `call:${content}:${index}`;
		const known = items[call];
		if (!known) return endedEarlier ?? call;
		if (known.endedIn === undefined) return call;
		if (known.endedIn !== execution) endedEarlier ??= call;
	}
}
