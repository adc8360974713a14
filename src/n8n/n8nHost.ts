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
import type { NoResponse, Send, SendResult } from '../base/types';
import { canonicalJson, parsed, readable, TOO_LONG } from '../base/values';
import { CREDENTIAL, type Access, maskSecret } from '../transport/credential';
import {
	TRANSFER_TIMEOUT_MS,
	type BinarySource,
	type Body,
	type Host,
	type StoredFile,
	type StreamedResponse,
} from '../transport/host';
import { storageWords } from '../transport/bodies';
import { toNoResponse } from '../transport/network';
import { needsWords } from '../transport/statuses';
import { parseUrl } from '../base/urls';

/** What a host needs of n8n and of the node. */
export interface HostContext {
	/** The functions that n8n gives to a node, for an item, hook, webhook or poll. */
	functions: IAllExecuteFunctions;
	/** The credential of the item. n8n's helpers ask for it without saying for which item. */
	credential?: () => Promise<object>;
	/** The files of the item, by the name of their field. */
	files(): Record<string, IBinaryData>;
	/** Ends every request. */
	signal: AbortSignal | undefined;
	/** The queues of a workspace serve these keys in turn. */
	fairnessKey: string;
	/** Names the item in its execution, if there is one. */
	item?: string;
	/** The timeout that the user has set on the node, in ms; 0 for none. */
	timeoutMs: number;
	/** How long a response of the API may take, in ms, where that is not the usual time. */
	responseTimeoutMs?: number;
	webhookAddress?: Host['webhookAddress'];
}

/** What the user has set on the node for the connections of its requests. */
export type HttpOptions = Pick<IHttpRequestOptions, 'proxy' | 'skipSslCertificateValidation'>;

/** How long a response usually may take, in ms. */
const RESPONSE_TIMEOUT_MS = 120_000;

/** The longest response of the API that is read to its end, in bytes. */
const MAX_RESPONSE_BYTES = 32 * 1024 * 1024;

/** How long a response may take, in ms: as the user has set it on the node, or as usual. */
const timeoutOf = ({ timeoutMs }: HostContext, usualMs = RESPONSE_TIMEOUT_MS): number =>
	timeoutMs > 0 ? Math.min(Math.ceil(timeoutMs), MAX_TIMER_MS) : usualMs;

/**
 * The options of every request, with those that the user has set on the node. Redirects are never followed,
 * because n8n would carry the key (Authorization) to wherever they lead.
 */
const commonOptions = ({ proxy, skipSslCertificateValidation }: HttpOptions, timeout: number) =>
	({
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		disableFollowRedirect: true,
		encoding: 'stream',
		proxy,
		skipSslCertificateValidation,
		timeout,
	}) as const;

function headersOf(headers: unknown): Record<string, string> {
	const entries = Object.entries((headers ?? {}) as Record<string, unknown>);
	return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), String(value)]));
}

/** The length of a body in bytes, as its headers state it; `undefined` if they state none of use. */
export function statedLength(headers: Record<string, string>): number | undefined {
	const length = headers['content-length'] ?? '';
	return /^\d{1,15}$/.test(length) ? Number(length) : undefined;
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
 * Reads the body of a response: as parsed JSON, or as raw text if it is not JSON. The service must not
 * control how long that takes or how much memory it needs. Rejects if the body breaks off, or when `end`
 * fires.
 */
export async function readBody(body: unknown, end: AbortSignal): Promise<unknown> {
	if (!isStream(body)) return readable(body);
	// Ends at once with the signal, because a stalled stream may not notice that it was destroyed.
	const text = await unlessAborted(end, readText(body)).finally(() => body.destroy?.());
	return text === undefined ? TOO_LONG : readable(parsed(text));
}

/** Fires when the first of these signals does. */
const anyOf = (...signals: Array<AbortSignal | undefined>): AbortSignal =>
	AbortSignal.any(signals.filter((signal) => signal !== undefined));

/**
 * The address of the execution in the editor; `undefined` where there is no execution, such as in lists of
 * the editor, or where n8n does not tell it.
 */
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
 * Headers that name the execution by its address in the editor. They are sent only to a service on this
 * machine, such as the sandbox, whose page links to it. No other service learns anything of n8n.
 */
export function executionHeaders(
	functions: IAllExecuteFunctions,
	{ isLocal }: Pick<Access, 'isLocal'>,
): Record<string, string> {
	const address = isLocal ? addressOf(functions) : undefined;
	return address === undefined ? {} : { 'X-N8N-Execution': address };
}

/**
 * Makes the function that sends one request with the credential of the node. No answer that it gives contains
 * the key.
 */
function createSend(context: HostContext, access: Access, httpOptions: HttpOptions): Send {
	const { functions, credential } = context;
	const { baseUrl, apiKey } = access;
	const timeout = timeoutOf(context, context.responseTimeoutMs);
	const shared = { ...commonOptions(httpOptions, timeout), baseURL: baseUrl, json: true };
	const ofExecution = executionHeaders(functions, access);
	return async ({ method, path, query, body, headers, outlivesCancel }): Promise<SendResult> => {
		const request: IHttpRequestOptions = { ...shared, method, url: path, qs: query };
		// Each request gets a header object of its own, because n8n writes the key into it.
		const own: Record<string, string> = { ...ofExecution, ...headers };
		request.headers = own;
		if (body !== undefined) {
			// The body is sent as text, because n8n's client leaves out names such as `constructor` of an
			// object. Its names are sorted, because a service may compare the bytes under one key, and an
			// agent writes the same JSON in another order.
			request.body = canonicalJson(body);
			own['Content-Type'] = 'application/json';
		}
		// n8n's helper takes the credential and the signal from the functions it is called on. The signal
		// also ends the connection in the middle of a body.
		const deadline = AbortSignal.timeout(timeout);
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
			return maskSecret(answer, apiKey);
		} catch (error) {
			const hasKey = Object.keys(own).some((name) => name.toLowerCase() === 'authorization');
			if (hasKey && deadline.aborted) return { noResponse: 'timeout' };
			return maskSecret(toNoResponse(error, hasKey), apiKey);
		}
	};
}

