import { resolveReferences } from './binaryReference';
import { ok, type Result } from '../base/result';
import type { Item, Outcome } from './item';
import { keyOf } from './itemKey';
import type { Json } from '../base/types';
import { knownPrice } from './creditCap';
import { openRequest } from './openRequest';

/**
 * What would be sent for an item, all checks done: nothing goes out, no file is uploaded and
 * nothing is remembered, so that the real run starts from scratch.
 */
export async function dryRun(item: Item): Promise<Result<Outcome>> {
	const { request, memory } = item;
	const { method, path } = request;
	const opened = await openRequest(item);
	if (!opened.ok) return opened;
	const { state } = memory;
	const attempt = state.is === 'new' ? state.firstKey : state.attempt;
	const idempotencyKey = keyOf(item, opened.value.requestFingerprint, attempt);
	const body = await resolveReferences(request.body, async ({ field }) => `binary:${field}`);
	const known = 'job' in state ? state.job.id : undefined;
	// Not known where nothing like it was created since n8n was started.
	const price = knownPrice(item, { path, body: request.body });
	const preview: Json = {
		dryRun: true,
		...(price !== undefined && { estimated_credits: price }),
		method,
		path,
		body,
		...(idempotencyKey !== undefined && { idempotencyKey }),
		...(known !== undefined && { existingJob: known }),
	};
	return ok({ resources: [preview], files: [] });
}
