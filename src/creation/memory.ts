import { randomUUID } from 'crypto';
import type { SentFile } from './sentFiles';
import { NEW, type ItemState } from './state';

/** What is remembered about one item, so that running the node again continues instead of paying again. */
export interface ItemMemory {
	state: ItemState;
	/** Fingerprint of what the user controls: the unevaluated parameters and the input item. */
	inputFingerprint?: string;
	/** Fingerprint of the request as it was first evaluated, its files by their content. */
	content?: string;
	/**
	 * What its own keys are made of, beside their number: of one that goes on with what a former execution
	 * has lost, that of then.
	 */
	scope?: string;
	/** Hash of the key of the user's own, if it has one. */
	customKey?: string;
	/** Credits that a request of unknown outcome may have reserved; they are in the sum of the execution. */
	expectedCredits?: number;
	/** The execution in which it has ended well: n8n, or the agent, was given its result. */
	endedIn?: string;
}

/** What a node remembers of an execution. Plain data, because n8n stores it with the execution. */
export interface NodeMemory {
	/** Goes into the keys of this execution, which makes them unique. */
	runId: string;
	/** The execution that this memory began with: a retry goes on with that of the one it retries. */
	startedIn?: string;
	/** By place, `run:item`, or `run:item.part` from the second part of an item on. */
	items: Record<string, ItemMemory>;
	/**
	 * The request that a key of the user's own belongs to and the item that has used it first, by the hash of
	 * the key.
	 */
	keys?: Record<string, { content: string; item: string }>;
	/** What its items have sent to the service, by the name of each file. */
	uploads?: Record<string, SentFile>;
}

/**
 * The memory of a node, which n8n stores with the execution (node context): it survives Retry On Fail and
 * Retry Execution. The run id is stored before the first request is sent.
 */
export function nodeMemory(context: Record<string, unknown>, execution: string): NodeMemory {
	context.mediaGen ??= { runId: randomUUID(), startedIn: execution, items: {} };
	return context.mediaGen as NodeMemory;
}

/** Whether all that a node remembers has ended well. */
export function hasEnded({ mediaGen }: Record<string, unknown>): boolean {
	const items = Object.values((mediaGen as NodeMemory | undefined)?.items ?? {});
	return items.length > 0 && items.every(({ endedIn }) => endedIn !== undefined);
}

export const newMemory = (): ItemMemory => ({ state: NEW });

/** The memory of an item, `run:item`; a new one if there is none. */
export function itemMemory({ items }: NodeMemory, item: string): ItemMemory {
	items[item] ??= newMemory();
	return items[item];
}

/**
 * The place of a part of an item. The first one has that of the item: a text may become longer, or shorter.
 */
export const placeOfPart = (item: string, index: number): string =>
	index === 0 ? item : `${item}.${index}`;

/** How a part of an item is named beside its item. */
export const labelOfPart = (index: number): string => `.${index}`;

interface StateOwner {
	node: NodeMemory;
	origin: { item: string };
	/** Its requests, where it needs several. */
	parts?: unknown[];
	memory: ItemMemory;
}

/** What is known of an item, or, where it needs several requests, of each part. */
export const memoriesOf = ({ node, origin, parts = [], memory }: StateOwner): ItemMemory[] =>
	parts.length < 2
		? [memory]
		: parts.map((_, index) => node.items[placeOfPart(origin.item, index)] ?? newMemory());

/**
 * The state of an item under '', or, where it needs several requests, that of each part under '.0', '.1' …
 */
export function statesOf(owner: StateOwner): Array<[part: string, state: ItemState]> {
	const memories = memoriesOf(owner);
	if (memories.length < 2) return [['', owner.memory.state]];
	return memories.map(({ state }, index) => [labelOfPart(index), state]);
}

/** @param execution in which the item has ended well; `undefined` if it has failed */
export function noteEnd(owner: StateOwner, execution: string | undefined): void {
	for (const memory of memoriesOf(owner)) memory.endedIn = execution;
}
