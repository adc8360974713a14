import { createHash } from 'crypto';
import { ENDPOINTS, IDEMPOTENCY_HEADER } from '../contract';
import { fail, ok, type Failed, type Result } from '../base/result';
import { asText, isNoResponse, isRecord, isSuccess, type Json } from '../base/types';
import { extensionOf, mediaTypeOf, safeFileName } from '../transfer/names';
import { contentLength, faultOf, MAX_ATTEMPTS, transferDelay } from '../transfer/transfer';
import type { BinarySource, Host } from '../service/host';
import { transferUrlProblem } from '../service/urls';
import type { Workspace } from '../service/workspace';
import type { Item } from './item';
import { isKeyExpired } from './state';
import { isKeyPersistent, shortHash, uploadKey } from './keys';

/**
 * Placeholder in a request body for the URL of an upload: the binary field of the item is sent with
 * POST /files first. Specification: Operation details, POST /files.
 */
export class BinaryReference {
	constructor(readonly field: string) {}
}

export function referencesIn(value: unknown): BinaryReference[] {
	if (value instanceof BinaryReference) return [value];
	if (typeof value !== 'object' || value === null) return [];
	return Object.values(value).flatMap(referencesIn);
}

/** A copy of a value in which something else stands in place of each reference. */
export function withoutReferences(value: unknown, insteadOf: (field: string) => unknown): unknown {
	if (value instanceof BinaryReference) return insteadOf(value.field);
	if (Array.isArray(value)) return value.map((entry) => withoutReferences(entry, insteadOf));
	if (typeof value !== 'object' || value === null) return value;
	const entries = Object.entries(value);
	return Object.fromEntries(
		entries.map(([name, entry]) => [name, withoutReferences(entry, insteadOf)]),
	);
}

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

/**
 * A stable hash of a request: keys sorted, files represented by their identity instead of their
 * upload URL.
 */
export function fingerprint(body: unknown, identities: Record<string, string>): string {
	const named = withoutReferences(body, (field) => ({ binary: identities[field] }));
	const text = JSON.stringify(named, (_name, value: unknown) =>
		isRecord(value)
			? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
			: value,
	);
	return shortHash(text);
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

/** They are not the service's to set, or would carry credentials elsewhere. */
const FORBIDDEN_HEADERS = new Set(['host', 'cookie', 'authorization', 'proxy-authorization']);

/** Whether an earlier attempt, or a run with the same key, has uploaded the file. */
async function hasArrived(host: Host, url: string, size: number): Promise<boolean> {
	if (transferUrlProblem(url, host.baseUrl)) return false;
	const response = await host.get(url);
	if (isNoResponse(response)) return false;
	response.close();
	return response.status === 200 && (contentLength(response) ?? size) === size;
}

function validateUpload(body: unknown): string | undefined {
	if (!isRecord(body)) return 'the response is not a JSON object';
	const missing = ['upload_url', 'url'].filter((name) => typeof body[name] !== 'string');
	return missing.length > 0 ? `the response has no ${missing.join(' and no ')}` : undefined;
}

/** Exactly the headers given, minus forbidden ones and any with a line break. */
function allowedHeaders(given: unknown): Record<string, string> {
	const headers: Record<string, string> = {};
	for (const [name, raw] of Object.entries(isRecord(given) ? given : {})) {
		const value = asText(raw);
		const safe = !/[\r\n]/.test(`${name}${value}`);
		if (safe && !FORBIDDEN_HEADERS.has(name.toLowerCase())) headers[name] = value;
	}
	return headers;
}

interface Upload {
	field: string;
	source: BinarySource;
	/**
	 * Idempotency key of the request for an upload URL, which all attempts use. Only a URL that is used
	 * up without the file being there is replaced; its number is appended to the key.
	 */
	key: string;
}

/**
 * @returns `url`, `fileName`, `mimeType`, `size` in bytes and the other fields of the response. The
 * presigned URL appears in no result and no error. Specification: Operation details, POST /files
 */
export async function upload(
	host: Host,
	workspace: Workspace,
	{ field, source, key }: Upload,
): Promise<Result<Json>> {
	const { signal } = host.channel;
	const failure = (problem: string): Failed => fail({ kind: 'upload', field, problem });
	const mimeType = mediaTypeOf(source.mimeType) ?? 'application/octet-stream';
	const fileName = safeFileName(source.fileName) || `${field}.${extensionOf(mimeType)}`;
	const { size } = source;
	const newPlace = async (number: number) => {
		const request = {
			method: 'POST',
			path: ENDPOINTS.createFile.path,
			body: { filename: fileName, content_type: mimeType, size },
			headers: { [IDEMPOTENCY_HEADER]: `${key}-${number}` },
		} as const;
		const options = { replayable: true, validate: validateUpload };
		const created = await workspace.client.request(host.channel, request, options);
		if (!created.ok) return { ...created, endpoint: ENDPOINTS.createFile };
		const { upload_url, upload_headers, ...details } = created.value.body as Json;
		const uploadUrl = String(upload_url);
		const urlProblem = transferUrlProblem(uploadUrl, host.baseUrl);
		if (urlProblem) return failure(urlProblem);
		return ok({ uploadUrl, headers: allowedHeaders(upload_headers), details });
	};

	let refusals = 0;
	let place = await newPlace(1);
	for (let attempt = 1; ; attempt += 1) {
		if (!place.ok) return place;
		const { uploadUrl, headers, details } = place.value;
		const response = await host.put(uploadUrl, headers, source);
		if (signal?.aborted) return fail({ kind: 'cancelled' });
		const isStored = !isNoResponse(response) && isSuccess(response.status);
		const { problem, next, headers: answered } = faultOf(response);
		if (isStored || (next === 'newAddress' && (await hasArrived(host, String(details.url), size))))
			return ok({ ...details, fileName, mimeType, size });
		if (next === 'never' || attempt === MAX_ATTEMPTS) return failure(problem);
		if (next === 'newAddress') {
			// At first the same address again, as it is the one that others get who send this file.
			refusals += 1;
			if (refusals % 2 === 0) place = await newPlace(1 + refusals / 2);
		} else {
			await workspace.clock.sleep(transferDelay(answered, attempt, workspace), signal);
			if (signal?.aborted) return fail({ kind: 'cancelled' });
		}
	}
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
	const sent = await upload(item.host, item.workspace, { field, source, key });
	if (sent.ok) (memory.uploads ??= {})[identity] = { file: sent.value, at: now };
	return sent;
}

/** The body of a request with the URLs of its files, which are sent first. */
export async function uploadAll(
	item: Item,
	sources: OpenedRequest['sources'],
): Promise<Result<unknown>> {
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
