import { outOfTime, untilAnswer } from './answerBy';
import { onAbort } from '../base/abortListeners';
import { halted } from './haltRun';
import { recordEvent } from './itemMemory';
import { referenceTo, type Outgoing } from './post';
import { fail, ok, type Result } from '../base/result';
import type { Item } from './item';
import { isOutage } from './outage';
import type { Submission } from './submit';
import { NO_PERMIT, submitWhenPossible, type Submitted } from './submitWhenPossible';

/** Waits for what another item or execution does, unless this one is to end first. */
async function unlessEnded<T>(
	signal: AbortSignal | undefined,
	promise: Promise<T>,
): Promise<T | undefined> {
	let dispose = () => {};
	const cancelled = new Promise<undefined>((resolve) => {
		dispose = onAbort(signal, () => resolve(undefined));
	});
	const first = await Promise.race([promise, cancelled]);
	dispose();
	return first;
}

/**
 * By Content and with a Custom Key, items and executions of this process that make the same request
 * at the same time share one request. The others wait for its job and need no permit. Not `async`:
 * thousands of items may wait here.
 */
export function submitShared(
	item: Item,
	submission: Submission,
	outgoing: Outgoing,
): Promise<Result<Submitted>> {
	const { idempotency } = item.settings;
	const isShared = idempotency === 'content' || idempotency === 'custom';
	return isShared && outgoing.key !== undefined
		? joinOrSubmit(item, submission, outgoing, outgoing.key)
		: submitWhenPossible(item, submission, outgoing);
}

async function joinOrSubmit(
	item: Item,
	submission: Submission,
	outgoing: Outgoing,
	key: string,
): Promise<Result<Submitted>> {
	const { workspace, memory } = item;
	const name = `${key}\n${memory.fingerprint}`;
	for (;;) {
		const shared = workspace.creations.find(name);
		if (!shared) {
			const own = submitWhenPossible(item, submission, outgoing);
			const endSharing = workspace.creations.begin(name, own);
			let isCreated = false;
			try {
				const submitted = await own;
				isCreated = submitted.ok;
				return submitted.ok ? ok({ ...submitted.value, endSharing }) : submitted;
			} finally {
				if (!isCreated) endSharing();
			}
		}
		item.releaseGate();
		const cancel = item.host.channel.signal;
		const outcome = shared.catch(() => undefined);
		const joined = await untilAnswer(item, cancel, (signal) => unlessEnded(signal, outcome));
		if (cancel?.aborted) return fail({ kind: 'cancelled' });
		if (joined?.ok) {
			const { job, attempt } = joined.value;
			recordEvent(memory, { kind: 'jobKnown', attempt, job: referenceTo(job) });
			return ok({ job, attempt, permit: NO_PERMIT });
		}
		// It has tried for half a minute, and the same request would fare the same.
		if (joined && isOutage(joined)) return joined;
		const stopped = halted(item) ?? outOfTime(item);
		if (stopped) return stopped;
	}
}
