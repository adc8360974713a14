import { createHash } from 'crypto';
import { referencesIn, resolveReferences } from './binaryReference';
import { extensionOf, mediaTypeOf } from '../files/names';
import { upload } from '../files/upload';
import type { BinarySource } from '../http/host';
import { executionKey, uploadKey } from './idempotency';
import { knownUpload } from './itemMemory';
import { fail, ok, type Result } from '../base/result';
import type { Item } from './item';

async function contentHash(source: BinarySource): Promise<string> {
	const hash = createHash('sha256');
	const body = await source.open();
	if (Buffer.isBuffer(body)) return hash.update(body).digest('hex');
	for await (const chunk of body) hash.update(chunk as Uint8Array);
	return hash.digest('hex');
}

/**
 * A file that any execution recognises: identified by its bytes, because n8n stores it elsewhere in
 * every execution, and named after them, because the name is part of the upload request, which must
 * be repeated exactly.
 */
export async function identifiedByContent(source: BinarySource): Promise<BinarySource> {
	const type = mediaTypeOf(source.mimeType) ?? 'application/octet-stream';
	const hash = await contentHash(source);
	const fileName = `${hash.slice(0, 16)}.${extensionOf(type)}`;
	return { ...source, fileName, identity: `${hash} ${type}` };
}

/** Whether the key of an item is the same in every execution, so that the request must be, too. */
const isKeyPersistent = ({ settings: { idempotency } }: Item) =>
	idempotency === 'content' || idempotency === 'custom';

/** One for all: thousands of items may wait with it. */
const NO_SOURCES: ReadonlyMap<string, BinarySource> = new Map();

/** The files that a request refers to, by their binary field. */
export async function openSources(item: Item): Promise<Result<ReadonlyMap<string, BinarySource>>> {
	const { request, host } = item;
	const references = referencesIn(request.body);
	if (references.length === 0) return ok(NO_SOURCES);
	const sources = new Map<string, BinarySource>();
	for (const { field } of references) {
		if (sources.has(field)) continue;
		try {
			const source = await host.binary(field);
			if (source)
				sources.set(field, isKeyPersistent(item) ? await identifiedByContent(source) : source);
		} catch {
			return fail({ kind: 'upload', field, problem: 'its file cannot be read' });
		}
	}
	return ok(sources);
}

/**
 * With this key a repeated upload gets the URL of the first one, even in another execution if the
 * key persists. By Content it is that of one request: shared by several, it would expire while one of
 * them still has its key, and the new URL would make that a different request under it.
 */
function uploadKeyOf({ settings, memory, origin }: Item, identity: string): string {
	const round = memory.uploadRound ?? 0;
	if (settings.idempotency === 'content') {
		return uploadKey(`${origin.node}\n${memory.fingerprint ?? ''}`, identity, round);
	}
	if (settings.idempotency === 'custom') return uploadKey(settings.idempotencyKey, identity, round);
	return executionKey(origin.runId, `${origin.item}:${identity}`, round);
}

/** A body with the URLs of its files. */
interface Uploaded {
	body: unknown;
	/** Whether one of them is from an earlier try: the service may refuse it as expired. */
	isRemembered: boolean;
}

/**
 * The body of a request with the URLs of its files. Each file is sent once and a repeated request
 * contains the same URLs; the service would take it for a different request otherwise.
 */
export async function uploadAll(
	item: Item,
	sources: ReadonlyMap<string, BinarySource>,
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
			const sent = await upload(host, workspace, {
				field,
				source,
				key: uploadKeyOf(item, identity),
			});
			if (!sent.ok) return sent;
			(memory.uploads ??= {})[identity] = { url: sent.value.url, at: now };
		}
		urls.set(field, memory.uploads?.[identity]?.url ?? '');
	}
	const body = await resolveReferences(item.request.body, async ({ field }) => urls.get(field));
	return ok({ body, isRemembered });
}
