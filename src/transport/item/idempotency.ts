import { createHash } from 'crypto';
import { LIMITS } from '../../contract';
import { BinaryReference } from './binaryReference';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** Short enough to be kept for each of thousands of items, long enough to tell all of them apart: 128 bits. */
export const shortHash = (text: string): string =>
	createHash('sha256').update(text).digest('base64url').slice(0, 22);

function sorted(value: unknown, identities: Record<string, string>): unknown {
	if (value instanceof BinaryReference) return { binary: identities[value.field] };
	if (Array.isArray(value)) return value.map((entry) => sorted(entry, identities));
	if (typeof value !== 'object' || value === null) return value;
	const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
	return Object.fromEntries(entries.map(([name, entry]) => [name, sorted(entry, identities)]));
}

/** A stable text of a body: keys in order, files by their identity instead of where they will be uploaded to. */
export function fingerprint(body: unknown, identities: Record<string, string>): string {
	return shortHash(JSON.stringify(sorted(body, identities)));
}

/** Key of an item: the same for the same node run and item, however often n8n runs the node again. */
export function executionKey(seed: string, item: string, attempt: number): string {
	return `n8n-${sha256(`${seed}\n${item}\n${attempt}`)}`;
}

/** Key of a content: the same for the same request in the same place of a workflow, also in another execution. */
export function contentKey(place: string, print: string, attempt: number): string {
	return `n8n-${sha256(`${place}\n${print}\n${attempt}`)}`;
}

/** Key of an upload that any execution finds again: by what the item is known by, and the file. */
export function uploadKey(owner: string, identity: string, round: number): string {
	return `n8n-${sha256(`upload\n${owner}\n${identity}\n${round}`)}`;
}

/** What is wrong with a key that the user gave. Specification: Operation details, Idempotency-Key. */
export function customKeyProblem(key: string): string | undefined {
	if (key === '') return 'is empty';
	if (key.length > LIMITS.idempotencyKeyLength.max) {
		return `has ${key.length} characters; ${LIMITS.idempotencyKeyLength.max} are allowed`;
	}
	return /^[\x20-\x7e]+$/.test(key) ? undefined : 'may only contain printable ASCII characters';
}
