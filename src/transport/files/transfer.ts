import { onAbort } from '../base/abortListeners';
import type { StreamedResponse } from '../http/host';
import { retryAfterMs } from '../http/retryAfter';
import { POLICIES } from '../limits/policies';
import type { Clock, Random } from '../base/types';

const POLICY = POLICIES.transfer;

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
export function transferDelay(
	headers: Record<string, string> = {},
	attempt: number,
	{ clock, random }: { clock: Clock; random: Random },
): number {
	const retryAfter = retryAfterMs(headers, clock.now());
	if (retryAfter !== undefined) return retryAfter + random() * POLICIES.apiCall.retryAfterJitterMs;
	return random() * POLICY.initialMs * 2 ** (attempt - 1);
}

/** The content length of a response in bytes; `undefined` if it states none that is usable. */
export function contentLength({ headers }: Pick<StreamedResponse, 'headers'>): number | undefined {
	const length = headers['content-length'] ?? '';
	return /^\d{1,15}$/.test(length) ? Number(length) : undefined;
}

/** Why a body was not read to its end. */
export interface AbortReason {
	problem: string;
	/** Whether another attempt would end the same way. */
	final: boolean;
	/** Whether another link may lead to the file. */
	isPage?: boolean;
}

/** A body that is read within limits of rate, time and size. */
export interface BoundedBody {
	body: NodeJS.ReadableStream;
	/** Bytes read so far. */
	bytes: () => number;
	/** Why it was aborted; `undefined` if it was not. */
	abortReason: () => AbortReason | undefined;
}

/**
 * A body as a stream that ends with an error if it stalls, takes too long, grows too large or the
 * execution is cancelled; its connection is closed then. Holds one chunk at a time.
 */
export function boundedBody(
	response: StreamedResponse,
	clock: Clock,
	cancel?: AbortSignal,
	isPage: (first: Uint8Array) => boolean = () => false,
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
		const deadline = clock.monotonic() + POLICY.maxMs;
		while (!ended.signal.aborted) {
			const before = bytes;
			await clock.sleep(POLICY.stallMs, ended.signal);
			if (ended.signal.aborted) return;
			if (bytes - before < POLICY.minBytes) return abort('the transfer stalled');
			if (clock.monotonic() >= deadline) return abort('the transfer took too long');
		}
	};
	async function* counted() {
		void watch();
		const dispose = onAbort(cancel, () => abort('cancelled', true));
		try {
			for await (const chunk of response.body) {
				if (bytes === 0 && isPage(chunk as Uint8Array)) {
					reason = { problem: 'a page came instead of the file', final: true, isPage: true };
					response.close();
					throw new Error('a page');
				}
				bytes += (chunk as Uint8Array).length;
				if (bytes > maxBytes) {
					abort(`the file is larger than ${maxBytes} bytes`, true);
					throw new Error('too large');
				}
				yield chunk;
			}
		} finally {
			dispose();
			ended.abort();
		}
	}
	return {
		body: streamOf(response.body, counted()),
		bytes: () => bytes,
		abortReason: () => reason,
	};
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

/** Whether a response announces more bytes than any output may have. */
export const isTooLarge = (response: StreamedResponse): boolean =>
	(contentLength(response) ?? 0) > MAX_BYTES;
