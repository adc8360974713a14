import { ENDPOINTS, GENERATION_MODES, LIMITS, textOf, type Endpoint } from '../api';
import { fail, type Failed, type Result } from '../base/result';
import type { Turn } from '../base/waitQueue';
import { DAY_MS, momentOf } from '../base/times';
import {
	isRecord,
	type ApiRequest,
	type ApiResponse,
	type Json,
	type Resource,
} from '../base/types';
import { mustBeObject, requestResource } from '../transport/client';
import { AGENT_STATUSES, jobState, readerPath } from '../transport/jobState';
import { mustBeList, pageOf } from '../transport/pages';
import { creditsOf, priceKindOf, type Priced } from '../transport/priceBook';
import { sumOf, type Shown, type Spent } from '../transport/spending';
import { isGone, refusalOf } from '../transport/statuses';
import { MINUTE_MS } from '../transport/tuning';
import type { Item } from './item';
import { isTooMuch } from './limit';
import { isOutcomeOpen } from './state';

/*
 * Max Credits per Day: what the whole workspace has spent since midnight, whoever has, without any storage of
 * ours. The list of generations is read back to midnight, as its cursor is a moment; what has no such list is
 * in the usage. What this process has sent since, all of its executions together, is added.
 */

/** What a workspace has spent today, as the service shows it. */
export interface Today {
	credits: number;
	/** Those of them that no list shows. */
	others: number;
	/** Of its generations. */
	ids: ReadonlySet<unknown>;
	/** Why it cannot be said: then nothing is sent. */
	obstacle?: string;
	/** What is not in it. */
	uncounted?: string;
	/** Whether all that is listed is in it, as nobody says what is of today. */
	countsAll?: boolean;
}

/** The same with when the service was asked. */
export interface TodayAsOf extends Today, Shown {}

/** Asks the service for the list of generations, or for the usage. */
export type AskService = (
	endpoint: Endpoint,
	query: ApiRequest['query'],
) => Promise<Result<ApiResponse>>;

/** The page of the list that has the newest jobs, and the usage since a moment. */
export const NEWEST = { limit: LIMITS.listLimit.max } as const;
export const usageSince = (since: number) => ({ since: new Date(since).toISOString() });

/** More pages than a day has jobs for. */
const MOST_PAGES = 50;

/** When the day began in a time zone, in milliseconds since the epoch. */
export function startOfDay(now: number, timeZone: string): number {
	const format = new Intl.DateTimeFormat('en-US', {
		timeZone,
		hourCycle: 'h23',
		year: 'numeric',
		month: 'numeric',
		day: 'numeric',
		hour: 'numeric',
		minute: 'numeric',
		second: 'numeric',
	});
	/** What a clock on the wall shows, as if that were UTC. */
	const shownAt = (time: number) => {
		const parts = format.formatToParts(time).map(({ type, value }) => [type, Number(value)]);
		const shown = Object.fromEntries(parts) as Record<string, number>;
		const { year = 0, month = 1, day = 1, hour, minute, second } = shown;
		return Date.UTC(year, month - 1, day, hour, minute, second);
	};
	const shown = shownAt(now);
	const midnight = shown - (shown % DAY_MS);
	const guess = now - (now % 1_000) - (shown - midnight);
	// Clocks may have been changed since.
	return guess + (midnight - shownAt(guess));
}

/** One page of the list, or why it cannot be read. @param known cursors of the pages before it */
async function readPage(read: AskService, cursor?: string, known?: ReadonlySet<string>) {
	const query = cursor === undefined ? NEWEST : { ...NEWEST, cursor };
	const answer = await read(ENDPOINTS.listGenerations, query);
	return answer.ok ? pageOf(answer.value.body, known) : answer;
}

/** When an entry of the list was made, as far as it says so. */
const madeAt = ({ created_at: at }: Json = {}): number => momentOf(at);

function obstacleOf(failed: Failed): string {
	if (failed.failure.kind === 'skipped') return failed.failure.cause;
	const isRefused = refusalOf(failed) === 'forbidden';
	return isRefused
		? 'the key may not list generations (scope generations:read)'
		: 'the list of generations could not be read';
}