/** n8n gives no such helpers where there is no binary data, such as in hooks. */
function binaryHelpers({ functions: { helpers } }: HostContext): BinaryHelperFunctions {
	if ('prepareBinaryData' in helpers) return helpers;
	throw new Error('n8n gives no access to binary data here');
}

/** A file of an item, which stands in n8n's store or in the item itself. */
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
	// n8n's helper would look the file up by its field, whose name depends on the binary mode.
	return { fileName, mimeType, open: async () => Buffer.from(data, 'base64') };
}

/** Makes the function that sends a request without the key, to wherever a file lies or goes. */
function transferOf(context: HostContext, httpOptions: HttpOptions) {
	const common = commonOptions(httpOptions, timeoutOf(context));
	return async (
		request: Pick<IHttpRequestOptions, 'method' | 'url' | 'headers' | 'body' | 'timeout'>,
		end: AbortSignal,
	): Promise<StreamedResponse> => {
		const closing = new AbortController();
		const response = (await context.functions.helpers.httpRequest({
			...common,
			...request,
			abortSignal: anyOf(end, closing.signal),
		})) as IN8nHttpFullResponse;
		const body = response.body as unknown as Stream;
		// Without a listener, a connection that breaks while nobody reads the stream would be an unhandled
		// error.
		if (isStream(body)) body.on('error', () => {});
		const close = () => {
			closing.abort();
			body?.destroy?.();
		};
		const headers = headersOf(response.headers);
		return { status: response.statusCode, headers, length: statedLength(headers), body, close };
	};
}

/** Why a transfer has no answer. */
const noAnswer = (error: unknown, end: AbortSignal): NoResponse =>
	end.aborted ? { noResponse: 'timeout' } : toNoResponse(error);

/** Sends a file to the storage of the service. */
const putBy =
	(transfer: ReturnType<typeof transferOf>): Host['put'] =>
	async (url, wanted, { open, size }, end) => {
		const names = Object.keys(wanted).map((name) => name.toLowerCase());
		const headers: IDataObject = { ...wanted };
		// `false` keeps the HTTP library from adding a content type of its own.
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
			// A file may take long. Whoever sends it ends a transfer that stands still.
			const timeout = TRANSFER_TIMEOUT_MS;
			const request = { method: 'PUT', url, headers, body: body as Buffer, timeout } as const;
			const response = await transfer(request, end);
			const answerText = needsWords(response.status)
				? await storageWords(response.body, end)
				: undefined;
			response.close();
			return { status: response.status, headers: response.headers, body: answerText };
		} catch (error) {
			return noAnswer(error, end);
		} finally {
			(body as Partial<Stream>).destroy?.();
		}
	};

/** Begins to download a file. */
const getBy =
	(transfer: ReturnType<typeof transferOf>): Host['get'] =>
	async (url, end) => {
		try {
			// The length of a compressed response says nothing about the file.
			const headers = { 'Accept-Encoding': 'identity' };
			return await transfer({ method: 'GET', url, headers }, end);
		} catch (error) {
			return noAnswer(error, end);
		}
	};

/** What n8n does for one item, or for a trigger. How its helpers behave was tried in a real n8n 2.41. */
export function n8nHost(context: HostContext, access: Access, httpOptions: HttpOptions = {}): Host {
	const { signal, fairnessKey, item } = context;
	const transfer = transferOf(context, httpOptions);
	return {
		baseUrl: access.baseUrl,
		answerMs: timeoutOf(context),
		webhookAddress: context.webhookAddress,
		channel: { send: createSend(context, access, httpOptions), signal, fairnessKey, item },
		binary: async (field, ofOther) => binarySource(context, field, ofOther),
		put: putBy(transfer),
		get: getBy(transfer),
		async store(body, fileName, mimeType, end = signal) {
			const helpers = binaryHelpers(context);
			// If n8n's storage hangs, the signal ends the wait: a download keeps one of a few places until it
			// has ended.
			const storing = helpers.prepareBinaryData(body as never, fileName, mimeType);
			return await (end ? unlessAborted(end, storing) : storing);
		},
	};
}
