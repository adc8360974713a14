import { IDEMPOTENCY_HEADER } from '../api';
import { onAbort } from '../base/abort';
import { fail, type Failed, type Result } from '../base/result';
import type { ApiResponse, Channel } from '../base/types';
import { mustHaveId } from '../transport/client';
import { hear } from './answer';
import type { Item } from './item';
import type { Heard, Progress } from './progress';
import { isKeyExpired, isOutcomeOpen, recordEvent } from './state';

/* A creation that has its slot and its key goes out, until there is a final answer, which is heard. */

/** The request of a creation. */
export interface CreationRequest {
	path: string;
	body: unknown;
	/** Of one that is sent again as it was; otherwise it is made when it is sent. */
	key?: string;
	/** Whether it is sent again as it was. */
	isRepeat: boolean;
}

/** Whether the key of an open outcome can no longer settle it. */
export function hasKeyExpired({ memory: { state }, workspace }: Item): boolean {
	return isOutcomeOpen(state) && isKeyExpired(state.firstSentAt, workspace.clock.now());
}

/**
 * Sends a creation until there is a final answer, which is heard. Once an attempt is out, only a cancel of
 * the execution ends the wait for it. Its answer is heard all the same: the request may be carried out, and
 * its job takes a slot.
 * @param channel its signal ends what is not out yet
 */
export async function exchange(
	progress: Progress,
	sent: CreationRequest,
	channel: Channel,
): Promise<Heard> {
	const { item, place } = progress;
	const cancel = item.host.channel.signal;
	const ending = endingOf(cancel, channel.signal);
	const heard = ask(progress, sent, ending).then((answer) => hear(progress, answer, sent.body));
	const first = await Promise.race([heard, ending.cancelled]);
	ending.dispose();
	if (cancel?.aborted) void leaveSlotAfter(heard, place);
	return first;
}

/** After a cancel nobody waits for the job that a request may still make. */
async function leaveSlotAfter(heard: Promise<Heard>, place: Progress['place']): Promise<void> {
	try {
		const made = await heard;
		if ('again' in made || !made.ok) return;
		place.slot?.leave();
	} catch {
		place.slot?.leave();
	}
}

/** Under a key it is sent again as long as Wait Timeout lasts, unless that key has expired. */
async function ask(
	progress: Progress,
	sent: CreationRequest,
	ending: Ending,
): Promise<Result<ApiResponse>> {
	const { item, place } = progress;
	const { host, request, settings, spec, workspace } = item;
	const { key, path, body } = sent;
	const headers: Record<string, string> = {};
	if (key !== undefined) headers[IDEMPOTENCY_HEADER] = key;
	return await workspace.client.request(
		{ ...host.channel, signal: ending.signal },
		{ method: 'POST', path, query: request.query, body, headers, outlivesCancel: true },
		{
			onSending: () => noteSending(progress, sent, ending),
			replayable: () => key !== undefined && !hasKeyExpired(item),
			return429: place.kind !== undefined,
			outcomeOpen: sent.isRepeat,
			keepTryingMs: spec.charges ? settings.waitTimeoutMs : undefined,
			validate: mustHaveId,
		},
	);
}

/** Recorded before it is sent, so that a run that dies in between can pick it up. */
function noteSending(
	{ item, out }: Progress,
	{ key, path, body }: CreationRequest,
	ending: Ending,
): void {
	const { clock } = item.workspace;
	if (ending.isOut()) return;
	ending.goesOut();
	out.since = clock.monotonic();
	out.key = key;
	recordEvent(item.memory, { kind: 'sending', key, path, body, now: clock.now() });
}

/** What ends the wait for the answer to one creation. */
interface Ending {
	/** Ends the request. */
	signal: AbortSignal;
	/** Whether an attempt has gone out. */
	isOut(): boolean;
	goesOut(): void;
	/** Comes with a cancel. */
	cancelled: Promise<Failed>;
	dispose(): void;
}

/**
 * `stop` ends it until the first attempt goes out; from then on only `cancel` does, that of the execution, as
 * the request may be carried out.
 */
function endingOf(cancel: AbortSignal | undefined, stop: AbortSignal | undefined): Ending {
	const ending = new AbortController();
	let isOut = false;
	let forgetCancel = () => {};
	const cancelled = new Promise<Failed>((resolve) => {
		forgetCancel = onAbort(cancel, () => {
			ending.abort();
			resolve(fail({ kind: 'cancelled', outcomeUnknown: isOut }));
		});
	});
	const forgetStop = onAbort(stop, () => {
		if (!isOut) ending.abort();
	});
	if (stop?.aborted) ending.abort();
	return {
		signal: ending.signal,
		isOut: () => isOut,
		goesOut() {
			isOut = true;
		},
		cancelled,
		dispose() {
			forgetCancel();
			forgetStop();
		},
	};
}
