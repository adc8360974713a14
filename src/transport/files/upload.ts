import { ENDPOINTS, IDEMPOTENCY_HEADER } from '../../contract';
import type { BinarySource, Host } from '../http/host';
import { fail, ok, type Failed, type Result } from '../base/result';
import { asText, isNoResponse, isRecord, isSuccess, type Json } from '../base/types';
import type { Workspace } from '../workspace';
import { extensionOf, mediaTypeOf, safeFileName } from './names';
import { contentLength, faultOf, MAX_ATTEMPTS, transferDelay } from './transfer';
import { transferUrlProblem } from '../http/urlRules';

/** They are not the service's to set, or would carry credentials elsewhere. */
const FORBIDDEN_HEADERS = new Set(['host', 'cookie', 'authorization', 'proxy-authorization']);

/** Whether an earlier attempt, or a run with the same key, has uploaded the file. */
async function hasArrived(host: Host, url: string, size: number): Promise<boolean> {
	if (transferUrlProblem(url, host.baseUrl)) return false;
	const response = await host.get(url);
	if (isNoResponse(response)) return false;
	response.close();
	return response.status === 200 && (contentLength(response) ?? size) === size;
}

function validateUpload(body: unknown): string | undefined {
	if (!isRecord(body)) return 'the response is not a JSON object';
	const missing = ['upload_url', 'url'].filter((name) => typeof body[name] !== 'string');
	return missing.length > 0 ? `the response has no ${missing.join(' and no ')}` : undefined;
}

/** Exactly the headers given, minus forbidden ones and any with a line break. */
function allowedHeaders(given: unknown): Record<string, string> {
	const headers: Record<string, string> = {};
	for (const [name, raw] of Object.entries(isRecord(given) ? given : {})) {
		const value = asText(raw);
		const safe = !/[\r\n]/.test(`${name}${value}`);
		if (safe && !FORBIDDEN_HEADERS.has(name.toLowerCase())) headers[name] = value;
	}
	return headers;
}

interface Upload {
	field: string;
	source: BinarySource;
	/**
	 * Idempotency key of the request for an upload URL, which all attempts use. Only a URL that is used
	 * up without the file being there is replaced; its number is appended to the key.
	 */
	key: string;
}

/**
 * @returns `url`, `fileName`, `mimeType`, `size` in bytes and the other fields of the response. The
 * presigned URL appears in no result and no error. Specification: Operation details, POST /files
 */
export async function upload(
	host: Host,
	workspace: Workspace,
	{ field, source, key }: Upload,
): Promise<Result<Json>> {
	const { signal } = host.channel;
	const failure = (problem: string): Failed => fail({ kind: 'upload', field, problem });
	const mimeType = mediaTypeOf(source.mimeType) ?? 'application/octet-stream';
	const fileName = safeFileName(source.fileName) || `${field}.${extensionOf(mimeType)}`;
	const { size } = source;
	const newPlace = async (number: number) => {
		const request = {
			method: 'POST',
			path: ENDPOINTS.createFile.path,
			body: { filename: fileName, content_type: mimeType, size },
			headers: { [IDEMPOTENCY_HEADER]: `${key}-${number}` },
		} as const;
		const options = { replayable: true, validate: validateUpload };
		const created = await workspace.client.request(host.channel, request, options);
		if (!created.ok) return { ...created, endpoint: ENDPOINTS.createFile };
		const { upload_url, upload_headers, ...details } = created.value.body as Json;
		const uploadUrl = String(upload_url);
		const urlProblem = transferUrlProblem(uploadUrl, host.baseUrl);
		if (urlProblem) return failure(urlProblem);
		return ok({ uploadUrl, headers: allowedHeaders(upload_headers), details });
	};

	let refusals = 0;
	let place = await newPlace(1);
	for (let attempt = 1; ; attempt += 1) {
		if (!place.ok) return place;
		const { uploadUrl, headers, details } = place.value;
		const response = await host.put(uploadUrl, headers, source);
		if (signal?.aborted) return fail({ kind: 'cancelled' });
		const isStored = !isNoResponse(response) && isSuccess(response.status);
		const { problem, next, headers: answered } = faultOf(response);
		if (isStored || (next === 'newAddress' && (await hasArrived(host, String(details.url), size))))
			return ok({ ...details, fileName, mimeType, size });
		if (next === 'never' || attempt === MAX_ATTEMPTS) return failure(problem);
		if (next === 'newAddress') {
			// At first the same address again, as it is the one that others get who send this file.
			refusals += 1;
			if (refusals % 2 === 0) place = await newPlace(1 + refusals / 2);
		} else {
			await workspace.clock.sleep(transferDelay(answered, attempt, workspace), signal);
			if (signal?.aborted) return fail({ kind: 'cancelled' });
		}
	}
}
