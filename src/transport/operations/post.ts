import { IDEMPOTENCY_HEADER } from '../../contract';
import { onAbort } from '../base/abortListeners';
import { halted } from './haltRun';
import type { BinarySource } from '../host/host';
import { note } from '../item/itemMemory';
import { isOpen, type ItemEvent } from '../item/itemState';
import { ok, type Failed, type Result } from '../base/result';
import { isUnclear } from '../client/retry';
import type { Run } from '../item/item';
import type { Created } from '../limits/singleFlight';
import { isLost, isResource, type Answer, type Line, type Resource } from '../base/types';

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
function outcomeOf(answer: Answer, { plan, settings }: Run, attempt: number): ItemEvent {
	const isSuccess = !isLost(answer) && answer.status >= 200 && answer.status < 300;
	// Only its own answer reveals a secret, so the request is repeated instead of the resource being read.
	if (isSuccess && isResource(answer.body) && !plan.holdsSecret) {
		const { id, object } = answer.body;
		const kind = typeof object === 'string' ? object : plan.object;
		return { kind: 'answered', attempt, job: { id, ...(kind && { object: kind }) } };
	}
	if (isUnclear(answer)) return { kind: 'outcomeUnknown' };
	if (isLost(answer) || !REFUSALS.has(answer.status)) return { kind: 'withoutEffect' };
	const rotates = settings.idempotency === 'execution';
	return { kind: 'refused', status: answer.status, rotates };
}

/** A refusal after an unknown outcome says nothing about it, and the user must be told so. */
function withUnknown(failed: Failed, { memory }: Run): Failed {
	const { failure } = failed;
	if (!isOpen(memory.state)) return failed;
	if (failure.kind === 'status') return { ...failed, failure: { ...failure, unclear: true } };
	if (failure.kind === 'lost') return { ...failed, failure: { ...failure, sent: true } };
	return failed;
}

/**
 * Sends one request under one key, until there is a final answer. Each try is noted before it goes out and when its answer is there,
 * so that a run that ends in between finds it. Once the run is halted nothing goes out that has not before.
 * Specification: Operation details, Idempotency-Key.
 */
export async function post(
	run: Run,
	{ attempt, key, path, body }: Omit<Outgoing, 'sources'>,
	once = false,
): Promise<Result<Created>> {
	const { host, workspace, plan, memory, batch } = run;
	const stop = new AbortController();
	let hasLeft = false;
	const send: Line['send'] = async (request) => {
		if (!hasLeft && batch.halted) return { lost: 'halted', unsent: 'local' };
		hasLeft = true;
		const now = workspace.clock.now();
		note(memory, { kind: 'sending', attempt, ...(key && { key }), path, body, now });
		const answer = await host.line.send(request);
		note(memory, outcomeOf(answer, run, attempt));
		return answer;
	};
	const { signal } = stop;
	const cancel = host.line.signal;
	if (cancel?.aborted) stop.abort();
	const disposals = [
		onAbort(cancel, () => stop.abort()),
		// What is out already is asked for to its end: it may have been carried out.
		onAbort(batch.stopping, () => hasLeft || stop.abort()),
	];
	const headers: Record<string, string> = key ? { [IDEMPOTENCY_HEADER]: key } : {};
	const asking = { replayable: key !== undefined, needsSlot: plan.takesSlot, flaw: noId, once };
	const request = { method: 'POST', path, query: run.request.query, body, headers } as const;
	const answer = await workspace.client.request({ ...host.line, send, signal }, request, asking);
	for (const dispose of disposals) dispose();
	if (answer.ok) return ok({ job: answer.value.body as Resource, attempt });
	if (!hasLeft) return halted(run) ?? answer;
	return withUnknown(answer, run);
}
