import { CreditWait, halted, isLimited, isOutOfCredits } from './halting';
import { endedJob, jobState } from './job';
import { Patience } from './patience';
import { fail, ok, type Result } from './result';
import type { Run } from './run';
import type { Slot } from './slots';
import { retire, submit } from './submit';
import type { Resource } from './types';
import type { Ended } from './watch';

/** A slot that is none, for operations that do not count as concurrent media jobs. */
const NO_SLOT: Slot = { free: () => {}, accepted: () => {}, refused: () => {}, leave: () => {} };

/** A content whose job has failed is tried under so many keys: each may be that of an earlier run which failed too. */
const CONTENT_ATTEMPTS = 5;

/** Waits for a place among the concurrent jobs. */
async function takeSlot(run: Run): Promise<Result<Slot>> {
	const { plan, host, workspace, batch } = run;
	if (!plan.takesSlot) return ok(NO_SLOT);
	const signal = batch.stopped(host.line.signal);
	const slot = await workspace.slots.take({ ...host.line, signal });
	return slot ? ok(slot) : (halted(run) ?? fail({ kind: 'cancelled' }));
}

interface Placed {
	job: Resource;
	slot: Slot;
}

/**
 * Submits as soon as there is a place for it, and credits if it is to wait for them. A place that the service denies is given back
 * before the next try.
 */
async function place(run: Run): Promise<Result<Placed>> {
	const { workspace, plan } = run;
	const credits = new CreditWait(run);
	const patience = new Patience(run);
	for (;;) {
		const funded = await credits.turn();
		if (!funded.ok) return funded;
		const turn = await takeSlot(run);
		if (!turn.ok) return turn;
		const slot = turn.value;
		const created = halted(run) ?? (await submit(run));
		if (created.ok) {
			slot.accepted();
			workspace.funds.areThere();
			return ok({ job: { ...created.value, object: created.value.object ?? plan.object }, slot });
		}
		if (plan.takesSlot && isLimited(created)) {
			slot.refused(created.failure.kind === 'status' ? created.failure.hintMs : undefined);
			if (await patience.isOver()) return created;
			continue;
		}
		slot.free();
		if (!isOutOfCredits(created) || !credits.ranOut(created)) return created;
	}
}

async function waitFor(run: Run, { job, slot }: Placed): Promise<Result<Ended>> {
	const { host, workspace, settings, batch, itemIndex } = run;
	const { endings, waitTimeoutMs } = settings;
	const ended = await workspace.watch.wait(host.line, job, waitTimeoutMs, { endings });
	if (!ended.ok) {
		slot.leave(job);
		return ended;
	}
	slot.free();
	batch.created(itemIndex, ended.value.job);
	return ended;
}

/** Creates a job, and waits for its end if wanted. A job that ends badly is a failure that carries it. */
export async function create(run: Run): Promise<Result<Resource>> {
	const { batch, settings, itemIndex, memory } = run;
	const mayBeEarlier = settings.idempotency === 'content';
	for (;;) {
		const placed = await place(run);
		if (!placed.ok) return placed;
		const { job, slot } = placed.value;
		batch.created(itemIndex, job);
		if (!settings.waitForCompletion) {
			if (jobState(job, settings.endings) === 'running') slot.leave(job);
			else slot.free();
			return ok(job);
		}
		const ended = await waitFor(run, placed.value);
		if (!ended.ok) return ended;
		const result = endedJob(ended.value.job, settings.endings);
		if (result.ok) return result;
		retire(run, result);
		const again = mayBeEarlier && ended.value.atFirstLook && memory.attempt < CONTENT_ATTEMPTS;
		if (!again) return result;
	}
}
