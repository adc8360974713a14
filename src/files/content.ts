import { createHash } from 'crypto';
import { onAbort, unlessAborted } from '../base/abort';
import { Semaphore } from '../base/semaphore';
import { type Turn } from '../base/waitQueue';
import type { BinarySource } from '../transport/host';
import { detect, HEAD_BYTES, type Detected } from './fileTypes';

/** Each file that is read holds a stream of n8n's storage open. */
const AT_ONCE = 5;

/** A file of an item, of which every byte was read once. */
export interface LocalFile extends BinarySource {
	/** Bytes. */
	size: number;
	/** SHA-256 of the bytes, in hex. */
	hash: string;
	/** Its media type, by its bytes where these tell. */
	type: string;
	/** Why it cannot be media; `undefined` if it may be. */
	problem?: string;
}

/** How long one file may take: at most 512 MiB, from where n8n stores it. */
const READ_TIMEOUT_MS = 10 * 60_000;

async function* piecesOf(source: BinarySource, end: AbortSignal): AsyncGenerator<Uint8Array, void> {
	const body = await source.open();
	if (Buffer.isBuffer(body)) return yield body;
	const { destroy } = body as { destroy?: () => void };
	const dispose = onAbort(end, () => void destroy?.call(body));
	try {
		for await (const piece of body) yield typeof piece === 'string' ? Buffer.from(piece) : piece;
	} finally {
		dispose();
	}
}

function contentProblem(size: number, { page, problem }: Detected): string | undefined {
	if (size === 0) return 'its file is empty';
	// Whatever it is stated to be: a saved error page is often stated rightly.
	if (page !== undefined)
		return `its file is ${page} and no media, such as an error that was saved in its place`;
	return problem && `its file ${problem}`;
}

async function read(source: BinarySource, end: AbortSignal): Promise<LocalFile> {
	const sum = createHash('sha256');
	const first: Uint8Array[] = [];
	let size = 0;
	for await (const piece of piecesOf(source, end)) {
		end.throwIfAborted();
		sum.update(piece);
		if (size < HEAD_BYTES) first.push(piece.subarray(0, HEAD_BYTES));
		size += piece.length;
	}
	const { fileName: name, mimeType } = source;
	const head = Buffer.concat(first).subarray(0, HEAD_BYTES);
	const detected = detect(head, { types: [mimeType], name });
	const problem = contentProblem(size, detected);
	return { ...source, size, hash: sum.digest('hex'), type: detected.type, problem };
}

/** All runs take turns: the first request of each must not wait until all its files were read. */
const reading = new Semaphore(AT_ONCE);

/**
 * Reads a file as a stream: what it is, how long it is, and its hash.
 * @returns `undefined` if it was cancelled before its turn. Rejects if it is cancelled then, and if the file
 * cannot be read
 */
export async function readFile(source: BinarySource, turn: Turn): Promise<LocalFile | undefined> {
	return await reading.run(turn, async () => {
		const deadline = AbortSignal.timeout(READ_TIMEOUT_MS);
		const end = turn.signal ? AbortSignal.any([turn.signal, deadline]) : deadline;
		// At once: storage that stands still would keep its turn, and with five of them nobody would get one.
		return await unlessAborted(end, read(source, end));
	});
}