const hindered = (obstacle: string): Today => ({
	credits: 0,
	others: 0,
	ids: new Set(),
	obstacle,
});

/** Long before any job. */
const LONG_AGO = '2000-01-01T00:00:00.000Z';

/**
 * Which of the entries, that do not say when they were made, are older than a moment: the list from there
 * back shows them. One that goes on from no moment shows the newest, whatever it is asked for.
 */
async function olderThan(read: AskService, since: number, entries: Json[]) {
	const before = await readPage(read, new Date(since).toISOString());
	if ('failure' in before) return before;
	const older = new Set(before.entries.map(({ id }) => id));
	if (entries.some(({ id }) => !older.has(id))) return { older, isKnown: true };
	const longAgo = entries.length > 0 ? await readPage(read, LONG_AGO) : before;
	const isKnown = 'failure' in longAgo || longAgo.entries.length === 0;
	return isKnown ? { older, isKnown } : { older: new Set<unknown>(), isKnown };
}

/** The list back to a moment, each entry once; of its last page some may be older. */
async function entriesBackTo(read: AskService, since: number): Promise<Json[] | Today> {
	const entries = new Map<unknown, Json>();
	const cursors = new Set<string>();
	let cursor: string | undefined;
	for (let number = 1; number <= MOST_PAGES; number += 1) {
		if (cursor !== undefined) cursors.add(cursor);
		const page = await readPage(read, cursor, cursors);
		if ('failure' in page) return hindered(obstacleOf(page));
		for (const entry of page.entries) entries.set(entry.id ?? entry, entry);
		if (page.deadEnd !== undefined) return hindered(page.deadEnd);
		cursor = page.next;
		if (cursor === undefined) return [...entries.values()];
		// Where its cursor is none, its last entry may say from when the next page is.
		const moments = [momentOf(cursor), madeAt(page.entries.at(-1))];
		const goesOnAt = moments.find((moment) => !Number.isNaN(moment));
		if (goesOnAt === undefined) return hindered('the list does not say from when its jobs are');
		if (goesOnAt < since) return [...entries.values()];
	}
	return hindered('today has more jobs than can be read');
}

/** What an entry has reserved. One that has failed and states nothing holds nothing any more. */
const creditsIn = (entry: Json): number | undefined =>
	creditsOf(entry) ?? (entry.status === 'failed' ? 0 : undefined);

/** What the generations of the workspace since a moment have reserved. */
async function generationsSince(read: AskService, since: number): Promise<Today> {
	const entries = await entriesBackTo(read, since);
	if (!Array.isArray(entries)) return entries;
	const isDated = entries.every((entry) => !Number.isNaN(madeAt(entry)));
	const undated = isDated ? undefined : await olderThan(read, since, entries);
	if (undated && 'failure' in undated) return hindered(obstacleOf(undated));
	const isOfToday = (entry: Json) =>
		undated ? !undated.older.has(entry.id) : madeAt(entry) >= since;
	const ofToday = entries.filter(isOfToday).map(creditsIn);
	const known = ofToday.filter((credits) => credits !== undefined);
	const credits = known.reduce((sum, one) => sum + one, 0);
	const ids = new Set(entries.map(({ id }) => id));
	if (known.length < ofToday.length)
		return hindered('the service does not state what its jobs have cost');
	return { credits, others: 0, ids, countsAll: undated?.isKnown === false };
}

/**
 * The rows of a usage summary, which is grouped by mode in whatever shape; `undefined` for one that shows
 * only a sum. Specification: Other response bodies.
 */
function rowsOf(usage: Json): Json[] | undefined {
	for (const value of [usage.data, ...Object.values(usage)]) {
		if (Array.isArray(value)) return value.filter(isRecord);
	}
	const groups = isRecord(usage.data) ? usage.data : usage;
	const rows = Object.entries(groups).flatMap(([mode, value]) =>
		isRecord(value) ? [{ mode, ...value }] : [],
	);
	return rows.length === 0 && creditsOf(usage) !== undefined ? undefined : rows;
}

