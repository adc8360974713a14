import { fail, ok, type Result } from '../base/result';
import { onAbort, Semaphore } from '../base/waiting';
import { isSuccess, type Clock } from '../base/types';
import {
	TRANSFER_TIMEOUT_MS,
	type Host,
	type StoredFile,
	type StreamedResponse,
} from '../service/host';
import { localReason } from '../service/network';
import { transferUrlProblem } from '../service/urls';
import type { Workspace } from '../service/workspace';
import { extensionOf, mediaTypeOf } from './names';
import { contentLength, faultOf, MAX_ATTEMPTS, transferDelay, type Fault } from './transfer';

const MAX_REDIRECTS = 5;

/** A large run that is retried has all its files at once, and n8n may hold each in memory. */
const AT_ONCE = 5;

/** A download of less than this many bytes in this time has stalled. */
const STALL_MS = 60_000;
const MIN_BYTES = 16 * 1024;

/** In bytes. */
const MAX_BYTES = 2 * 1024 ** 3;

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

const stop = (problem: string): Fault => ({ problem, next: 'never' });
const retry = (problem: string): Fault => ({ problem, next: 'again' });

/** Each hop must be an allowed address. */
async function fetchFollowingRedirects(
	host: Host,
	start: string,
): Promise<StreamedResponse | Fault> {
	let url = start;
	for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
		const urlProblem = transferUrlProblem(url, host.baseUrl);
		if (urlProblem) return stop(urlProblem);
		const response = await host.get(url);
		if ('noResponse' in response) return faultOf(response);
		if (response.status < 300 || response.status >= 400) return response;
		response.close();
		const { location } = response.headers;
		if (!location || !URL.canParse(location, url)) return stop('a redirect without an address');
		url = new URL(location, url).href;
	}
	return stop('too many redirects');
}

/**
 * A body as a stream that ends with an error, and its connection with it, if it breaks off, stalls,
 * takes too long, grows too large or the execution is cancelled.
 * @returns the stream, and why it came to no end; `undefined` if that was not its own doing
 */
function boundedBody({ body, close }: StreamedResponse, clock: Clock, cancel?: AbortSignal) {
	let bytes = 0;
	let fault: Fault | undefined;
	const ended = new AbortController();
	const abort = (why: Fault) => {
		fault ??= why;
		close();
	};
	const breakOff = (why: Fault, error: unknown): never => {
		abort(why);
		throw error as Error;
	};
	const watch = async () => {
		const deadline = clock.monotonic() + TRANSFER_TIMEOUT_MS;
		while (!ended.signal.aborted) {
			const before = bytes;
			await clock.sleep(STALL_MS, ended.signal);
			if (ended.signal.aborted) return;
			if (bytes - before < MIN_BYTES) return abort(retry('the transfer stalled'));
			if (clock.monotonic() >= deadline) return abort(retry('the transfer took too long'));
		}
	};
	async function* counted() {
		void watch();
		const dispose = onAbort(cancel, () => abort(stop('cancelled')));
		const chunks = body[Symbol.asyncIterator]();
		// Only an error of the body itself: what reads this stream may end it with one of its own.
		const cutOff = (error: unknown) => breakOff(retry('the transfer was cut off'), error);
		try {
			for (;;) {
				const read = await chunks.next().catch(cutOff);
				if (read.done) return;
				bytes += (read.value as Uint8Array).length;
				if (bytes > MAX_BYTES)
					breakOff(stop(`the file is larger than ${MAX_BYTES} bytes`), new Error('too large'));
				yield read.value;
			}
		} finally {
			dispose();
			ended.abort();
		}
	}
	// Published code may not import Node's streams, so the class of n8n's own stream creates the new one.
	const { from } = body.constructor as unknown as {
		from: (chunks: AsyncIterable<unknown>, options: object) => NodeJS.ReadableStream;
	};
	return { stream: from(counted(), { objectMode: false }), faultOfBody: () => fault };
}

const MEDIA = /^(image|video|audio)\//;
const PAGE = new Set<string | undefined>(['text/html', 'application/json']);

async function storeBody(
	response: StreamedResponse,
	{ stem, mediaType }: Output,
	host: Host,
	clock: Clock,
): Promise<StoredFile | Fault> {
	const stated = mediaTypeOf(mediaType);
	const received = mediaTypeOf(response.headers['content-type']);
	// Such as a login, or an error of the storage: another link may lead to the file.
	if (MEDIA.test(stated ?? '') && PAGE.has(received))
		return { problem: 'a page came instead of the file', next: 'newAddress' };
	const length = contentLength(response) ?? 0;
	if (length > MAX_BYTES) return stop(`the file has ${length} bytes, which is too large`);
	const type = stated ?? received ?? 'application/octet-stream';
	const { stream, faultOfBody } = boundedBody(response, clock, host.channel.signal);
	try {
		const { data, size } = await host.store(stream, `${stem}.${extensionOf(type)}`, type);
		return size === 0 ? retry('the file is empty') : data;
	} catch (error) {
		return faultOfBody() ?? stop(`n8n could not store the file: ${localReason(error)}`);
	}
}

async function attemptDownload(
	host: Host,
	clock: Clock,
	url: string,
	output: Output,
): Promise<StoredFile | Fault> {
	const response = await fetchFollowingRedirects(host, url);
	if ('next' in response) return response;
	try {
		if (response.status === 200) return await storeBody(response, output, host, clock);
		const fault = faultOf(response);
		// Such as 202 before the file is there, or 206 with a part of it that nobody asked for.
		return isSuccess(response.status) ? { ...fault, next: 'again' } : fault;
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
	const { channel } = host;
	let url = clock.now() >= (output.expiresAt ?? Infinity) ? undefined : output.url;
	for (let attempt = 1; ; attempt += 1) {
		const link = (url ??= (await output.renew()) ?? output.url);
		const attempted = async () => await attemptDownload(host, clock, link, output);
		const result = await downloads.run(channel, attempted);
		if (result && 'data' in result) return ok(result);
		if (!result || channel.signal?.aborted) return fail({ kind: 'cancelled' });
		const { problem, next, headers } = result;
		if (next === 'never' || attempt >= MAX_ATTEMPTS)
			return fail({ kind: 'download', outputId: output.id, problem });
		if (next === 'newAddress') url = undefined;
		else await clock.sleep(transferDelay(headers, attempt, workspace), channel.signal);
	}
}
