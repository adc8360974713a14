import { ENDPOINTS } from '../api';
import { shortHash } from '../base/hash';
import { findOnce, getOrCreate } from '../base/maps';
import { fail, ok, type Failed, type Result } from '../base/result';
import type { Json } from '../base/types';
import { instancesIn, withoutInstances } from '../base/values';
import { extensionOf } from '../files/fileTypes';
import {
	BinaryReference,
	identityOf,
	notGiven,
	NotGiven,
	readFile,
	type LocalFile,
	type LocalFiles,
} from '../files/localFile';
import { upload } from '../files/upload';
import type { BinarySource } from '../transport/host';
import { uploadKey, type Idempotency } from './idempotency/idempotency';
import type { Item } from './item';
import { unlessRefusedAlike } from './refusals';
import { forgetFile, sendUnlessSent, type FileNames } from './sentFiles';

/*
 * The files of a request. What n8n has in the binary fields that it names is read first (`openFiles`),
 * because the bytes are a part of what is asked for. Only when it is known that the request will be sent, the
 * files go to the service with POST /files (`uploadAll`), and the request names the URLs that the service
 * gives.
 */

type Opening = Promise<LocalFile | undefined>;

/** The files that the items of a run have read, by where n8n stores them: several items may have the same. */
const readInRun = new WeakMap<Item['run'], Map<string, Opening>>();

/** Reads a file, once in a run. */
function readOnce({ run, host }: Item, source: BinarySource): Opening {
	const { id } = source;
	// Without an id it is kept in memory, where reading it again costs little.
	if (id === undefined) return readFile(source, host.channel);
	const ofRun = getOrCreate(readInRun, run, () => new Map());
	return findOnce(ofRun, id, () => readFile(source, host.channel));
}

/** What n8n says of a file that it does not have any more, such as one of an execution that was pruned. */
const NOT_THERE = /not found|could not find/i;

/** Reads a file of an item. @returns the file, or why it cannot be sent */
async function openFile(
	item: Item,
	{ field, file: ofOther }: BinaryReference,
): Promise<Result<LocalFile>> {
	try {
		const source = await item.host.binary(field, ofOther).catch(notGiven);
		if (!source) return fail({ kind: 'upload', field, problem: 'the item does not have it' });
		const file = await readOnce(item, source);
		if (!file) return fail({ kind: 'cancelled' });
		const { problem } = file;
		return problem ? fail({ kind: 'upload', field, problem }) : ok({ ...file, ...source });
	} catch (error) {
		if (!(error instanceof NotGiven)) throw error as Error;
		const { reason } = error;
		if (item.host.channel.signal?.aborted) return fail({ kind: 'cancelled' });
		if (reason instanceof Error && NOT_THERE.test(reason.message))
			return fail({ kind: 'upload', field, problem: 'n8n does not have its file any more' });
		return fail({ kind: 'upload', field, problem: 'its file cannot be read', isTransient: true });
	}
}

/**
 * Reads the files that a request names, and sends nothing.
 * @param references in its body, of which several may be to one file
 */
export async function openFiles(
	item: Item,
	references: BinaryReference[],
): Promise<Result<LocalFiles>> {
	const files = new Map<string, LocalFile>();
	let unread: Failed | undefined;
	for (const reference of references) {
		const { field } = reference;
		if (files.has(field)) continue;
		const opened = await openFile(item, reference);
		if (opened.ok) {
			files.set(field, opened.value);
			continue;
		}
		// One that can never be sent says more than one that cannot be read now.
		const { failure } = opened;
		if (failure.kind !== 'upload' || !failure.isTransient) return opened;
		unread ??= opened;
	}
	return unread ?? ok(files);
}

/** A file of an item as it goes to the service. */
interface ToSend {
	/** The name of its binary field. */
	field: string;
	file: LocalFile;
	/** Who sends it. All who have one owner send the same file under the same key. */
	owner: string;
	/** What makes a file the same one. */
	identity: string;
	names: FileNames;
}

/**
 * Sends a file of an item to the service, unless another item has sent it or is about to.
 * @returns what the service says of the file
 */
