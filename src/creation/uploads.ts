import { ENDPOINTS } from '../api';
import { shortHash } from '../base/hash';
import { fail, ok, type Failed, type Result } from '../base/result';
import type { Json } from '../base/types';
import { inOrder } from '../base/values';
import { readFile, type LocalFile } from '../files/content';
import { extensionOf } from '../files/fileTypes';
import { upload } from '../files/up';
import type { BinarySource, StoredFile } from '../transport/host';
import type { Item } from './item';
import { refusedAlike } from './run';
import { forgetFile, sendUnlessSent, type Names } from './sentFiles';
import { uploadKey, type Idempotency } from './idempotency';

/**
 * Placeholder in a request body for the URL of an upload: the binary field of the item is sent with
 * POST /files first. Specification: Operation details, POST /files.
 */
export class BinaryReference {
	/**
	 * @param field its name, and no other file of the item has it
	 * @param file of another node, which is none of the item's own
	 */
	constructor(
		readonly field: string,
		readonly file?: StoredFile,
	) {}
}

export function referencesIn(value: unknown): BinaryReference[] {
	if (value instanceof BinaryReference) return [value];
	if (typeof value !== 'object' || value === null) return [];
	return Object.values(value).flatMap(referencesIn);
}

/** A copy of a value in which something else stands in place of each reference. */
export function withoutReferences(
	value: unknown,
	insteadOf: (reference: BinaryReference) => unknown,
): unknown {
	if (value instanceof BinaryReference) return insteadOf(value);
	if (Array.isArray(value)) return value.map((entry) => withoutReferences(entry, insteadOf));
	if (typeof value !== 'object' || value === null) return value;
	const entries = Object.entries(value);
	return Object.fromEntries(
		entries.map(([name, entry]) => [name, withoutReferences(entry, insteadOf)]),
	);
}

type Opening = Promise<LocalFile | undefined>;

/** What was read of the files of a run, by where n8n stores them: items may share one. */
const readInRun = new WeakMap<Item['run'], Map<string, Opening>>();

/** Reads a file, once in a run. */
function readOnce({ run, host }: Item, source: BinarySource): Opening {
	const { id } = source;
	// In memory, where reading it costs little.
	if (id === undefined) return readFile(source, host.channel);
	const ofRun = readInRun.get(run) ?? new Map<string, Opening>();
	readInRun.set(run, ofRun);
	const read = ofRun.get(id) ?? readFile(source, host.channel);
	ofRun.set(id, read);
	return read;
}

/** What n8n says of a file that it has no more, such as one of an execution that was pruned. */
const NOT_THERE = /not found|could not find/i;

/** A file of an item that can be sent: what it is, and its content, are known. */
async function openFile(
	item: Item,
	{ field, file: ofOther }: BinaryReference,
): Promise<Result<LocalFile>> {
	try {
		const source = await item.host.binary(field, ofOther);
		if (!source) return fail({ kind: 'upload', field, problem: 'the item does not have it' });
		const file = await readOnce(item, source);
		if (!file) return fail({ kind: 'cancelled' });
		const { problem } = file;
		return problem ? fail({ kind: 'upload', field, problem }) : ok({ ...file, ...source });
	} catch (error) {
		if (item.host.channel.signal?.aborted) return fail({ kind: 'cancelled' });
		if (error instanceof Error && NOT_THERE.test(error.message))
			return fail({ kind: 'upload', field, problem: 'n8n does not have its file any more' });
		return fail({ kind: 'upload', field, problem: 'its file cannot be read', mayPass: true });
	}
}

/**
 * What a file is known by: its bytes, because n8n stores it elsewhere in every execution, and their
 * type, which is part of the upload request.
 */
const identityOf = ({ hash, type }: LocalFile): string => `${hash} ${type}`;

/**
 * A stable hash of a request: keys sorted, files represented by their identity instead of their
 * upload URL.
 */
export function fingerprint(body: unknown, identities: Record<string, string>): string {
	const named = withoutReferences(body, ({ field }) => ({ binary: identities[field] }));
	return shortHash(inOrder(named));
}

/** The files of a request by their binary field, and its fingerprint. */
export interface OpenedRequest {
	sources: ReadonlyMap<string, LocalFile>;
	requestFingerprint: string;
}

/** Shared, because thousands of items without files may wait. */
const NO_FILES: OpenedRequest['sources'] = new Map();