/** What a usage summary shows of all but generations; `undefined` where nothing of it can be read. */
function othersIn(usage: unknown): number | undefined {
	if (!isRecord(usage)) return undefined;
	const isListed = (mode: unknown) => GENERATION_MODES.some((one) => one === mode);
	const rows = rowsOf(usage);
	const others = rows?.filter(({ mode }) => textOf(mode) !== undefined && !isListed(mode));
	if (others === undefined) return undefined;
	const amounts = others.map(creditsOf);
	if (amounts.includes(undefined)) return undefined;
	return amounts.reduce<number>((sum, one = 0) => sum + one, 0);
}

/** What no list shows, where the usage does not either. */
const UNCOUNTED = 'speech, voices, personas and agent runs';

/** What the service shows of what the workspace has spent since a moment. */
async function spentSince(since: number, read: AskService): Promise<Today> {
	const listed = await generationsSince(read, since);
	if (listed.obstacle !== undefined) return listed;
	const answer = await read(ENDPOINTS.getUsage, usageSince(since));
	const others = answer.ok ? othersIn(answer.value.body) : undefined;
	if (others === undefined) return { ...listed, uncounted: UNCOUNTED };
	return { ...listed, credits: listed.credits + others, others };
}

const askerOf =
	({ workspace, host }: Item): AskService =>
	async ({ method, path }, query) => {
		const validate = path === ENDPOINTS.getUsage.path ? mustBeObject : mustBeList;
		return await workspace.client.request(host.channel, { method, path, query }, { validate });
	};

/** What *Max Credits per Day* counts, and Check Setup says. @param read default: as any request is sent */
export async function readToday(item: Item, read = askerOf(item)): Promise<TodayAsOf> {
	const { workspace, origin } = item;
	const { clock, spending } = workspace;
	const askedAt = clock.monotonic();
	const began = startOfDay(clock.now(), origin.timezone);
	// What goes on is in no usage: that shows what has ended. What ends meanwhile counts twice for a while.
	const goingOn = sumOf(spending.goingOn(began, askedAt));
	const today = { ...(await spentSince(began, read)), askedAt, began };
	// A list may be behind.
	const missing = spending.missingIn(today);
	return { ...today, credits: today.credits + goingOn + missing };
}

/** More are asked for the next time, those first that were not looked at for longest. */
const MOST_LOOKS = 20;

/** A run that waits for its review has not spent all that it has reserved. */
const isOver = (job: Resource): boolean =>
	jobState(job, job.object === 'agent_run' ? AGENT_STATUSES.afterReview : undefined) !== 'running';

/**
 * Jobs of this process that nobody waits for may have ended, which the usage shows then: they are asked, each
 * once in a minute. So is one that the service does not know any more.
 */
async function lookAfterLeft({ workspace, host, origin }: Item): Promise<void> {
	const { client, clock, poller, spending } = workspace;
	const now = clock.monotonic();
	const lookedAt = (spent: Spent) => spent.lookedAt ?? -Infinity;
	const left = spending
		.goingOn(startOfDay(clock.now(), origin.timezone), now)
		.filter(({ id }) => id !== undefined && poller.seen(id) === undefined)
		.filter((spent) => lookedAt(spent) <= now - MINUTE_MS)
		.sort((one, other) => lookedAt(one) - lookedAt(other));
	for (const spent of left.slice(0, MOST_LOOKS)) {
		const path = readerPath({ id: String(spent.id), object: spent.object });
		const request = { method: 'GET', path } as const;
		spent.lookedAt = now;
		const read = await requestResource(client, host.channel, request, { retry: false });
		if (read.ok) spent.isOver = isOver({ object: spent.object, ...read.value });
		else if (read.failure.kind === 'status') spent.isOver = isGone(read.failure.status);
		// Nor would the others be answered.
		else return;
	}
}

/** What was read so long ago is read again before something is sent. */
const OLD_MS = 5 * MINUTE_MS;

