import { randomUUID } from 'crypto';
import { MAX_UNFINISHED, type PollState } from './state';

/** Distinguishes this process from earlier ones. */
export const PROCESS_ID = randomUUID();

/** Generations that executions in this process have received, by node. */
const arrived = new Map<string, Set<string>>();

/** Records what an execution has received. */
export function recordArrival(node: string, ids: string[]): void {
	const before = arrived.get(node);
	// If another process does the polling, nothing ever reads or empties this list.
	const known = before && before.size <= MAX_UNFINISHED ? before : new Set<string>();
	ids.forEach((id) => known.add(id));
	arrived.set(node, known);
}

/**
 * Generations that the last poll emitted and that possibly no execution has received: n8n saves the
 * state of a poll, then creates the execution, and may crash or fail in between. In queue mode,
 * where no execution runs in this process, they count as lost only after a restart of the process.
 */
export function possiblyLost(node: string, { emitted }: PollState): string[] {
	if (!emitted) return [];
	if (emitted.by !== PROCESS_ID) return emitted.ids;
	const received = arrived.get(node);
	return received ? emitted.ids.filter((id) => !received.has(id)) : [];
}

/** A poll has succeeded: what arrived before it is no longer in question. */
export function forgetArrivals(node: string): void {
	arrived.get(node)?.clear();
}
