import { onAbort } from './aborts';

/** No answer of the API is longer, in bytes; a longer one is not read to its end. */
const MOST_BYTES = 32 * 1024 * 1024;

const isStream = (body: unknown): body is NodeJS.ReadableStream =>
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
 * raw text where it is none; `undefined` when it is too long. Rejects when it breaks off, takes longer
 * than `timeoutMs`, or the execution is cancelled.
 */
export async function answerBody(
	body: unknown,
	timeoutMs: number,
	cancel?: AbortSignal,
): Promise<{ value: unknown } | undefined> {
	if (!isStream(body)) return { value: body };
	const deadline = AbortSignal.timeout(timeoutMs);
	const end = cancel ? AbortSignal.any([cancel, deadline]) : deadline;
	const stop = () => (body as { destroy?: (error?: Error) => void }).destroy?.(end.reason as Error);
	const dispose = onAbort(end, stop);
	try {
		const text = await textOf(body);
		return text === undefined ? undefined : { value: parsed(text) };
	} finally {
		dispose();
	}
}
