import { randomUUID } from 'crypto';
import { isKeyExpired, NEW, transition, type ItemEvent, type ItemState } from './itemState';
import type { Json } from '../base/types';

/** The URL of an uploaded file, and when it was uploaded (milliseconds since the epoch). */
interface KnownUpload {
	url: string;
	at: number;
}

/** What is remembered about one item, so that running the node again continues instead of paying again. */
export interface ItemMemory {
	state: ItemState;
	/** Fingerprint of what the user controls: the unevaluated parameters and the input item. */
	inputFingerprint?: string;
	/** Fingerprint of the evaluated request, before uploads. */
	fingerprint?: string;
	/** Uploads by the identity of the file, so that a repeated request is identical. */
	uploads?: Record<string, KnownUpload>;
	/** How often files were uploaded again because the service refused their URLs. */
	uploadRound?: number;
	/** The file that the item has uploaded (operation Upload), by the identity of its content. */
	file?: { identity: string; resource: Json; at: number };
	/** Credits that a request of unknown outcome may have reserved; they are in the sum of the execution. */
	expectedCredits?: number;
	/** Only for a tool call: the execution that last started it, and whether it succeeded there. */
	call?: { execution: string; ended: boolean };
}

/** The request that a custom key belongs to. */
interface KeyUse {
	fingerprint: string;
	/** The item that used it first, as `run:item`. */
	item: string;
}

/**
 * What a node remembers of an execution. Plain data, because n8n stores it with the execution.
 */
export interface NodeMemory {
	/** Goes into the keys of this execution, which makes them unique. */
	runId: string;
	items: Record<string, ItemMemory>;
	/** By the hash of a custom key. */
	keys?: Record<string, KeyUse>;
	/** Ids of jobs that no longer belong to an item: they failed, or the request was changed. */
	formerJobs?: string[];
}

/**
 * The memory of a node, which n8n stores with the execution (node context): it survives Retry On Fail and Retry
 * Execution. The run id is stored before the first request is sent.
 */
export function nodeMemory(context: Record<string, unknown>): NodeMemory {
	const known = context.mediaGen as NodeMemory | undefined;
	if (known) return known;
	const created: NodeMemory = { runId: randomUUID(), items: {} };
	context.mediaGen = created;
	return created;
}

/** The memory of an item that has not sent anything. */
export const newMemory = (): ItemMemory => ({ state: NEW });

/** The memory of an item, `run:item`; a new one if there is none. */
export function itemMemory(memory: NodeMemory, item: string): ItemMemory {
	return (memory.items[item] ??= newMemory());
}

/** The ids of each list again, to look them up: thousands of jobs may fail in one run. */
const lookUps = new WeakMap<string[], Set<string>>();

/** Notes that a job no longer belongs to an item. @returns whether that was known */
export function noteFormerJob(node: NodeMemory, id: string): boolean {
	const ids = (node.formerJobs ??= []);
	const known = lookUps.get(ids) ?? new Set(ids);
	lookUps.set(ids, known);
	if (known.has(id)) return true;
	known.add(id);
	ids.push(id);
	return false;
}

/** Ids of all jobs that this node is known to have created. */
export const knownJobIds = ({ items, formerJobs = [] }: NodeMemory): Set<string> => {
	const jobs = Object.values(items).flatMap(({ state }) => ('job' in state ? [state.job.id] : []));
	return new Set([...jobs, ...formerJobs]);
};

/** Records an event. Nothing else changes the state of an item. */
export function recordEvent(memory: ItemMemory, event: ItemEvent): void {
	memory.state = transition(memory.state, event);
}

/** The URL of an earlier upload, if it has not expired. */
export function knownUpload(memory: ItemMemory, identity: string, now: number): string | undefined {
	const upload = memory.uploads?.[identity];
	return upload && !isKeyExpired(upload.at, now) ? upload.url : undefined;
}

/** Tool calls running in this process. Not part of the stored memory: after a crash none is running. */
const runningCalls = new WeakSet<ItemMemory>();

/** A tool call that is running, and which no other one continues meanwhile. */
export interface Claim {
	/** Identifies the call within the memory of the node. */
	item: string;
	memory: ItemMemory;
	/** To be called when the call has ended. */
	release: (endedWell: boolean) => void;
}

/** The call to continue: an unsuccessful one first, then one that succeeded in an earlier execution, else a new one. */
function callToContinue({ items }: NodeMemory, content: string, execution: string): string {
	let endedEarlier: string | undefined;
	for (let index = 0; ; index += 1) {
		const item = `call:${content}:${index}`;
		const known = items[item];
		if (!known) return endedEarlier ?? item;
		if (runningCalls.has(known)) continue;
		if (!known.call?.ended) return item;
		if (known.call.execution !== execution) endedEarlier ??= item;
	}
}

/**
 * The memory of a tool call. n8n's run index and item index do not identify it: agents up to version 2 get a new run index
 * for each try and share one between parallel calls. So the content identifies it. A call with the same content as one
 * that failed in this execution continues that one, and so does any call in a retried execution; a call with the same
 * content as one that succeeded in this execution, or is still running, is a new one.
 *
 * @param content fingerprint of the unevaluated parameters and the call's own arguments
 */
export function claimCall(memory: NodeMemory, content: string, execution: string): Claim {
	const item = callToContinue(memory, content, execution);
	const own = itemMemory(memory, item);
	own.call = { execution, ended: false };
	runningCalls.add(own);
	const release = (endedWell: boolean) => {
		runningCalls.delete(own);
		own.call = { execution, ended: endedWell };
	};
	return { item, memory: own, release };
}
