import { ENDPOINTS } from '../../api';
import { findOnce } from '../../base/maps';
import { MINUTE_MS } from '../../base/times';
import type { Resource } from '../../base/types';
import type { Item } from '../item';
import { mustBeObject, requestResource } from '../../transport/client';
import { AGENT_STATUSES, jobState, readerPath } from '../../transport/jobState';
import { mustBeList } from '../../transport/pages';
import type { Priced } from '../../transport/priceBook';
import { isRefusal, saysGone } from '../../transport/statuses';
import { creditsSince, ledgerOf, sumOf, type LedgerEntry } from './ledger';
import {
	BEHIND_MS,
	shownSince,
	startOfDay,
	type AskService,
	type KnownDay,
	type Today,
} from './shownToday';

/*
 * What Max Credits per Day is compared with: what the service shows, and what it does not show yet of what
 * this process has sent, all of its executions together. A list lacks what was sent since it was read, and
 * the usage contains only what has ended.
 */

/** What the service has shown, with when it was asked. */
export interface TodayAsOf extends Today {
	/** When the day began, in ms since the epoch. */
	began: number;
	/** When the list was requested, on the monotonic clock. */
	askedAt: number;
}

/** After so long the usage of the workspace contains a job whose creation had no answer, if there is one. */
const LOST_MS = 60 * MINUTE_MS;

/**
 * What was answered or given up on this day shortly before the list was requested, and is missing in it. Of
 * what had no answer nobody knows which of its jobs it is, so the list may show it too.
 */
function missingIn(item: Item, { began, askedAt, ids }: TodayAsOf): number {
	const isMissing = ({ isListed, sentAt, job, answeredAt = Infinity }: LedgerEntry) =>
		isListed &&
		sentAt >= began &&
		!ids.has(job?.id) &&
		answeredAt <= askedAt &&
		answeredAt > askedAt - BEHIND_MS;
	return sumOf([...ledgerOf(item).entries].filter(isMissing));
}

/** What no list shows and what has not ended: sent after one moment, answered before another. */
function goingOn(item: Item, since: number, until: number): LedgerEntry[] {
	const goesOn = ({ isListed, isOver, sentAt, job, answeredAt = Infinity }: LedgerEntry) =>
		!isListed &&
		!isOver &&
		sentAt >= since &&
		answeredAt <= until &&
		(job !== undefined || answeredAt > until - LOST_MS);
	return [...ledgerOf(item).entries].filter(goesOn);
}

/**
 * What the newest reading of a workspace has shown. An agent makes an execution of each call, and without
 * this each would read the list of the whole day again.
 */
class LastReading {
	/** It only saves requests. */
	readonly mayBeForgotten = true;
	began = NaN;
	known?: KnownDay;
}

const askerOf =
	({ workspace, host }: Item): AskService =>
	async ({ method, path }, query) => {
		const validate = path === ENDPOINTS.getUsage.path ? mustBeObject : mustBeList;
		return await workspace.client.request(host.channel, { method, path, query }, { validate });
	};

/** What *Max Credits per Day* counts, and Check Setup says. @param read default: as any request is sent */
export async function readToday(item: Item, read = askerOf(item)): Promise<TodayAsOf> {
	const { clock } = item.workspace;
	const askedAt = clock.monotonic();
	const began = startOfDay(clock.now(), item.origin.timezone);
	// Taken before the service is asked. What ends meanwhile is in both, and counts twice until the next
	// reading; taken afterwards, it would be in neither.
	const notEnded = sumOf(goingOn(item, began, askedAt));
	const last = item.workspace.shared(LastReading);
	const known = last.began === began ? last.known : undefined;
	const shown: TodayAsOf = { ...(await shownSince(began, read, known)), askedAt, began };
	// A list that hangs would be old when it is given up, and each row would wait for another one.
	if (shown.obstacle !== undefined) return { ...shown, askedAt: clock.monotonic() };
	last.began = began;
	last.known = shown.known;
	return { ...shown, credits: shown.credits + notEnded + missingIn(item, shown) };
}

