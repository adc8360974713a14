import { isRecord, type Json } from '../base/types';

/**
 * A response without signing secrets. The specification does not show the name of the field (Other
 * response bodies), so every field with `secret` in its name is removed, at any depth.
 */
export function withoutSigningSecret(record: Json): Json {
	const kept = Object.entries(record).filter(([name]) => !/secret/i.test(name));
	return Object.fromEntries(kept.map(([name, value]) => [name, withoutSecretWithin(value)]));
}

function withoutSecretWithin(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(withoutSecretWithin);
	return isRecord(value) ? withoutSigningSecret(value) : value;
}
