import { ENDPOINTS, IDEMPOTENCY_HEADER } from '../api';
import { fail, ok, type Failed, type Result } from '../base/result';
import { asText, isRecord, isSuccess, type Json } from '../base/types';
import type { Host } from '../transport/host';
import { mustBeObject } from '../transport/client';
import { transferUrlProblem } from '../transport/urls';
import type { Workspace } from '../transport/workspace';
import type { LocalFile } from './content';
import { uploadHeaders } from './headers';
import { nameOfType } from './fileTypes';
import { safeFileName } from './names';
import { Outgoing } from './outgoing';
import {
	contentLength,
	setbackOf,
	followRedirects,
	transfer,
	type Attempted,
	type Setback,
} from './transfer';

/** A file that goes to the service. */
export interface Upload {
	/** The name of its binary field. */
	field: string;
	file: LocalFile;
	/**
	 * Idempotency key of the request for an upload URL, which all attempts use. Only a URL that is used
	 * up without the file being there is replaced; its number is appended to the key.
	 */
	key: string;
	/** One that nobody else has, for when the URLs that others have got are all used up. */
	lastKey: string;
}

/** How many URLs are tried that others have got as well. */
const MAX_SHARED = 2;

/** Where a file goes. */
interface Place {
	uploadUrl: string;
	/** Where a redirect has led to. */
	redirectedTo?: string;
	headers: Record<string, string>;
	/** What the service says of the file besides. */
	details: Json;
}

function validatePlace(body: unknown): string | undefined {
	if (!isRecord(body)) return mustBeObject(body);
	const missing = ['upload_url', 'url'].filter((name) => typeof body[name] !== 'string');
	return missing.length > 0 ? `the response has no ${missing.join(' and no ')}` : undefined;
}

/** Whether an earlier attempt, or a run with the same key, has uploaded the file. */
async function hasArrived(
	host: Host,
	url: string,
	size: number,
	end: AbortSignal,
): Promise<boolean> {
	const response = await followRedirects(host, 'GET', url, async (at) => await host.get(at, end));
	if ('next' in response) return false;
	response.close();
	return response.status === 200 && contentLength(response) === size;
}

/**
 * @returns `url`, `fileName`, `mimeType`, `size` in bytes and the other fields of the response. The
 * presigned URL appears in no result and no error. Specification: Operation details, POST /files
 */
export async function upload(
	host: Host,
	workspace: Workspace,
	{ field, file, key, lastKey }: Upload,
): Promise<Result<Json>> {
	const { size, type } = file;
	const failure = (problem: string, mayPass?: true): Failed =>
		fail({ kind: 'upload', field, problem, mayPass });
	if (file.problem) return failure(file.problem);
	const fileName = safeFileName(nameOfType(safeFileName(file.fileName) || `${field}.bin`, type));

	const newPlace = async (number: number): Promise<Result<Place>> => {
		const owner = number > MAX_SHARED ? lastKey : key;
		const request = {
			method: 'POST',
			path: ENDPOINTS.createFile.path,
			body: { filename: fileName, content_type: type, size },
			headers: { [IDEMPOTENCY_HEADER]: `${owner}-${number}` },
		} as const;
		const options = { replayable: true, validate: validatePlace };
		const created = await workspace.client.request(host.channel, request, options);
		if (!created.ok) return { ...created, endpoint: ENDPOINTS.createFile };
		const { upload_url, upload_headers, ...details } = created.value.body as Json;
		const uploadUrl = String(upload_url);
		const urlProblem = transferUrlProblem(uploadUrl, host.baseUrl);
		if (urlProblem) return failure(urlProblem);
		const given = uploadHeaders(upload_headers, size);
		if ('problem' in given) return failure(given.problem);
		return ok({ uploadUrl, headers: given.headers, details });
	};

	const put = async (place: Place, end: AbortSignal): Promise<Attempted<Json>> => {
		const { uploadUrl, headers, details } = place;
		const done = { ...details, fileName, mimeType: type, size };
		const outgoing = new Outgoing(file, workspace.clock, host.answerMs, end);
		const source = { open: async () => await outgoing.open(), size };
		const response = await followRedirects(
			host,
			'PUT',
			place.redirectedTo ?? uploadUrl,
			async (url) => {
				// The next try begins there: the file goes out once in it.
				place.redirectedTo = url;
				return await host.put(url, headers, source, outgoing.end);
			},
		);
		const ended = outgoing.close();
		const isAnswered = 'status' in response;
		if (isAnswered && isSuccess(response.status)) return { done };
		const unanswered = (setback: Setback): Setback => ({
			...setback,
			problem: setback.problem + outgoing.progress(),
		});
		const setback = isAnswered
			? setbackOf(response, asText(response.body))
			: unanswered(ended ?? response);
		if (setback.next !== 'again') place.redirectedTo = undefined;
		const isRefused = setback.next === 'newAddress' || setback.next === 'otherAddress';
		const mayHaveArrived = isRefused && !end.aborted;
		const arrived = mayHaveArrived && (await hasArrived(host, String(details.url), size, end));
		return arrived ? { done } : setback;
	};

	const places = new Map<number, Result<Place>>();
	return await transfer<Place, Json>(host, workspace, {
		async address(refusals) {
			// At first the same address again, as it is the one that others get who send this file.
			const number = Math.max(1, refusals);
			const place = places.get(number) ?? (await newPlace(number));
			places.set(number, place);
			return place;
		},
		attempt: put,
		failure,
	});
}
