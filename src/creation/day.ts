import { ENDPOINTS, GENERATION_MODES, LIMITS, textOf } from '../api';
import { fail, type Failed } from '../base/result';
import { isRecord, type Json } from '../base/types';
import { mustBeList, pageOf } from '../transport/pages';
import { creditsOf, type Priced } from '../transport/priceBook';
import { refusalOf } from '../transport/statuses';
import type { Item } from './item';

/*
 * Max Credits per Day: what the whole workspace has spent since midnight, whoever has, without any storage of
 * ours. The list of generations is read back to midnight, as its cursor is a moment; what has no such list is
 * in the usage.
 */

/** What a workspace has spent today, before this run. */
export interface Today {
	credits: number;
	/** Why it cannot be said: then nothing is sent. */
	obstacle?: string;
	/** What is not in it. */
	uncounted?: string;
}

const DAY_MS = 86_400_000;

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

const timeOf = (text: unknown): number =>
	typeof text === 'string' && /^\d{4}-\d\d-\d\d[T ]/.test(text) ? Date.parse(text) : NaN;

const READING = { validate: mustBeList } as const;

/** One page of the list, or why it cannot be read. */
async function readPage({ workspace, host }: Item, cursor: string | undefined) {
	const { path } = ENDPOINTS.listGenerations;
	const query: Record<string, string | number> = { limit: LIMITS.listLimit.max };
	if (cursor !== undefined) query.cursor = cursor;
	const answer = await workspace.client.request(
		host.channel,
		{ method: 'GET', path, query },
		READING,
	);
	return answer.ok ? pageOf(answer.value.body) : answer;
}

function obstacleOf(failed: Failed): string {
	const isRefused = refusalOf(failed) === 'forbidden';
	return isRefused
		? 'the key may not list generations (scope generations:read)'
		: 'the list of generations could not be read';
}

/** What the generations of the workspace since a moment have reserved. */
async function generationsSince(item: Item, since: number): Promise<Today> {
	const entries: Json[] = [];
	let cursor: string | undefined;
	for (let number = 1; ; number += 1) {
		if (number > MOST_PAGES)
			return { credits: 0, obstacle: 'today has more jobs than can be read' };
		const page = await readPage(item, cursor);
		if ('failure' in page) return { credits: 0, obstacle: obstacleOf(page) };
		entries.push(...page.entries);
		if (page.deadEnd !== undefined) return { credits: 0, obstacle: page.deadEnd };
		cursor = page.next;
		if (cursor === undefined || timeOf(cursor) < since) break;
		if (Number.isNaN(timeOf(cursor)))
			return { credits: 0, obstacle: 'the list does not say from when its jobs are' };
	}
	// Of the last page some may be older. Where they do not say when they were made, the list from midnight
	// back shows them.
	const isDated = entries.every(({ created_at: at }) => !Number.isNaN(timeOf(at)));
	const older = isDated ? undefined : await readPage(item, new Date(since).toISOString());
	if (older && 'failure' in older) return { credits: 0, obstacle: obstacleOf(older) };
	const ids = new Set(older?.entries.map(({ id }) => id));
	const isOfToday = ({ id, created_at: at }: Json) =>
		isDated ? timeOf(at) >= since : !ids.has(id);
	const ofToday = entries.filter(isOfToday).map(creditsOf);
	const known = ofToday.filter((credits) => credits !== undefined);
	const credits = known.reduce((sum, one) => sum + one, 0);
	if (known.length < ofToday.length)
		return { credits, obstacle: 'the service does not state what its jobs have cost' };
	return { credits };
}

/**
 * The rows of a usage summary, which is grouped by mode in whatever shape. Specification: Other response
 * bodies.
 */
function rowsOf(usage: Json): Json[] {
	for (const value of [usage.data, ...Object.values(usage)]) {
		if (Array.isArray(value)) return value.filter(isRecord);
	}
	const groups = isRecord(usage.data) ? usage.data : usage;
	return Object.entries(groups).flatMap(([mode, value]) =>
		isRecord(value) ? [{ mode, ...value }] : [],
	);
}

/** What a usage summary shows of all but generations; `undefined` where nothing of it can be read. */
function othersIn(usage: unknown): number | undefined {
	if (!isRecord(usage)) return undefined;
	const isListed = (mode: unknown) => GENERATION_MODES.some((one) => one === mode);
	const rows = rowsOf(usage).filter(({ mode }) => textOf(mode) !== undefined && !isListed(mode));
	const amounts = rows.map(creditsOf);
	if (amounts.includes(undefined)) return undefined;
	return amounts.reduce<number>((sum, one = 0) => sum + one, 0);
}

const UNCOUNTED =
	'Max Credits per Day has not counted what speech, voices, personas and agent runs have cost today';

async function readToday(item: Item): Promise<Today> {
	const { workspace, host, origin } = item;
	const since = startOfDay(workspace.clock.now(), origin.timezone);
	const listed = await generationsSince(item, since);
	if (listed.obstacle !== undefined) return listed;
	const { path } = ENDPOINTS.getUsage;
	const query = { since: new Date(since).toISOString() };
	const answer = await workspace.client.request(host.channel, { method: 'GET', path, query });
	const others = answer.ok ? othersIn(answer.value.body) : undefined;
	if (others === undefined) return { ...listed, uncounted: UNCOUNTED };
	return { credits: listed.credits + others };
}

/** Finds out, once for a run, what was spent before it. */
export async function askToday(item: Item): Promise<void> {
	const { run, settings } = item;
	if (settings.maxCreditsPerDay === Infinity || run.today) return;
	run.cache.today ??= readToday(item);
	run.today = await run.cache.today;
}

/**
 * What the whole run is expected to need that it has not reserved yet; `undefined` where that is not known.
 */
function neededBy({ run, spec, workspace }: Item): number | undefined {
	const requests = [...run.checked.values()].flatMap((one) => {
		if (!one.ok) return [];
		const { request, parts = [request] } = one.value;
		return parts.map(({ body }): Priced => ({ endpoint: spec.endpoint, body }));
	});
	const prices = requests.map((request) => workspace.prices.reservationOf(request));
	if (prices.includes(undefined)) return undefined;
	return prices.reduce<number>((sum, price = 0) => sum + price, 0) - run.spent;
}

/**
 * Why a request must not be sent today. @param price `null` where the service states none, `undefined` where
 * it is not known yet
 */
export function withinDay(item: Item, price: number | null | undefined): Failed | undefined {
	const { settings, run } = item;
	const { maxCreditsPerDay } = settings;
	if (maxCreditsPerDay === Infinity) return undefined;
	const { credits = 0, obstacle } = run.today ?? { obstacle: 'what was spent is not known' };
	const spent = credits + run.spent;
	const left = maxCreditsPerDay - spent;
	// Sums of fractions are not exact.
	const tolerance = 1e-9 * maxCreditsPerDay;
	const isTooMuch =
		typeof price === 'number' ? price > left + tolerance : price === null || left <= tolerance;
	if (obstacle === undefined && !isTooMuch) return undefined;
	const why = price === null ? 'the service does not state what a job costs' : obstacle;
	const needed = neededBy(item) ?? price ?? undefined;
	return fail({ kind: 'dayCap', maxCredits: maxCreditsPerDay, spent, needed, problem: why });
}
