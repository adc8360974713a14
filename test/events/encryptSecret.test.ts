import { encryptSecret, decryptSecret } from '../../src/events/encryptSecret';

const [secret, apiKey, webhook] = ['whsec_canary_0123456789', 'key-1', 'wh_1'];

test('what was encrypted is decrypted with the same key for the same webhook only', () => {
	const encrypted = encryptSecret(secret, apiKey, webhook);
	expect(decryptSecret(encrypted, apiKey, webhook)).toBe(secret);
	expect(decryptSecret(encrypted, 'key-2', webhook)).toBeUndefined();
	expect(decryptSecret(encrypted, apiKey, 'wh_2')).toBeUndefined();
});

test('it shows nothing of the secret and is another every time', () => {
	const encrypted = encryptSecret(secret, apiKey, webhook);
	expect(Buffer.from(encrypted, 'base64').toString('latin1')).not.toContain('canary');
	expect(encryptSecret(secret, apiKey, webhook)).not.toBe(encrypted);
});

test('of all single-bit changes none is opened', () => {
	const bytes = Buffer.from(encryptSecret(secret, apiKey, webhook), 'base64');
	for (let bit = 0; bit < bytes.length * 8; bit += 1) {
		const changed = Buffer.from(bytes);
		changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
		expect(decryptSecret(changed.toString('base64'), apiKey, webhook)).toBeUndefined();
	}
});

test.each([
	undefined,
	null,
	1,
	{},
	'',
	'AAAA',
	'not base64 at all',
	'A'.repeat(60),
	'A'.repeat(500),
])('%j is not decrypted and does not throw', (encrypted) => {
	expect(decryptSecret(encrypted, apiKey, webhook)).toBeUndefined();
});

test('secrets of any length and alphabet come back', () => {
	for (const each of ['x', 'ünïcödé 秘密', 'a'.repeat(5_000)]) {
		expect(decryptSecret(encryptSecret(each, apiKey, webhook), apiKey, webhook)).toBe(each);
	}
});

test('what an earlier version encrypted is still decrypted', () => {
	const encrypted =
		'EZ9sewENwLNYfcowpOzv0I323dnD7AR0Vc+YLa+JfeJqaa0CPKr6hkdO4AtmxwCP4kGOrXS8EAtHZVuX/KylSoRp4Q==';
	expect(decryptSecret(encrypted, apiKey, webhook)).toBe(secret);
});

test('an empty secret is none', () => {
	expect(decryptSecret(encryptSecret('', apiKey, webhook), apiKey, webhook)).toBeUndefined();
});
