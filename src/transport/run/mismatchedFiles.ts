import { referencesIn } from './binaryReference';
import { fingerprint } from './idempotency';
import { conflictOf, type KeyUse } from './keyConflict';
import type { Item } from './item';
import { identifiedByContent } from './inputs';

/**
 * The fingerprint of a request with its files; `undefined` if one cannot be read, which its own
 * item reports.
 */
type FingerprintOf = (use: KeyUse) => Promise<string | undefined>;

/** Reads each stored file once, however many items have it. */
function fingerprintsBy({ host }: Item): FingerprintOf {
	const identities = new Map<string, string>();
	const identityOf = async (field: string, item: number) => {
		const source = await host.binary(field, item);
		if (!source) return undefined;
		const known = identities.get(source.identity);
		if (known !== undefined) return known;
		const { identity } = await identifiedByContent(source);
		identities.set(source.identity, identity);
		return identity;
	};
	return async ({ item, request: { path, body } }) => {
		const byField: Record<string, string> = {};
		for (const { field } of referencesIn(body)) {
			const identity = await identityOf(field, item).catch(() => undefined);
			if (identity === undefined) return undefined;
			byField[field] = identity;
		}
		return fingerprint([path, body], byField);
	};
}

async function compareFiles(item: Item): Promise<boolean> {
	const { batch } = item;
	let isMismatch = false;
	const fingerprintOf = fingerprintsBy(item);
	for (const [first, ...others] of batch.customKeys.shared) {
		if (!first || referencesIn(first.request.body).length === 0) continue;
		const expected = await fingerprintOf(first);
		for (const other of others) {
			const found = await fingerprintOf(other);
			if (expected === undefined || found === undefined || found === expected) continue;
			batch.rejectSharedKey(other.item, conflictOf(other.item, first.item));
			isMismatch = true;
		}
	}
	return isMismatch;
}

/**
 * Rejects the items of a run that share a custom key and differ in their files only, before
 * anything is sent: the service would answer the second with the media of the first, or refuse it
 * when the first is paid for. In a run in portions (n8n's batching option) later items are not
 * known yet; `claimKey` refuses those.
 * @returns whether there are any
 */
export async function rejectMismatchedFiles(item: Item): Promise<boolean> {
	if (item.settings.idempotency !== 'custom') return false;
	return await (item.batch.hasMismatchedFiles ??= compareFiles(item));
}
