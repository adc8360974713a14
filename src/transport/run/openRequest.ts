import { ok, type Result } from '../base/result';
import type { BinarySource } from '../http/host';
import { fingerprint } from './idempotency';
import type { Item } from './item';
import { openSources } from './inputs';

/** The files of a request and its fingerprint. */
export interface OpenedRequest {
	sources: ReadonlyMap<string, BinarySource>;
	requestFingerprint: string;
}

/** Sends nothing. */
export async function openRequest(item: Item): Promise<Result<OpenedRequest>> {
	const { request } = item;
	const sources = await openSources(item);
	if (!sources.ok) return sources;
	const identities: Record<string, string> = {};
	for (const [field, { identity }] of sources.value) identities[field] = identity;
	const requestFingerprint = fingerprint([request.path, request.body], identities);
	return ok({ sources: sources.value, requestFingerprint });
}
