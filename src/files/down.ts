import { fail, ok, type Result } from '../base/result';
import { onAbort } from '../base/abort';
import { Semaphore } from '../base/semaphore';
import { isSuccess, type Clock } from '../base/types';
import type { Host, StoredFile, StreamedResponse } from '../transport/host';
import { saidIn } from '../transport/bodies';
import { localReason } from '../transport/network';
import { needsWords } from '../transport/statuses';
import type { Workspace } from '../transport/workspace';
import { detect, extensionOf, HEAD_BYTES, isStatedAsText } from './fileTypes';
import {
	contentLength,
	setbackOf,
	followRedirects,
	retry,
	stop,
	transfer,
	type Attempted,
	type Setback,
} from './transfer';

/** A large run that is retried has all its files at once, and n8n may hold each in memory. */
const AT_ONCE = 5;

/** A download of less than this many bytes in this time has stalled. */
const STALL_MS = 60_000;
const MIN_BYTES = 16 * 1024;

/** In bytes. */
const MAX_FILE_BYTES = 2 * 1024 ** 3;

/** A file of a job. Specification: Generation, `outputs`; SpeechGeneration, `output`. */
export interface Output {
	id: string;
	url: string;
	mediaType?: string;
	/** When the link expires, in ms since the epoch. */
	expiresAt?: number;
	/** Name without extension. */
	stem: string;
	/** A new link; `undefined` if there is none. */
	renew(): Promise<string | undefined>;
}

const CANCELLED = stop('cancelled');
const TOOK_TOO_LONG = retry('the transfer took too long');

type Bytes = AsyncGenerator<Uint8Array, void>;

/**
 * A body that ends with an error, and its connection with it, if it breaks off, stalls, takes too
 * long, grows too large or the execution is cancelled.
 * @returns its pieces, and why it came to no end; `undefined` if that was not its own doing
 */
function boundedBody(
	{ body, close }: StreamedResponse,
	{ clock, end, cancel }: { clock: Clock; end: AbortSignal; cancel: AbortSignal | undefined },
) {
	let bytes = 0;
	let setback: Setback | undefined;
	const ended = new AbortController();
	const abort = (why: Setback) => {
		setback ??= why;
		close();
	};
	const breakOff = (why: Setback, error: unknown): never => {
		abort(why);
		throw error as Error;
	};
	const watch = async () => {
		while (!ended.signal.aborted) {
			const before = bytes;
			await clock.sleep(STALL_MS, ended.signal);
			if (ended.signal.aborted) return;
			if (bytes - before < MIN_BYTES) return abort(retry('the transfer stalled'));
		}
	};
	async function* counted(): Bytes {
		void watch();
		const dispose = onAbort(end, () => abort(cancel?.aborted ? CANCELLED : TOOK_TOO_LONG));
		const chunks = body[Symbol.asyncIterator]();
		// Only an error of the body itself: what reads this stream may end it with one of its own.
		const cutOff = (error: unknown) => breakOff(retry('the transfer was cut off'), error);
		try {
			for (;;) {
				const read = await chunks.next().catch(cutOff);
				if (read.done) return;
				const { value } = read;
				const piece = typeof value === 'string' ? Buffer.from(value) : value;
				bytes += piece.length;
				if (bytes > MAX_FILE_BYTES)
					breakOff(stop(`the file is larger than ${MAX_FILE_BYTES} bytes`), new Error('too large'));
				yield piece;
			}
		} finally {
			dispose();
			ended.abort();
		}
	}
	return { pieces: counted(), setbackOfBody: () => setback };
}

/** The first bytes of a file, and all of it, which is read from its source only as it is wanted. */
async function withHead(pieces: Bytes): Promise<{ head: Uint8Array; whole: Bytes }> {
	const first: Uint8Array[] = [];
	let size = 0;
	while (size < HEAD_BYTES) {
		const read = await pieces.next();
		if (read.done) break;
		first.push(read.value);
		size += read.value.length;
	}
	async function* whole(): Bytes {
		yield* first.splice(0);
		yield* pieces;
	}
	return { head: Buffer.concat(first).subarray(0, HEAD_BYTES), whole: whole() };
}

/** Such as a login, or an error of the storage: another link may lead to the file. */
const noFile = (problem: string): Setback => ({ problem, next: 'otherAddress' });

/** The type of a file that has come, or why it is none. */
function typeOf(
	head: Uint8Array,
	mediaType: string | undefined,
	received: string | undefined,
	name: string,
): string | Setback {
	const { type, page, problem } = detect(head, { types: [mediaType, received], name });
	if (page !== undefined && !isStatedAsText(mediaType))
		return noFile('a page came instead of the file');
	return problem === undefined ? type : noFile(`what came ${problem}`);
}

async function storeBody(
	response: StreamedResponse,
	output: Output,
	url: string,
	host: Host,
	clock: Clock,
	end: AbortSignal,
): Promise<Attempted<StoredFile>> {
	const length = contentLength(response) ?? 0;
	if (length > MAX_FILE_BYTES) return stop(`the file has ${length} bytes, which is too large`);
	const { pieces, setbackOfBody } = boundedBody(response, {
		clock,
		end,
		cancel: host.channel.signal,
	});
	try {
		const { head, whole } = await withHead(pieces);
		if (head.length === 0) return retry('the file is empty');
		const received = response.headers['content-type'];
		const type = typeOf(head, output.mediaType, received, new URL(url).pathname);
		if (typeof type !== 'string') return type;
		// Published code may not import Node's streams, so the class of n8n's own stream creates the new one.
		const { from } = response.body.constructor as unknown as {
			from: (chunks: AsyncIterable<unknown>, options: object) => NodeJS.ReadableStream;
		};
		const stream = from(whole, { objectMode: false });
		return { done: await host.store(stream, `${output.stem}.${extensionOf(type)}`, type, end) };
	} catch (error) {
		return setbackOfBody() ?? stop(`n8n could not store the file: ${localReason(error)}`);
	} finally {
		// Not awaited: a body that stands still ends only when its connection is closed.
		void pieces.return();
	}
}

async function attemptDownload(
	host: Host,
	clock: Clock,
	output: Output,
	url: string,
	end: AbortSignal,
): Promise<Attempted<StoredFile>> {
	const response = await followRedirects(host, 'GET', url, async (at) => await host.get(at, end));
	if ('next' in response) return response;
	try {
		if (response.status === 200) return await storeBody(response, output, url, host, clock, end);
		const said = needsWords(response.status) ? await saidIn(response.body, end) : '';
		const setback = setbackOf(response, said);
		// Such as 202 before the file is there, or 206 with a part of it that nobody asked for.
		return isSuccess(response.status) ? { ...setback, next: 'again' } : setback;
	} finally {
		response.close();
	}
}

/** Executions take turns. */
const downloads = new Semaphore(AT_ONCE);

/**
 * Downloads one output into n8n's binary data as a stream, without credentials. Renews an expired
 * link, and never keeps an incomplete file. Specification: Operation details, GET /generations/{id}.
 */
export async function download(
	host: Host,
	workspace: Workspace,
	output: Output,
): Promise<Result<StoredFile>> {
	const { clock } = workspace;
	const hasExpired = clock.now() >= (output.expiresAt ?? Infinity);
	return await transfer<string, StoredFile>(host, workspace, {
		async address(refusals) {
			const fresh = refusals > 0 || hasExpired ? await output.renew() : undefined;
			return ok(fresh ?? output.url);
		},
		turns: downloads,
		attempt: async (url, end) => await attemptDownload(host, clock, output, url, end),
		failure: (problem) => fail({ kind: 'download', outputId: output.id, problem }),
	});
}