/** Reads the files of a request, whose content is part of its fingerprint. Sends nothing. */
export async function openRequest(item: Item): Promise<Result<OpenedRequest>> {
	const { path, body } = item.request;
	const references = referencesIn(body);
	if (references.length === 0)
		return ok({ sources: NO_FILES, requestFingerprint: fingerprint([path, body], {}) });
	const sources = new Map<string, LocalFile>();
	const identities: Record<string, string> = {};
	let unread: Failed | undefined;
	for (const reference of references) {
		const { field } = reference;
		if (sources.has(field)) continue;
		const opened = await openFile(item, reference);
		if (opened.ok) {
			sources.set(field, opened.value);
			identities[field] = identityOf(opened.value);
			continue;
		}
		// One that can never be sent says more than one that cannot be read now.
		const { failure } = opened;
		if (failure.kind !== 'upload' || !failure.mayPass) return opened;
		unread ??= opened;
	}
	if (unread) return unread;
	return ok({ sources, requestFingerprint: fingerprint([path, body], identities) });
}

/** A file of an item as it goes to the service. */
interface ToSend {
	/** The name of its binary field. */
	field: string;
	file: LocalFile;
	/** Of one owner the same is sent under one key. */
	owner: string;
	/** What makes it the same. */
	identity: string;
	names: Names;
}

/** Sends a file of an item to the service, unless another item has. Returns what `upload` does. */
async function sendOnce(
	item: Item,
	{ field, file, owner, identity, names }: ToSend,
): Promise<Result<Json>> {
	const { host, workspace, node } = item;
	// Under one key one request, and the name is a part of it.
	const request = `${identity} ${file.fileName}`;
	const key = uploadKey(owner, request);
	const lastKey = uploadKey(node.runId, request);
	const { path } = ENDPOINTS.createFile;
	const sent = await sendUnlessSent(item, names, async () => {
		const refused = refusedAlike(item, path);
		return refused ?? (await upload(host, workspace, { field, file, key, lastKey }));
	});
	if (sent.ok) item.run.refusals.accepted(item, path);
	if (sent.ok || sent.failure.kind !== 'upload') return sent;
	// Another item may have it in another field.
	return { ...sent, failure: { ...sent.failure, field } };
}

/** What a file of a request is remembered by, for all who name the same URL. */
function namesOf(
	{ workspace, origin }: Item,
	{ uploadOwner, sharedRequest }: Idempotency,
	identity: string,
): Names {
	const name = (owner: string) => shortHash([workspace.name, owner, identity].join('\n'));
	const elsewhere: string[] = [];
	if (sharedRequest !== undefined) elsewhere.push(name(sharedRequest));
	// Each click is an execution of its own.
	if (origin.owner.isManual) elsewhere.push(name(uploadOwner));
	return { execution: name(uploadOwner), elsewhere };
}

/** Under a key that other executions share, the upload request must be the same, and its name with it. */
const withSharedName = (file: LocalFile): LocalFile => ({
	...file,
	fileName: `${file.hash.slice(0, 16)}.${extensionOf(file.type)}`,
});

/**
 * Sends the files of a request, one after the other. Fails with `upload`, or as POST /files does.
 *
 * @returns the body of the request, with an https URL in place of each file
 */
export async function uploadAll(
	item: Item,
	sources: OpenedRequest['sources'],
	idempotency: Idempotency,
): Promise<Result<unknown>> {
	const { uploadOwner: owner, isShared } = idempotency;
	const urls: Record<string, unknown> = {};
	for (const [field, opened] of sources) {
		const file = isShared ? withSharedName(opened) : opened;
		const identity = identityOf(opened);
		const names = namesOf(item, idempotency, identity);
		const sent = await sendOnce(item, { field, file, owner, identity, names });
		if (!sent.ok) return sent;
		urls[field] = sent.value.url;
	}
	return ok(withoutReferences(item.request.body, ({ field }) => urls[field]));
}

/**
 * A request with these files was refused, or its job has failed: as the service may have dropped one of them,
 * the next that needs it sends it again.
 */
export function doubtFiles(
	item: Item,
	sources: OpenedRequest['sources'],
	idempotency: Idempotency,
): void {
	for (const file of sources.values())
		forgetFile(item, namesOf(item, idempotency, identityOf(file)));
}

/**
 * Uploads the binary field that an item names, once in an execution for the same bytes under the same name,
 * which is output too. Running the node again returns the same file.
 */
export async function sendFile(item: Item): Promise<Result<Json>> {
	const { node, origin, settings, workspace } = item;
	const [reference = new BinaryReference('')] = referencesIn(item.request.body);
	const { field } = reference;
	const opened = await openFile(item, reference);
	if (!opened.ok) return opened;
	const file = opened.value;
	const identity = `${identityOf(file)} ${file.fileName}`;
	// A call of a tool is told from an earlier one by its place.
	const owner = settings.isTool ? `${node.runId}\n${origin.item}` : node.runId;
	const execution = shortHash([workspace.name, owner, identity].join('\n'));
	return await sendOnce(item, {
		field,
		file,
		owner,
		identity,
		names: { execution, elsewhere: [] },
	});
}
