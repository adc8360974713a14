import type { IWebhookFunctions } from 'n8n-workflow';

/** The largest body that is read, in bytes: n8n's default limit. */
const MAX_BODY_BYTES = 16 * 1024 * 1024;

type Request = ReturnType<IWebhookFunctions['getRequestObject']>;

/**
 * The bytes as they arrived; `undefined` if they are not available: multipart, compressed, too
 * large, incomplete.
 */
export async function rawBodyOf(request: Request): Promise<Buffer | undefined> {
	const encoding = request.headers['content-encoding'];
	if (encoding !== undefined && encoding !== 'identity') return undefined;
	try {
		await request.readRawBody();
	} catch {
		return undefined;
	}
	const { rawBody } = request;
	return Buffer.isBuffer(rawBody) && rawBody.length <= MAX_BODY_BYTES ? rawBody : undefined;
}
