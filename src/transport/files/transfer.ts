import { onAbort } from '../base/abortListeners';
import type { StreamedResponse } from '../host/host';
import { retryAfterMs } from '../client/retryAfter';
import type { Clock, Random } from '../base/types';

/** A transfer that brings less than this in a minute has stalled: it is given up and tried again. */
const WINDOW_MS = 60_000;
const LEAST_BYTES = 16 * 1024;

/** No body takes longer, in milliseconds: time enough for 2 GiB at 300 kB a second. */
const LONGEST_MS = 7_200_000;

/** No output is larger, in bytes. */
const MOST_BYTES = 2 * 1024 ** 3;

/** What a body that came packed may grow to, in bytes: media hardly shrink, so more than this is a trap. */
const MOST_UNPACKED_BYTES = 512 * 1024 ** 2;

/** Upper end of the jitter before the second try of a transfer, in milliseconds; doubled with each further one. */
const BACKOFF_MS = 2_000;

export const isPassing = (status: number): boolean =>
	status >= 500 || status === 429 || status === 408;

/**
 * Milliseconds until the next try of a transfer: as the storage asks, otherwise with full jitter.
 * @param headers of the answer to the last try, if one came
 */
export function transferDelay(
	headers: Record<string, string> = {},
	attempt: number,
	{ clock, random }: { clock: Clock; random: Random },
): number {
	const hint = retryAfterMs(headers, clock.now());
	if (hint !== undefined) return hint + random() * 1_000;
	return random() * BACKOFF_MS * 2 ** (attempt - 1);
}

/** Length in bytes that the head of an answer promises; `undefined` where it says nothing usable. */
export function promisedLength({ headers }: Pick<StreamedResponse, 'headers'>): number | undefined {
	const length = headers['content-length'] ?? '';
	return /^\d{1,15}$/.test(length) ? Number(length) : undefined;
}

/** Why a body was not read to its end. */
export interface GivenUp {
	problem: string;
	/** Whether another try would end the same way. */
	final: boolean;
}

/** A body that is read within bounds of pace, time and size. */
export interface Bounded {
	body: NodeJS.ReadableStream;
	/** Bytes read so far. */
	bytes: () => number;
	/** Why it was given up, if it was. */
	givenUp: () => GivenUp | undefined;
}

/**
 * A body as a stream that ends with an error when it stalls, takes too long, grows too large or the execution is cancelled; its
 * connection is closed then. It only ever holds the piece that is passed on.
 */
export function bounded(answer: StreamedResponse, clock: Clock, cancel?: AbortSignal): Bounded {
	let bytes = 0;
	let why: GivenUp | undefined;
	const ended = new AbortController();
	const promised = promisedLength(answer);
	const most = promised === undefined ? MOST_BYTES : Math.max(promised, MOST_UNPACKED_BYTES);

	const giveUp = (problem: string, final = false) => {
		why ??= { problem, final };
		answer.close();
	};
	const watch = async () => {
		const deadline = clock.monotonic() + LONGEST_MS;
		while (!ended.signal.aborted) {
			const before = bytes;
			await clock.sleep(WINDOW_MS, ended.signal);
			if (ended.signal.aborted) return;
			if (bytes - before < LEAST_BYTES) return giveUp('the transfer stalled');
			if (clock.monotonic() >= deadline) return giveUp('the transfer took too long');
		}
	};
	async function* counted() {
		void watch();
		const dispose = onAbort(cancel, () => giveUp('cancelled', true));
		try {
			for await (const chunk of answer.body) {
				bytes += (chunk as Uint8Array).length;
				if (bytes > most) {
					giveUp(`the file is larger than ${most} bytes`, true);
					throw new Error('too large');
				}
				yield chunk;
			}
		} finally {
			dispose();
			ended.abort();
		}
	}
	return { body: streamOf(answer.body, counted()), bytes: () => bytes, givenUp: () => why };
}

/** Published code may not import Node's streams, so the class of a stream that n8n gave is asked to make another. */
function streamOf(
	like: NodeJS.ReadableStream,
	pieces: AsyncIterable<unknown>,
): NodeJS.ReadableStream {
	const { from } = like.constructor as unknown as {
		from: (pieces: AsyncIterable<unknown>, options: object) => NodeJS.ReadableStream;
	};
	return from(pieces, { objectMode: false });
}

/** Whether an answer promises more than any output has. */
export const isTooLarge = (answer: StreamedResponse): boolean =>
	(promisedLength(answer) ?? 0) > MOST_BYTES;
