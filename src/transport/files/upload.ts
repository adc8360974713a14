import { ENDPOINTS, IDEMPOTENCY_HEADER } from '../../contract';
import type { BinarySource, Host } from '../http/host';
import { fail, ok, type Failed, type Result } from '../base/result';
import { asText, isNoResponse, isRecord, isSuccess, type SendResult } from '../base/types';
import type { Workspace } from '../workspace';
import { safeFileName } from './fileName';
import { extensionOf, mediaTypeOf } from './mediaTypes';
import { contentLength, transferDelay } from './transfer';
import { ofStorage } from '../http/statuses';
import { transferUrlProblem } from '../http/urlRules';
import { POLICIES } from '../limits/policies';

const POLICY = POLICIES.upload;

/** Headers that are not the service's to set, or that would carry credentials elsewhere. */
const FORBIDDEN_HEADERS = new Set(['host', 'cookie', 'authorization', 'proxy-authorization']);

/**
 * Whether an earlier attempt whose response was lost, or an earlier run with the same key, has
 * uploaded the file.
 */
async function hasArrived(host: Host, url: string, size: number): Promise<boolean> {
	if (transferUrlProblem(url, host.baseUrl)) return false;
	const response = await host.get(url);
	if (isNoResponse(response)) return false;
	response.close();
	return response.status === 200 && (contentLength(response) ?? size) === size;
}

/** Whether another attempt may succeed. */
const isRetryable = (response: SendResult): boolean =>
	isNoResponse(response)
		? !response.unsent || response.unsent === 'connection'
		: ofStorage(response.status) === 'again';

function validateUpload(body: unknown): string | undefined {
	if (!isRecord(body)) return 'the response is not a JSON object';
	const missing = ['upload_url', 'url'].filter((name) => typeof body[name] !== 'string');
	return missing.length > 0 ? `the response has no ${missing.join(' and no ')}` : undefined;
}

/** Exactly the headers given, minus those withheld and any with a line break. */
function headersOf(given: unknown): Record<string, string> {
	const headers: Record<string, string> = {};
	for (const [name, raw] of Object.entries(isRecord(given) ? given : {})) {
		const value = asText(raw);
		const safe = !/[\r\n]/.test(`${name}${value}`);
		if (safe && !FORBIDDEN_HEADERS.has(name.toLowerCase())) headers[name] = value;
	}
	return headers;
}

/** A binary field on its way to the service. */
export interface Upload {
	field: string;
	source: BinarySource;
	/** Idempotency key of the request for an upload URL; each attempt appends its number. */
	key: string;
}

/** A file that the service has stored. */
export interface Uploaded {
	url: string;
	fileName: string;
	mimeType: string;
	/** Bytes. */
	size: number;
	/** The rest of the response, without the presigned URL and its headers. */
	details: Record<string, unknown>;
}

/**
 * Sends a binary field to the service as a stream and returns the final `url` with what is known
 * about the file. The presigned URL appears in no result and no error. Specification: Operation
 * details, POST /files.
 */
export async function upload(
	host: Host,
	workspace: Workspace,
	{ field, source, key }: Upload,
): Promise<Result<Uploaded>> {
	const failure = (text: string): Failed => fail({ kind: 'upload', field, problem: text });
	const contentType = mediaTypeOf(source.mimeType) ?? 'application/octet-stream';
	const filename = safeFileName(source.fileName) || `${field}.${extensionOf(contentType)}`;
	let lastFailure = failure('it was not tried');
	for (let attempt = 1; attempt <= POLICY.maxAttempts; attempt += 1) {
		const request = {
			method: 'POST',
			path: ENDPOINTS.createFile.path,
			body: { filename, content_type: contentType, size: source.size },
			headers: { [IDEMPOTENCY_HEADER]: `${key}-${attempt}` },
		} as const;
		const options = { replayable: true, validate: validateUpload };
		const created = await workspace.client.request(host.channel, request, options);
		if (!created.ok) return { ...created, endpoint: ENDPOINTS.createFile };
		const { upload_url, upload_headers, ...details } = created.value.body as Record<
			string,
			unknown
		>;
		const uploadUrl = String(upload_url);
		const urlProblem = transferUrlProblem(uploadUrl, host.baseUrl);
		if (urlProblem) return failure(urlProblem);
		const response = await host.put(uploadUrl, headersOf(upload_headers), source);
		if (host.channel.signal?.aborted) return fail({ kind: 'cancelled' });
		const success = () => {
			const { size } = source;
			return ok({
				url: String(details.url),
				fileName: filename,
				mimeType: contentType,
				size,
				details,
			});
		};
		if (!isNoResponse(response) && isSuccess(response.status)) return success();
		lastFailure = failure(
			isNoResponse(response) ? response.noResponse : `the storage answered ${response.status}`,
		);
		if (!isNoResponse(response) && ofStorage(response.status) === 'newAddress') {
			if (await hasArrived(host, String(details.url), source.size)) return success();
			continue;
		}
		if (!isRetryable(response)) return lastFailure;
		if (attempt === POLICY.maxAttempts) break;
		await workspace.clock.sleep(
			transferDelay(isNoResponse(response) ? undefined : response.headers, attempt, workspace),
			host.channel.signal,
		);
		if (host.channel.signal?.aborted) return fail({ kind: 'cancelled' });
	}
	return lastFailure;
}