/**
 * Other processes see nothing of what this one sends until it is listed. As many of them as this share what
 * was left; then each reads again.
 */
const SHARERS = 4;

/** Whether what was read says too little of what is spent by now. */
function isStale(item: Item, today: TodayAsOf, price = 0): boolean {
	const { workspace, settings, origin } = item;
	const { clock, spending } = workspace;
	const isOld = clock.monotonic() - today.askedAt >= OLD_MS;
	if (isOld || startOfDay(clock.now(), origin.timezone) !== today.began) return true;
	const since = spending.notIn(today);
	const left = settings.maxCreditsPerDay - today.credits;
	// What does not fit anyway, more spending makes no better.
	return since + price <= left && since > 0 && since + price > left / SHARERS;
}

/** Finds out what was spent before a request is sent: once for a run, unless that may have changed. */
export async function askToday(item: Item, request: Priced): Promise<void> {
	const { run, settings, workspace } = item;
	if (settings.maxCreditsPerDay === Infinity) return;
	const price = workspace.prices.reservationOf(request);
	if (run.today && isStale(item, run.today, price)) run.cache.today = undefined;
	run.cache.today ??= lookAfterLeft(item).then(async () => await readToday(item));
	run.today = await run.cache.today;
}

/**
 * Under a limit of the day, of all executions one request of a kind whose price is not known goes out at a
 * time.
 * @returns what sending it comes to; `undefined` where it was cancelled before its turn
 */
export async function aloneIfUnpriced<T>(
	{ settings, workspace }: Item,
	request: Priced,
	turn: Turn,
	send: () => Promise<T>,
): Promise<T | undefined> {
	const { prices, spending } = workspace;
	const isPriced = prices.reservationOf(request) !== undefined;
	if (isPriced || settings.maxCreditsPerDay === Infinity) return await send();
	return await spending.turnOf(priceKindOf(request)).run(turn, send);
}

/** What the workspace has spent today, with what this process has sent since it was read. */
function spentToday({ run, workspace }: Item): number {
	return run.today ? run.today.credits + workspace.spending.notIn(run.today) : 0;
}

/** What is left of the day; `Infinity` without a limit. */
export const leftOfDay = (item: Item): number => item.settings.maxCreditsPerDay - spentToday(item);

/** What all items of a run are expected to reserve; `undefined` where that is not known. */
function priceOfRun({ run, spec, workspace }: Item): number | undefined {
	let sum = 0;
	for (const one of run.checked.values()) {
		if (!one.ok || one.value.settings.dryRun) continue;
		const { request, parts = [request] } = one.value;
		for (const { body } of parts) {
			const price = workspace.prices.reservationOf({ endpoint: spec.endpoint, body });
			if (price === undefined) return undefined;
			sum += price;
		}
	}
	return sum;
}

/** What the run is expected to need that it has not reserved yet; `undefined` where that is not known. */
function neededBy(item: Item): number | undefined {
	const { cache, spent } = item.run;
	// Once: thousands of rows may be refused.
	cache.price ??= priceOfRun(item);
	return cache.price === undefined ? undefined : cache.price - spent;
}

/**
 * Why a request must not be sent today. @param price `null` where the service states none, `undefined` where
 * it is not known yet
 */
export function withinDay(item: Item, price: number | null | undefined): Failed | undefined {
	const { settings, run, memory } = item;
	const { maxCreditsPerDay } = settings;
	// What may have been carried out is among what was spent, and was let out under this limit.
	if (maxCreditsPerDay === Infinity || isOutcomeOpen(memory.state)) return undefined;
	const { obstacle } = run.today ?? { obstacle: 'what was spent is not known' };
	const spent = spentToday(item);
	const left = maxCreditsPerDay - spent;
	if (obstacle === undefined && !isTooMuch(price, { left, limit: maxCreditsPerDay }))
		return undefined;
	const why = price === null ? 'the service does not state what a job costs' : obstacle;
	const needed = neededBy(item) ?? price ?? undefined;
	return fail({ kind: 'dayCap', maxCredits: maxCreditsPerDay, spent, needed, problem: why });
}
