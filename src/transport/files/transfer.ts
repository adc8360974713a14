import { onAbort } from '../base/abortListeners';
import { hintedDelay } from '../http/client';
import { TRANSFER_TIMEOUT_MS, type StreamedResponse } from '../http/host';
import type { Clock, Random } from '../base/types';

/** How often a file is sent or fetched. */
export const MAX_ATTEMPTS = 4;

/** Upper bound of the jittered delay before the second attempt; doubles with each further one. */
const INITIAL_DELAY_MS = 2_000;

/** A download of less than this many bytes in this time has stalled. */
const STALL_MS = 60_000;
const MIN_BYTES = 16 * 1024;

/** Largest output, in bytes. */
const MAX_BYTES = 2 * 1024 ** 3;

/**
 * Largest size of a decompressed body, in bytes: media hardly compress, so anything larger is a
 * decompression bomb.
 */
const MAX_UNPACKED_BYTES = 512 * 1024 ** 2;

/**
 * Milliseconds until the next attempt at a transfer: as the storage asks, otherwise with full
 * jitter.
 * @param headers of the last response, if there was one
 */
export const transferDelay = (
	headers: Record<string, string> = {},
	attempt: number,
	{ clock, random }: { clock: Clock; random: Random },
): number =>
	hintedDelay(headers, clock.now(), random) ?? random() * INITIAL_DELAY_MS * 2 ** (attempt - 1);

/** The content length of a response in bytes; `undefined` if it states none that is usable. */
export function contentLength({ headers }: Pick<StreamedResponse, 'headers'>): number | undefined {
	const length = headers['content-length'] ?? '';
	return /^\d{1,15}$/.test(length) ? Number(length) : undefined;
}

/** Whether a response announces more bytes than any output may have. */
export const isTooLarge = (response: StreamedResponse): boolean =>
	(contentLength(response) ?? 0) > MAX_BYTES;

/** Why a body was not read to its end. */
export interface AbortReason {
	problem: string;
	/** Whether another attempt would end the same way. */
	final: boolean;
}

/** A body that is read within limits of rate, time and size. */
export interface BoundedBody {
	body: NodeJS.ReadableStream;
	/** Why it came to no end; `undefined` if that was not its own doing. */
	abortReason: () => AbortReason | undefined;
}

/**
 * A body as a stream that ends with an error if it breaks off, stalls, takes too long, grows too
 * large or the execution is cancelled; its connection is closed then. Holds one chunk at a time.
 */
export function boundedBody(
	response: StreamedResponse,
	clock: Clock,
	cancel?: AbortSignal,
): BoundedBody {
	let bytes = 0;
	let reason: AbortReason | undefined;
	const ended = new AbortController();
	const expectedSize = contentLength(response);
	const maxBytes =
		expectedSize === undefined ? MAX_BYTES : Math.max(expectedSize, MAX_UNPACKED_BYTES);

	const abort = (problem: string, final = false) => {
		reason ??= { problem, final };
		response.close();
	};
	const watch = async () => {
		const deadline = clock.monotonic() + TRANSFER_TIMEOUT_MS;
		while (!ended.signal.aborted) {
			const before = bytes;
			await clock.sleep(STALL_MS, ended.signal);
			if (ended.signal.aborted) return;
			if (bytes - before < MIN_BYTES) return abort('the transfer stalled');
			if (clock.monotonic() >= deadline) return abort('the transfer took too long');
		}
	};
	async function* counted() {
		void watch();
		const dispose = onAbort(cancel, () => abort('cancelled', true));
		const chunks = response.body[Symbol.asyncIterator]();
		// Only an error of the body itself: what reads this stream may end it with one of its own.
		const cutOff = async (error: unknown) => {
			abort('the transfer was cut off');
			return await Promise.reject(error as Error);
		};
		try {
			for (;;) {
				const read = await chunks.next().catch(cutOff);
				if (read.done) return;
				bytes += (read.value as Uint8Array).length;
				if (bytes > maxBytes) {
					abort(`the file is larger than ${maxBytes} bytes`, true);
					throw new Error('too large');
				}
				yield read.value;
			}
		} finally {
			dispose();
			ended.abort();
		}
	}
	return { body: streamOf(response.body, counted()), abortReason: () => reason };
}

/**
 * Published code may not import Node's streams, so the class of n8n's own stream creates the new
 * one.
 */
function streamOf(
	original: NodeJS.ReadableStream,
	chunks: AsyncIterable<unknown>,
): NodeJS.ReadableStream {
	const { from } = original.constructor as unknown as {
		from: (chunks: AsyncIterable<unknown>, options: object) => NodeJS.ReadableStream;
	};
	return from(chunks, { objectMode: false });
}
