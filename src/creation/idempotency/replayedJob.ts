import { ENDPOINTS, LIMITS } from '../../api';
import { BoundedMap } from '../../base/maps';
import { shortHash } from '../../base/hash';
import { DAY_MS, MINUTE_MS, momentOf } from '../../base/times';
import { asText, type Resource } from '../../base/types';
import { mustBeList, pageOf } from '../../transport/pages';
import { jobState, type JobState } from '../../transport/jobState';
import { takeBack } from '../credits/ledger';
import type { Item } from '../item';
import type { ObtainedJob, Progress } from '../progress';
import { readKnownJob } from '../outputs';
import { recordEvent } from './itemState';
import { forgetAllPaidKeys, isPaidKey, rememberPaidKey } from './paidKeys';

/*
 * Whether the service has made the job of an answer for this request, or had made it before: `provenanceOf`
 * weighs that. Under one key the service makes one job, and answers whoever sends the key again with that
 * job, for nothing. So the question matters for a key that may have been used before (`keyMayBeOld`). It is
 * asked twice:
 *
 * When the answer comes (`rememberSeenJob`): the job is counted as paid for, unless it was there before or is
 * counted already.
 *
 * Before the item waits for its job (`confirmJob`): the job of an answer that only this item can have got is
 * new, and so is one that says it was made after the request went out. Any other answer may be an old one
 * that the service repeats, so the job is read once, and judged again:
 *
 * - It is running: it is new and paid for now. For a day its key leads to it for nothing.
 * - It has ended well and was there before: what was counted for it is taken back.
 * - It has ended well within two seconds, and nothing proves anything: it seems to have been there before.
 *   The receipt says so, but limits count it, as nobody says that it was free.
 * - It has failed and was there before: its key leads to nothing. What was counted for it is taken back, and
 *   the next key is tried.
 * - It has failed, and nothing shows that it was there before: this try has failed, and what the service says
 *   of its cost counts.
 */

/**
 * A job that has ended so soon after its request went out was there before, in ms: nothing is made so fast.
 */
const AT_ONCE_MS = 2_000;

/** Two clocks of one service may differ by so much: the one of its answers and the one of its jobs. */
const CLOCKS_DIFFER_MS = MINUTE_MS;

/** A service keeps keys for a day, so no key leads to an older job: a date before that is wrong. */
const OLDEST_MS = DAY_MS + 60 * MINUTE_MS;

/** Whether the job may have been there: not a run that this request approves, which is paid for now. */
const mayBeOld = ({ item, idempotency }: Progress): boolean =>
	idempotency.keyMayBeOld && item.spec.endpoint.does === 'creates';

type Provenance = 'new' | 'before' | 'unsure';

/**
 * Whether a job was made for this request (`new`), or was there `before`. The evidence, the strongest first:
 *
 * 1. It says that it was made after its request went out: new.
 * 2. This process had seen it before this try began: before.
 * 3. It is running, or its key was not used before: unsure, whatever its date. One that runs is paid for by
 *    whoever has it now, however old it is.
 * 4. It says that it is older than its request, and no older than a key: before. But if the job that the item
 *    has just left said so too, and both are as far apart as their requests, these requests have made them,
 *    and the clock that dates the jobs is wrong: new.
 * 5. Nothing of that: unsure. Of one that has failed, the list may tell (`wasListedBefore`).
 */
function provenanceOf(progress: Progress, job: Resource): Provenance {
	const { beganAt, item, jobSeenAt, lastRequest, leftJob } = progress;
	const madeAt = momentOf(job.created_at);
	const age = (lastRequest.sentAt ?? NaN) - madeAt;
	if (age <= 0) return 'new';
	if (jobSeenAt !== undefined && jobSeenAt < beganAt) return 'before';
	const isRunning = jobState(job, item.settings.terminalStatuses) === 'running';
	if (isRunning || !mayBeOld(progress)) return 'unsure';
	const isOlder = age > CLOCKS_DIFFER_MS && age < OLDEST_MS;
	if (!isOlder) return 'unsure';
	if (leftJob === undefined) return 'before';
	const madeApart = madeAt - leftJob.madeAt;
	const sentApart = lastRequest.since - leftJob.outSince;
	return Math.abs(madeApart - sentApart) < 2_000 ? 'new' : 'before';
}

/** More jobs than a workspace makes in a day. After a day keys have expired. */
const MOST_JOBS = 20_000;

/** Of a workspace: when this process first saw a job, on the monotonic clock, by a hash of the job. */
class SeenJobs extends BoundedMap<string, number> {
	/** What is paid for is known by its key too. */
	readonly mayBeForgotten = true;

	constructor() {
		super(MOST_JOBS);
	}
}

/** The name of a job has its key in it, because a service may give the same ids again. */
const nameOfJob = ({ item, lastRequest }: Progress, job: Resource): string =>
	shortHash([item.request.path, lastRequest.key, job.id, asText(job.created_at)].join('\n'));

/**
 * An answer has come with a job: notes in this process that it was seen, and what its key leads to.
 * @returns whether it is paid for now, as far as the answer tells
 */
