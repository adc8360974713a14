import { createHash } from 'crypto';
import { LIMITS } from '../../contract';
import { BinaryReference } from './binaryReference';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** 128 bits: short enough to store for thousands of items, long enough to be unique. */
export const shortHash = (text: string): string =>
	createHash('sha256').update(text).digest('base64url').slice(0, 22);

function withSortedKeys(value: unknown, identities: Record<string, string>): unknown {
	if (value instanceof BinaryReference) return { binary: identities[value.field] };
	if (Array.isArray(value)) return value.map((entry) => withSortedKeys(entry, identities));
	if (typeof value !== 'object' || value === null) return value;
	const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
	return Object.fromEntries(
		entries.map(([name, entry]) => [name, withSortedKeys(entry, identities)]),
	);
}

/**
 * A stable hash of a body: keys sorted, files represented by their identity instead of their upload
 * URL.
 */
export function fingerprint(body: unknown, identities: Record<string, string>): string {
	return shortHash(JSON.stringify(withSortedKeys(body, identities)));
}

/**
 * The key of an item: the same for the same run and item, however often n8n runs the node again.
 */
export function executionKey(runId: string, item: string, attempt: number): string {
	return `n8n-${sha256(`${runId}\n${item}\n${attempt}`)}`;
}

/**
 * The key of a content: the same for the same request of the same node, also in another execution.
 */
export function contentKey(node: string, fingerprint: string, attempt: number): string {
	return `n8n-${sha256(`${node}\n${fingerprint}\n${attempt}`)}`;
}

/**
 * The key of an upload that any execution derives again: from the node or custom key, and the file.
 */
export function uploadKey(owner: string, identity: string, round: number): string {
	return `n8n-${sha256(`upload\n${owner}\n${identity}\n${round}`)}`;
}

/** What is wrong with a custom key. Specification: Operation details, Idempotency-Key. */
export function customKeyProblem(key: string): string | undefined {
	if (key === '') return 'is empty';
	if (key.length > LIMITS.idempotencyKeyLength.max) {
		return `has ${key.length} characters; at most ${LIMITS.idempotencyKeyLength.max} are allowed`;
	}
	return /^[\x20-\x7e]+$/.test(key) ? undefined : 'may only contain printable ASCII characters';
}
