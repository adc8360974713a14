import { createHash } from 'crypto';
import { fail, ok, type Result } from '../base/result';
import type { Json } from '../base/types';
import { extensionOf, mediaTypeOf } from '../files/names';
import { upload } from '../files/upload';
import type { BinarySource } from '../http/host';
import { referencesIn, resolveReferences } from './binaryReference';
import type { Item } from './item';
import { isKeyExpired } from './itemState';
import { fingerprint, isKeyPersistent, uploadKey } from './keys';
import { knownUpload } from './memory';

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
async function identifiedByContent(source: BinarySource): Promise<BinarySource> {
	const type = mediaTypeOf(source.mimeType) ?? 'application/octet-stream';
	const hash = await contentHash(source);
	const fileName = `${hash.slice(0, 16)}.${extensionOf(type)}`;
	return { ...source, fileName, identity: `${hash} ${type}` };
}

type Sources = ReadonlyMap<string, BinarySource>;

/** One for all: thousands of items may wait with it. */
const NO_SOURCES: Sources = new Map();

/** The files that a request refers to, by their binary field. */
async function openSources(item: Item): Promise<Result<Sources>> {
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

/** The files of a request and its fingerprint. */
export interface OpenedRequest {
	sources: Sources;
	requestFingerprint: string;
}

/** Reads the files of a request as far as its fingerprint needs them. Sends nothing. */
export async function openRequest(item: Item): Promise<Result<OpenedRequest>> {
	const { request } = item;
	const sources = await openSources(item);
	if (!sources.ok) return sources;
	const identities: Record<string, string> = {};
	for (const [field, { identity }] of sources.value) identities[field] = identity;
	const requestFingerprint = fingerprint([request.path, request.body], identities);
	return ok({ sources: sources.value, requestFingerprint });
}

/** A body with the URLs of its files. */
export interface UploadedBody {
	body: unknown;
	/** Whether one of them is from an earlier try: the service may refuse it as expired. */
	isRemembered: boolean;
}

/**
 * The body of a request with the URLs of its files. Each file is sent once and a repeated request
 * contains the same URLs; the service would take it for a different request otherwise.
 */
export async function uploadAll(item: Item, sources: Sources): Promise<Result<UploadedBody>> {
	const { host, workspace, memory } = item;
	const urls = new Map<string, string>();
	let isRemembered = false;
	for (const [field, source] of sources) {
		const now = workspace.clock.now();
		const { identity } = source;
		if (knownUpload(memory, identity, now) !== undefined) {
			isRemembered = true;
		} else {
			const key = uploadKey(item, identity);
			const sent = await upload(host, workspace, { field, source, key });
			if (!sent.ok) return sent;
			(memory.uploads ??= {})[identity] = { url: sent.value.url, at: now };
		}
		urls.set(field, memory.uploads?.[identity]?.url ?? '');
	}
	const body = await resolveReferences(item.request.body, async ({ field }) => urls.get(field));
	return ok({ body, isRemembered });
}

/**
 * Uploads a binary field of the item and returns `url`, `fileName`, `mimeType`, `size` in bytes and
 * the other fields of the response, except the presigned URL. Running the node again returns the
 * same file. Specification: Operation details, POST /files.
 */
export async function sendFile(item: Item): Promise<Result<Json>> {
	const { host, workspace, memory, request } = item;
	const now = workspace.clock.now();
	const field = referencesIn(request.body)[0]?.field ?? '';
	let source: BinarySource | undefined;
	try {
		source = await host.binary(field);
	} catch {
		return fail({ kind: 'upload', field, problem: 'its file cannot be read' });
	}
	if (!source) return fail({ kind: 'upload', field, problem: 'the item does not have it' });
	const { identity } = source;
	const known = memory.file;
	if (known?.identity === identity && !isKeyExpired(known.at, now)) return ok(known.resource);
	const sent = await upload(host, workspace, { field, source, key: uploadKey(item, identity) });
	if (!sent.ok) return sent;
	const { details, ...file } = sent.value;
	const resource: Json = { ...details, ...file };
	memory.file = { identity, resource, at: now };
	return ok(resource);
}
