import type { Idempotency } from './idempotency';
import { shortHash } from '../base/hash';
import { scopeOf } from './idempotency';
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
		found.set(content, [...(found.get(content) ?? []), [other, memory]]);
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

const goOnWith = (memory: ItemMemory, { scope, state }: ItemMemory): void =>
	// Copied: the other execution may still learn something of it.
	void Object.assign(memory, { scope, state });

/** An item asks for the first time: it goes on with what was lost of the same request, if anything was. */
function takeLost(item: Item, content: string): void {
	const { memory, origin, lost, host } = item;
	// After a stop nothing is sent: what was taken would be lost for good.
	if (host.channel.signal?.aborted) return;
	const own = takeUnfinished(item, content);
	if (own) return goOnWith(memory, own);
	const { looksBack, owner } = origin;
	const later = lost.laterThan(memory) ?? (looksBack ? lost.take(content, owner) : undefined);
	if (later) goOnWith(memory, later);
	// A second retry finds what this one comes to.
	if (looksBack && lost.isShared) lost.add(memory, owner);
}

/** n8n may have kept an older memory of the item than this process has. */
export function catchUp(item: Item, { takesOver }: Idempotency): void {
	if (!takesOver || item.host.channel.signal?.aborted) return;
	const later = item.lost.laterThan(item.memory);
	if (later) goOnWith(item.memory, later);
}

const ownKeyHash = ({ settings }: Item, { isFixed }: Idempotency): string | undefined =>
	isFixed ? shortHash(settings.idempotencyKey) : undefined;

/** From now on, what is known of the item is about the request with this content. */
export function adopt(item: Item, content: string, idempotency: Idempotency): void {
	const { memory, inputFingerprint } = item;
	const isNew = memory.content === undefined;
	const isSame = memory.content === content;
	memory.customKey = ownKeyHash(item, idempotency);
	memory.inputFingerprint = inputFingerprint;
	if (isSame) return;
	memory.content = content;
	delete memory.scope;
	if (idempotency.isFixed) return;
	memory.scope = scopeOf(item, content);
	if (isNew && idempotency.takesOver) takeLost(item, content);
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
		hasFixedKey: idempotency.isFixed && memory.customKey === ownKeyHash(item, idempotency),
		execution: origin.owner.execution,
	};
}
