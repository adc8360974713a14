import {
	ENDPOINTS,
	GENERATION_MODES,
	type GenerationMode,
	LIMITS,
	textOf,
	type Endpoint,
} from '../../api';
import type { DayObstacle, Failed, Result } from '../../base/result';
import { DAY_MS, MINUTE_MS, momentOf } from '../../base/times';
import { isRecord, type ApiRequest, type ApiResponse, type Json } from '../../base/types';
import { jobState, type JobState } from '../../transport/jobState';
import { pageOf } from '../../transport/pages';
import { creditsOf } from '../../transport/priceBook';
import { refusalOf } from '../../transport/statuses';

/*
 * What the service shows of what a workspace has spent since midnight, whoever has, without any storage of
 * ours. The list of generations is read back to midnight, as its cursor is a moment; what has no such list is
 * in the usage. A later reading of the same day reads the list only as far back as it may have changed.
 */

/** A generation as the list has shown it. */
interface Entry {
	/** What it has reserved. One that has failed and states nothing does not reserve anything any more. */
	credits: number | undefined;
	/** When it was made, as far as it says so. */
	madeAt: number;
	/** It was not made before this: as it says, else where the next page begins. In ms since the epoch. */
	notBefore: number;
	isAudio: boolean;
	state: JobState;
}

/** What a reading has shown, for the next one of the same day. */
export interface KnownDay {
	/** By the id of the job. */
	entries: ReadonlyMap<unknown, Entry>;
	/** All that was made before this is among them and has ended. In ms since the epoch. */
	settledBefore: number;
	/** The ids of jobs of the day before, where it took the list to know them (`olderThan`). */
	older?: ReadonlySet<unknown>;
}

/** A job may be missing in a list for so long after its creation was answered. */
export const BEHIND_MS = 5 * MINUTE_MS;

