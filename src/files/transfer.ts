import { offAbort, onAbort } from '../base/abort';
import { fail, ok, type Failed, type Result } from '../base/result';
import { Semaphore } from '../base/semaphore';
import { isSuccess, type ApiResponse, type Clock, type NoResponse } from '../base/types';
import { addressKind, isSecure, parseUrl, serviceKind } from '../base/urls';
import { storageWords } from '../transport/bodies';
import {
	TRANSFER_TIMEOUT_MS,
	type Host,
	type StoredFile,
	type StreamedResponse,
} from '../transport/host';
import { localReason } from '../transport/network';
import { hintedPauseMs } from '../transport/retries';
import { needsWords, ofStorage } from '../transport/statuses';
import type { Workspace } from '../transport/workspace';
import { detect, extensionOf, HEAD_BYTES, isStatedAsText } from './fileTypes';

/*
 * The way of a file, up or down (`transfer`): four attempts, each with up to five redirects and of at most
 * two hours. Each address on the way is checked by the same rule. Below it is the way down (`download`); the
 * way up is in `upload.ts`.
 */

/** The most attempts to send or fetch a file. */
const MAX_ATTEMPTS = 4;

/** The most redirects that one attempt follows. */
const MAX_HOPS = 5;

/** The longest pause before the second attempt, in ms. It doubles with each further attempt. */
const INITIAL_DELAY_MS = 2_000;

/**
 * Why an attempt has failed, and what comes next: another attempt at the same address, at another one, or
 * none.
 */
export interface FailedAttempt {
	problem: string;
	next: ReturnType<typeof ofStorage>;
	/** The headers of the response, if there was one. */
	headers?: Record<string, string>;
	/** Whether the storage was silent: it gave no answer, or took or gave no bytes any more. */
	isSilent?: boolean;
}

/** A failure that would come again in another attempt. */
export const permanentFailure = (problem: string): FailedAttempt => ({ problem, next: 'never' });

/** A failure that may pass. */
const transientFailure = (problem: string): FailedAttempt => ({ problem, next: 'again' });

/** The storage was silent, which may pass. */
export const silentFailure = (problem: string): FailedAttempt => ({
	...transientFailure(problem),
	isSilent: true,
});

/** The result of an attempt. */
export type AttemptResult<T> = { done: T } | FailedAttempt;

/**
 * What it means if a storage answers with anything but the expected success.
 * @param answerText the beginning of the body of the answer
 */
export function failureOfAnswer(
	response: Pick<ApiResponse, 'status' | 'headers'> | NoResponse,
	answerText = '',
): FailedAttempt {
	if ('noResponse' in response) {
		const { noResponse: problem, unsent } = response;
		const isTransient = unsent === undefined || unsent === 'connection';
		return isTransient ? silentFailure(problem) : permanentFailure(problem);
	}
	const { status, headers } = response;
	return {
		problem: `the storage answered ${status}`,
		next: ofStorage(status, answerText),
		headers,
	};
}

/**
 * What is wrong with an address that the service gives for an upload or a download; `undefined` if nothing
 * is. A public service must not lead us into private networks.
 */
export function transferUrlProblem(text: string, baseUrl: string): string | undefined {
	const url = parseUrl(text);
	if (!url) return 'the address is not a URL';
	if (!isSecure(url, baseUrl)) return 'the address is not https';
	const isInside = addressKind(url.hostname) !== 'public' && serviceKind(baseUrl) === 'public';
	return isInside ? 'the address is in a private network' : undefined;
}

/** A response to one request on the way. Its body may have to be closed. */
interface Hop {
	status: number;
	headers: Record<string, string>;
	close?: () => void;
}

/**
 * Sends a request to an address, and again to each address to which it is redirected. Each address must be an
 * allowed one.
 * @param request sends the request to an address
 */
