import {
	ENDPOINTS,
	GENERATION_MODES,
	type GenerationMode,
	LIMITS,
	textOf,
	type Endpoint,
} from '../../api';
import type { DayObstacle, Failed, Result } from '../../base/result';
import { DAY_MS, momentOf } from '../../base/times';
import { isRecord, type ApiRequest, type ApiResponse, type Json } from '../../base/types';
import { jobState } from '../../transport/jobState';
import { pageOf } from '../../transport/pages';
import { creditsOf } from '../../transport/priceBook';
import { refusalOf } from '../../transport/statuses';

/*
 * What the service shows of what a workspace has spent since midnight, whoever has, without any storage of
 * ours. The list of generations is read back to midnight, as its cursor is a moment; what has no such list is
 * in the usage.
 */

/** What a workspace has spent today, as the service shows it. */
export interface Today {
	credits: number;
	/** The ids of all generations in the list. */
	ids: ReadonlySet<unknown>;
	/** Why it is not known what was spent: then nothing is sent. */
	obstacle?: DayObstacle;
	/** What `credits` does not count, in words. */
	uncounted?: string;
	/** Whether all that is listed is in it, as nobody says what is of today. */
	countsAll?: boolean;
}

/** The same of the list alone. */
interface Listed extends Today {
	/** The part of `credits` that went into audio. */
	audio: number;
}

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

/** One page of the list, or why it cannot be read. @param earlierCursors cursors of the pages before it */
async function readPage(read: AskService, cursor?: string, earlierCursors?: ReadonlySet<string>) {
	const query = cursor === undefined ? NEWEST : { ...NEWEST, cursor };
	const answer = await read(ENDPOINTS.listGenerations, query);
	return answer.ok ? pageOf(answer.value.body, earlierCursors) : answer;
}

/** When an entry of the list was made, as far as it says so. */
const madeAt = ({ created_at: at }: Json = {}): number => momentOf(at);

const hindered = (kind: DayObstacle['kind'], problem: string): Today => ({
	credits: 0,
	ids: new Set(),
	obstacle: { kind, problem },
});

/** A page of the list could not be read. */
function hinderedBy(failed: Failed): Today {
	// Check Setup asks for a few pages only.
	if (failed.failure.kind === 'skipped') return hindered('tooMany', failed.failure.cause);
	return refusalOf(failed) === 'forbidden'
		? hindered('forbidden', 'the key may not list generations (scope generations:read)')
		: hindered('unreadable', 'the list of generations could not be read');
}

/** Long before any job. */
const LONG_AGO = '2000-01-01T00:00:00.000Z';

/**
 * Which entries of a list are older than a moment, where they do not say when they were made: those that the
 * list shows from there back. A list that ignores the moment shows the newest jobs, whatever it is asked for.
 * It is known by showing jobs from long ago too, and then it is not known which entries are older.
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

/** The list back to a moment, each entry once. Some of its last page may be older. */
async function entriesBackTo(read: AskService, since: number): Promise<Json[] | Today> {
	const entries = new Map<unknown, Json>();
	const cursors = new Set<string>();
	let cursor: string | undefined;
	for (let number = 1; number <= MOST_PAGES; number += 1) {
		if (cursor !== undefined) cursors.add(cursor);
		const page = await readPage(read, cursor, cursors);
		if ('failure' in page) return hinderedBy(page);
		for (const entry of page.entries) entries.set(entry.id ?? entry, entry);
		if (page.deadEnd !== undefined) return hindered('unsaid', page.deadEnd);
		cursor = page.next;
		if (cursor === undefined) return [...entries.values()];
		// A cursor may be no moment. Then the last entry may say from when the next page is.
		const moments = [momentOf(cursor), madeAt(page.entries.at(-1))];
		const goesOnAt = moments.find((moment) => !Number.isNaN(moment));
		if (goesOnAt === undefined)
			return hindered('unsaid', 'the list does not say from when its jobs are');
		if (goesOnAt < since) return [...entries.values()];
	}
	return hindered('tooMany', 'today has more jobs than can be read');
}

/** What an entry has reserved. One that has failed and states nothing does not reserve anything any more. */
const creditsIn = (entry: Json): number | undefined =>
	creditsOf(entry) ?? (entry.status === 'failed' ? 0 : undefined);

/** What the generations of the workspace since a moment have reserved. */
async function generationsSince(read: AskService, since: number): Promise<Today | Listed> {
	const entries = await entriesBackTo(read, since);
	if (!Array.isArray(entries)) return entries;
	const isDated = entries.every((entry) => !Number.isNaN(madeAt(entry)));
	const undated = isDated ? undefined : await olderThan(read, since, entries);
	if (undated && 'failure' in undated) return hinderedBy(undated);
	const isOfToday = (entry: Json) =>
		undated ? !undated.older.has(entry.id) : madeAt(entry) >= since;
	const ofToday = entries.filter(isOfToday).map(creditsIn);
	const stated = ofToday.filter((credits) => credits !== undefined);
	const credits = totalOf(stated);
	const ids = new Set(entries.map(({ id }) => id));
	if (stated.length < ofToday.length)
		return hindered('unsaid', 'the service does not state what its jobs have cost');
	// Only jobs that have ended well are in the usage, so only those of the list can be compared with it.
	const ofAudio = entries
		.filter(isOfToday)
		.filter((entry) => entry.mode === AUDIO && jobState(entry) === 'good');
	const audio = totalOf(ofAudio.map(creditsIn));
	return { credits, audio, ids, countsAll: undated?.isKnown === false };
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

const totalOf = (amounts: Array<number | undefined>): number =>
	amounts.reduce<number>((sum, one = 0) => sum + one, 0);

/** The mode under which a service may show speech too. */
const AUDIO: GenerationMode = 'audio';

/**
 * What a usage summary shows of all but generations; `undefined` where nothing of it can be read. What it
 * shows of audio beyond the list is speech.
 */
function othersIn(usage: unknown, listedAudio: number): number | undefined {
	if (!isRecord(usage)) return undefined;
	const isListed = (mode: unknown) => GENERATION_MODES.some((one) => one === mode);
	const rows = rowsOf(usage);
	if (rows === undefined) return undefined;
	const others = rows.filter(({ mode }) => textOf(mode) !== undefined && !isListed(mode));
	const amounts = others.map(creditsOf);
	if (amounts.includes(undefined)) return undefined;
	const audio = rows.filter(({ mode }) => mode === AUDIO).map(creditsOf);
	if (audio.includes(undefined)) return undefined;
	return totalOf(amounts) + Math.max(0, totalOf(audio) - listedAudio);
}

/** What no list shows, where the usage does not either. */
const UNCOUNTED = 'speech, voices, personas and agent runs';

/** What the service shows of what the workspace has spent since a moment. */
export async function shownSince(since: number, read: AskService): Promise<Today> {
	const listed = await generationsSince(read, since);
	if (!('audio' in listed)) return listed;
	const answer = await read(ENDPOINTS.getUsage, usageSince(since));
	const others = answer.ok ? othersIn(answer.value.body, listed.audio) : undefined;
	if (others === undefined) return { ...listed, uncounted: UNCOUNTED };
	return { ...listed, credits: listed.credits + others };
}
