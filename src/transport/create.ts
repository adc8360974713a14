import { jobState, statedReason } from './job';
import { fail, ok, type Result } from './result';
import type { Run } from './run';
import type { Slot } from './slots';
import { retire, submit } from './submit';
import type { Resource } from './types';

/** A slot that is none, for operations that do not count as concurrent media jobs. */
const NO_SLOT: Slot = { free: () => {}, leave: () => {} };

/**
 * Waits for a place among the concurrent jobs. When all are taken by jobs that nobody waits for, this item looks itself
 * whether one of them has ended.
 */
async function takeSlot({ plan, host, workspace, settings }: Run): Promise<Result<Slot>> {
	if (!plan.takesSlot) return ok(NO_SLOT);
	const turn = await workspace.slots.take(host.line);
	if (!turn) return fail({ kind: 'cancelled' });
	if (!('look' in turn)) return ok(turn.slot);
	const deadline = workspace.clock.now() + settings.waitTimeoutMs;
	const ended = await workspace.watch.wait(host.line, turn.look, deadline);
	if (!ended.ok && ended.failure.kind === 'cancelled') {
		turn.slot.leave(turn.look);
		return fail(ended.failure);
	}
	return ok(turn.slot);
}

/** A 402, 401 or 403 holds for every item of the run: what has not been sent is not sent. */
const HALTING: Record<number, string> = {
	401: 'the API key was refused',
	402: 'the credits ran out',
	403: 'the key is not allowed to do this',
};

function haltOn(run: Run, result: Result<unknown>): void {
	if (result.ok || result.failure.kind !== 'status') return;
	const cause = HALTING[result.failure.status];
	if (cause) run.batch.halt ??= `${cause} at item ${run.itemIndex}`;
}

async function waitFor(run: Run, created: Resource, slot: Slot): Promise<Result<Resource>> {
	const { host, workspace, settings, batch, itemIndex } = run;
	const deadline = workspace.clock.now() + settings.waitTimeoutMs;
	const ended = await workspace.watch.wait(host.line, created, deadline);
	if (!ended.ok) {
		slot.leave(created);
		return ended;
	}
	slot.free();
	const job = ended.value;
	batch.created(itemIndex, job);
	if (jobState(job) !== 'bad') return ok(job);
	const reason = statedReason(job) ?? 'failed without a stated reason';
	const failed = fail({ kind: 'jobFailed', reason }, job);
	retire(run, failed);
	return failed;
}

/** Creates a job, and waits for its end if wanted. A job that ends badly is a failure that carries it. */
export async function create(run: Run): Promise<Result<Resource>> {
	const { batch, plan, settings, itemIndex } = run;
	const turn = await takeSlot(run);
	if (!turn.ok) return turn;
	const slot = turn.value;
	if (batch.halt) {
		slot.free();
		return fail({ kind: 'notSent', cause: batch.halt });
	}
	const created = await submit(run);
	haltOn(run, created);
	if (!created.ok) {
		slot.free();
		return created;
	}
	const job = { ...created.value, object: created.value.object ?? plan.object };
	batch.created(itemIndex, job);
	if (settings.waitForCompletion) return await waitFor(run, job, slot);
	if (jobState(job) === 'running') slot.leave(job);
	else slot.free();
	return ok(job);
}
