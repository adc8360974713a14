const MASK = '***';

function masked(value: unknown, secret: string): unknown {
	if (typeof value === 'string') return value.replaceAll(secret, MASK);
	if (Array.isArray(value)) return value.map((entry) => masked(entry, secret));
	if (typeof value !== 'object' || value === null) return value;
	const entries: unknown[] = Object.entries(value).map((entry) => masked(entry, secret));
	return Object.fromEntries(entries as Array<[string, unknown]>);
}

/** Removes a secret from what the service sent back. Returns the value itself if it has none. */
export function withoutSecret<T>(value: T, secret: string): T {
	if (secret.length < 8) return value;
	const isText = typeof value === 'string';
	const text = isText ? value : JSON.stringify(value);
	const written = isText ? secret : JSON.stringify(secret).slice(1, -1);
	return text?.includes(written) ? (masked(value, secret) as T) : value;
}
