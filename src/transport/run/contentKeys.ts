import { contentKey } from './idempotency';
import type { Item } from './item';
import { keyOf } from './itemKey';
import { isOutcomeOpen } from './itemState';
import type { Result } from '../base/result';
import type { Created } from '../limits/singleFlight';
import type { Outgoing } from './post';

/** The first key of a content: identifies the content across executions. */
export const firstContentKey = ({ origin }: Item, requestFingerprint: string): string =>
	contentKey(origin.node, requestFingerprint, 0);

/**
 * By Content: the number of the key under which an execution of this process has, or may have, a
 * job.
 */
export function contentKeyInUse(item: Item, requestFingerprint: string): number | undefined {
	const { creations, clock } = item.workspace;
	return creations.keyInUse(firstContentKey(item, requestFingerprint), clock.now());
}

/**
 * Notifies the other executions of this process where a job is, or may be, once a request was sent
 * under a key.
 */
export function noteContentKey(item: Item, attempt: number, created: Result<Created>): void {
	const { memory, settings, workspace } = item;
	if (settings.idempotency !== 'content') return;
	if (!created.ok && !isOutcomeOpen(memory.state)) return;
	const content = firstContentKey(item, memory.fingerprint ?? '');
	workspace.creations.noteKeyInUse(content, attempt, workspace.clock.now());
}

/**
 * A request as it is to be sent now. While it waited, or since a try that did nothing, another
 * execution may have gone on to a later key: there its job is, and under the earlier one a second
 * one could be made. A request of unknown outcome stays where it was: only its own key finds its job.
 */
export function atKeyInUse(item: Item, outgoing: Outgoing): Outgoing {
	const { memory, settings } = item;
	if (settings.idempotency !== 'content' || isOutcomeOpen(memory.state)) return outgoing;
	const content = memory.fingerprint ?? '';
	const attempt = contentKeyInUse(item, content) ?? 0;
	if (attempt <= outgoing.attempt) return outgoing;
	return { ...outgoing, attempt, key: keyOf(item, content, attempt) };
}