async function sendOnce(
	item: Item,
	{ field, file, owner, identity, names }: ToSend,
): Promise<Result<Json>> {
	const { host, workspace, nodeMemory } = item;
	// A key must always come with the same request, and the name of the file is a part of that.
	const request = `${identity} ${file.fileName}`;
	const key = uploadKey(owner, request);
	const lastKey = uploadKey(nodeMemory.runId, request);
	const { path } = ENDPOINTS.createFile;
	const send = async () => await upload(host, workspace, { field, file, key, lastKey });
	const sent = await sendUnlessSent(
		item,
		names,
		async () => await unlessRefusedAlike(item, path, send),
	);
	if (sent.ok || sent.failure.kind !== 'upload') return sent;
	// Another item, which has the file in another field, may have tried to send it.
	return { ...sent, failure: { ...sent.failure, field } };
}

/** The names by which a file of a request is found again, by all whose requests must name the same URL. */
function namesOf(
	{ workspace, origin }: Item,
	{ uploadOwner, requestNameForOthers }: Idempotency,
	identity: string,
): FileNames {
	const name = (owner: string) => shortHash([workspace.name, owner, identity].join('\n'));
	const elsewhere: string[] = [];
	if (requestNameForOthers !== undefined) elsewhere.push(name(requestNameForOthers));
	// Each click in the editor is another execution, whose memory has nothing of the one before.
	if (origin.requester.isManual) elsewhere.push(name(uploadOwner));
	return { execution: name(uploadOwner), elsewhere };
}

/**
 * A file under a name that other executions give it too: they share the key of its upload, so they must all
 * send the same request.
 */
const withSharedName = (file: LocalFile): LocalFile => ({
	...file,
	fileName: `${file.hash.slice(0, 16)}.${extensionOf(file.type)}`,
});

/**
 * Sends the files of a request, one after the other, until one fails.
 * @returns the body of the request, with an https URL in place of each file
 */
export async function uploadAll(
	item: Item,
	files: LocalFiles,
	idempotency: Idempotency,
): Promise<Result<unknown>> {
	const { uploadOwner: owner, othersUseKey } = idempotency;
	const urls: Record<string, unknown> = {};
	for (const [field, opened] of files) {
		const file = othersUseKey ? withSharedName(opened) : opened;
		const identity = identityOf(opened);
		const names = namesOf(item, idempotency, identity);
		const sent = await sendOnce(item, { field, file, owner, identity, names });
		if (!sent.ok) return sent;
		urls[field] = sent.value.url;
	}
	const { body } = item.request;
	return ok(withoutInstances(body, BinaryReference, ({ field }) => urls[field]));
}

/**
 * A request with these files was refused, or its job has failed. The reason may be that the service has
 * dropped one of them, so whoever needs them next sends them again.
 */
export function forgetUploads(item: Item, files: LocalFiles, idempotency: Idempotency): void {
	for (const file of files.values()) forgetFile(item, namesOf(item, idempotency, identityOf(file)));
}

/**
 * Uploads the binary field that an item names, for an operation that does nothing else. In an execution the
 * same bytes under the same name are sent once, so that running the node again gives the same file. The name
 * counts here, because it is output.
 */
export async function sendFile(item: Item): Promise<Result<Json>> {
	const { nodeMemory, origin, settings, workspace } = item;
	const [reference = new BinaryReference('')] = instancesIn(item.request.body, BinaryReference);
	const { field } = reference;
	const opened = await openFile(item, reference);
	if (!opened.ok) return opened;
	const file = opened.value;
	const identity = `${identityOf(file)} ${file.fileName}`;
	// Of two calls of a tool each uploads its own file, and only a repeated call finds the one before.
	const owner = settings.isTool ? `${nodeMemory.runId}\n${origin.place}` : nodeMemory.runId;
	const execution = shortHash([workspace.name, owner, identity].join('\n'));
	return await sendOnce(item, {
		field,
		file,
		owner,
		identity,
		names: { execution, elsewhere: [] },
	});
}