export async function followRedirects<R extends Hop>(
	{ baseUrl }: Pick<Host, 'baseUrl'>,
	method: 'GET' | 'PUT',
	start: string,
	request: (url: string) => Promise<R | NoResponse>,
): Promise<R | FailedAttempt> {
	let url = start;
	for (let hop = 0; hop <= MAX_HOPS; hop += 1) {
		const urlProblem = transferUrlProblem(url, baseUrl);
		if (urlProblem) return permanentFailure(urlProblem);
		const response = await request(url);
		if ('noResponse' in response) return failureOfAnswer(response);
		const { status } = response;
		// After a PUT any other redirect asks for a GET.
		const isSame = method === 'PUT' ? status === 307 || status === 308 : status >= 300;
		if (!isSame || status >= 400) return response;
		response.close?.();
		const { location } = response.headers;
		if (!location || !URL.canParse(location, url))
			return permanentFailure('a redirect without an address');
		url = new URL(location, url).href;
	}
	return permanentFailure('too many redirects');
}

/** One file on its way. */
export interface Transfer<A, T> {
	way: 'up' | 'down';
	/**
	 * Gives the address for the next attempt.
	 * @param refusals how often an address was refused as used up or expired. An address that is of no use
	 * counts twice
	 */
	address(refusals: number): Promise<Result<A>>;
	/** Bounds how many attempts run at the same time. Each attempt waits for its turn. */
	turns?: Semaphore;
	/**
	 * Makes one attempt.
	 * @param end fires when the execution is cancelled or the attempt has taken too long
	 */
	attempt(address: A, end: AbortSignal): Promise<AttemptResult<T>>;
	/**
	 * Makes the failure of the item. It must not contain an address.
	 * @param isTransient whether the transfer may succeed later
	 */
	failure(problem: string, facts: { isTransient?: true; isOutage?: true }): Failed;
}

/**
 * So many silent attempts in a row, which are those of two files, show that the storage is away if they last
 * for so long, in ms: while it is restarted it may refuse as many within a second.
 */
const MANY_SILENT = 2 * MAX_ATTEMPTS;
const AWAY_AFTER_MS = 30_000;

/** Two attempts are in a row if the second began within this time after the first was over, in ms. */
const IN_A_ROW_MS = 60_000;

/** The silence of the storage of a workspace about files, one way. Times are in ms on the monotonic clock. */
class Silence {
	private inARow = 0;
	/** The items whose files those were: one item alone, such as a text of many parts, may be to blame. */
	private readonly items = new Set<unknown>();
	private firstAt = -Infinity;
	private lastAt = -Infinity;
	/** When the storage was last found to be away. */
	awayAt = -Infinity;

	broken(): void {
		this.inARow = 0;
		this.items.clear();
	}

	/** An attempt has met it. @param item for which it was made */
	met(item: unknown, beganAt: number, now: number): void {
		if (beganAt > this.lastAt + IN_A_ROW_MS) this.broken();
		if (this.inARow === 0) this.firstAt = beganAt;
		this.inARow += 1;
		this.items.add(item);
		this.lastAt = now;
		const isLong = now - this.firstAt >= AWAY_AFTER_MS;
		if (isLong && this.inARow >= MANY_SILENT && this.items.size > 1) this.awayAt = now;
	}
}

/** Both ways may lead to different storages. */
class Silences {
	/** They only save time. */
	readonly mayBeForgotten = true;
	readonly up = new Silence();
	readonly down = new Silence();
}

const AWAY: FailedAttempt = {
	problem: 'the storage gives no answer',
	next: 'never',
	isSilent: true,
};

/**
 * Sends or fetches a file: makes attempts until one succeeds or a further one is of no use. If the storage is
 * away, none of the files that wait for their turn is tried: each would take minutes.
 */
