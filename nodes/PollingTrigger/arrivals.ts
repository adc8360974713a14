import { randomUUID } from 'crypto';
import { MOST_OPEN, type PollState } from './state';

/** Tells this process from an earlier one. */
export const ME = randomUUID();

/** Generations that executions in this process have got, by node. */
const arrived = new Map<string, Set<string>>();

/** Notes what an execution has got. */
export function arrive(node: string, ids: string[]): void {
	const before = arrived.get(node);
	// Where looks run in another process nobody asks, and nothing is ever taken out.
	const known = before && before.size <= MOST_OPEN ? before : new Set<string>();
	ids.forEach((id) => known.add(id));
	arrived.set(node, known);
}

/**
 * What the last look has given and no execution may have got: n8n saves the state of a look, then makes the execution, and may
 * die or fail in between. Without an execution in this process (queue mode) only its end raises a doubt.
 */
export function doubtful(node: string, { given }: PollState): string[] {
	const here = arrived.get(node);
	if (!given) return [];
	const ids = given.by === ME ? (here ? given.ids.filter((id) => !here.has(id)) : []) : given.ids;
	here?.clear();
	return ids;
}
