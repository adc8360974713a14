import { referencesIn } from './binaryReference';
import { upload } from '../files/upload';
import { executionKey } from './idempotency';
import { isKeyExpired } from './itemState';
import { fail, ok, type Result } from '../base/result';
import type { BinarySource } from '../http/host';
import type { Item } from './item';
import type { Json } from '../base/types';

/** The binary field to send. */
const fieldOf = ({ request }: Item): string => referencesIn(request.body)[0]?.field ?? '';

/**
 * Uploads a binary field of the item and returns `url`, `fileName`, `mimeType`, `size` in bytes and
 * the other fields of the response, except the presigned URL. Running the node again returns the
 * same file. Specification: Operation details, POST /files.
 */
export async function sendFile(item: Item): Promise<Result<Json>> {
	const { host, workspace, memory, origin } = item;
	const now = workspace.clock.now();
	const field = fieldOf(item);
	let source: BinarySource | undefined;
	try {
		source = await host.binary(field);
	} catch {
		return fail({ kind: 'upload', field, problem: 'its file cannot be read' });
	}
	if (!source) return fail({ kind: 'upload', field, problem: 'the item does not have it' });
	const known = memory.file;
	const isKnown = known?.identity === source.identity && !isKeyExpired(known.at, now);
	if (known && isKnown) return ok(known.resource);
	const key = executionKey(origin.runId, `${origin.item}:${source.identity}`, 0);
	const sent = await upload(host, workspace, { field, source, key });
	if (!sent.ok) return sent;
	const { details, ...file } = sent.value;
	const resource: Json = { ...details, ...file };
	memory.file = { identity: source.identity, resource, at: now };
	return ok(resource);
}