export async function transfer<A, T>(
	{ channel }: Pick<Host, 'channel'>,
	workspace: Pick<Workspace, 'clock' | 'random' | 'shared'>,
	{ way, address, turns = new Semaphore(1), attempt, failure }: Transfer<A, T>,
): Promise<Result<T>> {
	const { signal, fairnessKey, item } = channel;
	// A new object is equal to no other: whoever names no item counts as another asker each time.
	const asker = item === undefined ? {} : `${fairnessKey} ${item}`;
	const { clock, random } = workspace;
	const silence = workspace.shared(Silences)[way];
	const since = clock.monotonic();
	let refusals = 0;
	let isOther = false;
	let at = await address(refusals);
	for (let number = 1; ; number += 1) {
		if (!at.ok) return at;
		const { value } = at;
		const result = await turns.run(channel, async () => {
			if (silence.awayAt >= since) return AWAY;
			const beganAt = clock.monotonic();
			const deadline = AbortSignal.timeout(TRANSFER_TIMEOUT_MS);
			const end = signal ? AbortSignal.any([signal, deadline]) : deadline;
			const attempted = await attempt(value, end);
			if ('done' in attempted || !attempted.isSilent) silence.broken();
			else if (!signal?.aborted) silence.met(asker, beganAt, clock.monotonic());
			return attempted;
		});
		if (result && 'done' in result) return ok(result.done);
		if (!result || signal?.aborted) return fail({ kind: 'cancelled' });
		const { problem, next, headers = {}, isSilent } = result;
		const isFinal = next === 'never' || (next === 'otherAddress' && isOther);
		const isTransient = next !== 'never' || isSilent ? true : undefined;
		if (isFinal || number === MAX_ATTEMPTS) {
			const isOutage = silence.awayAt >= since ? true : undefined;
			return failure(problem, { isTransient, isOutage });
		}
		if (next === 'otherAddress') {
			isOther = true;
			refusals += 2;
			at = await address(refusals);
			continue;
		}
		if (next === 'newAddress') {
			refusals += 1;
			at = await address(refusals);
			continue;
		}
		const backoff = random() * INITIAL_DELAY_MS * 2 ** (number - 1);
		const hinted = hintedPauseMs(headers, clock.now(), random) ?? 0;
		await clock.sleep(Math.max(hinted, backoff), signal);
		if (signal?.aborted) return fail({ kind: 'cancelled' });
	}
}

/**
 * At most so many files are downloaded at the same time: a retry of a large run needs all its files at once,
 * and n8n may hold each of them in memory.
 */
const AT_ONCE = 5;

/** A download of less than this many bytes in this time has stalled. */
const STALL_MS = 60_000;
const MIN_BYTES = 16 * 1024;

/** The largest file that is downloaded, in bytes. */
const MAX_FILE_BYTES = 2 * 1024 ** 3;

/**
 * An output of a job that is to be downloaded. Specification: Generation, `outputs`; SpeechGeneration,
 * `output`.
 */
export interface Output {
	id: string;
	url: string;
	mediaType?: string;
	/** When the link expires, in ms since the epoch. */
	expiresAt?: number;
	/** The name of the file, without extension. */
	stem: string;
	/** Asks the service for a new link; `undefined` if there is none. */
	renew(): Promise<string | undefined>;
}

const CANCELLED = permanentFailure('cancelled');
const TOOK_TOO_LONG = silentFailure('the transfer took too long');

type Bytes = AsyncGenerator<Uint8Array, void>;

/**
 * Reads a body piece by piece. Reading fails, and the connection is closed, if the body breaks off, stalls,
 * takes too long or grows too large, or if the execution is cancelled.
 * @returns the pieces, and the reason for which reading has failed; `undefined` if whoever reads the pieces
 * has ended it
 */
function boundedBody(
	{ body, close }: StreamedResponse,
	{ clock, end, cancel }: { clock: Clock; end: AbortSignal; cancel: AbortSignal | undefined },
) {
	let bytes = 0;
	let failed: FailedAttempt | undefined;
	const closed = new AbortController();
	const abort = (why: FailedAttempt) => {
		failed ??= why;
		close();
	};
	const breakOff = (why: FailedAttempt, error: unknown): never => {
		abort(why);
		throw error as Error;
	};
	const watch = async () => {
		while (!closed.signal.aborted) {
			const before = bytes;
			await clock.sleep(STALL_MS, closed.signal);
			if (closed.signal.aborted) return;
			if (bytes - before < MIN_BYTES) return abort(silentFailure('the transfer stalled'));
		}
	};
	async function* counted(): Bytes {
		void watch();
		const stopAll = () => abort(cancel?.aborted ? CANCELLED : TOOK_TOO_LONG);
		onAbort(end, stopAll);
		const chunks = body[Symbol.asyncIterator]();
		// This catches only errors of the body itself: whoever reads the pieces may end them with an error of
		// its own.
		const cutOff = (error: unknown) =>
			breakOff(transientFailure('the transfer was cut off'), error);
		try {
			for (;;) {
				const read = await chunks.next().catch(cutOff);
				if (read.done) return;
				const { value } = read;
				const piece = typeof value === 'string' ? Buffer.from(value) : value;
				bytes += piece.length;
				if (bytes > MAX_FILE_BYTES)
					breakOff(
						permanentFailure(`the file is larger than ${MAX_FILE_BYTES} bytes`),
						new Error('too large'),
					);
				yield piece;
			}
		} finally {
			offAbort(end, stopAll);
			closed.abort();
		}
	}
	return { pieces: counted(), failureOfBody: () => failed };
}

