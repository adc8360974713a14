import type { IBinaryData, IExecuteSingleFunctions } from 'n8n-workflow';
import { randomUUID } from 'crypto';
import type { Json } from '../base/types';
import { valueAt } from '../base/values';
import type { Workspace } from '../workspace';
import type { Batch } from './batch';
import type { Item, OperationSpec } from './item';
import {
	isKeyExpired,
	NEW,
	transition,
	type ItemEvent,
	type ItemState,
	type JobReference,
} from './itemState';
import { shortHash } from './keys';
import { inputItems, isTool } from './nodeInput';

/** What is remembered about one item, so that running the node again continues instead of paying again. */
export interface ItemMemory {
	state: ItemState;
	/** Fingerprint of what the user controls: the unevaluated parameters and the input item. */
	inputFingerprint?: string;
	/** Fingerprint of the evaluated request, before uploads. */
	fingerprint?: string;
	/** Hash of the custom key, if it has one. */
	customKey?: string;
	/** Its files at the service, by the identity of each; `at` in ms since the epoch. */
	uploads?: Record<string, { file: Json; at: number }>;
	/** Credits that a request of unknown outcome may have reserved; they are in the sum of the execution. */
	expectedCredits?: number;
	/** Only for a tool call: the execution in which it has ended well. */
	endedIn?: string;
}

/** What a node remembers of an execution. Plain data, because n8n stores it with the execution. */
export interface NodeMemory {
	/** Goes into the keys of this execution, which makes them unique. */
	runId: string;
	items: Record<string, ItemMemory>;
	/** The request that a custom key belongs to and the item that used it first (`run:item`), by the hash of the key. */
	keys?: Record<string, { fingerprint: string; item: string }>;
	/** Jobs that no longer belong to an item, by id: they failed, or the request was changed. */
	formerJobs?: Record<string, true>;
}

/**
 * The memory of a node, which n8n stores with the execution (node context): it survives Retry On Fail and Retry
 * Execution. The run id is stored before the first request is sent.
 */
export function nodeMemory(context: Record<string, unknown>): NodeMemory {
	return (context.mediaGen ??= { runId: randomUUID(), items: {} }) as NodeMemory;
}

export const newMemory = (): ItemMemory => ({ state: NEW });

/** The memory of an item, `run:item`; a new one if there is none. */
export const itemMemory = (memory: NodeMemory, item: string): ItemMemory =>
	(memory.items[item] ??= newMemory());

export function noteFormerJob(node: NodeMemory, id: string): void {
	(node.formerJobs ??= {})[id] = true;
}

/** Ids of all jobs that this node is known to have created. */
export const knownJobIds = ({ items, formerJobs = {} }: NodeMemory): Set<string> => {
	const jobs = Object.values(items).flatMap(({ state }) => ('job' in state ? [state.job.id] : []));
	return new Set([...jobs, ...Object.keys(formerJobs)]);
};

/** What is known of an item: its own state, or those of its parts, each of which creates a job. */
export const statesOf = ({
	node: { items },
	origin: { item },
	parts = [],
	memory,
}: Pick<Item, 'node' | 'origin' | 'parts' | 'memory'>): Array<[part: string, state: ItemState]> =>
	parts.length < 2
		? [['', memory.state]]
		: parts.map((_, index) => [`.${index}`, items[`${item}.${index}`]?.state ?? NEW]);

/** Records an event. Nothing else changes the state of an item. */
export function recordEvent(memory: ItemMemory, event: ItemEvent): void {
	memory.state = transition(memory.state, event);
}

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
function inputText(context: IExecuteSingleFunctions, tool: boolean): string {
	const { json, binary = {} } = inputItems(context)[context.getItemIndex()] ?? { json: {} };
	const files = Object.entries<IBinaryData>(binary).map(([field, { id, data }]) => [
		field,
		id ?? shortHash(data),
	]);
	// The id differs between calls that are otherwise identical.
	const input = tool ? { ...json, toolCallId: undefined } : json;
	return JSON.stringify([input, files]);
}

/**
 * The memory of an item, and the fingerprint of what the user controls: the unevaluated parameters
 * and the input item. In a workflow, run index and item index identify it: both stay the same with
 * Retry On Fail and Retry Execution. In a tool of an AI agent they do not: see `toolCall`.
 */
export function identify(
	context: IExecuteSingleFunctions,
	spec: OperationSpec,
	batch: Batch,
	node: NodeMemory,
): { item: string; memory: ItemMemory; inputFingerprint: string } {
	const place = `${batch.location?.runIndex ?? 0}:${context.getItemIndex()}`;
	// There is nothing to remember about an operation that creates nothing.
	if (!spec.creates && spec.output !== 'file')
		return { inputFingerprint: '', item: place, memory: newMemory() };
	const parameters = (batch.parameters ??= parametersFingerprint(context, spec));
	const tool = isTool(context);
	const inputFingerprint = shortHash(`${parameters}\n${inputText(context, tool)}`);
	const item = tool ? toolCall(node, inputFingerprint, context.getExecutionId() ?? '') : place;
	return { inputFingerprint, item, memory: itemMemory(node, item) };
}

/**
 * Which call of a tool this is. n8n's run index and item index do not tell: agents up to version 2 get a new run index for
 * each try and share one between parallel calls. So the content does. A call with the same content as one that has ended
 * well in this execution is a new one; any other repeat is the same call, also while the first still runs or, where the
 * execution is retried, once it has ended.
 *
 * @param content fingerprint of the unevaluated parameters and the call's own arguments
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

/** More than anybody clicks through in a day. */
const MAX_JOBS = 1_000;

/**
 * Jobs that a failed execution has paid for and given to nobody. In the editor each click is a new
 * execution, which goes on with them instead of paying again. Kept by this process, for a day.
 */
export class UndeliveredJobs {
	/** Oldest first. */
	private jobs: Array<{ request: string; job: JobReference; at: number; runId: string }> = [];

	/**
	 * @param request names the node and the fingerprint of its request
	 * @param runId of the execution that has the job
	 */
	add(request: string, job: JobReference, now: number, runId: string): void {
		if (this.jobs.some(({ job: { id } }) => id === job.id)) return;
		this.jobs = [...this.jobs, { request, job, at: now, runId }].slice(-MAX_JOBS);
	}

	/** A job that was delivered after all, such as by Retry Execution. */
	remove(id: string): void {
		this.jobs = this.jobs.filter(({ job }) => job.id !== id);
	}

	/** The oldest job of a request in another execution, which nobody else takes. */
	take(request: string, now: number, runId: string): JobReference | undefined {
		const known = this.jobs.find(
			(one) => one.request === request && one.runId !== runId && !isKeyExpired(one.at, now),
		);
		if (known) this.remove(known.job.id);
		return known?.job;
	}
}

const undelivered = new WeakMap<Workspace, UndeliveredJobs>();

export function undeliveredOf(workspace: Workspace): UndeliveredJobs {
	const known = undelivered.get(workspace) ?? new UndeliveredJobs();
	undelivered.set(workspace, known);
	return known;
}
