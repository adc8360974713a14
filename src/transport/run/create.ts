import { jobWaitMs } from './answerBy';
import { keyRotationOf, type KeyRotation } from './keyRotation';
import { noteFormerJob, recordEvent } from './itemMemory';
import { toResult, jobState } from '../jobs/jobState';
import { rememberedJob } from './rememberedJob';
import { ok, type Result } from '../base/result';
import type { Item } from './item';
import { submitShared } from './submitShared';
import { NO_PERMIT, type Submitted } from './submitWhenPossible';
import { Submission } from './submit';
import type { Resource } from '../base/types';
import type { WaitResult } from '../jobs/waiter';

const known = (job: Resource): Submitted => ({
	job,
	attempt: 0,
	permit: NO_PERMIT,
	isKnown: true,
});

/** Not `async`: thousands of items may wait here. */
function waitFor(item: Item, job: Resource): Promise<Result<WaitResult>> {
	const { host, workspace, settings } = item;
	const { terminalStatuses } = settings;
	return workspace.jobPoller.wait(host.channel, job, jobWaitMs(item), { terminalStatuses });
}

/** What the end of a wait means for the slot of the job, and for the other items of the run. */
function noteEnd(
	{ batch, itemIndex }: Item,
	{ job, permit }: Submitted,
	ended: Result<WaitResult>,
) {
	if (!ended.ok) return permit.abandon(job);
	permit.release();
	batch.addJob(itemIndex, ended.value.job);
}

/** Records how a job ended, and what it ended with. */
function recordEnd(
	item: Item,
	job: Resource,
): { result: Result<Resource>; wasKnownToFail: boolean } {
	const { settings, memory, node } = item;
	const result = toResult(job, settings.terminalStatuses);
	if (result.ok) {
		const resource = rememberedJob(item, result.value);
		recordEvent(memory, { kind: 'jobSucceeded', resource });
		return { result, wasKnownToFail: false };
	}
	recordEvent(memory, { kind: 'jobFailed' });
	return { result, wasKnownToFail: noteFormerJob(node, job.id) };
}

/** Creates a job and, if wanted, waits for it to end. A job that fails is a failure that carries the job. */
export async function create(item: Item): Promise<Result<Resource>> {
	const { batch, settings, itemIndex, memory, workspace } = item;
	const isByContent = settings.idempotency === 'content';
	// Without a key, every request is a new one.
	if (settings.idempotency === 'none') {
		recordEvent(memory, { kind: 'requestChanged', restart: true });
	}
	if (isByContent && memory.state.is === 'new') recordEvent(memory, { kind: 'startsAtFirstKey' });
	// The same rotation throughout this try, although the content may evaluate differently after the first request.
	let rotation: KeyRotation | undefined;
	for (;;) {
		const submission = new Submission(item);
		const start = await submission.begin();
		if (!start.ok) return start;
		if ('known' in start.value) item.releaseGate();
		const submitted =
			'known' in start.value
				? ok(known(start.value.known))
				: await submitShared(item, submission, start.value.send);
		if (!submitted.ok) return submitted;
		const { job, permit, endSharing } = submitted.value;
		batch.addJob(itemIndex, job);
		const state = jobState(job, settings.terminalStatuses);
		const mayBeOlder = isByContent && state === 'bad';
		if (!settings.waitForCompletion && !mayBeOlder) {
			if (state === 'running') permit.abandon(job);
			else permit.release();
			endSharing?.();
			const resource = rememberedJob(item, job);
			if (resource !== undefined) recordEvent(memory, { kind: 'jobSucceeded', resource });
			return ok(job);
		}
		let ended: Result<WaitResult>;
		try {
			ended = await waitFor(item, job);
			noteEnd(item, submitted.value, ended);
		} finally {
			endSharing?.();
		}
		if (!ended.ok) return ended;
		const { id } = ended.value.job;
		const { result, wasKnownToFail } = recordEnd(item, ended.value.job);
		if (!result.ok && isByContent && !submitted.value.isKnown) {
			rotation ??= keyRotationOf(item);
			const { endedAtFirstPoll } = ended.value;
			const mayRotate = await rotation.mayRotate(item, { id, endedAtFirstPoll, wasKnownToFail });
			workspace.creations.noteFailure(id);
			if (mayRotate) continue;
		}
		return settings.waitForCompletion ? result : ok(job);
	}
}
