import { createHash, randomUUID } from 'crypto';
import { LIMITS } from '../contract';
import { BinaryReference } from './binary/reference';
import type { Failure } from './result';
import type { Resource } from './types';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** What is remembered of one item, so that running the node again continues where it was instead of paying again. */
export interface ItemMemory {
	/** Grows when a key is retired: it is proven that nothing (good) exists under the former one. */
	attempt: number;
	/** Of the request before uploads; tells whether the same thing is asked for again. */
	print?: string;
	/** The execution that asked last. */
	execution?: string;
	/** The job that was created, and when (milliseconds since the epoch). */
	jobId?: string;
	createdAt?: number;
	/** When a try was sent whose outcome is unclear (milliseconds since the epoch). */
	unclearAt?: number;
	/** Final URLs of uploads by the identity of the file, so that a repeated request is the same to the letter. */
	uploads: Record<string, string>;
	/** A file that the item has sent, by the identity of its content. */
	file?: { identity: string; resource: Resource };
}

interface NodeMemory {
	seed: string;
	items: Record<string, ItemMemory>;
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

export function itemMemory(memory: NodeMemory, item: string): ItemMemory {
	return (memory.items[item] ??= { attempt: 0, uploads: {} });
}

/** Ids of all jobs that the node is known to have made. */
export const knownJobs = ({ items }: NodeMemory): Set<string> =>
	new Set(Object.values(items).flatMap(({ jobId }) => (jobId ? [jobId] : [])));

/** A stable text of a body: keys in order, files by their identity instead of where they will be uploaded to. */
export function fingerprint(body: unknown, identities: Record<string, string>): string {
	const stable = (value: unknown): unknown => {
		if (value instanceof BinaryReference) return { binary: identities[value.field] };
		if (Array.isArray(value)) return value.map(stable);
		if (typeof value !== 'object' || value === null) return value;
		const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
		return Object.fromEntries(entries.map(([name, entry]) => [name, stable(entry)]));
	};
	return sha256(JSON.stringify(stable(body)));
}

/** Key of an item: the same for the same node run and item, however often n8n runs the node again. */
export function executionKey(seed: string, item: string, attempt: number): string {
	return `n8n-${sha256(`${seed}\n${item}\n${attempt}`)}`;
}

/**
 * Key of a content: the same for the same request in the same place of a workflow, also in another execution. The ordinal
 * tells identical items of one run apart.
 */
export function contentKey(place: string, print: string, ordinal: number, attempt: number): string {
	return `n8n-${sha256(`${place}\n${print}\n${ordinal}\n${attempt}`)}`;
}

/** What is wrong with a key that the user gave. Specification: Operation details, Idempotency-Key. */
export function customKeyProblem(key: string): string | undefined {
	if (key === '') return 'is empty';
	if (key.length > LIMITS.idempotencyKeyLength.max) {
		return `has ${key.length} characters; ${LIMITS.idempotencyKeyLength.max} are allowed`;
	}
	return /^[\x20-\x7e]+$/.test(key) ? undefined : 'may only contain printable ASCII characters';
}

/** Final refusals: the service has looked at the request and done nothing. */
const REFUSALS = new Set([400, 401, 402, 403, 404, 422]);

/** Whether a failed creation may have been carried out all the same. */
export function leavesUnclear(failure: Failure): boolean {
	if (failure.kind === 'status') return failure.unclear;
	if (failure.kind === 'lost') return failure.sent;
	return failure.kind === 'answer' || failure.kind === 'cancelled';
}

/**
 * Whether a failed creation proves that nothing exists under its key, so that the next one may use a new key. After an
 * unclear outcome never: the first try may have been carried out.
 */
export function provesNothingDone(failure: Failure): boolean {
	if (failure.kind === 'jobFailed') return true;
	if (failure.kind !== 'status' || !REFUSALS.has(failure.status)) return false;
	// A 402 under a key proves it even after a lost answer: had the first try been carried out, it would be repeated.
	return !failure.unclear || failure.status === 402;
}
