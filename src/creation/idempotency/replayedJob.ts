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

/*
 * Whether the service has made the job of an answer for this request, or had made it before. Under one key
 * the service makes one job, and answers whoever sends the key again with that job, for nothing. So the
 * question matters for a key that others send as well (_Same Request_). It is asked twice:
 *
 * `isJobNew`, when the answer comes, decides by the answer alone whether the job is counted as paid for. It
 * is, unless this process has seen the job already, or the job has ended and says that it is older than the
 * request. `recordAnsweredJob` notes what the answer says of the job and of its key.
 *
 * `confirmJob`, before the item waits for its job, looks again. The job of an answer that only this item can
 * have got is new, and so is one that says it was made after the request went out. Any other answer may be an
 * old one that the service repeats, so the job is read once:
 *
 * - It is running: it is new and paid for now. For a day its key leads to it for nothing.
 * - It has ended well and says that it is older than the request: it was there before, and what was counted
 *   for it is taken back.
 * - It has ended well within two seconds and says nothing of its age: it seems to have been there before. The
 *   receipt says so, but limits count it, as nobody says that it was free.
 * - It has failed and was there before, because this process had seen it, its date says so, or the list shows
 *   it among older ones: its key leads to nothing. What was counted for it is taken back, and the next key is
 *   tried.
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

/** A job that says it is older than its request. */
export interface DatedJob {
	/** When the job says that it was made, in ms since the epoch. */
	madeAt: number;
	/** When its request went out, on the monotonic clock. */
	outSince: number;
}

/**
 * What a job says of its age: it was made after its request went out (`since`), or `before`; `undefined`
 * where it does not say, or where its date decides nothing:
 *
 * - A job that still runs is paid for by whoever has it now, however old it is.
 * - The answer to an approval is a run that was there before, and the approval is paid for now.
 */
function ageOf(
	{ item, idempotency, out }: Progress,
	job: Resource,
): 'before' | 'since' | undefined {
	const { sentAt = NaN } = out;
	const age = sentAt - momentOf(job.created_at);
	if (age <= 0) return 'since';
	const mayBeOfOthers = idempotency.othersUseKey && item.spec.endpoint.does === 'creates';
	const isBefore = age > CLOCKS_DIFFER_MS && age < OLDEST_MS;
	if (!mayBeOfOthers || !isBefore) return undefined;
	const isRunning = jobState(job, item.settings.terminalStatuses) === 'running';
	return isRunning ? undefined : 'before';
}

/** More jobs than a workspace makes in a day. After a day keys have expired. */
const MOST_JOBS = 20_000;

/** What this process knows of the jobs and keys of a workspace. */
class KnownJobs {
	/** When this process first saw a job, on the monotonic clock, by a hash of the job. */
	readonly seenAt = new BoundedMap<string, number>(MOST_JOBS);
	/** When a key was first used that was paid for, on both clocks, by a hash of the key. */
	readonly paidKeys = new BoundedMap<string, { wall: number; monotonic: number }>(MOST_JOBS);

	get isEmpty(): boolean {
		return this.paidKeys.size === 0;
	}
}

const knownJobsOf = ({ workspace }: Item): KnownJobs => workspace.shared(KnownJobs);

/** The name of a job has its key in it, because a service may give the same ids again. */
const nameOfJob = ({ item, out }: Progress, job: Resource): string =>
	shortHash([item.request.path, out.key, job.id, asText(job.created_at)].join('\n'));

/**
 * Whether a job is new, and so paid for now, by its answer alone. The answer was recorded
 * (`recordAnsweredJob`).
 */
export const isJobNew = (progress: Progress, job: Resource): boolean =>
	progress.jobSeen === undefined && ageOf(progress, job) !== 'before';

/** An answer has come with a job: notes in this process that it was seen, and what its key leads to. */
export function recordAnsweredJob(progress: Progress, job: Resource): void {
	const { item, idempotency, out, beganAt } = progress;
	const { seenAt, paidKeys } = knownJobsOf(item);
	progress.jobSeen = undefined;
	if (out.key === undefined) return;
	const name = nameOfJob(progress, job);
	const first = seenAt.get(name);
	if (first !== undefined) progress.jobSeen = first < beganAt ? 'before' : 'meanwhile';
	seenAt.set(name, first ?? item.workspace.clock.monotonic());
	if (!isJobNew(progress, job)) return;
	idempotency.noteJobMade?.(out.key);
	const mayBeAskedAgain = idempotency.requestNameForOthers !== undefined;
	if (!mayBeAskedAgain) return;
	// This key was paid for, and yet the service has made another job: it does not keep its keys, so no
	// request is known to be repeated for nothing any more.
	if (isKeyOfPaidJob(progress, out.key)) paidKeys.clear();
	if (ageOf(progress, job) === 'since') noteKey(progress);
}

/**
 * The job that an item goes on with, once it is known whether that was there before; or that the item is sent
 * again, because its key leads to a job that had failed before.
 */
