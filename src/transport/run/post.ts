import { IDEMPOTENCY_HEADER } from '../../contract';
import { onAbort } from '../base/abortListeners';
import { halted } from './haltRun';
import type { BinarySource } from '../http/host';
import { recordEvent } from './itemMemory';
import { isOutcomeOpen, type ItemEvent, type JobReference } from './itemState';
import { ok, type Failed, type Result } from '../base/result';
import type { RequestOptions } from '../http/client';
import {
	isAnswerOfService,
	isFinalRefusal,
	isOutcomeUnknown,
	provesNothingDone,
} from '../http/statuses';
import type { Item } from './item';
import type { Created } from '../limits/singleFlight';
import {
	isNoResponse,
	isResource,
	isSuccess,
	type SendResult,
	type Channel,
	type Resource,
} from '../base/types';
import { requestResource } from '../http/client';

/** A request whose key has been chosen. */
export interface Outgoing {
	attempt: number;
	key: string | undefined;
	path: string;
	body: unknown;
	/** Files still to be uploaded; `undefined` for a request that is sent again unchanged. */
	sources?: ReadonlyMap<string, BinarySource>;
}

/**
 * What is needed to read a job again. `kind`: the `object` constant if the response does not say
 * it.
 */
export function referenceTo({ id, object }: Resource, kind?: string): JobReference {
	const known = typeof object === 'string' ? object : kind;
	return known ? { id, object: known } : { id };
}

/** What the result of a request means for the item. */
function eventOf(result: SendResult, { spec, settings }: Item, attempt: number): ItemEvent {
	// Only the response itself reveals a secret, so the request is repeated rather than the resource
	// read.
	if (
		!isNoResponse(result) &&
		isSuccess(result.status) &&
		isResource(result.body) &&
		!spec.holdsSecret
	) {
		return { kind: 'jobKnown', attempt, job: referenceTo(result.body, spec.object) };
	}
	if (isNoResponse(result))
		return { kind: isOutcomeUnknown(result) ? 'outcomeUnknown' : 'noEffect' };
	const { status } = result;
	// Such as 409 while the first attempt is still at work, or 524 of a gateway: only what proves
	// that nothing was done frees the key.
	if (!provesNothingDone(status)) return { kind: 'outcomeUnknown' };
	// A gateway may have let the request through before it refused the response, so the next try keeps
	// its key; as no service stores such a refusal for a key, that costs nothing.
	if (!isFinalRefusal(status) || !isAnswerOfService(result)) return { kind: 'noEffect' };
	return { kind: 'refused', status, rotates: settings.idempotency === 'execution' };
}

/**
 * A refusal that follows an attempt of unknown outcome says nothing about that attempt, nor does
 * that of a gateway about its own, and the error must say so.
 */
function withOpenOutcome(failed: Failed, { memory: { state } }: Item): Failed {
	const { failure } = failed;
	// A final refusal that has not freed the key is one of a gateway.
	const isOfUnknownOrigin =
		state.is === 'sent' && failure.kind === 'status' && isFinalRefusal(failure.status);
	if (!isOutcomeOpen(state) && !isOfUnknownOrigin) return failed;
	if (failure.kind === 'status')
		return { ...failed, failure: { ...failure, outcomeUnknown: true } };
	if (failure.kind === 'noResponse')
		return { ...failed, failure: { ...failure, outcomeUnknown: true } };
	return failed;
}

/**
 * Sends one request under one key until there is a final response. Each attempt is recorded before
 * it is sent and once its response is there, so that a run that dies in between can pick it up.
 * After the run is halted, only a request that was already sent is sent again. Specification:
 * Operation details, Idempotency-Key.
 */
export async function post(
	item: Item,
	{ attempt, key, path, body }: Omit<Outgoing, 'sources'>,
	retry = true,
): Promise<Result<Created>> {
	const { host, workspace, spec, memory, batch } = item;
	const stop = new AbortController();
	let hasSent = false;
	const send: Channel['send'] = async (request) => {
		if (!hasSent && batch.halted) return { noResponse: 'halted', unsent: 'local' };
		hasSent = true;
		const now = workspace.clock.now();
		recordEvent(memory, { kind: 'sending', attempt, key, path, body, now });
		const result = await host.channel.send(request);
		recordEvent(memory, eventOf(result, item, attempt));
		return result;
	};
	const { signal } = stop;
	const cancel = host.channel.signal;
	if (cancel?.aborted) stop.abort();
	const disposals = [
		onAbort(cancel, () => stop.abort()),
		// A request already sent is seen through to its end: it may have been carried out.
		onAbort(batch.haltSignal, () => {
			if (!hasSent) stop.abort();
		}),
	];
	const headers: Record<string, string> = key ? { [IDEMPOTENCY_HEADER]: key } : {};
	const options: Omit<RequestOptions, 'validate'> = {
		replayable: key !== undefined,
		outcomeOpen: isOutcomeOpen(memory.state),
		return429: spec.takesPermit,
		retry,
	};
	const request = { method: 'POST', path, query: item.request.query, body, headers } as const;
	const channel = { ...host.channel, send, signal };
	const response = await requestResource(workspace.client, channel, request, options);
	for (const dispose of disposals) dispose();
	if (response.ok) return ok({ job: response.value, attempt });
	if (!hasSent) return halted(item) ?? response;
	return withOpenOutcome(response, item);
}
