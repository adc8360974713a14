import { createHash } from 'crypto';
import { BinaryReference, resolveReferences } from '../item/binaryReference';
import { extensionOf, mediaTypeOf } from '../files/mediaTypes';
import { upload } from '../files/upload';
import type { BinarySource } from '../host/host';
import { executionKey, uploadKey } from '../item/idempotency';
import { knownUpload } from '../item/itemMemory';
import { fail, ok, type Result } from '../base/result';
import type { Item } from '../item/item';

function referencesIn(value: unknown): BinaryReference[] {
	if (value instanceof BinaryReference) return [value];
	if (typeof value !== 'object' || value === null) return [];
	return Object.values(value).flatMap(referencesIn);
}

async function contentHash(source: BinarySource): Promise<string> {
	const hash = createHash('sha256');
	const body = await source.open();
	if (Buffer.isBuffer(body)) return hash.update(body).digest('hex');
	for await (const chunk of body) hash.update(chunk as Uint8Array);
	return hash.digest('hex');
}

/**
 * A file as any execution finds it again: known by its bytes, because where n8n keeps it differs from execution to execution, and
 * named by them, because the name is a part of the request for an upload, which must be the same to the letter.
 */
async function lasting(source: BinarySource): Promise<BinarySource> {
	const type = mediaTypeOf(source.mimeType) ?? 'application/octet-stream';
	const hash = await contentHash(source);
	const fileName = `${hash.slice(0, 16)}.${extensionOf(type)}`;
	return { ...source, fileName, identity: `${hash} ${type}` };
}

/** Whether the key of an item holds over executions, so that what it sends must be the same there. */
const lasts = ({ settings: { idempotency } }: Item) =>
	idempotency === 'content' || idempotency === 'custom';

/** The files that a request names, by their binary field. */
export async function openSources(item: Item): Promise<Result<Map<string, BinarySource>>> {
	const { request, host } = item;
	const sources = new Map<string, BinarySource>();
	for (const { field } of referencesIn(request.body)) {
		if (sources.has(field)) continue;
		try {
			const source = await host.binary(field);
			if (source) sources.set(field, lasts(item) ? await lasting(source) : source);
		} catch {
			return fail({ kind: 'upload', field, problem: 'its file cannot be read' });
		}
	}
	return ok(sources);
}

/** A repeated upload gets the address of the first one; where the key holds over executions, also that of another one. */
function keyOf({ settings, memory, origin: place }: Item, identity: string): string {
	const round = memory.uploadRound ?? 0;
	if (settings.idempotency === 'content') return uploadKey(place.node, identity, round);
	if (settings.idempotency === 'custom') return uploadKey(settings.idempotencyKey, identity, round);
	return executionKey(place.seed, `${place.item}:${identity}`, round);
}

/** A body with the URLs of its files. */
interface Uploaded {
	body: unknown;
	/** Whether one of them is from an earlier try: the service may refuse it as too old. */
	isRemembered: boolean;
}

/**
 * The body of a request with the URLs of its files. Each file is sent once, and a repeated request names the same URLs: the
 * service would take it for another request otherwise.
 */
export async function uploadAll(
	item: Item,
	sources: Map<string, BinarySource>,
): Promise<Result<Uploaded>> {
	const { host, workspace, memory } = item;
	const urls = new Map<string, string>();
	let isRemembered = false;
	for (const [field, source] of sources) {
		const now = workspace.clock.now();
		const { identity } = source;
		if (knownUpload(memory, identity, now) !== undefined) {
			isRemembered = true;
		} else {
			const sent = await upload(host, workspace, { field, source, key: keyOf(item, identity) });
			if (!sent.ok) return sent;
			(memory.uploads ??= {})[identity] = { url: sent.value.url, at: now };
		}
		urls.set(field, memory.uploads?.[identity]?.url ?? '');
	}
	const body = await resolveReferences(item.request.body, async ({ field }) => urls.get(field));
	return ok({ body, isRemembered });
}