/** The first bytes of a file, and its whole content, of which no more is read than is asked for. */
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

/**
 * What came is not the file, but for example a login or an error of the storage. Another link may lead to the
 * file.
 */
const notTheFile = (problem: string): FailedAttempt => ({ problem, next: 'otherAddress' });

/** The type of a file that has come, or why it is not the file. */
function typeOf(
	head: Uint8Array,
	mediaType: string | undefined,
	received: string | undefined,
	name: string,
): string | FailedAttempt {
	const { type, page, problem } = detect(head, { types: [mediaType, received], name });
	if (page !== undefined && !isStatedAsText(mediaType))
		return notTheFile('a page came instead of the file');
	return problem === undefined ? type : notTheFile(`what came ${problem}`);
}

async function storeBody(
	response: StreamedResponse,
	output: Output,
	url: string,
	host: Host,
	clock: Clock,
	end: AbortSignal,
): Promise<AttemptResult<StoredFile>> {
	const { length = 0 } = response;
	if (length > MAX_FILE_BYTES)
		return permanentFailure(`the file has ${length} bytes, which is too large`);
	const { pieces, failureOfBody } = boundedBody(response, {
		clock,
		end,
		cancel: host.channel.signal,
	});
	try {
		const { head, whole } = await withHead(pieces);
		if (head.length === 0) return transientFailure('the file is empty');
		const received = response.headers['content-type'];
		const type = typeOf(head, output.mediaType, received, new URL(url).pathname);
		if (typeof type !== 'string') return type;
		// Published code may not import Node's streams. So the class of n8n's own stream makes the new one.
		const { from } = response.body.constructor as unknown as {
			from: (chunks: AsyncIterable<unknown>, options: object) => NodeJS.ReadableStream;
		};
		const stream = from(whole, { objectMode: false });
		const storing = host.store(stream, `${output.stem}.${extensionOf(type)}`, type, end);
		const notStored = (error: unknown) =>
			failureOfBody() ?? permanentFailure(`n8n could not store the file: ${localReason(error)}`);
		return await storing.then((done) => ({ done }), notStored);
	} catch (error) {
		const failed = failureOfBody();
		// It is neither of the body nor of n8n, but our own.
		if (failed === undefined) throw error as Error;
		return failed;
	} finally {
		// Not awaited, because a body that stalls ends only when its connection is closed.
		void pieces.return();
	}
}

async function attemptDownload(
	host: Host,
	clock: Clock,
	output: Output,
	url: string,
	end: AbortSignal,
): Promise<AttemptResult<StoredFile>> {
	const response = await followRedirects(host, 'GET', url, async (at) => await host.get(at, end));
	if ('next' in response) return response;
	try {
		if (response.status === 200) return await storeBody(response, output, url, host, clock, end);
		const answerText = needsWords(response.status) ? await storageWords(response.body, end) : '';
		const failed = failureOfAnswer(response, answerText);
		// A success that is not the file: 202 before the file exists, or 206 with a part that nobody asked
		// for.
		return isSuccess(response.status) ? { ...failed, next: 'again' } : failed;
	} finally {
		response.close();
	}
}

/** All executions of this process share these turns. */
const downloads = new Semaphore(AT_ONCE);

/**
 * Downloads one output as a stream into n8n's binary data, without credentials. An expired link is renewed,
 * and an incomplete file is never kept. It downloads in any case: whether an execution has the file already
 * is decided before, by `fetchOnce` in `creation/outputs.ts`. Specification: Operation details, GET
 * /generations/{id}.
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
		way: 'down',
		turns: downloads,
		attempt: async (url, end) => await attemptDownload(host, clock, output, url, end),
		failure: (problem, { isOutage }) =>
			fail({ kind: 'download', outputId: output.id, problem, outageOf: isOutage && 'key' }),
	});
}