export function rememberSeenJob(progress: Progress, job: Resource): boolean {
	const { item, idempotency, lastRequest } = progress;
	if (lastRequest.key === undefined) return true;
	const seenAt = item.workspace.shared(SeenJobs);
	const name = nameOfJob(progress, job);
	const firstSeenAt = seenAt.get(name);
	progress.jobSeenAt = firstSeenAt ?? item.workspace.clock.monotonic();
	seenAt.set(name, progress.jobSeenAt);
	const provenance = provenanceOf(progress, job);
	// One that was seen is counted already, also if another row of this try has seen it.
	if (firstSeenAt !== undefined) return false;
	if (provenance === 'before') {
		countAsOld(progress);
		return !idempotency.othersUseKey;
	}
	if (!idempotency.othersUseKey) return true;
	// This key was paid for, and yet the service has made another job.
	if (isPaidKey(progress, lastRequest.key)) forgetAllPaidKeys(progress);
	if (provenance === 'new') rememberPaidKey(progress);
	return true;
}

/**
 * The job that an item goes on with, once it is known whether that was there before; or that the item is sent
 * again, because its key leads to a job that had failed before.
 */
export async function confirmJob(
	progress: Progress,
	made: ObtainedJob,
): Promise<ObtainedJob | { again: 'otherKey' }> {
	const { item } = progress;
	const { settings, spec } = item;
	if (made.isOver || spec.output !== 'job') return made;
	const stateOf = ({ job }: ObtainedJob) => jobState(job, settings.terminalStatuses);

	if (!mayBeOld(progress) || provenanceOf(progress, made.job) === 'new') {
		// The job is new and was accepted. That such a job has failed at once, the answer alone does not
		// prove.
		if (stateOf(made) !== 'bad') return made;
		return (await readMade(item, made)) ?? { ...made, job: { ...made.job, status: undefined } };
	}

	// The answer may be that of an earlier execution: it says how the job was then, and the read how it is
	// now.
	const seen = stateOf(made) === 'running' ? await readMade(item, made) : made;
	if (!seen) return made;
	const state = stateOf(seen);
	const provenance = provenanceOf(progress, seen.job);
	if (state !== 'bad') {
		correctEntry(progress, state, provenance);
		return seen;
	}
	const wasBefore =
		provenance === 'before' ||
		(provenance === 'unsure' && (await wasListedBefore(progress, seen.job)));
	if (!wasBefore) return seen;
	countAsOld(progress);
	return leaveFailedJob(progress, seen.job) ? { again: 'otherKey' } : seen;
}

/**
 * The job was there before. Others may have paid for it: nothing counts. What only this execution and its
 * retries can have paid for counts for its limit, and only the receipt leaves it out.
 */
function countAsOld({ item, entry, idempotency }: Progress): void {
	if (entry === undefined) return;
	if (idempotency.othersUseKey) takeBack(item, entry);
	else item.run.entries.delete(entry);
}

/** What was counted for a job by its answer alone, as it is known now that it has not failed. */
function correctEntry(progress: Progress, state: JobState, provenance: Provenance): void {
	const { item, entry, lastRequest } = progress;
	if (entry === undefined) return;
	if (provenance === 'before') return countAsOld(progress);
	if (state === 'running' && entry.isNew) rememberPaidKey(progress);
	const isAtOnce = item.workspace.clock.monotonic() - lastRequest.since < AT_ONCE_MS;
	if (state === 'good' && provenance === 'unsure' && isAtOnce) entry.mayBeOld = true;
}

/**
 * The key leads to a job that had failed before: the item goes on with its next key, as one that was not sent
 * yet. The service keeps the key of a job that has failed, so what leads past it costs nothing.
 * @returns whether there is another key
 */
function leaveFailedJob(progress: Progress, job: Resource): boolean {
	const { item, idempotency, lastRequest, slotWait } = progress;
	progress.leftJob = { madeAt: momentOf(job.created_at), outSince: lastRequest.since };
	if (!idempotency.tryNextKey?.('failedBefore')) return false;
	slotWait.slot?.release();
	slotWait.slot = undefined;
	recordEvent(item.memory, { kind: 'jobFailed' });
	return true;
}

/** @returns the job as it is now; `undefined` for one that cannot be read, which exists all the same */
async function readMade(item: Item, made: ObtainedJob): Promise<ObtainedJob | undefined> {
	const { id, object } = made.job;
	const reference = typeof object === 'string' ? { id, object } : { id };
	const read = await item.run.reads.run(
		item.host.channel,
		async () => await readKnownJob(item, reference),
	);
	return read?.ok ? { ...made, job: read.value } : undefined;
}

/** Whether the list shows a job among those that were made before the request went out. */
async function wasListedBefore(progress: Progress, { id }: Resource): Promise<boolean> {
	const { item, lastRequest } = progress;
	const { since, sentAt = NaN } = lastRequest;
	const { host, workspace, spec } = item;
	const { clock, client } = workspace;
	if (spec.endpoint !== ENDPOINTS.createGeneration) return false;
	const wasOutMs = clock.monotonic() - since;
	const moment = Number.isNaN(sentAt) ? clock.now() - wasOutMs : sentAt;
	const shows = async (before: number) => {
		const query = { limit: LIMITS.listLimit.max, cursor: new Date(before).toISOString() };
		const { method, path } = ENDPOINTS.listGenerations;
		const options = { retry: false, validate: mustBeList };
		const page = await client.request(host.channel, { method, path, query }, options);
		return page.ok && pageOf(page.value.body).entries.some((entry) => entry.id === id);
	};
	// A list that ignores the moment in its cursor shows the job from long ago too, and so says nothing.
	return (await shows(moment - CLOCKS_DIFFER_MS)) && !(await shows(moment - OLDEST_MS));
}
