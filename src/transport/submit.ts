import { IDEMPOTENCY_HEADER } from '../contract';
import {
	contentKey,
	executionKey,
	fingerprint,
	leavesUnclear,
	provesNothingDone,
} from './idempotency';
import { openSources, uploadAll } from './inputs';
import { readerPath } from './job';
import { isUnknown } from './lookup';
import { fail, ok, type Failed, type Result } from './result';
import type { Run } from './run';
import { isResource, type Resource } from './types';
import { isForgotten, lookBeforeCreating } from './uncertain';

const noId = (body: unknown) => (isResource(body) ? undefined : 'it has no id');

function keyOf(
	{ settings, memory, place, batch, itemIndex }: Run,
	print: string,
): string | undefined {
	switch (settings.idempotency) {
		case 'none':
			return undefined;
		case 'custom':
			return settings.idempotencyKey;
		case 'content':
			return contentKey(place.node, print, batch.ordinal(print, itemIndex), memory.attempt);
		case 'execution':
			return executionKey(place.seed, place.item, memory.attempt);
	}
}

/**
 * The job that this item is known to have made already, when it should be continued with instead of sending the request
 * again: its key is no longer remembered by the service, or the request reads differently each time it is evaluated
 * (`$now` in a prompt) within one execution.
 */
function knownJob({ memory, place, workspace }: Run, print: string): string | undefined {
	if (!memory.jobId) return undefined;
	const expired = isForgotten(memory.createdAt ?? 0, workspace.clock.now());
	const volatile = memory.print !== print && memory.execution === place.executionId;
	return expired || volatile ? memory.jobId : undefined;
}

/** A request that the user has changed before Retry Execution is another one: it gets a key of its own. */
function forgetIfChanged({ memory, place }: Run, print: string): void {
	const changed = memory.print !== undefined && memory.print !== print;
	if (changed && memory.execution !== place.executionId) {
		memory.attempt += 1;
		memory.jobId = undefined;
	}
	memory.print = print;
	memory.execution = place.executionId;
}

/** Nothing good exists under the key that was used: the next try may use a new one. */
export function retire({ memory }: Run, failed: Failed): void {
	if (!provesNothingDone(failed.failure)) return;
	memory.attempt += 1;
	memory.jobId = undefined;
	memory.unclearAt = undefined;
}

/** An unclear try whose key is no longer valid is looked for; only when it has left nothing, a new key may be used. */
async function settleUnclear(run: Run): Promise<Failed | undefined> {
	const { memory, workspace, settings } = run;
	if (settings.idempotency === 'none' || !isForgotten(memory.unclearAt, workspace.clock.now())) {
		return undefined;
	}
	const uncertain = await lookBeforeCreating(run);
	if (uncertain) return uncertain;
	memory.attempt += 1;
	memory.unclearAt = undefined;
	return undefined;
}

async function resume(run: Run, id: string): Promise<Result<Resource>> {
	const { host, workspace, plan } = run;
	const job = { id, object: plan.object };
	const request = { method: 'GET', path: readerPath(job) } as const;
	const answer = await workspace.client.request(host.line, request, { flaw: noId });
	if (answer.ok) return ok(answer.value.body as Resource);
	// Told once, with the id; the next try makes a new one.
	if (isUnknown(answer)) retire(run, answer);
	return fail(answer.failure, job);
}

/**
 * Has the service create what the request says, once: the job that answers, new or known. What is remembered of the item is
 * written before the request goes out, so that a run that ends in between finds it.
 * Specification: Operation details, Idempotency-Key.
 */
export async function submit(run: Run): Promise<Result<Resource>> {
	const { request, host, workspace, plan, memory } = run;
	const opened = await openSources(run);
	if (!opened.ok) return opened;
	const sources = opened.value;
	const identities = [...sources].map(([field, { identity }]) => [field, identity]);
	const asked = [request.path, request.body];
	const print = fingerprint(asked, Object.fromEntries(identities) as Record<string, string>);
	const known = knownJob(run, print);
	if (known) return await resume(run, known);
	forgetIfChanged(run, print);
	const uncertain = await settleUnclear(run);
	if (uncertain) return uncertain;

	const body = await uploadAll(run, sources);
	if (!body.ok) return body;
	const key = keyOf(run, print);
	const headers: Record<string, string> = key ? { [IDEMPOTENCY_HEADER]: key } : {};
	const sent = { ...request, body: body.value, headers };
	const asking = { replayable: key !== undefined, needsSlot: plan.takesSlot, flaw: noId };
	const answer = await workspace.client.request(host.line, sent, asking);
	if (!answer.ok) {
		if (leavesUnclear(answer.failure)) memory.unclearAt ??= workspace.clock.now();
		retire(run, answer);
		return answer;
	}
	const job = answer.value.body as Resource;
	memory.unclearAt = undefined;
	// A repeat answers the same job, but does not make its key live longer.
	if (memory.jobId !== job.id) memory.createdAt = workspace.clock.now();
	memory.jobId = job.id;
	return ok(job);
}
