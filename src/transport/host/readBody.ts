import { onAbort } from '../base/abortListeners';

/** No answer of the API is longer, in bytes; a longer one is not read to its end. */
const MOST_BYTES = 32 * 1024 * 1024;

export const isStream = (body: unknown): body is NodeJS.ReadableStream =>
	typeof body === 'object' && body !== null && Symbol.asyncIterator in body;

async function textOf(stream: NodeJS.ReadableStream): Promise<string | undefined> {
	const chunks: Buffer[] = [];
	let size = 0;
	for await (const chunk of stream) {
		const bytes = Buffer.from(chunk as Uint8Array);
		size += bytes.length;
		if (size > MOST_BYTES) return undefined;
		chunks.push(bytes);
	}
	return Buffer.concat(chunks).toString('utf8');
}

function parsed(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return text;
	}
}

/**
 * Reads the body of an answer as a stream, so that neither its length nor its pace is up to the service. Parsed JSON, or the
 * raw text where it is none; `undefined` when it is too long. Rejects when it breaks off, or `end` fires.
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
			// At once: a stream that stands still in the middle may not notice that it was destroyed.
			reject(end.reason as Error);
		};
		if (end.aborted) stop();
		else dispose = onAbort(end, stop);
	});
	try {
		const text = await Promise.race([textOf(body), ended]);
		return text === undefined ? undefined : { value: parsed(text) };
	} finally {
		dispose();
	}
}
