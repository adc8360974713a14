import { sign } from '../../../src/trigger/signature';

/** Headers of a delivery as the service sends it. `at` is Unix seconds. */
export function signedHeaders(
	secret: string,
	body: string | Buffer,
	at = Math.floor(Date.now() / 1_000),
): Record<string, string> {
	return {
		'content-type': 'application/json',
		'webhook-timestamp': String(at),
		'webhook-signature': sign(secret, String(at), body),
	};
}
