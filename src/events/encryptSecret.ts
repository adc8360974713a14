import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'crypto';

const CIPHER = 'aes-256-gcm';
const PURPOSE = 'n8n-nodes-mediagen webhook secret';
const SALT_BYTES = 16;
const IV_BYTES = 12;
const TAG_BYTES = 16;

const cipherKey = (apiKey: string, salt: Uint8Array) =>
	Buffer.from(hkdfSync('sha256', apiKey, salt, PURPOSE, 32));

/**
 * Encrypts a webhook's signing secret, because n8n's public API shows a workflow's static data:
 * AES-256-GCM with a key that HKDF derives from the API key. The result is base64 of salt, IV, tag
 * and text.
 * @param webhookId bound to the secret: it cannot be moved to another webhook
 */
export function encryptSecret(secret: string, apiKey: string, webhookId: string): string {
	const salt = randomBytes(SALT_BYTES);
	const iv = randomBytes(IV_BYTES);
	const cipher = createCipheriv(CIPHER, cipherKey(apiKey, salt), iv).setAAD(Buffer.from(webhookId));
	const text = Buffer.concat([cipher.update(secret), cipher.final()]);
	return Buffer.concat([salt, iv, cipher.getAuthTag(), text]).toString('base64');
}

/** The secret; `undefined` if it was not encrypted with this key for this webhook. Never throws. */
export function decryptSecret(
	encrypted: unknown,
	apiKey: string,
	webhookId: string,
): string | undefined {
	if (typeof encrypted !== 'string') return undefined;
	const bytes = Buffer.from(encrypted, 'base64');
	const ivAt = SALT_BYTES;
	const tagAt = ivAt + IV_BYTES;
	const textAt = tagAt + TAG_BYTES;
	if (bytes.length <= textAt) return undefined;
	try {
		const key = cipherKey(apiKey, bytes.subarray(0, ivAt));
		const options = { authTagLength: TAG_BYTES };
		const decipher = createDecipheriv(CIPHER, key, bytes.subarray(ivAt, tagAt), options)
			.setAAD(Buffer.from(webhookId))
			.setAuthTag(bytes.subarray(tagAt, textAt));
		return Buffer.concat([decipher.update(bytes.subarray(textAt)), decipher.final()]).toString();
	} catch {
		return undefined;
	}
}
