import type { Host, StoredFile, StreamedResponse } from '../http/host';
import { fail, ok, type Result } from '../base/result';
import { isNoResponse, isSuccess } from '../base/types';
import type { Workspace } from '../workspace';
import { extensionOf, mediaTypeOf } from './mediaTypes';
import { isPage } from './page';
import {
	boundedBody,
	isTooLarge,
	contentLength,
	transferDelay,
	type AbortReason,
} from './transfer';
import { ofStorage } from '../http/statuses';
import { transferUrlProblem } from '../http/urlRules';
import { POLICIES } from '../limits/policies';

const POLICY = POLICIES.download;

const MAX_REDIRECTS = 5;

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

type Fetched = StreamedResponse | { problem: string; next: 'retry' | 'stop' };

const isResponse = (fetched: Fetched): fetched is StreamedResponse => 'body' in fetched;

/** Follows redirects itself, because each hop must be an allowed address. */
async function fetchFollowingRedirects(host: Host, start: string): Promise<Fetched> {
	let url = start;
	for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
		const urlProblem = transferUrlProblem(url, host.baseUrl);
		if (urlProblem) return { problem: urlProblem, next: 'stop' };
		const response = await host.get(url);
		if (isNoResponse(response)) {
			const isRetryable = !response.unsent || response.unsent === 'connection';
			return { problem: response.noResponse, next: isRetryable ? 'retry' : 'stop' };
		}
		if (response.status < 300 || response.status >= 400) return response;
		response.close();
		const { location } = response.headers;
		if (!location || !URL.canParse(location, url)) {
			return { problem: 'a redirect without an address', next: 'stop' };
		}
		url = new URL(location, url).href;
	}
	return { problem: 'too many redirects', next: 'stop' };
}

type AttemptResult =
	| { data: StoredFile }
	| { problem: string; next: 'retry' | 'renew' | 'stop'; headers?: Record<string, string> };

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

async function storeBody(
	response: StreamedResponse,
	output: Output,
	{ host, workspace, shortSizes }: DownloadContext,
): Promise<AttemptResult> {
	const { stem, mediaType } = output;
	const encoding = response.headers['content-encoding'];
	if (encoding && encoding.toLowerCase() !== 'identity') {
		return {
			problem: `the file is compressed in a way that n8n cannot decompress (${encoding})`,
			next: 'stop',
		};
	}
	if (isTooLarge(response)) {
		return {
			problem: `the file has ${contentLength(response)} bytes, which is too large`,
			next: 'stop',
		};
	}
	const type =
		mediaTypeOf(mediaType) ??
		mediaTypeOf(response.headers['content-type']) ??
		'application/octet-stream';
	const { body, abortReason } = boundedBody(
		response,
		workspace.clock,
		host.channel.signal,
		(first) => isPage(response, mediaTypeOf(mediaType), first),
	);
	try {
		const { data, size } = await host.store(body, `${stem}.${extensionOf(type)}`, type);
		if (size === 0) return { problem: 'the file is empty', next: 'retry' };
		if (isComplete(response, size, shortSizes)) return { data };
		return { problem: `${size} of ${contentLength(response)} bytes arrived`, next: 'retry' };
	} catch {
		const cutOff: AbortReason = { problem: 'the transfer was cut off', final: false };
		const { problem, final, isPage: mayRenew } = abortReason() ?? cutOff;
		if (mayRenew) return { problem, next: 'renew' };
		return { problem, next: final ? 'stop' : 'retry' };
	}
}

interface DownloadContext {
	host: Host;
	workspace: Workspace;
	shortSizes: ShortSizes;
}

async function attemptDownload(
	context: DownloadContext,
	url: string,
	output: Output,
): Promise<AttemptResult> {
	const response = await fetchFollowingRedirects(context.host, url);
	if (!isResponse(response)) return response;
	try {
		if (response.status === 200) return await storeBody(response, output, context);
		const problem = `the storage answered ${response.status}`;
		const next = ofStorage(response.status);
		if (next === 'newAddress') return { problem, next: 'renew' };
		// Such as 202 before the file is there, or 206 with a part of it that nobody asked for.
		const isRetryable = isSuccess(response.status) || next === 'again';
		return {
			problem,
			next: isRetryable ? 'retry' : 'stop',
			headers: response.headers,
		};
	} finally {
		response.close();
	}
}

/**
 * Downloads one output into n8n's binary data as a stream, without credentials. Retries if the
 * transfer is cut off or stalls, renews an expired link once, and never keeps an incomplete file.
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
	let { url } = output;
	let isRenewed = false;
	const renew = async () => {
		isRenewed = true;
		url = (await output.renew()) ?? url;
	};
	if (clock.now() >= (output.expiresAt ?? Infinity)) await renew();
	for (let attempt = 1; ; attempt += 1) {
		const result = await attemptDownload(context, url, output);
		if ('data' in result) return ok(result.data);
		if (signal?.aborted) return fail({ kind: 'cancelled' });
		const { problem, next } = result;
		const mayRenew = next === 'renew' && !isRenewed;
		if (!mayRenew && (next !== 'retry' || attempt >= POLICY.maxAttempts)) {
			return fail({ kind: 'download', outputId: output.id, problem });
		}
		if (mayRenew) await renew();
		else await clock.sleep(transferDelay(result.headers, attempt, workspace), signal);
	}
}
