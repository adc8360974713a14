import { randomUUID } from 'crypto';
import { isForgotten, NEW, transition, type ItemEvent, type ItemState } from './itemState';
import type { Resource } from '../base/types';

/** Where an uploaded file is, and since when (milliseconds since the epoch). */
interface KnownUpload {
	url: string;
	at: number;
}

/** What is remembered of one item, so that running the node again continues where it was instead of paying again. */
export interface ItemMemory {
	state: ItemState;
	/** Fingerprint of what the user can change: the unevaluated parameters and the input item. */
	source?: string;
	/** Fingerprint of the request as it was evaluated, before uploads. */
	fingerprint?: string;
	/** Uploads by the identity of the file, so that a repeated request is the same to the letter. */
	uploads?: Record<string, KnownUpload>;
	/** How often uploads were made anew because the service refused their URLs. */
	uploadRound?: number;
	/** A file that the item has sent, by the identity of its content. */
	file?: { identity: string; resource: Resource; at: number };
	/** Of a tool call: the execution that began it last, and whether it has ended well there. */
	call?: { execution: string; ended: boolean };
}

/** The request that a key of the user belongs to. */
interface KeyUse {
	print: string;
	/** The item that used it first, as `run:item`. */
	item: string;
}

export interface NodeMemory {
	seed: string;
	items: Record<string, ItemMemory>;
	/** By the hash of a custom key. */
	keys?: Record<string, KeyUse>;
	/** Ids of jobs that belong to no item any more: they failed, or the request was changed. */
	former?: string[];
}

/**
 * The memory of a node, kept by n8n in the execution (node context): it survives Retry On Fail and Retry Execution. The
 * seed is there before the first request is sent.
 */
export function nodeMemory(context: Record<string, unknown>): NodeMemory {
	const known = context.mediaGen as NodeMemory | undefined;
	if (known) return known;
	const made: NodeMemory = { seed: randomUUID(), items: {} };
	context.mediaGen = made;
	return made;
}

export const freshMemory = (): ItemMemory => ({ state: NEW });

export function itemMemory(memory: NodeMemory, item: string): ItemMemory {
	return (memory.items[item] ??= freshMemory());
}

/** Ids of all jobs that the node is known to have made. */
export const knownJobs = ({ items, former = [] }: NodeMemory): Set<string> => {
	const jobs = Object.values(items).flatMap(({ state }) => ('job' in state ? [state.job.id] : []));
	return new Set([...jobs, ...former]);
};

/** Takes note of an event. Nothing else changes the state of an item. */
export function note(memory: ItemMemory, event: ItemEvent): void {
	memory.state = transition(memory.state, event);
}

/** The URL of an upload that may still be used. */
export function knownUpload(memory: ItemMemory, identity: string, now: number): string | undefined {
	const upload = memory.uploads?.[identity];
	return upload && !isForgotten(upload.at, now) ? upload.url : undefined;
}

/** Calls of tools that run in this process. Not part of the stored memory: after a crash none does. */
const running = new WeakSet<ItemMemory>();

export interface Claim {
	/** Names the call within the memory of the node. */
	item: string;
	memory: ItemMemory;
	/** To be called when the call has ended. */
	release: (endedWell: boolean) => void;
}

/** The call to continue: one that has not ended well before one that did so in an earlier execution, or else a new one. */
function freeCall({ items }: NodeMemory, content: string, execution: string): string {
	let endedEarlier: string | undefined;
	for (let index = 0; ; index += 1) {
		const item = `call:${content}:${index}`;
		const known = items[item];
		if (!known) return endedEarlier ?? item;
		if (running.has(known)) continue;
		if (!known.call?.ended) return item;
		if (known.call.execution !== execution) endedEarlier ??= item;
	}
}

/**
 * The memory of a tool call. n8n's run index and item index do not identify one: agents up to version 2 get a new run index for each
 * try, and share one between parallel calls. So the content does: a call like one whose last try failed in this execution
 * continues that one, and in a retried execution any call like one of the execution before; a call like one that ended well in this
 * execution, or that is running, is a new one.
 *
 * @param content fingerprint of the unevaluated parameters and the call's own arguments
 */
export function claimCall(memory: NodeMemory, content: string, execution: string): Claim {
	const item = freeCall(memory, content, execution);
	const own = itemMemory(memory, item);
	own.call = { execution, ended: false };
	running.add(own);
	const release = (endedWell: boolean) => {
		running.delete(own);
		own.call = { execution, ended: endedWell };
	};
	return { item, memory: own, release };
}
