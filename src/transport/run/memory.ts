import { randomUUID } from 'crypto';
import { BoundedMap } from '../base/boundedMap';
import type { Json } from '../base/types';
import type { Workspace } from '../workspace';
import type { Item } from './item';
import {
	isKeyExpired,
	NEW,
	transition,
	type ItemEvent,
	type ItemState,
	type JobReference,
} from './itemState';

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

/** More than anybody clicks through in a day. */
const MAX_JOBS = 1_000;

interface Undelivered {
	request: string;
	job: JobReference;
	at: number;
	runId: string;
}

/**
 * Jobs that a failed execution has paid for and given to nobody. In the editor each click is a new
 * execution, which goes on with them instead of paying again. Kept by this process, for a day.
 */
export class UndeliveredJobs {
	/** Oldest first, by id. */
	private readonly jobs = new BoundedMap<string, Undelivered>(MAX_JOBS);

	/**
	 * @param request names the node and the fingerprint of its request
	 * @param runId of the execution that has the job
	 */
	add(request: string, job: JobReference, now: number, runId: string): void {
		if (!this.jobs.has(job.id)) this.jobs.set(job.id, { request, job, at: now, runId });
	}

	/** A job that was delivered after all, such as by Retry Execution. */
	remove(id: string): void {
		this.jobs.delete(id);
	}

	/** The oldest job of a request in another execution, which nobody else takes. */
	take(request: string, now: number, runId: string): JobReference | undefined {
		const known = [...this.jobs.values()].find(
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