export async function confirmJob(
	progress: Progress,
	made: ObtainedJob,
): Promise<ObtainedJob | { again: 'otherKey' }> {
	const { item, idempotency } = progress;
	const { settings, spec } = item;
	if (made.isOver || spec.output !== 'job') return made;
	const stateOf = ({ job }: ObtainedJob) => jobState(job, settings.terminalStatuses);

	const mayBeOfOthers =
		idempotency.othersUseKey &&
		idempotency.sameBy === 'content' &&
		spec.endpoint.does === 'creates';
	if (!mayBeOfOthers || ageOf(progress, made.job) === 'since') {
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
	correctLedger(progress, seen.job, state);
	const isOfNoUse = state === 'bad' && (await hadFailedBefore(progress, seen.job));
	return isOfNoUse && leaveFailedJob(progress, made.job) ? { again: 'otherKey' } : seen;
}

/** What was counted for a job by its answer alone, as it is known now. */
function correctLedger(progress: Progress, job: Resource, state: JobState): void {
	const { item, entry, out } = progress;
	if (entry === undefined) return;
	const age = ageOf(progress, job);
	if (age === 'before') takeBack(item, entry);
	else if (state === 'running' && entry.isNew) noteKey(progress);
	const isAtOnce = item.workspace.clock.monotonic() - out.since < AT_ONCE_MS;
	if (state === 'good' && isAtOnce && age !== 'since') entry.seemsOld = true;
}

/**
 * The key leads to a job that had failed before: the item goes on with its next key, as one that was not sent
 * yet. The service keeps the key of a job that has failed, so what leads past it costs nothing.
 * @returns whether there is another key
 */
function leaveFailedJob(progress: Progress, job: Resource): boolean {
	const { item, idempotency, entry, slotWait } = progress;
	const seenAt = knownJobsOf(item).seenAt.get(nameOfJob(progress, job));
	if (progress.jobSeen === 'before') noteKey(progress, seenAt);
	if (!idempotency.tryNextKey?.('failedBefore')) return false;
	if (entry) takeBack(item, entry);
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

/** Whether a job that has failed was there before this try. A job of this try ends the item. */
async function hadFailedBefore(progress: Progress, job: Resource): Promise<boolean> {
	const age = ageOf(progress, job);
	if (age === 'since') return false;
	if (progress.jobSeen === 'before') return true;
	if (age === undefined) return await wasListedBefore(progress, job);
	// The job says that it is older. If the job before it in this try said so too, and both are as far apart
	// as their requests, these requests have made them, and the clock that dates the jobs is wrong.
	const last = progress.olderByItsDate;
	const current: DatedJob = { madeAt: momentOf(job.created_at), outSince: progress.out.since };
	progress.olderByItsDate = current;
	if (last === undefined) return true;
	const madeApart = current.madeAt - last.madeAt;
	const sentApart = current.outSince - last.outSince;
	const areOfThisTry = Math.abs(madeApart - sentApart) < 2_000;
	return !areOfThisTry;
}

/** Whether the list shows a job among those that were made before the request went out. */
async function wasListedBefore(progress: Progress, { id }: Resource): Promise<boolean> {
	const { item, out } = progress;
	const { since, sentAt = NaN } = out;
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

/*
 * The keys under which this process has had a job made, for a day. A request under such a key is only
 * repeated: the service answers it with that job, for nothing, so no limit of credits holds it back.
 */

type Asking = Pick<Progress, 'item' | 'content'>;

/**
 * The path is in the name, because a service may keep the keys of each path by themselves; the content,
 * because under a key of the user's own two requests may differ.
 */
const nameOfKey = ({ item, content }: Asking, key: string): string =>
	shortHash(`${item.request.path}\n${content}\n${key}`);

/**
 * For a day the service gives the job under the key of this request for nothing.
 * @param since when it was made, on the monotonic clock; by default just now
 */
function noteKey(progress: Progress, since = progress.out.since): void {
	const { key } = progress.out;
	if (key === undefined) return;
	const { item } = progress;
	const { clock } = item.workspace;
	const wall = clock.now() - (clock.monotonic() - since);
	knownJobsOf(item).paidKeys.set(nameOfKey(progress, key), { wall, monotonic: since });
}

/** The job under the key of this request has failed: some services drop the key then. */
export function forgetKey(progress: Progress): void {
	const { item, out } = progress;
	if (out.key !== undefined) knownJobsOf(item).paidKeys.delete(nameOfKey(progress, out.key));
}

/** The request may have been under way for a while, and the service drops keys by a clock of its own. */
const MARGIN_MS = 60 * MINUTE_MS;

/**
 * Whether a job that was paid for is known to stand under this key, so that a request under it is only a
 * repetition.
 */
export function isKeyOfPaidJob(asking: Asking, key: string | undefined): boolean {
	if (key === undefined) return false;
	const { clock } = asking.item.workspace;
	const since = knownJobsOf(asking.item).paidKeys.get(nameOfKey(asking, key));
	if (since === undefined) return false;
	// One clock stands still while the machine sleeps, and the other may be set back: the greater age counts.
	const age = Math.max(clock.now() - since.wall, clock.monotonic() - since.monotonic);
	return age < LIMITS.idempotencyHours * 60 * MINUTE_MS - MARGIN_MS;
}
