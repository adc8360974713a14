import { isRecord } from '../base/types';

/**
 * An answer without signing secrets. The name of the field is not shown (specification: Other response bodies), so
 * whatever is named a secret goes, at any depth.
 */
export function withoutSigningSecret(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(withoutSigningSecret);
	if (!isRecord(value)) return value;
	const kept = Object.entries(value).filter(([name]) => !/secret/i.test(name));
	return Object.fromEntries(kept.map(([name, entry]) => [name, withoutSigningSecret(entry)]));
}
