import { ENDPOINTS, LIMITS } from '../api';
import { shortHash } from '../base/hash';
import { DAY_MS, momentOf } from '../base/times';
import { asText, type Resource } from '../base/types';
import { mustBeList, pageOf } from '../transport/pages';
import { jobState } from '../transport/jobState';
import { MINUTE_MS } from '../transport/tuning';
import type { Progress } from './answer';

/*
 * Whether an answer is about a job that was there before, which costs nothing: under a key that others share,
 * a service answers with theirs. It is there before if this process has met it, if it says when it was made,
 * or if the list shows it as older. Where nothing says so, it was made now: it counts, and if it has failed,
 * it ends its try.
 */

type Asking = Pick<Progress, 'item' | 'content'>;

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
	const { bought, clock } = item.workspace;
	const name = shortHash([item.request.path, key, job.id, asText(job.created_at)].join('\n'));
	const known = bought.get(name);
	bought.set(name, known ?? clock.monotonic());
	if (known === undefined) return undefined;
	return known < beganAt ? 'before' : 'meanwhile';
}

/** Whether the list shows a job among those that were made before the request went out. */
export async function wasListedBefore(progress: Progress, { id }: Resource): Promise<boolean> {
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
export function areOwn(one: { job: Resource; outSince: number }, other: typeof one): boolean {
	const madeApart = momentOf(other.job.created_at) - momentOf(one.job.created_at);
	return Math.abs(madeApart - (other.outSince - one.outSince)) < 2_000;
}

/**
 * A service may keep the keys of each path by themselves. Under a key of the user's own, requests may differ.
 */
const nameOfKey = ({ item, content }: Asking, key: string): string =>
	shortHash(`${item.request.path}\n${content}\n${key}`);

/** Under the key of the request a job was made just now, which the service gives for nothing for a day. */
export function noteKey(progress: Progress): void {
	const { key, since } = progress.out;
	if (key === undefined) return;
	const { clock, paidKeys } = progress.item.workspace;
	const wall = clock.now() - (clock.monotonic() - since);
	paidKeys.set(nameOfKey(progress, key), { wall, monotonic: since });
}

/** Its job has failed: some services drop it then. */
export function forgetKey(progress: Progress): void {
	const { item, out } = progress;
	if (out.key !== undefined) item.workspace.paidKeys.delete(nameOfKey(progress, out.key));
}

/** The job may have been on its way for a while, and keys are dropped by another clock. */
const MARGIN_MS = 60 * MINUTE_MS;

/** Whether a request under this key is known to be only a repetition, which costs nothing. */
export function isPaidKey(asking: Asking, key: string | undefined): boolean {
	const { clock, paidKeys } = asking.item.workspace;
	if (key === undefined) return false;
	const since = paidKeys.get(nameOfKey(asking, key));
	if (since === undefined) return false;
	// One clock stands still while the machine sleeps, the other may be set back.
	const age = Math.max(clock.now() - since.wall, clock.monotonic() - since.monotonic);
	return age < LIMITS.idempotencyHours * 60 * MINUTE_MS - MARGIN_MS;
}
