import { onAbort } from '../base/abortListeners';
import { CreditWait, halt, halted, isLimited, isOutOfCredits } from './haltRun';
import { note } from '../item/itemMemory';
import { SlotWaitLimit } from './slotWaitLimit';
import type { Outgoing } from './post';
import { fail, ok, type Result } from '../base/result';
import type { Item } from '../item/item';
import type { Created } from '../limits/singleFlight';
import type { Permit } from '../limits/jobSemaphore';
import type { Submission } from './submit';

/** Not a permit at all: for operations that do not count as concurrent media jobs, and for jobs that are known already. */
export const NO_PERMIT: Permit = {
	release: () => {},
	accepted: () => {},
	refused: () => {},
	abandon: () => {},
};

/** Waits for a place among the concurrent jobs. */
async function takeSlot(item: Item): Promise<Result<Permit>> {
	const { spec, host, workspace, batch } = item;
	if (!spec.takesPermit) return ok(NO_PERMIT);
	const signal = batch.stopped(host.channel.signal);
	const permit = await workspace.jobSemaphore.acquire({ ...host.channel, signal });
	return permit ? ok(permit) : (halted(item) ?? fail({ kind: 'cancelled' }));
}

/** A job with its place. */
export interface Submitted extends Created {
	permit: Permit;
	/** Whether an earlier try had made it. */
	isKnown?: boolean;
	/** To be called when nobody waits for the job any more. */
	land?: () => void;
}

/** Should sending ever throw, the place is not lost: it belongs to all executions of the workspace. */
async function sendIn(
	permit: Permit,
	submission: Submission,
	outgoing: Outgoing,
): Promise<Result<Created>> {
	let isOver = false;
	try {
		const created = await submission.send(outgoing);
		isOver = true;
		return created;
	} finally {
		if (!isOver) permit.release();
	}
}

/**
 * Submits as soon as there is a place for it, and credits if it is to wait for them. A place that the service denies is given back
 * before the next try.
 */
async function submitWhenPossible(
	item: Item,
	submission: Submission,
	first: Outgoing,
): Promise<Result<Submitted>> {
	const { workspace, spec } = item;
	const credits = new CreditWait(item);
	const waitLimit = new SlotWaitLimit(item);
	for (let outgoing = first; ;) {
		const funded = await credits.mayTry();
		if (!funded.ok) return funded;
		const turn = await takeSlot(item);
		if (!turn.ok) return turn;
		const permit = turn.value;
		const created = halted(item) ?? (await sendIn(permit, submission, outgoing));
		if (created.ok) {
			permit.accepted();
			workspace.creditGate.markAvailable();
			const { job, attempt } = created.value;
			return ok({ job: { ...job, object: job.object ?? spec.object }, attempt, permit });
		}
		const isRefused = spec.takesPermit && isLimited(created);
		const isWaiting = !isRefused && isOutOfCredits(created) && credits.ranOut(created);
		// Before the place is free, or another item would be sent into the same refusal.
		if (!isRefused && !isWaiting) halt(item, created);
		if (isRefused) {
			permit.refused(created.failure.kind === 'status' ? created.failure.hintMs : undefined);
			if (await waitLimit.isExceeded()) return created;
		} else {
			permit.release();
			if (!isWaiting) return created;
		}
		const again = await submission.begin();
		if (!again.ok) return again;
		if ('known' in again.value)
			return ok({ job: again.value.known, attempt: 0, permit: NO_PERMIT });
		outgoing = again.value.send;
	}
}

/** Waits for what another item or execution does, or for the cancel of this one. */
async function unlessCancelled<T>(item: Item, promise: Promise<T>): Promise<T | undefined> {
	let dispose = () => {};
	const cancelled = new Promise<undefined>((resolve) => {
		dispose = onAbort(item.host.channel.signal, () => resolve(undefined));
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
	item: Item,
	submission: Submission,
	outgoing: Outgoing,
): Promise<Result<Submitted>> {
	const { settings, workspace, memory } = item;
	const { key } = outgoing;
	const isShared = settings.idempotency === 'content' || settings.idempotency === 'custom';
	if (!isShared || key === undefined) return await submitWhenPossible(item, submission, outgoing);
	const name = `${key}\n${memory.fingerprint}`;
	for (;;) {
		const flight = workspace.creations.flightOf(name);
		if (!flight) {
			const own = submitWhenPossible(item, submission, outgoing);
			const land = workspace.creations.begin(name, own);
			let isMade = false;
			try {
				const submitted = await own;
				isMade = submitted.ok;
				return submitted.ok ? ok({ ...submitted.value, land }) : submitted;
			} finally {
				if (!isMade) land();
			}
		}
		item.handOver();
		const joined = await unlessCancelled(
			item,
			flight.catch(() => undefined),
		);
		if (item.host.channel.signal?.aborted) return fail({ kind: 'cancelled' });
		if (joined?.ok) {
			const { job, attempt } = joined.value;
			const object = typeof job.object === 'string' ? job.object : undefined;
			note(memory, { kind: 'answered', attempt, job: { id: job.id, ...(object && { object }) } });
			return ok({ job, attempt, permit: NO_PERMIT });
		}
		const stopped = halted(item);
		if (stopped) return stopped;
	}
}
