import { fail, ok, type Result } from '../base/result';
import { isNoResponse, isSuccess } from '../base/types';
import { Semaphore } from '../base/semaphore';
import type { Host, StoredFile, StreamedResponse } from '../http/host';
import { localReason } from '../http/networkFault';
import { ofStorage } from '../http/statuses';
import { transferUrlProblem } from '../http/urlRules';
import type { Workspace } from '../workspace';
import { extensionOf, mediaTypeOf } from './names';
import { boundedBody, contentLength, isTooLarge, MAX_ATTEMPTS, transferDelay } from './transfer';

const MAX_REDIRECTS = 5;

/**
 * Files that this process fetches at a time. A large run that is retried has them all at once, and
 * n8n may hold each in memory.
 */
const AT_ONCE = 5;

/** A file of a job. Specification: Generation, `outputs`; SpeechGeneration, `output`. */
export interface Output {
	id: string;
	url: string;
	mediaType?: string;
	/** When the link expires, in milliseconds since the epoch; `undefined` if it does not. */
	expiresAt?: number;
	/** Name without extension. */
	stem: string;
	/** Reads the resource again for a new link; `undefined` if there is none. */
	renew(): Promise<string | undefined>;
}

/** Why an attempt gave no file, and what may help. */
interface Failure {
	problem: string;
	next: 'retry' | 'renew' | 'stop';
	headers?: Record<string, string>;
}

type AttemptResult = { data: StoredFile } | Failure;

const stop = (problem: string): Failure => ({ problem, next: 'stop' });

/** Follows redirects itself, because each hop must be an allowed address. */
async function fetchFollowingRedirects(
	host: Host,
	start: string,
): Promise<StreamedResponse | Failure> {
	let url = start;
	for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
		const urlProblem = transferUrlProblem(url, host.baseUrl);
		if (urlProblem) return stop(urlProblem);
		const response = await host.get(url);
		if (isNoResponse(response)) {
			const isRetryable = !response.unsent || response.unsent === 'connection';
			return { problem: response.noResponse, next: isRetryable ? 'retry' : 'stop' };
		}
		if (response.status < 300 || response.status >= 400) return response;
		response.close();
		const { location } = response.headers;
		if (!location || !URL.canParse(location, url)) return stop('a redirect without an address');
		url = new URL(location, url).href;
	}
	return stop('too many redirects');
}

/** Sizes that earlier attempts at a file ended with, all shorter than the announced length. */
type ShortSizes = Set<number>;

/**
 * Whether a body that ended without an error is the whole file. n8n's client decompresses responses
 * and hides that it did, so the announced length may be that of the compressed bytes. A longer body
 * was compressed, because HTTP ends any other at its length; a shorter one is accepted if two
 * attempts give the same size, and otherwise counts as incomplete.
 */
function isComplete(response: StreamedResponse, size: number, shortSizes: ShortSizes): boolean {
	const expectedSize = contentLength(response);
	if (expectedSize === undefined || size >= expectedSize || shortSizes.has(size)) return true;
	shortSizes.add(size);
	return false;
}

const MEDIA = /^(image|video|audio)\//;

const PAGE = new Set<string | undefined>(['text/html', 'application/json']);

/** Why a response cannot be the file; `undefined` if it may be. */
function problemOf(response: StreamedResponse, stated: string | undefined): Failure | undefined {
	const { headers } = response;
	const encoding = headers['content-encoding'];
	if (encoding && encoding.toLowerCase() !== 'identity') {
		return stop(`the file is compressed in a way that n8n cannot decompress (${encoding})`);
	}
	if (isTooLarge(response)) {
		return stop(`the file has ${contentLength(response)} bytes, which is too large`);
	}
	// Such as a login, or an error of the storage: another link may lead to the file.
	if (MEDIA.test(stated ?? '') && PAGE.has(mediaTypeOf(headers['content-type']))) {
		return { problem: 'a page came instead of the file', next: 'renew' };
	}
	return undefined;
}

interface DownloadContext {
	host: Host;
	workspace: Workspace;
	shortSizes: ShortSizes;
}

async function storeBody(
	response: StreamedResponse,
	{ stem, mediaType }: Output,
	{ host, workspace, shortSizes }: DownloadContext,
): Promise<AttemptResult> {
	const stated = mediaTypeOf(mediaType);
	const unusable = problemOf(response, stated);
	if (unusable) return unusable;
	const type =
		stated ?? mediaTypeOf(response.headers['content-type']) ?? 'application/octet-stream';
	const { body, abortReason } = boundedBody(response, workspace.clock, host.channel.signal);
	try {
		const { data, size } = await host.store(body, `${stem}.${extensionOf(type)}`, type);
		if (size === 0) return { problem: 'the file is empty', next: 'retry' };
		if (isComplete(response, size, shortSizes)) return { data };
		return { problem: `${size} of ${contentLength(response)} bytes arrived`, next: 'retry' };
	} catch (error) {
		const reason = abortReason();
		if (!reason) return stop(`n8n could not store the file: ${localReason(error)}`);
		return { problem: reason.problem, next: reason.final ? 'stop' : 'retry' };
	}
}

async function attemptDownload(
	context: DownloadContext,
	url: string,
	output: Output,
): Promise<AttemptResult> {
	const response = await fetchFollowingRedirects(context.host, url);
	if ('next' in response) return response;
	try {
		const { status, headers } = response;
		if (status === 200) return await storeBody(response, output, context);
		const problem = `the storage answered ${status}`;
		const next = ofStorage(status);
		if (next === 'newAddress') return { problem, next: 'renew' };
		// Such as 202 before the file is there, or 206 with a part of it that nobody asked for.
		const isRetryable = isSuccess(status) || next === 'again';
		return { problem, next: isRetryable ? 'retry' : 'stop', headers };
	} finally {
		response.close();
	}
}

/** Of all executions of this process, which take turns. */
const downloads = new Semaphore(AT_ONCE);

/**
 * Downloads one output into n8n's binary data as a stream, without credentials. Retries if the
 * transfer is cut off or stalls, renews an expired link, and never keeps an incomplete file.
 * Specification: Operation details, GET /generations/{id}.
 */
export async function download(
	host: Host,
	workspace: Workspace,
	output: Output,
): Promise<Result<StoredFile>> {
	const { clock } = workspace;
	const context: DownloadContext = { host, workspace, shortSizes: new Set() };
	const { signal } = host.channel;
	let url = clock.now() >= (output.expiresAt ?? Infinity) ? undefined : output.url;
	for (let attempt = 1; ; attempt += 1) {
		const link = (url ??= (await output.renew()) ?? output.url);
		const result = await downloads.run(
			host.channel,
			async () => await attemptDownload(context, link, output),
		);
		if (result && 'data' in result) return ok(result.data);
		if (!result || signal?.aborted) return fail({ kind: 'cancelled' });
		const { problem, next, headers } = result;
		if (next === 'stop' || attempt >= MAX_ATTEMPTS) {
			return fail({ kind: 'download', outputId: output.id, problem });
		}
		if (next === 'renew') url = undefined;
		else await clock.sleep(transferDelay(headers, attempt, workspace), signal);
	}
}
