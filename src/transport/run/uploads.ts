import { createHash } from 'crypto';
import { fail, ok, type Result } from '../base/result';
import type { Json } from '../base/types';
import { extensionOf, mediaTypeOf } from '../files/names';
import { upload } from '../files/upload';
import type { BinarySource } from '../http/host';
import { halt, inTurn } from './batch';
import { referencesIn, withoutReferences } from './binaryReference';
import type { Item } from './item';
import { isKeyExpired } from './itemState';
import { fingerprint, isKeyPersistent, uploadKey } from './keys';

/**
 * A file that any execution recognises: identified by its bytes, because n8n stores it elsewhere in
 * every execution, and named after them, because the name is part of the upload request, which must
 * be repeated exactly.
 */
async function identifiedByContent(source: BinarySource): Promise<BinarySource> {
	const type = mediaTypeOf(source.mimeType) ?? 'application/octet-stream';
	const sum = createHash('sha256');
	const body = await source.open();
	if (Buffer.isBuffer(body)) sum.update(body);
	else for await (const chunk of body) sum.update(chunk as Uint8Array);
	const hash = sum.digest('hex');
	const fileName = `${hash.slice(0, 16)}.${extensionOf(type)}`;
	return { ...source, fileName, identity: `${hash} ${type}` };
}

async function openSource(item: Item, field: string): Promise<Result<BinarySource>> {
	try {
		const source = await item.host.binary(field);
		if (!source) return fail({ kind: 'upload', field, problem: 'the item does not have it' });
		return ok(isKeyPersistent(item) ? await identifiedByContent(source) : source);
	} catch {
		return fail({ kind: 'upload', field, problem: 'its file cannot be read' });
	}
}

/** The files of a request by their binary field, and its fingerprint. */
export interface OpenedRequest {
	sources: ReadonlyMap<string, BinarySource>;
	requestFingerprint: string;
}

/** Reads the files of a request as far as its fingerprint needs them. Sends nothing. */
export async function openRequest(item: Item): Promise<Result<OpenedRequest>> {
	const { path, body } = item.request;
	const sources = new Map<string, BinarySource>();
	const identities: Record<string, string> = {};
	for (const { field } of referencesIn(body)) {
		if (sources.has(field)) continue;
		const opened = await openSource(item, field);
		if (!opened.ok) return opened;
		sources.set(field, opened.value);
		identities[field] = opened.value.identity;
	}
	return ok({ sources, requestFingerprint: fingerprint([path, body], identities) });
}

/**
 * Sends a file of an item to the service, once for each content: a repeated request contains the same
 * URL, as the service would take it for a different request otherwise. Returns what `upload` does.
 */
async function sendOnce(item: Item, field: string, source: BinarySource): Promise<Result<Json>> {
	const { memory } = item;
	const { identity } = source;
	const now = item.workspace.clock.now();
	const known = memory.uploads?.[identity];
	if (known && !isKeyExpired(known.at, now)) return ok(known.file);
	const key = uploadKey(item, identity);
	const sent = await inTurn(item, async ({ host, workspace }) => {
		const uploaded = await upload(host, workspace, { field, source, key });
		// Before the next file gets its turn: it would run into the same refusal.
		if (!uploaded.ok) halt(item, uploaded);
		return uploaded;
	});
	if (sent.ok) (memory.uploads ??= {})[identity] = { file: sent.value, at: now };
	return sent;
}

/** The body of a request with the URLs of its files, which are sent first. */
export async function uploadAll(item: Item, { sources }: OpenedRequest): Promise<Result<unknown>> {
	const urls: Record<string, unknown> = {};
	for (const [field, source] of sources) {
		const sent = await sendOnce(item, field, source);
		if (!sent.ok) return sent;
		urls[field] = sent.value.url;
	}
	return ok(withoutReferences(item.request.body, (field) => urls[field]));
}

/** Uploads the binary field that an item names. Running the node again returns the same file. */
export async function sendFile(item: Item): Promise<Result<Json>> {
	const field = referencesIn(item.request.body)[0]?.field ?? '';
	const source = await openSource(item, field);
	return source.ok ? await sendOnce(item, field, source.value) : source;
}
