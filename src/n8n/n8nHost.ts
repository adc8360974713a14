import type {
	BinaryHelperFunctions,
	IAllExecuteFunctions,
	IBinaryData,
	IDataObject,
	IHttpRequestOptions,
	IN8nHttpFullResponse,
} from 'n8n-workflow';
import { unlessAborted } from '../base/abort';
import { MAX_TIMER_MS } from '../base/clock';
import type { Send, SendResult } from '../base/types';
import { CREDENTIAL } from '../transport/credential';
import {
	TRANSFER_TIMEOUT_MS,
	type BinarySource,
	type Body,
	type Host,
	type StoredFile,
} from '../transport/host';
import { parsed, readable, saidIn, TOO_LONG, withoutSecret } from '../transport/bodies';
import { toNoResponse } from '../transport/network';
import { needsWords } from '../transport/statuses';
import { isLocalService, parseUrl } from '../transport/urls';

/** What a host needs of n8n and of the node. */
export interface HostContext {
	/** What n8n gives to a node, for an item, hook, webhook or poll. */
	functions: IAllExecuteFunctions;
	/** The credential of the item, which n8n's helpers ask for without saying which item it is of. */
	credential?: () => Promise<object>;
	/** The files of the item, by the name of their field. */
	files(): Record<string, IBinaryData>;
	/** Ends every request. */
	signal: AbortSignal | undefined;
	/** Queues serve their fairness keys round robin. */
	fairnessKey: string;
	/** The timeout that the user has set on the node, in ms; 0 for none. */
	timeoutMs: number;
	/** How long a response of the API may take instead of the usual time, in ms. */
	responseTimeoutMs?: number;
	webhookAddress?: Host['webhookAddress'];
}

/** How long a response may take, in ms. */
const RESPONSE_TIMEOUT_MS = 120_000;

/** Longest response of the API, in bytes; a longer one is not read to its end. */
const MAX_RESPONSE_BYTES = 32 * 1024 * 1024;

/**
 * What every request has, with what the user has set on the node for all of them. Never a redirect:
 * n8n would carry the key along (Authorization) to wherever it leads.
 */
function commonOptions(
	{ timeoutMs }: HostContext,
	{ proxy, skipSslCertificateValidation }: IHttpRequestOptions,
	defaultTimeoutMs = RESPONSE_TIMEOUT_MS,
) {
	return {
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		disableFollowRedirect: true,
		encoding: 'stream',
		proxy,
		skipSslCertificateValidation,
		timeout: timeoutMs > 0 ? Math.min(Math.ceil(timeoutMs), MAX_TIMER_MS) : defaultTimeoutMs,
	} as const;
}

function headersOf(headers: unknown): Record<string, string> {
	const entries = Object.entries((headers ?? {}) as Record<string, unknown>);
	return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), String(value)]));
}

type Stream = NodeJS.ReadableStream & { destroy?: () => void };

/** A stream has to be read to its end or destroyed. */
const isStream = (body: unknown): body is Stream =>
	typeof body === 'object' && body !== null && Symbol.asyncIterator in body;

async function readText(stream: Stream): Promise<string | undefined> {
	const chunks: Buffer[] = [];
	let size = 0;
	for await (const chunk of stream) {
		const bytes = Buffer.from(chunk as Uint8Array);
		size += bytes.length;
		if (size > MAX_RESPONSE_BYTES) return undefined;
		chunks.push(bytes);
	}
	return Buffer.concat(chunks).toString('utf8');
}

/**
 * A body whose length, depth and rate the service must not control: parsed JSON, or the raw text if it
 * is not JSON. Rejects if it breaks off, or `end` fires.
 */
export async function readBody(body: unknown, end: AbortSignal): Promise<unknown> {
	if (!isStream(body)) return readable(body);
	// At once: a stalled stream may not notice that it was destroyed.
	const text = await unlessAborted(end, readText(body)).finally(() => body.destroy?.());
	return text === undefined ? TOO_LONG : readable(parsed(text));
}

/** Fires when the first of these does. */
const anyOf = (...signals: Array<AbortSignal | undefined>): AbortSignal =>
	AbortSignal.any(signals.filter((signal) => signal !== undefined));

/** `undefined` where there is no execution, such as in lists of the editor, or n8n does not tell. */
function addressOf(functions: IAllExecuteFunctions): string | undefined {
	try {
		const execution = functions.getExecutionId();
		const { id } = functions.getWorkflow();
		if (!execution || !id) return undefined;
		const editor = `${functions.getInstanceBaseUrl().replace(/\/$/, '')}/`;
		return parseUrl(`workflow/${id}/executions/${execution}`, editor)?.href;
	} catch {
		return undefined;
	}
}

/**
 * Headers that say which execution sends a request, by its address in the editor: for a service on this
 * machine only, such as the sandbox, whose page links to it. No other service learns anything of n8n.
 */
export function executionHeaders(
	functions: IAllExecuteFunctions,
	baseUrl: string,
): Record<string, string> {
	const address = isLocalService(baseUrl) ? addressOf(functions) : undefined;
	return address === undefined ? {} : { 'X-N8N-Execution': address };
}

