import { ENDPOINTS, IDEMPOTENCY_HEADER } from '../api';
import { fail, ok, type Failed, type Result } from '../base/result';
import { asText, isRecord, isSuccess, type Json } from '../base/types';
import type { Host } from '../transport/host';
import { mustBeObject } from '../transport/client';
import {
	transferUrlProblem,
	failureOfAnswer,
	followRedirects,
	transfer,
	type AttemptResult,
	type FailedAttempt,
} from './transfer';
import type { Workspace } from '../transport/workspace';
import type { LocalFile } from './localFile';
import { uploadHeaders } from './uploadHeaders';
import { nameOfType } from './fileTypes';
import { safeFileName } from '../base/fileNames';
import { Outgoing } from './outgoingFile';

/** A file that is sent to the service. */
export interface Upload {
	/** The name of its binary field. */
	field: string;
	file: LocalFile;
	/**
	 * The idempotency key of the request for an upload URL. All attempts use it. Only if a URL is used up
	 * although the file is not there, a number is appended to the key, which gives another URL.
	 */
	key: string;
	/** A key that nobody else uses, for the case that all URLs of the shared key are used up. */
	lastKey: string;
}

/** How many URLs of the shared key are tried. */
const MAX_SHARED = 2;

/** Where a file is sent. */
interface Destination {
	uploadUrl: string;
	/** The address to which a redirect has led. */
	redirectedTo?: string;
	headers: Record<string, string>;
	/** What else the service says about the file. */
	details: Json;
}

/**
 * What the service says about a file, without what repeats its presigned URL. Its own URL stays in any case:
 * a request names it, and without it something else would be paid for.
 */
function withoutUrl(aboutFile: Json, uploadUrl: string): Json {
	const repeats = (value: unknown) =>
		JSON.stringify(value)?.includes(JSON.stringify(uploadUrl).slice(1, -1));
	const kept = Object.entries(aboutFile).filter(
		([name, value]) => name === 'url' || !repeats(value),
	);
	return Object.fromEntries(kept);
}

function destinationProblem(body: unknown): string | undefined {
	if (!isRecord(body)) return mustBeObject(body);
	const missing = ['upload_url', 'url'].filter((name) => typeof body[name] !== 'string');
	return missing.length > 0 ? `the response has no ${missing.join(' and no ')}` : undefined;
}

/**
 * Whether the file is already at the service: an earlier attempt, or another run with the same key, has
 * uploaded it.
 */
async function hasArrived(
	host: Host,
	url: string,
	size: number,
	end: AbortSignal,
): Promise<boolean> {
	const response = await followRedirects(host, 'GET', url, async (at) => await host.get(at, end));
	if ('next' in response) return false;
	response.close();
	return response.status === 200 && response.length === size;
}

/**
 * Sends a file to the service, unless it is there already.
 * @returns `url`, `fileName`, `mimeType`, `size` in bytes and the other fields of the response. The presigned
 * URL appears in no result and no error. Specification: Operation details, POST /files
 */
export async function upload(
	host: Host,
	workspace: Workspace,
	{ field, file, key, lastKey }: Upload,
): Promise<Result<Json>> {
	const { size, type } = file;
	const failure = (problem: string, facts = {}): Failed =>
		fail({ kind: 'upload', field, problem, ...facts });
	if (file.problem) return failure(file.problem);
	const fileName = safeFileName(nameOfType(safeFileName(file.fileName) || `${field}.bin`, type));

	const newDestination = async (number: number): Promise<Result<Destination>> => {
		const owner = number > MAX_SHARED ? lastKey : key;
		const request = {
			method: 'POST',
			path: ENDPOINTS.createFile.path,
			body: { filename: fileName, content_type: type, size },
			headers: { [IDEMPOTENCY_HEADER]: `${owner}-${number}` },
		} as const;
		const options = { replayable: true, validate: destinationProblem };
		const created = await workspace.client.request(host.channel, request, options);
		if (!created.ok) return { ...created, endpoint: ENDPOINTS.createFile };
		const { upload_url, upload_headers, ...aboutFile } = created.value.body as Json;
		const uploadUrl = String(upload_url);
		const details = withoutUrl(aboutFile, uploadUrl);
		const urlProblem = transferUrlProblem(uploadUrl, host.baseUrl);
		if (urlProblem) return failure(urlProblem);
		const wanted = uploadHeaders(upload_headers, size);
		if ('problem' in wanted) return failure(wanted.problem);
		return ok({ uploadUrl, headers: wanted.headers, details });
	};

	const put = async (destination: Destination, end: AbortSignal): Promise<AttemptResult<Json>> => {
		const { uploadUrl, headers, details } = destination;
		const done = { ...details, fileName, mimeType: type, size };
		const outgoing = new Outgoing(file, workspace.clock, host.answerMs, end);
		const source = { open: async () => await outgoing.open(), size };
		const response = await followRedirects(
			host,
			'PUT',
			destination.redirectedTo ?? uploadUrl,
			async (url) => {
				// The next attempt begins at this address, so that the file is sent only once in it.
				destination.redirectedTo = url;
				return await host.put(url, headers, source, outgoing.mustEnd);
			},
		);
		const stall = outgoing.close();
		const isAnswered = 'status' in response;
		if (isAnswered && isSuccess(response.status)) return { done };
		const unanswered = (failed: FailedAttempt): FailedAttempt => ({
			...failed,
			problem: failed.problem + outgoing.progress(),
		});
		const failed = isAnswered
			? failureOfAnswer(response, asText(response.body))
			: unanswered(stall ?? response);
		if (failed.next !== 'again') destination.redirectedTo = undefined;
		const isRefused = failed.next === 'newAddress' || failed.next === 'otherAddress';
		const mayHaveArrived = isRefused && !end.aborted;
		const arrived = mayHaveArrived && (await hasArrived(host, String(details.url), size, end));
		return arrived ? { done } : failed;
	};

	const destinations = new Map<number, Result<Destination>>();
	return await transfer<Destination, Json>(host, workspace, {
		async address(refusals) {
			// After the first refusal the same address is used again: all who send this file with the shared
			// key get it.
			const number = Math.max(1, refusals);
			const destination = destinations.get(number) ?? (await newDestination(number));
			destinations.set(number, destination);
			return destination;
		},
		way: 'up',
		attempt: put,
		failure: (problem, { isTransient, isOutage }) =>
			failure(problem, { isTransient, outageOf: isOutage && 'kind' }),
	});
}
