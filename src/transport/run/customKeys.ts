import { fail, type Failed } from '../base/result';
import { shortHash } from './idempotency';
import { sharedKeyFailure } from './keyConflict';
import type { Item } from './item';
import type { JobReference } from './itemState';

/** Whether this item has already sent a request under its custom key in this execution. */
export function hasUsedKey({ settings, node, origin }: Item): boolean {
	if (settings.idempotency !== 'custom') return false;
	return node.keys?.[shortHash(settings.idempotencyKey)]?.item === origin.item;
}

/**
 * Claims the custom key for a request. Under one key for different requests, every item would get
 * the media of the first one, so this is refused, also if the other item was in an earlier run of
 * the node in this execution.
 */
export function claimKey(
	{ settings, node, origin }: Item,
	requestFingerprint: string,
): Failed | undefined {
	if (settings.idempotency !== 'custom') return undefined;
	const keys = (node.keys ??= {});
	const name = shortHash(settings.idempotencyKey);
	const use = keys[name];
	if (use && use.item !== origin.item) {
		const isSame = use.fingerprint === requestFingerprint;
		return isSame ? undefined : sharedKeyFailure(origin.item, use.item);
	}
	keys[name] = { fingerprint: requestFingerprint, item: origin.item };
	return undefined;
}

/** The key still belongs to the request as it was before the user changed it. */
export function keyInUse(job: JobReference | undefined): Failed {
	const problem = job
		? `belongs to another request, whose job is ${job.id}`
		: 'belongs to another request, which may or may not have been carried out';
	const hint = 'Give the changed request a key of its own';
	return fail({ kind: 'input', field: 'Idempotency Key', problem, hint }, job && { ...job });
}