/** Sends with the credential of the node, once. The key is in no answer. */
function createSend(context: HostContext, options: IHttpRequestOptions, secret: string): Send {
	const { functions, credential } = context;
	const { baseURL, allowedDomains } = options;
	const common = commonOptions(context, options, context.responseTimeoutMs);
	const shared = { ...common, baseURL, allowedDomains, json: true };
	const ofExecution = executionHeaders(functions, baseURL ?? '');
	return async ({ method, path, query, body, headers, outlivesCancel }): Promise<SendResult> => {
		const request: IHttpRequestOptions = { ...shared, method, url: path, qs: query };
		// Each request gets headers of its own, because n8n writes the key into them.
		const own: Record<string, string> = { ...ofExecution, ...headers };
		request.headers = own;
		if (body !== undefined) {
			// As text: n8n's client leaves out names such as `constructor` of an object.
			request.body = JSON.stringify(body);
			own['Content-Type'] = 'application/json';
		}
		// n8n takes the credential and the signal from its functions. The signal ends the connection in the
		// middle of a body too.
		const deadline = AbortSignal.timeout(shared.timeout);
		const signal = outlivesCancel ? deadline : anyOf(context.signal, deadline);
		const ofRequest = Object.create(functions) as typeof functions;
		const ofItem = {
			getCredentials: credential ?? functions.getCredentials,
			getExecutionCancelSignal: () => signal,
		};
		try {
			const response = (await functions.helpers.httpRequestWithAuthentication.call(
				Object.assign(ofRequest, ofItem),
				CREDENTIAL,
				request,
			)) as IN8nHttpFullResponse;
			const answer = {
				status: response.statusCode,
				headers: headersOf(response.headers),
				body: await readBody(response.body, signal),
			};
			return withoutSecret(answer, secret);
		} catch (error) {
			const hasKey = Object.keys(own).some((name) => name.toLowerCase() === 'authorization');
			if (hasKey && deadline.aborted) return { noResponse: 'timeout' };
			return withoutSecret(toNoResponse(error, hasKey), secret);
		}
	};
}

/** Missing where n8n has no binary data, such as in hooks. */
function binaryHelpers({ functions: { helpers } }: HostContext): BinaryHelperFunctions {
	if ('prepareBinaryData' in helpers) return helpers;
	throw new Error('n8n gives no access to binary data here');
}

/** A file of an item: in n8n's store, or in the item itself. */
function binarySource(
	context: HostContext,
	field: string,
	ofOther?: StoredFile,
): BinarySource | undefined {
	const files = context.files();
	const file = ofOther ?? (Object.hasOwn(files, field) ? files[field] : undefined);
	if (!file) return undefined;
	const { id, data, fileName = '', mimeType } = file;
	if (id) {
		const open = async () => await binaryHelpers(context).getBinaryStream(id);
		return { fileName, mimeType, id, open };
	}
	// n8n's helper would look the file up by name, which differs with the binary mode.
	return { fileName, mimeType, open: async () => Buffer.from(data, 'base64') };
}

/** n8n's side of one item, or of a trigger. How its helpers behave was tried in a real n8n 2.41. */
export function n8nHost(context: HostContext, options: IHttpRequestOptions, secret: string): Host {
	const { signal, fairnessKey } = context;
	const common = commonOptions(context, options);
	/** A request without credentials, whose response is a stream that `close` ends at any point. */
	const transfer = async (
		request: Pick<IHttpRequestOptions, 'method' | 'url' | 'headers' | 'body' | 'timeout'>,
		end: AbortSignal,
	) => {
		const closing = new AbortController();
		const response = (await context.functions.helpers.httpRequest({
			...common,
			...request,
			abortSignal: anyOf(end, closing.signal),
		})) as IN8nHttpFullResponse;
		const body = response.body as unknown as Stream;
		// A connection that breaks while nobody reads the stream would be an unhandled error.
		if (isStream(body)) body.on('error', () => {});
		const close = () => {
			closing.abort();
			body?.destroy?.();
		};
		return { status: response.statusCode, headers: headersOf(response.headers), body, close };
	};
	return {
		baseUrl: options.baseURL ?? '',
		answerMs: common.timeout,
		webhookAddress: context.webhookAddress,
		channel: { send: createSend(context, options, secret), signal, fairnessKey },
		binary: async (field, ofOther) => binarySource(context, field, ofOther),
		async put(url, given, { open, size }, end) {
			const names = Object.keys(given).map((name) => name.toLowerCase());
			const headers: IDataObject = { ...given };
			// `false` keeps the HTTP library from adding one of its own.
			if (!names.includes('content-type')) headers['Content-Type'] = false;
			if (!names.includes('content-length')) headers['Content-Length'] = size;
			let body: Body;
			try {
				body = await unlessAborted(end, open());
			} catch {
				if (end.aborted) return { noResponse: 'timeout' };
				return { noResponse: 'its file cannot be read', unsent: 'local' };
			}
			try {
				// A file on its way is no answer that is late: whoever sends it ends what stands still.
				const timeout = TRANSFER_TIMEOUT_MS;
				const request = { method: 'PUT', url, headers, body: body as Buffer, timeout } as const;
				const response = await transfer(request, end);
				const said = needsWords(response.status) ? await saidIn(response.body, end) : undefined;
				response.close();
				return { status: response.status, headers: response.headers, body: said };
			} catch (error) {
				return end.aborted ? { noResponse: 'timeout' } : toNoResponse(error);
			} finally {
				(body as Partial<Stream>).destroy?.();
			}
		},
		async get(url, end) {
			try {
				// The length of a compressed response says nothing about the file.
				const headers = { 'Accept-Encoding': 'identity' };
				return await transfer({ method: 'GET', url, headers }, end);
			} catch (error) {
				return end.aborted ? { noResponse: 'timeout' } : toNoResponse(error);
			}
		},
		async store(body, fileName, mimeType, end = signal) {
			const helpers = binaryHelpers(context);
			// Whatever n8n's storage does: a download keeps one of the few places until it has ended.
			const storing = helpers.prepareBinaryData(body as never, fileName, mimeType);
			return await (end ? unlessAborted(end, storing) : storing);
		},
	};
}