/** What a workspace has spent today, as the service shows it. */
export interface Today {
	credits: number;
	/** The ids of all generations in the list. */
	ids: ReadonlySet<unknown>;
	/** Why it is not known what was spent: then nothing is sent. */
	obstacle?: DayObstacle;
	/** Why `credits` does not count what no list shows: then nothing of that is sent. */
	uncounted?: DayObstacle;
	/** Whether all that is listed is in it, as nobody says what is of today. */
	countsAll?: boolean;
	/** For the next reading of the day; absent where jobs cannot be found again. */
	known?: KnownDay;
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

/**
 * When the day began in a time zone, in milliseconds since the epoch: the earliest moment with its date.
 * Where clocks are changed around midnight, that comes twice or not at all, so the moment when the date
 * changes is looked for. A day that has begun has not been left again in any zone since 2011.
 */
export function startOfDay(now: number, timeZone: string): number {
	const format = new Intl.DateTimeFormat('en-US', { timeZone, dateStyle: 'short' });
	const today = format.format(now);
	// No day has 48 hours.
	let before = now - 2 * DAY_MS;
	let since = now;
	while (since - before > 1) {
		const middle = Math.floor((before + since) / 2);
		if (format.format(middle) === today) since = middle;
		else before = middle;
	}
	return since;
}

/** One page of the list, or why it cannot be read. @param earlierCursors cursors of the pages before it */
async function readPage(read: AskService, cursor?: string, earlierCursors?: ReadonlySet<string>) {
	const query = cursor === undefined ? NEWEST : { ...NEWEST, cursor };
	const answer = await read(ENDPOINTS.listGenerations, query);
	return answer.ok ? pageOf(answer.value.body, earlierCursors) : answer;
}

const hinderedBy = (obstacle: DayObstacle): Today => ({ credits: 0, ids: new Set(), obstacle });

const hindered = (kind: 'tooMany' | 'unsaid', problem: string) => hinderedBy({ kind, problem });

/** Why something could not be read. @param may what the key has to be allowed to, with its scope */
function unreadBy(failed: Failed, what: string, may: string, { scope }: Endpoint): DayObstacle {
	return scope !== undefined && refusalOf(failed) === 'forbidden'
		? { kind: 'forbidden', problem: `the key may not ${may} (scope ${scope})`, scope }
		: { kind: 'unreadable', problem: `${what} could not be read` };
}

/** A page of the list could not be read. */
function unreadList(failed: Failed): Today {
	// Check Setup asks for a few pages only.
	if (failed.failure.kind === 'skipped') return hindered('tooMany', failed.failure.cause);
	const { listGenerations } = ENDPOINTS;
	return hinderedBy(
		unreadBy(failed, 'the list of generations', 'list generations', listGenerations),
	);
}

/** Long before any job. */
const LONG_AGO = '2000-01-01T00:00:00.000Z';

/**
 * Which entries of a list are older than a moment, where they do not say when they were made: those that the
 * list shows from there back. A list that ignores the moment shows the newest jobs, whatever it is asked for.
 * It is known by showing jobs from long ago too, and then it is not known which entries are older.
 */
async function olderThan(read: AskService, since: number, ids: unknown[]) {
	const before = await readPage(read, new Date(since).toISOString());
	if ('failure' in before) return before;
	const older = new Set(before.entries.map(({ id }) => id));
	if (ids.some((id) => !older.has(id))) return { older, isKnown: true };
	const longAgo = ids.length > 0 ? await readPage(read, LONG_AGO) : before;
	const isKnown = 'failure' in longAgo || longAgo.entries.length === 0;
	return isKnown ? { older, isKnown } : { older: new Set<unknown>(), isKnown };
}

const entryOf = (entry: Json, goesOnAt: number): Entry => {
	const madeAt = momentOf(entry.created_at);
	return {
		credits: creditsOf(entry) ?? (entry.status === 'failed' ? 0 : undefined),
		madeAt,
		notBefore: Number.isNaN(madeAt) ? goesOnAt : madeAt,
		isAudio: entry.mode === AUDIO,
		state: jobState(entry),
	};
};

/**
 * The list back to a moment, each entry once. Some of its last page may be older.
 * @param known what is not read again
 */
async function entriesBackTo(
	read: AskService,
	since: number,
	known?: KnownDay,
): Promise<Map<unknown, Entry> | Today> {
	const entries = new Map(known?.entries);
	const backTo = Math.max(since, known?.settledBefore ?? since);
	const cursors = new Set<string>();
	let cursor: string | undefined;
	for (let number = 1; number <= MOST_PAGES; number += 1) {
		if (cursor !== undefined) cursors.add(cursor);
		const page = await readPage(read, cursor, cursors);
		if ('failure' in page) return unreadList(page);
		cursor = page.next;
		// A cursor may be no moment. Then the last entry may say from when the next page is.
		const moments = [momentOf(cursor), momentOf(page.entries.at(-1)?.created_at)];
		const goesOnAt =
			cursor === undefined ? -Infinity : moments.find((moment) => !Number.isNaN(moment));
		for (const entry of page.entries)
			entries.set(entry.id ?? entry, entryOf(entry, goesOnAt ?? -Infinity));
		if (page.deadEnd !== undefined) return hindered('unsaid', page.deadEnd);
		if (goesOnAt === undefined)
			return hindered('unsaid', 'the list does not say from when its jobs are');
		if (goesOnAt < backTo) return entries;
	}
	return hindered('tooMany', 'today has more jobs than can be read');
}

/** The moment before which nothing of what was read is missing or changes any more. */
function settledBefore(entries: Entry[]): number {
	let newest = -Infinity;
	let firstRunning = Infinity;
	for (const { notBefore, state } of entries) {
		newest = Math.max(newest, notBefore);
		if (state === 'running') firstRunning = Math.min(firstRunning, notBefore);
	}
	return Math.min(newest - BEHIND_MS, firstRunning);
}

/** What the generations of the workspace since a moment have reserved. */
async function generationsSince(
	read: AskService,
	since: number,
	known?: KnownDay,
): Promise<Today | Listed> {
	const entries = await entriesBackTo(read, since, known);
	if (!(entries instanceof Map)) return entries;
	const ids = new Set(entries.keys());
	const all = [...entries];
	const isDated = all.every(([, { madeAt }]) => !Number.isNaN(madeAt));
	const knownOlder = known?.older && { older: known.older, isKnown: true };
	const undated = isDated ? undefined : (knownOlder ?? (await olderThan(read, since, [...ids])));
	if (undated && 'failure' in undated) return unreadList(undated);
	const ofToday = all
		.filter(([id, { madeAt }]) => (undated ? !undated.older.has(id) : madeAt >= since))
		.map(([, entry]) => entry);
	if (ofToday.some(({ credits }) => credits === undefined))
		return hindered('unsaid', 'the service does not state what its jobs have cost');
	const sumIn = (some: Entry[]) => totalOf(some.map(({ credits }) => credits));
	// Only jobs that have ended well are in the usage, so only those of the list can be compared with it.
	const audio = sumIn(ofToday.filter(({ isAudio, state }) => isAudio && state === 'good'));
	const older = undated?.isKnown ? undated.older : undefined;
	const haveIds = all.every(([id]) => !isRecord(id));
	const settled = settledBefore(all.map(([, entry]) => entry));
	return {
		credits: sumIn(ofToday),
		audio,
		ids,
		countsAll: undated?.isKnown === false,
		known: haveIds ? { entries, settledBefore: settled, older } : undefined,
	};
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
	const isOfList = (mode: unknown) => GENERATION_MODES.some((one) => one === mode);
	const rows = rowsOf(usage);
	if (rows === undefined) return undefined;
	const others = rows.filter(({ mode }) => textOf(mode) !== undefined && !isOfList(mode));
	const amounts = others.map(creditsOf);
	if (amounts.includes(undefined)) return undefined;
	const audio = rows.filter(({ mode }) => mode === AUDIO).map(creditsOf);
	if (audio.includes(undefined)) return undefined;
	return totalOf(amounts) + Math.max(0, totalOf(audio) - listedAudio);
}

/** What no list shows, in words. */
export const UNLISTED = 'speech, voices, personas and agent runs';

/** Why the usage does not say what that has cost. */
const uncountedBy = (usage: Result<ApiResponse>): DayObstacle =>
	usage.ok
		? { kind: 'unsaid', problem: `the usage does not show what ${UNLISTED} have cost` }
		: unreadBy(usage, 'the usage', 'read the usage', ENDPOINTS.getUsage);

/**
 * What the service shows of what the workspace has spent since a moment.
 * @param known what an earlier reading since the same moment has shown
 */
export async function shownSince(
	since: number,
	read: AskService,
	known?: KnownDay,
): Promise<Today> {
	const listed = await generationsSince(read, since, known);
	if (!('audio' in listed)) return listed;
	const usage = await read(ENDPOINTS.getUsage, usageSince(since));
	const others = usage.ok ? othersIn(usage.value.body, listed.audio) : undefined;
	if (others === undefined) return { ...listed, uncounted: uncountedBy(usage) };
	return { ...listed, credits: listed.credits + others };
}
