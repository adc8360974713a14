import { ENDPOINTS, LIMITS } from '../api';
import { shortHash } from '../base/hash';
import { DAY_MS, momentOf } from '../base/times';
import { asText, type Resource } from '../base/types';
import { mustBeList, pageOf } from '../transport/pages';
import { jobState } from '../transport/jobState';
import { MINUTE_MS } from '../transport/tuning';
import { takeBack } from './cap';
import type { Item } from './item';
import { noteKey } from './paidKeys';
import type { DatedJob, Made, Progress } from './progress';
import { readKnownJob } from './readJob';
import { recordEvent } from './state';

/*
 * Whether an answer is about a job that was there before, which costs nothing: under a key that others share,
 * a service answers with theirs. It is there before if this process has met it, if it says when it was made,
 * or if the list shows it as older. Where nothing says so, it was made now: it counts, and if it has failed,
 * it ends its try.
 */

/** A job that has ended so soon after it was asked for was there before, in ms. */
const AT_ONCE_MS = 2_000;

/** The clocks of one service may differ by so much: that of its answers and that of its jobs. */
const CLOCKS_DIFFER_MS = MINUTE_MS;

/** No key leads to a job that is older: whatever says that of itself says nothing. */
const OLDEST_MS = DAY_MS + 60 * MINUTE_MS;

/**
 * Whether a job was there before its request went out, made for others that use the key as well, or was made
 * since then; `undefined` where nobody says so. One that goes on is paid for in any case. An approval is
 * answered with a run that was there before, and is paid for now.
 */
export function ageOf(
	{ item, idempotency, out }: Progress,
	job: Resource,
): 'before' | 'since' | undefined {
	const { sentAt = NaN } = out;
	const age = sentAt - momentOf(job.created_at);
	if (age <= 0) return 'since';
	const mayBeOfOthers = idempotency.isShared && item.spec.endpoint.does === 'creates';
	const isBefore = age > CLOCKS_DIFFER_MS && age < OLDEST_MS;
	if (!mayBeOfOthers || !isBefore) return undefined;
	const goesOn = jobState(job, item.settings.terminalStatuses) === 'running';
	return goesOn ? undefined : 'before';
}

/**
 * Notes what was paid for: a job, under a key, as ids alone may begin anew.
 * @returns whether this process had met it: if before this try began, it was there before
 */
export function meet(progress: Progress, job: Resource): 'before' | 'meanwhile' | undefined {
	const { item, out, beganAt } = progress;
	const { key } = out;
	if (key === undefined) return undefined;
	const { metJobs, clock } = item.workspace;
	const name = shortHash([item.request.path, key, job.id, asText(job.created_at)].join('\n'));
	const known = metJobs.get(name);
	metJobs.set(name, known ?? clock.monotonic());
	if (known === undefined) return undefined;
	return known < beganAt ? 'before' : 'meanwhile';
}

/**
 * The job of an answer, and whether its key leads to nothing: to a job that had failed before this try.
 *
 * Under a key that others share, the answer may be that of an earlier execution, repeated as it was. So the
 * job is read once, at once, unless its answer says enough. One that has failed by itself in this try ends
 * the item.
 */
export async function judge(progress: Progress, made: Made): Promise<Made | { again: 'otherKey' }> {
	const { item, idempotency, charge, out, place } = progress;
	if (!place.slot || made.isOver || item.spec.output !== 'job') return made;
	const stateOf = ({ job }: Made) => jobState(job, item.settings.terminalStatuses);
	if (!mayBeOfOthers(progress) || ageOf(progress, made.job) === 'since')
		return stateOf(made) === 'bad' ? await doubted(item, made) : made;

	const seen = stateOf(made) === 'running' ? await readOnce(item, made) : made;
	if (!seen) return made;
	const state = stateOf(seen);
	const age = ageOf(progress, seen.job);
	if (age === 'before') takeBack(item, charge, seen.job.id);
	// It is being made, so its key is new.
	else if (state === 'running' && charge.isNew) noteKey(progress);
	// Nothing is made so fast.
	const isAtOnce = item.workspace.clock.monotonic() - out.since < AT_ONCE_MS;
	if (state === 'good' && isAtOnce && age !== 'since') item.run.seemsOld(seen.job.id);
	if (state !== 'bad' || !(await hadFailedBefore(progress, seen.job, age))) return seen;

	if (!idempotency.giveWay?.('failedBefore')) return seen;
	takeBack(item, charge, seen.job.id);
	place.slot.release();
	place.slot = undefined;
	recordEvent(item.memory, { kind: 'jobFailed' });
	return { again: 'otherKey' };
}

/** What approves a run is answered with that run, and a key of the user's own is that of one request. */
function mayBeOfOthers({ item, idempotency }: Progress): boolean {
	const { isShared, sameBy } = idempotency;
	return isShared && sameBy === 'content' && item.spec.endpoint.does === 'creates';
}

/** Whether a job that has failed was there before this try: one of its own ends it. */
async function hadFailedBefore(
	progress: Progress,
	job: Resource,
	age: ReturnType<typeof ageOf>,
): Promise<boolean> {
	if (age === 'since') return false;
	if (progress.met === 'before') return true;
	if (age === undefined) return await wasListedBefore(progress, job);
	const last = progress.olderByItsDate;
	progress.olderByItsDate = { job, outSince: progress.out.since };
	return last === undefined || !areOwn(last, progress.olderByItsDate);
}

/** A job that cannot be read is there all the same: its item goes on, and so does the run. */
async function readOnce(item: Item, made: Made): Promise<Made | undefined> {
	const { id, object } = made.job;
	const reference = typeof object === 'string' ? { id, object } : { id };
	const read = await item.run.reads.run(
		item.host.channel,
		async () => await readKnownJob(item, reference),
	);
	return read?.ok ? { ...made, job: read.value } : undefined;
}

/** A new job was accepted: that it has failed at once is not taken from that answer. */
async function doubted(item: Item, made: Made): Promise<Made> {
	return (await readOnce(item, made)) ?? { ...made, job: { ...made.job, status: undefined } };
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
	// One that goes on from no moment shows it from long ago too.
	return (await shows(moment - CLOCKS_DIFFER_MS)) && !(await shows(moment - OLDEST_MS));
}

/**
 * Whether two jobs that say to be older are so far apart as their requests: then both were made by them, and
 * the clock of the jobs is wrong.
 */
function areOwn(one: DatedJob, other: DatedJob): boolean {
	const madeApart = momentOf(other.job.created_at) - momentOf(one.job.created_at);
	return Math.abs(madeApart - (other.outSince - one.outSince)) < 2_000;
}
