import { shortHash } from '../base/hash';
import type { Idempotency } from './idempotency';
import type { Item } from './item';
import { rankOf } from './lostRequests';
import type { ItemMemory, NodeMemory } from './memory';
import type { Facts } from './state';

/*
 * Whether a request is one that was made before. What is known of an item is about the request with the
 * content in its memory. An item that asks for the first time goes on with what another place of its
 * execution, or another execution, has lost of the same content.
 */

/** The requests of earlier runs of a node, within one execution, that have not ended well, by content. */
export type Unfinished = Map<string, Array<[place: string, memory: ItemMemory]>>;

const runOf = (place: string): string => place.slice(0, place.indexOf(':'));

/** @param place of an item of the run that asks: what its other items have is theirs */
function unfinishedIn({ items }: NodeMemory, place: string): Unfinished {
	const found: Unfinished = new Map();
	for (const [other, memory] of Object.entries(items)) {
		const { content, endedIn } = memory;
		if (content === undefined || endedIn !== undefined || rankOf(memory) === 0) continue;
		if (runOf(other) === runOf(place)) continue;
		const equal = found.get(content) ?? [];
		found.set(content, equal);
		equal.push([other, memory]);
	}
	return found;
}

/**
 * Takes what an earlier round of the execution has asked for and not been given: it is this item's from now
 * on.
 */
function takeUnfinished({ run, node, origin, settings }: Item, content: string) {
	// Calls of a tool are told apart by what they ask for, not by a place.
	if (settings.isTool) return undefined;
	run.cache.unfinished ??= unfinishedIn(node, origin.item);
	const [place, memory] = run.cache.unfinished.get(content)?.shift() ?? [];
	if (place !== undefined) delete node.items[place];
	return memory;
}

/** Copied: the other execution may still learn something of it. */
function goOnWith(memory: ItemMemory, { scope, state }: ItemMemory): void {
	memory.scope = scope;
	memory.state = state;
}

/** An item asks for the first time: it goes on with what was lost of the same request, if anything was. */
function takeLost(item: Item, content: string): void {
	const { memory, origin, lost, host } = item;
	// After a stop nothing is sent: what was taken would be lost for good.
	if (host.channel.signal?.aborted) return;
	const own = takeUnfinished(item, content);
	if (own) {
		goOnWith(memory, own);
		// What it may have reserved is in the sum of this execution already.
		memory.expectedCredits = own.expectedCredits;
		return;
	}
	const { looksBack, owner } = origin;
	const later = lost.laterThan(memory) ?? (looksBack ? lost.take(content, owner) : undefined);
	if (later) goOnWith(memory, later);
	// A second retry finds what this one comes to.
	if (looksBack && lost.isProduction) lost.add(memory, owner);
}

/** n8n may have kept an older memory of the item than this process has. */
export function catchUp(item: Item, { sameBy }: Idempotency): void {
	if (sameBy !== 'content' || item.host.channel.signal?.aborted) return;
	const later = item.lost.laterThan(item.memory);
	if (later) goOnWith(item.memory, later);
}

/** Of one that is known by a key of the user's own. */
const ownKeyHash = ({ settings }: Item, { sameBy }: Idempotency): string | undefined =>
	sameBy === 'ownKey' ? shortHash(settings.idempotencyKey) : undefined;

/**
 * What the own keys of an item are made of. Its place tells it from others of the execution that ask for the
 * same.
 */
export const scopeOf = ({ node, origin }: Pick<Item, 'node' | 'origin'>, content: string): string =>
	shortHash([node.runId, content, origin.item].join('\n'));

/** From now on, what is known of the item is about the request with this content. */
export function rememberContent(item: Item, content: string, idempotency: Idempotency): void {
	const { memory, inputFingerprint } = item;
	const isNew = memory.content === undefined;
	const isSame = memory.content === content;
	memory.customKey = ownKeyHash(item, idempotency);
	memory.inputFingerprint = inputFingerprint;
	if (isSame) return;
	memory.content = content;
	delete memory.scope;
	if (idempotency.sameBy === 'ownKey') return;
	memory.scope = scopeOf(item, content);
	if (isNew && idempotency.sameBy === 'content') takeLost(item, content);
}

/**
 * What decides about the next step. The user has changed the request if both the parameters and input that
 * the user controls and the resulting request differ: one that merely evaluates differently each time (`$now`
 * in a prompt) is the same one.
 */
export function factsOf(item: Item, content: string, idempotency: Idempotency): Facts {
	const { memory, inputFingerprint, origin, workspace } = item;
	const isOther = memory.content !== undefined && memory.content !== content;
	return {
		now: workspace.clock.now(),
		isOther,
		isChanged: isOther && memory.inputFingerprint !== inputFingerprint,
		hasFixedKey:
			idempotency.sameBy === 'ownKey' && memory.customKey === ownKeyHash(item, idempotency),
		execution: origin.owner.execution,
	};
}
