import { outOfTime, untilAnswer } from './answerBy';
import { withinCap } from './creditCap';
import { CreditWait } from './credits';
import { halt, halted, isLimited } from './haltRun';
import { SlotWaitLimit } from './slotWaitLimit';
import type { Outgoing } from './post';
import { fail, ok, type Failed, type Result } from '../base/result';
import type { Item } from './item';
import type { Created } from '../limits/singleFlight';
import type { Permit } from '../limits/permit';
import type { Submission } from './submit';

/**
 * No permit at all: for operations that do not count as concurrent media jobs, and for jobs already
 * known.
 */
export const NO_PERMIT: Permit = {
	release: () => {},
	accepted: () => {},
	refused: () => {},
	abandon: () => {},
};

/** Not `async`: thousands of items may wait here. */
function acquirePermit(item: Item): Promise<Permit | undefined> {
	const { spec, host, workspace, batch } = item;
	if (!spec.takesPermit) return Promise.resolve(NO_PERMIT);
	return untilAnswer(item, batch.stopSignal(host.channel.signal), (signal) =>
		workspace.jobSemaphore.acquire({ ...host.channel, signal }),
	);
}

const unsent = (item: Item): Failed =>
	item.host.channel.signal?.aborted
		? fail({ kind: 'cancelled' })
		: (outOfTime(item) ?? fail({ kind: 'cancelled' }));

/** A job with the permit it holds. */
export interface Submitted extends Created {
	permit: Permit;
	/** Whether an earlier try created it. */
	isKnown?: boolean;
	/** To be called once no caller waits for the job any more. */
	endSharing?: () => void;
}

/**
 * Should sending ever throw, the permit is released: it belongs to all executions of the workspace.
 */
async function sendWithPermit(
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
 * By itself, so that the items that wait for a permit keep nothing for it. Not `async`: the run is
 * halted in the very step in which a refusal is known, before the next item has its turn.
 */
function sendCapped(
	item: Item,
	permit: Permit,
	submission: Submission,
	outgoing: Outgoing,
): Promise<Result<Created>> {
	return withinCap(item, outgoing, async () => await sendWithPermit(permit, submission, outgoing));
}

/**
 * Submits as soon as there is a permit and, if the item is to wait for a top-up, credits. A permit
 * whose request the service refuses is released before the next attempt.
 */
export async function submitWhenPossible(
	item: Item,
	submission: Submission,
	first: Outgoing,
): Promise<Result<Submitted>> {
	const { spec } = item;
	let credits: CreditWait | undefined;
	let waitLimit: SlotWaitLimit | undefined;
	for (let outgoing = first; ;) {
		const funded = await credits?.mayTry();
		if (funded?.ok === false) return funded;
		const permit = await acquirePermit(item);
		if (!permit) return halted(item) ?? unsent(item);
		credits ??= new CreditWait(item);
		const created = halted(item) ?? (await sendCapped(item, permit, submission, outgoing));
		if (created.ok) {
			permit.accepted(created.value.job);
			credits.succeeded();
			const { job, attempt } = created.value;
			return ok({ job: { ...job, object: job.object ?? spec.object }, attempt, permit });
		}
		const isRefused = spec.takesPermit && isLimited(created);
		const isWaiting = !isRefused && credits.waitsAfter(created);
		// Before the next item gets the permit: it would upload its files and run into the same
		// refusal.
		if (!isRefused && !isWaiting) halt(item, created);
		if (isRefused) {
			permit.refused(created.failure.kind === 'status' ? created.failure.hintMs : undefined);
			waitLimit ??= new SlotWaitLimit(item);
			const late = outOfTime(item);
			if (late) return late;
			if (await waitLimit.isExceeded()) return created;
		} else {
			permit.release();
			if (!isWaiting) return created;
		}
		const start = await submission.begin();
		if (!start.ok) return start;
		if ('known' in start.value)
			return ok({ job: start.value.known, attempt: 0, permit: NO_PERMIT });
		outgoing = start.value.send;
	}
}
