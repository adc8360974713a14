import { IDEMPOTENCY_HEADER } from '../../contract';
import { onAbort } from '../base/waiting';
import { ok, type Result } from '../base/result';
import {
	isNoResponse,
	isResource,
	isSuccess,
	type ApiRequest,
	type Channel,
	type Resource,
	type SendResult,
} from '../base/types';
import { requestResource } from '../http/client';
import { isAnswerOfService, isOutcomeUnknown, meaningOf } from '../http/statuses';
import type { Slot } from '../limits/jobSlots';
import { withinMaxCredits } from './credits';
import { halted, orSilence } from './batch';
import type { Item } from './item';
import { isKeyExpired, isOutcomeOpen, type ItemEvent } from './itemState';
import { keysOfContent } from './keys';
import { recordEvent } from './memory';

/** The request of a creation, whose key has been chosen. */
export interface Creation extends Pick<ApiRequest, 'path' | 'body'> {
	/** The number of its key. */
	attempt: number;
	key: string | undefined;
}

/** What a service has made. */
export interface Made {
	job: Resource;
	/** Whether there is nothing to wait for, whatever its status. */
	isOver: boolean;
}

/** What the answer to a creation means for the item. */
function eventOf(result: SendResult, item: Item, attempt: number): ItemEvent {
	const { spec, settings } = item;
	if (isNoResponse(result)) {
		return { kind: isOutcomeUnknown(result) ? 'outcomeUnknown' : 'noEffect' };
	}
	const { status, body } = result;
	// Only the response itself reveals a secret, so the request is repeated rather than the resource read.
	if (isSuccess(status) && isResource(body) && !spec.holdsSecret) {
		const object = typeof body.object === 'string' ? body.object : spec.object;
		return { kind: 'jobKnown', job: { id: body.id, ...(object && { object }) } };
	}
	// Such as 409 while the first attempt is still at work, or 524 of a gateway: only what proves
	// that nothing was done frees the key.
	const { nothingDone, again } = meaningOf(status);
	if (!nothingDone) return { kind: 'outcomeUnknown' };
	if (again !== 'never') return { kind: 'noEffect' };
	// A gateway may have let the request through before it refused the response.
	if (!isAnswerOfService(result)) return { kind: 'outcomeUnknown' };
	if (settings.idempotency === 'execution') return { kind: 'refused', nextKey: attempt + 1 };
	const lacksCredits = settings.idempotency === 'content' && status === 402;
	const nextKey = lacksCredits ? keysOfContent(item).afterNoCredits(attempt) : attempt;
	return { kind: 'refused', nextKey };
}

/** Records the answer. With `content`, the other executions of this process start where there is, or may be, a job. */
function record(result: SendResult, item: Item, attempt: number): void {
	const { memory, settings, workspace } = item;
	recordEvent(memory, eventOf(result, item, attempt));
	const { state } = memory;
	const job = 'job' in state ? state.job.id : undefined;
	if (settings.idempotency !== 'content' || !(job ?? isOutcomeOpen(state))) return;
	keysOfContent(item).noteUse(attempt, job);
	// Who forgets it starts with the first key, or takes a 402 for a sign that there is no job: and pays again.
	workspace.keep();
}

/** A plan that waits for approval. Specification: Operation details, POST /agents/runs. */
const isPlanOnly = (job: Resource, status: number): boolean =>
	job.object === 'agent_run' && (status === 201 || typeof job.auto_approval_error === 'string');

/** Whether the key of an open outcome can no longer settle it. */
export const hasKeyExpired = ({ memory: { state }, workspace: { clock } }: Item): boolean =>
	isOutcomeOpen(state) && isKeyExpired(state.firstSentAt, clock.now());

/**
 * Sends a creation under one key until there is a final response. Each attempt is recorded before it
 * is sent and once its response is there, so that a run that dies in between can pick it up. Until
 * the first attempt the signal of the channel stops it; from then on it is seen through to its end,
 * as it may have been carried out.
 */
export async function sendCreation(
	item: Item,
	channel: Channel,
	{ attempt, key, path, body: prepared }: Creation,
	slot: Slot,
): Promise<Result<Made>> {
	const { workspace, spec, memory, batch, host, request } = item;
	const stop = new AbortController();
	let hasSent = false;
	let hasEnded = false;
	let status = 0;
	const send: Channel['send'] = async (sending) => {
		if (!hasSent && channel.signal?.aborted) return { noResponse: 'not sent', unsent: 'local' };
		hasSent = true;
		const { body } = sending;
		const now = workspace.clock.now();
		recordEvent(memory, { kind: 'sending', attempt, key, path, body, now });
		const result = await host.channel.send(sending);
		record(result, item, attempt);
		if (!isNoResponse(result)) status = result.status;
		return result;
	};
	const recording = { ...channel, send, signal: stop.signal };
	const headers: Record<string, string> = key ? { [IDEMPOTENCY_HEADER]: key } : {};
	const post = async (body: unknown) =>
		await requestResource(
			workspace.client,
			recording,
			{ method: 'POST', path, query: request.query, body, headers },
			{
				replayable: () => key !== undefined && !hasKeyExpired(item),
				return429: spec.takesSlot,
				outcomeOpen: isOutcomeOpen(memory.state),
			},
		);
	const disposals = [
		onAbort(host.channel.signal, () => stop.abort()),
		onAbort(channel.signal, () => {
			if (!hasSent || batch.isSilent) stop.abort();
		}),
	];
	if (channel.signal?.aborted) stop.abort();
	try {
		const response = await withinMaxCredits(item, prepared, post);
		hasEnded = true;
		if (!response.ok) return hasSent ? orSilence(item, response) : (halted(item) ?? response);
		const job = { ...response.value, object: response.value.object ?? spec.object };
		return ok({ job, isOver: isPlanOnly(job, status) });
	} finally {
		// Should sending ever throw: the slot belongs to all executions of the workspace.
		if (!hasEnded) slot.release();
		for (const dispose of disposals) dispose();
	}
}
