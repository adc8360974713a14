import { onAbort } from '../base/abortListeners';

/** Longest response of the API, in bytes; a longer one is not read to its end. */
const MAX_BYTES = 32 * 1024 * 1024;

/** Some services put it before their JSON, which a parser does not accept. */
const BYTE_ORDER_MARK = '\ufeff';

/** Whether n8n gave the body as a stream, which has to be read to its end or destroyed. */
export const isStream = (body: unknown): body is NodeJS.ReadableStream =>
	typeof body === 'object' && body !== null && Symbol.asyncIterator in body;

async function textOf(stream: NodeJS.ReadableStream): Promise<string | undefined> {
	const chunks: Buffer[] = [];
	let size = 0;
	for await (const chunk of stream) {
		const bytes = Buffer.from(chunk as Uint8Array);
		size += bytes.length;
		if (size > MAX_BYTES) return undefined;
		chunks.push(bytes);
	}
	return Buffer.concat(chunks).toString('utf8');
}

function parseJson(text: string): unknown {
	try {
		return JSON.parse(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);
	} catch {
		return text;
	}
}

/**
 * Reads the body of a response as a stream, so that the service controls neither its length nor its
 * rate. Parsed JSON, or the raw text if it is not JSON; `undefined` if it is too long. Rejects if
 * it breaks off, or `end` fires.
 */
export async function readBody(
	body: unknown,
	end: AbortSignal,
): Promise<{ value: unknown } | undefined> {
	if (!isStream(body)) return { value: body };
	let dispose = () => {};
	const ended = new Promise<never>((_, reject) => {
		const stop = () => {
			(body as { destroy?: () => void }).destroy?.();
			// At once: a stalled stream may not notice that it was destroyed.
			reject(end.reason as Error);
		};
		if (end.aborted) stop();
		else dispose = onAbort(end, stop);
	});
	try {
		const text = await Promise.race([textOf(body), ended]);
		return text === undefined ? undefined : { value: parseJson(text) };
	} finally {
		dispose();
	}
}
