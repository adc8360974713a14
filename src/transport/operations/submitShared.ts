import { onAbort } from '../base/abortListeners';
import { CreditWait, halt, halted, isLimited, isOutOfCredits } from './haltRun';
import { note } from '../item/itemMemory';
import { Patience } from './slotWaitLimit';
import type { Outgoing } from './post';
import { fail, ok, type Result } from '../base/result';
import type { Run } from '../item/item';
import type { Created } from '../limits/singleFlight';
import type { Slot } from '../limits/jobSemaphore';
import type { Submission } from './submit';

/** A slot that is none: for operations that do not count as concurrent media jobs, and for jobs that are known already. */
export const NO_SLOT: Slot = {
	free: () => {},
	accepted: () => {},
	refused: () => {},
	leave: () => {},
};

/** Waits for a place among the concurrent jobs. */
async function takeSlot(run: Run): Promise<Result<Slot>> {
	const { plan, host, workspace, batch } = run;
	if (!plan.takesSlot) return ok(NO_SLOT);
	const signal = batch.stopped(host.line.signal);
	const slot = await workspace.slots.take({ ...host.line, signal });
	return slot ? ok(slot) : (halted(run) ?? fail({ kind: 'cancelled' }));
}

/** A job with its place. */
export interface Placed extends Created {
	slot: Slot;
	/** Whether an earlier try had made it. */
	isKnown?: boolean;
	/** To be called when nobody waits for the job any more. */
	land?: () => void;
}

/** Should sending ever throw, the place is not lost: it belongs to all executions of the workspace. */
async function sendIn(
	slot: Slot,
	submission: Submission,
	outgoing: Outgoing,
): Promise<Result<Created>> {
	let isOver = false;
	try {
		const created = await submission.send(outgoing);
		isOver = true;
		return created;
	} finally {
		if (!isOver) slot.free();
	}
}

/**
 * Submits as soon as there is a place for it, and credits if it is to wait for them. A place that the service denies is given back
 * before the next try.
 */
async function submitWhenPossible(
	run: Run,
	submission: Submission,
	first: Outgoing,
): Promise<Result<Placed>> {
	const { workspace, plan } = run;
	const credits = new CreditWait(run);
	const patience = new Patience(run);
	for (let outgoing = first; ;) {
		const funded = await credits.turn();
		if (!funded.ok) return funded;
		const turn = await takeSlot(run);
		if (!turn.ok) return turn;
		const slot = turn.value;
		const created = halted(run) ?? (await sendIn(slot, submission, outgoing));
		if (created.ok) {
			slot.accepted();
			workspace.funds.areThere();
			const { job, attempt } = created.value;
			return ok({ job: { ...job, object: job.object ?? plan.object }, attempt, slot });
		}
		const isRefused = plan.takesSlot && isLimited(created);
		const isWaiting = !isRefused && isOutOfCredits(created) && credits.ranOut(created);
		// Before the place is free, or another item would be sent into the same refusal.
		if (!isRefused && !isWaiting) halt(run, created);
		if (isRefused) {
			slot.refused(created.failure.kind === 'status' ? created.failure.hintMs : undefined);
			if (await patience.isOver()) return created;
		} else {
			slot.free();
			if (!isWaiting) return created;
		}
		const again = await submission.begin();
		if (!again.ok) return again;
		if ('known' in again.value) return ok({ job: again.value.known, attempt: 0, slot: NO_SLOT });
		outgoing = again.value.send;
	}
}

/** Waits for what another item or execution does, or for the cancel of this one. */
async function unlessCancelled<T>(run: Run, promise: Promise<T>): Promise<T | undefined> {
	let dispose = () => {};
	const cancelled = new Promise<undefined>((resolve) => {
		dispose = onAbort(run.host.line.signal, () => resolve(undefined));
	});
	const first = await Promise.race([promise, cancelled]);
	dispose();
	return first;
}

/**
 * By Content and with a Custom Key, what several items or executions of this process ask for at the same time is sent by one. The
 * others wait for its job, without a place of their own.
 */
export async function submitShared(
	run: Run,
	submission: Submission,
	outgoing: Outgoing,
): Promise<Result<Placed>> {
	const { settings, workspace, memory } = run;
	const { key } = outgoing;
	const isShared = settings.idempotency === 'content' || settings.idempotency === 'custom';
	if (!isShared || key === undefined) return await submitWhenPossible(run, submission, outgoing);
	const name = `${key}\n${memory.print}`;
	for (;;) {
		const flight = workspace.creations.flightOf(name);
		if (!flight) {
			const own = submitWhenPossible(run, submission, outgoing);
			const land = workspace.creations.begin(name, own);
			let isMade = false;
			try {
				const placed = await own;
				isMade = placed.ok;
				return placed.ok ? ok({ ...placed.value, land }) : placed;
			} finally {
				if (!isMade) land();
			}
		}
		run.handOver();
		const joined = await unlessCancelled(
			run,
			flight.catch(() => undefined),
		);
		if (run.host.line.signal?.aborted) return fail({ kind: 'cancelled' });
		if (joined?.ok) {
			const { job, attempt } = joined.value;
			const object = typeof job.object === 'string' ? job.object : undefined;
			note(memory, { kind: 'answered', attempt, job: { id: job.id, ...(object && { object }) } });
			return ok({ job, attempt, slot: NO_SLOT });
		}
		const stopped = halted(run);
		if (stopped) return stopped;
	}
}
