import { createHash } from 'crypto';
import { offAbort, onAbort, unlessAborted } from '../base/abort';
import { Semaphore } from '../base/semaphore';
import { type Waiter } from '../base/waitQueue';
import type { BinarySource, StoredFile } from '../transport/host';
import { detect, HEAD_BYTES, type Detected } from './fileTypes';

/** At most so many files are read at the same time: each holds a stream of n8n's storage open. */
const AT_ONCE = 5;

/**
 * Stands in a request body for the URL of a file that is still to be sent to the service (specification:
 * Operation details, POST /files).
 */
export class BinaryReference {
	/**
	 * @param field the name of the binary field that has the file, and of no other one of the item
	 * @param file of another node, which is none of the item's own
	 */
	constructor(
		readonly field: string,
		readonly file?: StoredFile,
	) {}
}

/** A file of an item that was read to its end. */
export interface LocalFile extends BinarySource {
	/** The length in bytes. */
	size: number;
	/** SHA-256 of the bytes, in hex. */
	hash: string;
	/** The media type. The bytes decide it if they tell it. */
	type: string;
	/** Why it cannot be media; `undefined` if it may be. */
	problem?: string;
}

/** The files of a request that were read, by their binary fields. */
export type LocalFiles = ReadonlyMap<string, LocalFile>;

/**
 * What a file is known by: its bytes, because n8n stores it elsewhere in every execution, and their type,
 * which is part of the upload request.
 */
export const identityOf = ({ hash, type }: LocalFile): string => `${hash} ${type}`;

/** How long it may take to read one file from n8n's storage: at most 512 MiB. */
const READ_TIMEOUT_MS = 10 * 60_000;

async function* piecesOf(source: BinarySource, end: AbortSignal): AsyncGenerator<Uint8Array, void> {
	const body = await source.open();
	if (Buffer.isBuffer(body)) return yield body;
	const { destroy } = body as { destroy?: () => void };
	const stop = () => void destroy?.call(body);
	onAbort(end, stop);
	try {
		for await (const piece of body) yield typeof piece === 'string' ? Buffer.from(piece) : piece;
	} finally {
		offAbort(end, stop);
	}
}

function contentProblem(size: number, { page, problem }: Detected): string | undefined {
	if (size === 0) return 'its file is empty';
	// It does not matter which type is stated: an error page that was saved is often stated correctly.
	if (page !== undefined)
		return `its file is ${page} and no media, such as an error that was saved in its place`;
	return problem && `its file ${problem}`;
}

/** What n8n's storage or its stream has thrown instead of giving a file. */
export class NotGiven extends Error {
	constructor(readonly reason: unknown) {
		super('n8n could not give the file');
	}
}

export const notGiven = (reason: unknown): never => {
	throw new NotGiven(reason);
};

/** What is learned from all bytes of a file. */
interface FileContent {
	size: number;
	hash: string;
	head: Buffer;
}

async function contentOfFile(source: BinarySource, end: AbortSignal): Promise<FileContent> {
	const sum = createHash('sha256');
	const first: Uint8Array[] = [];
	let size = 0;
	for await (const piece of piecesOf(source, end)) {
		end.throwIfAborted();
		sum.update(piece);
		if (size < HEAD_BYTES) first.push(piece.subarray(0, HEAD_BYTES));
		size += piece.length;
	}
	const head = Buffer.concat(first).subarray(0, HEAD_BYTES);
	return { size, hash: sum.digest('hex'), head };
}

/**
 * All runs of this process share these turns, so that the first request of a run does not wait until all
 * files of another run were read.
 */
const reading = new Semaphore(AT_ONCE);

/**
 * Reads a file as a stream, for its type, its length and its hash.
 * @returns `undefined` if it was cancelled before its turn. Rejects with {@link NotGiven} if it is cancelled
 * during its turn, if that takes too long, or if n8n cannot give the file
 */
export async function readFile(source: BinarySource, turn: Waiter): Promise<LocalFile | undefined> {
	return await reading.run(turn, async () => {
		const deadline = AbortSignal.timeout(READ_TIMEOUT_MS);
		const end = turn.signal ? AbortSignal.any([turn.signal, deadline]) : deadline;
		// It ends at once. Otherwise storage that stands still would keep the turn, and after five of them
		// nobody would get one.
		const content = await unlessAborted(end, contentOfFile(source, end)).catch(notGiven);
		const { size, hash, head } = content;
		const detected = detect(head, { types: [source.mimeType], name: source.fileName });
		const problem = contentProblem(size, detected);
		return { ...source, size, hash, type: detected.type, problem };
	});
}
