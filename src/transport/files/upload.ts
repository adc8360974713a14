import { ENDPOINTS, IDEMPOTENCY_HEADER } from '../../contract';
import type { BinarySource, Host } from '../host/host';
import { fail, ok, type Failed, type Result } from '../base/result';
import { asText, isNoResponse, isRecord, type SendResult } from '../base/types';
import type { Workspace } from '../workspace';
import { safeFileName } from './fileName';
import { extensionOf, mediaTypeOf } from './mediaTypes';
import { isPassing, promisedLength, transferDelay } from './transfer';
import { transferUrlProblem } from '../host/urlRules';

/** Tries of the PUT in all, each with a presigned address of its own. */
const TRIES = 4;

/** Headers that are not the service's to set, or that would carry credentials elsewhere. */
const WITHHELD = new Set(['host', 'cookie', 'authorization', 'proxy-authorization']);

/** What storage says to an address that was used or is past its time. */
const USED_UP = new Set([401, 403, 404, 409, 410, 412]);

/** Whether the file has arrived by an earlier try whose answer was lost, or under the same key in an earlier run. */
async function isThere(host: Host, url: string, size: number): Promise<boolean> {
	if (transferUrlProblem(url, host.baseUrl)) return false;
	const answer = await host.get(url);
	if (isNoResponse(answer)) return false;
	answer.close();
	return answer.status === 200 && (promisedLength(answer) ?? size) === size;
}

/** Whether another try may end better. */
const mayHelp = (answer: SendResult): boolean =>
	isNoResponse(answer)
		? !answer.unsent || answer.unsent === 'connection'
		: isPassing(answer.status);

function uploadFlaw(body: unknown): string | undefined {
	if (!isRecord(body)) return 'it is no JSON object';
	const missing = ['upload_url', 'url'].filter((name) => typeof body[name] !== 'string');
	return missing.length > 0 ? `it has no ${missing.join(' and no ')}` : undefined;
}

/** Exactly the headers given, minus those withheld and any with a line break. */
function headersOf(given: unknown): Record<string, string> {
	const headers: Record<string, string> = {};
	for (const [name, raw] of Object.entries(isRecord(given) ? given : {})) {
		const value = asText(raw);
		const safe = !/[\r\n]/.test(`${name}${value}`);
		if (safe && !WITHHELD.has(name.toLowerCase())) headers[name] = value;
	}
	return headers;
}

export interface Upload {
	field: string;
	source: BinarySource;
	/** Makes the request for an address safe to repeat. Further tries add to it. */
	key: string;
}

/** A file that the service has. */
export interface Uploaded {
	url: string;
	fileName: string;
	mimeType: string;
	/** Bytes. */
	size: number;
	/** All that the service said of the file, the presigned address and its headers excepted. */
	said: Record<string, unknown>;
}

/**
 * Sends a binary field to the service as a stream and answers the final `url` with what is known of the file. The
 * presigned address appears in no result and no error. Specification: Operation details, POST /files.
 */
export async function upload(
	host: Host,
	workspace: Workspace,
	{ field, source, key }: Upload,
): Promise<Result<Uploaded>> {
	const problem = (text: string): Failed => fail({ kind: 'upload', field, problem: text });
	const contentType = mediaTypeOf(source.mimeType) ?? 'application/octet-stream';
	const filename = safeFileName(source.fileName) || `${field}.${extensionOf(contentType)}`;
	let trouble = problem('it was not tried');
	for (let attempt = 1; attempt <= TRIES; attempt += 1) {
		const request = {
			method: 'POST',
			path: ENDPOINTS.createFile.path,
			body: { filename, content_type: contentType, size: source.size },
			headers: { [IDEMPOTENCY_HEADER]: `${key}-${attempt}` },
		} as const;
		const asking = { replayable: true, validate: uploadFlaw };
		const created = await workspace.client.request(host.channel, request, asking);
		if (!created.ok) return { ...created, endpoint: ENDPOINTS.createFile };
		const { upload_url, upload_headers, ...said } = created.value.body as Record<string, unknown>;
		const address = String(upload_url);
		const wrong = transferUrlProblem(address, host.baseUrl);
		if (wrong) return problem(wrong);
		const answer = await host.put(address, headersOf(upload_headers), source);
		if (host.channel.signal?.aborted) return fail({ kind: 'cancelled' });
		const sent = () => {
			const { size } = source;
			return ok({ url: String(said.url), fileName: filename, mimeType: contentType, size, said });
		};
		if (!isNoResponse(answer) && answer.status >= 200 && answer.status < 300) return sent();
		trouble = problem(
			isNoResponse(answer) ? answer.noResponse : `the storage answered ${answer.status}`,
		);
		if (!isNoResponse(answer) && USED_UP.has(answer.status)) {
			if (await isThere(host, String(said.url), source.size)) return sent();
			continue;
		}
		if (!mayHelp(answer)) return trouble;
		if (attempt === TRIES) break;
		await workspace.clock.sleep(
			transferDelay(isNoResponse(answer) ? undefined : answer.headers, attempt, workspace),
			host.channel.signal,
		);
		if (host.channel.signal?.aborted) return fail({ kind: 'cancelled' });
	}
	return trouble;
}
