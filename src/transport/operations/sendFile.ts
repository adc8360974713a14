import { BinaryReference } from '../item/binaryReference';
import { upload } from '../files/upload';
import { executionKey } from '../item/idempotency';
import { isForgotten } from '../item/itemState';
import { fail, ok, type Result } from '../base/result';
import type { Item } from '../item/item';
import type { Resource } from '../base/types';

/** The binary field that an item is asked to send. */
const fieldOf = ({ request }: Item): string => {
	const values = Object.values((request.body ?? {}) as Record<string, unknown>);
	return values.find((value) => value instanceof BinaryReference)?.field ?? '';
};

/**
 * Sends a binary field of the item to the service and answers where it is: `url`, `fileName`, `mimeType`, `size` in
 * bytes, and what the service said, the presigned address excepted. Running the node again answers the same file.
 * Specification: Operation details, POST /files.
 */
export async function sendFile(item: Item): Promise<Result<Resource>> {
	const { host, workspace, memory, origin: place } = item;
	const now = workspace.clock.now();
	const field = fieldOf(item);
	const source = await host.binary(field);
	if (!source) return fail({ kind: 'upload', field, problem: 'the item does not have it' });
	const known = memory.file;
	const isKnown = known?.identity === source.identity && !isForgotten(known.at, now);
	if (known && isKnown) return ok(known.resource);
	const key = executionKey(place.seed, `${place.item}:${source.identity}`, 0);
	const sent = await upload(host, workspace, { field, source, key });
	if (!sent.ok) return sent;
	const { said, ...file } = sent.value;
	const resource = { ...said, ...file } as unknown as Resource;
	memory.file = { identity: source.identity, resource, at: now };
	return ok(resource);
}
