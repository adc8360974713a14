import { IDEMPOTENCY_HEADER } from '../../contract';
import { onAbort } from '../base/abortListeners';
import { halted } from './haltRun';
import type { BinarySource } from '../host/host';
import { note } from '../item/itemMemory';
import { isOpen, type ItemEvent } from '../item/itemState';
import { ok, type Failed, type Result } from '../base/result';
import { isOutcomeUnknown } from '../client/retry';
import type { Item } from '../item/item';
import type { Created } from '../limits/singleFlight';
import {
	isNoResponse,
	isResource,
	type SendResult,
	type Channel,
	type Resource,
} from '../base/types';

/** Final refusals of one request: the service has looked at it and done nothing. */
const REFUSALS = new Set([400, 401, 402, 403, 404, 422]);

const noId = (body: unknown) => (isResource(body) ? undefined : 'it has no id');

/** A request whose key is decided. */
export interface Outgoing {
	attempt: number;
	key: string | undefined;
	path: string;
	body: unknown;
	/** Files that are still to be uploaded; `undefined` for a request that is sent again as it was. */
	sources?: Map<string, BinarySource>;
}

/** How a request ended, as far as it concerns the item. */
function outcomeOf(answer: SendResult, { spec, settings }: Item, attempt: number): ItemEvent {
	const isSuccess = !isNoResponse(answer) && answer.status >= 200 && answer.status < 300;
	// Only its own answer reveals a secret, so the request is repeated instead of the resource being read.
	if (isSuccess && isResource(answer.body) && !spec.holdsSecret) {
		const { id, object } = answer.body;
		const kind = typeof object === 'string' ? object : spec.object;
		return { kind: 'answered', attempt, job: { id, ...(kind && { object: kind }) } };
	}
	if (isOutcomeUnknown(answer)) return { kind: 'outcomeUnknown' };
	if (isNoResponse(answer) || !REFUSALS.has(answer.status)) return { kind: 'withoutEffect' };
	const rotates = settings.idempotency === 'execution';
	return { kind: 'refused', status: answer.status, rotates };
}

/** A refusal after an unknown outcome says nothing about it, and the user must be told so. */
function withUnknown(failed: Failed, { memory }: Item): Failed {
	const { failure } = failed;
	if (!isOpen(memory.state)) return failed;
	if (failure.kind === 'status') return { ...failed, failure: { ...failure, unclear: true } };
	if (failure.kind === 'noResponse') return { ...failed, failure: { ...failure, sent: true } };
	return failed;
}

/**
 * Sends one request under one key, until there is a final answer. Each try is noted before it goes out and when its answer is there,
 * so that a run that ends in between finds it. Once the run is halted nothing goes out that has not before.
 * Specification: Operation details, Idempotency-Key.
 */
export async function post(
	item: Item,
	{ attempt, key, path, body }: Omit<Outgoing, 'sources'>,
	once = false,
): Promise<Result<Created>> {
	const { host, workspace, spec, memory, batch } = item;
	const stop = new AbortController();
	let hasLeft = false;
	const send: Channel['send'] = async (request) => {
		if (!hasLeft && batch.halted) return { noResponse: 'halted', unsent: 'local' };
		hasLeft = true;
		const now = workspace.clock.now();
		note(memory, { kind: 'sending', attempt, ...(key && { key }), path, body, now });
		const answer = await host.channel.send(request);
		note(memory, outcomeOf(answer, item, attempt));
		return answer;
	};
	const { signal } = stop;
	const cancel = host.channel.signal;
	if (cancel?.aborted) stop.abort();
	const disposals = [
		onAbort(cancel, () => stop.abort()),
		// What is out already is asked for to its end: it may have been carried out.
		onAbort(batch.stopping, () => hasLeft || stop.abort()),
	];
	const headers: Record<string, string> = key ? { [IDEMPOTENCY_HEADER]: key } : {};
	const asking = {
		replayable: key !== undefined,
		return429: spec.takesPermit,
		validate: noId,
		once,
	};
	const request = { method: 'POST', path, query: item.request.query, body, headers } as const;
	const answer = await workspace.client.request({ ...host.channel, send, signal }, request, asking);
	for (const dispose of disposals) dispose();
	if (answer.ok) return ok({ job: answer.value.body as Resource, attempt });
	if (!hasLeft) return halted(item) ?? answer;
	return withUnknown(answer, item);
}