/**
 * So many jobs are read before a run; those first that were not looked at for longest. Others have to wait
 * for the next run.
 */
const MOST_LOOKS = 20;

/**
 * Whether a job spends nothing more. An agent run that waits for its review may still spend what it has
 * reserved.
 */
const isOver = (job: Resource): boolean =>
	jobState(job, job.object === 'agent_run' ? AGENT_STATUSES.afterReview : undefined) !== 'running';

/**
 * What goes on is counted until somebody sees its end. Nobody waits for some of the jobs of this process, so
 * those are read here, each at most once in a minute. A job that the service does not know any more is over.
 */
async function lookAtUnwatched(item: Item): Promise<void> {
	const { workspace, host, origin } = item;
	const { client, clock, poller } = workspace;
	const now = clock.monotonic();
	const lookedAt = (entry: LedgerEntry) => entry.lookedAt ?? -Infinity;
	const unwatched = goingOn(item, startOfDay(clock.now(), origin.timezone), now)
		.filter(({ job }) => job !== undefined && poller.seen(job.id) === undefined)
		.filter((entry) => lookedAt(entry) <= now - MINUTE_MS)
		.sort((one, other) => lookedAt(one) - lookedAt(other));
	for (const entry of unwatched.slice(0, MOST_LOOKS)) {
		const { job } = entry;
		if (job === undefined) continue;
		entry.lookedAt = now;
		const request = { method: 'GET', path: readerPath(job) } as const;
		const read = await requestResource(client, host.channel, request, { retry: false });
		if (read.ok) entry.isOver = isOver({ object: job.object, ...read.value });
		else if (isRefusal(read)) entry.isOver = saysGone(read);
		// Without an answer to this one, the others would not be answered either.
		else return;
	}
}

/**
 * Whether what was spent today is only a guess: what had no answer may have reserved any number of credits,
 * until the list or the usage would show its job.
 */
export function isTodayGuessed(item: Item): boolean {
	const { run, workspace } = item;
	const { askedAt = -Infinity } = run.today.get(workspace) ?? {};
	const now = workspace.clock.monotonic();
	const isHidden = ({ isListed, answeredAt = Infinity }: LedgerEntry) =>
		answeredAt > (isListed ? askedAt - BEHIND_MS : now - LOST_MS);
	return [...ledgerOf(item).entries].some((entry) => entry.isGuess && isHidden(entry));
}

/** What the service has shown is read again after so long. */
const OLD_MS = 5 * MINUTE_MS;

/**
 * Other processes learn of what this one sends only when they read the list again. So that this many of them
 * keep to the limit together, each reads again once it has spent its share of what was left.
 */
const SHARERS = 4;

/** Whether the service has to be asked again before a request is sent. */
function isStale(item: Item, today: TodayAsOf, price = 0): boolean {
	const { workspace, settings, origin } = item;
	const { clock } = workspace;
	const isOld = clock.monotonic() - today.askedAt >= OLD_MS;
	if (isOld || startOfDay(clock.now(), origin.timezone) !== today.began) return true;
	const since = creditsSince(item, today);
	const left = settings.maxCreditsPerDay - today.credits;
	// What does not fit by now would not fit after another reading either: what was spent only grows.
	return since + price <= left && since > 0 && since + price > left / SHARERS;
}

/** Finds out what was spent today, before a request is sent: once for a run, unless that is too old. */
export async function askToday(item: Item, request: Priced): Promise<void> {
	const { run, settings, workspace } = item;
	if (settings.maxCreditsPerDay === Infinity) return;
	const price = workspace.prices.reservationOf(request);
	const earlier = run.today.get(workspace);
	const readings = run.cache.today;
	if (earlier && isStale(item, earlier, price)) readings.delete(workspace);
	const read = async () => {
		await lookAtUnwatched(item);
		return await readToday(item);
	};
	run.today.set(workspace, await findOnce(readings, workspace, read));
}
