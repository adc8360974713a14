import { ENDPOINTS } from '../../api';
import type { Result } from '../../base/result';
import { DAY_MS } from '../../base/times';
import type { Resource } from '../../base/types';
import { AGENT_STATUSES, jobState } from '../../transport/jobState';
import {
	chargeOf,
	creditsOf,
	PLANNING_CREDITS,
	priceKindOf,
	type Priced,
} from '../../transport/priceBook';
import type { LedgerEntry } from '../../transport/workspace';
import { leftOfDay, leftOfExecution } from './creditLimits';
import type { Item } from '../item';
import { isOutcomeOpen } from '../idempotency/itemState';
import type { Run } from '../run';

/*
 * The ledger of credits. A creation that goes out is entered with what it may reserve (`addEntry`), and its
 * answer corrects the entry (`settleEntry`). Later the entry is told how the job has ended (`noteJobEnd`), or
 * that it had been there before and has cost nothing (`takeBack`).
 *
 * All sums are made of that: those of a run (`accountOf`) and of the day (`today.ts`) add entries up, and
 * n8n stores what the entries of an execution come to (`ExecutionSum`). A limit asks these sums before
 * anything goes out (`creditLimits.ts`). Nothing else counts credits.
 */

/** More creations than a workspace makes in a day. */
const MOST_ENTRIES = 20_000;

/**
 * A creation goes out.
 * @returns its entry; `undefined` where it costs nothing
 */
export function addEntry(
	item: Item,
	body: unknown,
	key: string | undefined,
): LedgerEntry | undefined {
	const { run, spec, workspace } = item;
	const { clock, entries, prices } = workspace;
	if (!spec.charges) return undefined;
	const now = clock.now();
	for (const oldest of entries) {
		// After a day no key leads to its job any more, and it is of no day that still counts.
		if (entries.size < MOST_ENTRIES && now - oldest.sentAt < DAY_MS) break;
		dropEntry(item, oldest);
	}
	const isCounted = openUnder(item, key) !== undefined;
	const expected = prices.reservationOf({ endpoint: spec.endpoint, body }) ?? 0;
	const entry: LedgerEntry = {
		key,
		isListed: spec.endpoint.path === ENDPOINTS.createGeneration.path,
		sentAt: now,
		credits: isCounted ? 0 : expected,
		isNew: false,
	};
	run.entries.add(entry);
	entries.add(entry);
	return entry;
}

/** What was sent under a key, by whichever item, and was not answered. It leads to one job at most. */
const openUnder = ({ workspace }: Item, key: string | undefined): LedgerEntry | undefined =>
	key === undefined ? undefined : workspace.openEntries.get(key);

function dropEntry({ workspace }: Item, entry: LedgerEntry): void {
	const { key } = entry;
	const { entries, openEntries } = workspace;
	entries.delete(entry);
	if (key !== undefined && openEntries.get(key) === entry) openEntries.delete(key);
}

/** It has reserved nothing. */
function voidEntry(item: Item, entry: LedgerEntry): void {
	entry.credits = 0;
	entry.isNew = false;
	item.run.entries.delete(entry);
	dropEntry(item, entry);
}

/** What a request of unknown price may have reserved: all that is left of a limit; nothing without one. */
const allThatIsLeft = (left: number): number => (left === Infinity ? 0 : Math.max(0, left));

/**
 * The answer to a creation has come: its entry has from now on what it has reserved, or may have.
 * @param isNew whether the job was paid for now: under a key it may have been there before
 */
export function settleEntry(
	item: Item,
	entry: LedgerEntry,
	body: unknown,
	made: Result<Resource>,
	isNew: boolean,
): void {
	const { executionSum, memory, settings, spec, workspace } = item;
	const { clock, openEntries, prices } = workspace;
	const request = { endpoint: spec.endpoint, body };
	const open = openUnder(item, entry.key);
	if (!made.ok) {
		if (!isOutcomeOpen(memory.state)) return voidEntry(item, entry);
		const expected = prices.reservationOf(request);
		executionSum.countOpen(item, expected ?? allThatIsLeft(leftOfExecution(item)));
		// The day counts it once, however often it is sent.
		if (open) return voidEntry(item, entry);
		entry.credits = expected ?? allThatIsLeft(leftOfDay(item));
		entry.answeredAt = clock.monotonic();
		if (entry.key !== undefined) openEntries.set(entry.key, entry);
		return;
	}
	prices.learnFromAnswer(request, made.value);
	if (open) voidEntry(item, open);
	if (!isNew) return voidEntry(item, entry);
	const job = made.value;
	const statedCredits = creditsOf(job);
	entry.stated = chargeOf(spec.endpoint, job);
	// An approved agent run may still reserve all of its budget, however little it has reserved so far.
	const mayGrow =
		job.object === 'agent_run' && jobState(job, settings.terminalStatuses) === 'running';
	const isExpected = statedCredits === undefined || mayGrow;
	const expected = isExpected ? prices.reservationOf(request) : undefined;
	if (statedCredits === undefined) executionSum.noteUnpriced(request);
	entry.credits = executionSum.addJob(job.id, Math.max(statedCredits ?? 0, expected ?? 0));
	entry.job = { id: job.id, object: job.object };
	entry.isNew = true;
	entry.answeredAt = clock.monotonic();
	// A plan is paid for at once, whenever it is approved.
	const isPlan = spec.endpoint.path === ENDPOINTS.createAgentRun.path;
	entry.isOver = isPlan && entry.credits <= PLANNING_CREDITS;
}

/**
 * The job has ended. An agent run that waits for its review may still spend what it has reserved.
 * @param isGood whether it has ended well. Whether what a failed job has reserved is given back, the
 * specification does not say, so it counts.
 */
export function noteJobEnd(entry: LedgerEntry, job: Resource, isGood: boolean): void {
	const isAgentRun = job.object === 'agent_run';
	entry.hasFailed = !isGood;
	entry.isOver ||= !isAgentRun || jobState(job, AGENT_STATUSES.afterReview) !== 'running';
}

/** The job had been there before, so what was counted for it when its answer came is taken back. */
export function takeBack(item: Item, entry: LedgerEntry): void {
	const { job, isNew, credits } = entry;
	if (job && isNew) item.executionSum.subtractJob(job.id, credits);
	voidEntry(item, entry);
}

/** What the jobs of a run have cost. */
export interface Account {
	/** What is said of jobs that were paid for and have not failed; `undefined` where nothing is. */
	bought: Array<number | undefined>;
	/** How many of them may have been there before, which nobody says. */
	mayBeOld: number;
	/** What jobs have reserved that have failed. */
	inVain: number;
	/** How many jobs it has that were there before. */
	old: number;
}

/** What the jobs of a run have cost, by the answers to its own creations. */
export function accountOf({ entries, jobs }: Run): Account {
	const newJobs = new Map<string, LedgerEntry>();
	for (const entry of entries) if (entry.isNew && entry.job) newJobs.set(entry.job.id, entry);
	const account: Account = { bought: [], mayBeOld: 0, inVain: 0, old: 0 };
	for (const { hasFailed, seemsOld, stated } of newJobs.values()) {
		if (hasFailed) account.inVain += stated ?? 0;
		else account.bought.push(stated);
		if (seemsOld && !hasFailed) account.mayBeOld += 1;
	}
	account.old = [...jobs.values()].filter(({ job }) => !newJobs.has(job.id)).length;
	return account;
}

type AskedItem = Pick<Item, 'memory' | 'origin'>;

/**
 * What one execution has reserved with all of its MediaGen nodes: by job, as a repeated key gives it again,
 * and an approval adds to what its plan has cost; and by request of unknown outcome. Plain data in n8n's flow
 * context, which belongs to the execution and is kept over Retry On Fail, Retry Execution and waits.
 */
export class ExecutionSum {
	private readonly amounts: Record<string, number>;
	/** Kinds of requests of which one was made without its answer stating a price. */
	private readonly unpriced: Record<string, boolean>;

	/** @param flow the flow context of n8n, the same object for all nodes of an execution */
	constructor(readonly flow: Record<string, unknown>) {
		flow.mediaGenReserved ??= {};
		flow.mediaGenUnpriced ??= {};
		this.amounts = flow.mediaGenReserved as Record<string, number>;
		this.unpriced = flow.mediaGenUnpriced as Record<string, boolean>;
	}

	get reserved(): number {
		return Number(this.flow.mediaGenSum ?? 0);
	}

	/** Only this changes an amount, and the sum with it: each request asks for the sum of thousands. */
	private count(name: string, credits: number): void {
		this.flow.mediaGenSum = this.reserved - (this.amounts[name] ?? 0) + credits;
		if (credits > 0) this.amounts[name] = credits;
		else delete this.amounts[name];
	}

	/** @returns what a job adds to the sum that has reserved so much by now */
	addJob(id: string, reserved: number): number {
		const before = this.amounts[`job ${id}`] ?? 0;
		const more = Math.max(0, reserved - before);
		this.count(`job ${id}`, before + more);
		return more;
	}

	/** @param credits what the job has added */
	subtractJob(id: string, credits: number): void {
		this.count(`job ${id}`, (this.amounts[`job ${id}`] ?? 0) - credits);
	}

	/** What the request of an item counts with whose outcome is open; `undefined` where it does not count. */
	openOf(item: AskedItem): number | undefined {
		const name = nameOfOpen(item);
		return name === undefined ? undefined : this.amounts[name];
	}

	/** @param credits what it counts with from now on; 0 where it does not */
	countOpen(item: AskedItem, credits: number): void {
		const name = nameOfOpen(item);
		if (name !== undefined) this.count(name, credits);
	}

	noteUnpriced(request: Priced): void {
		this.unpriced[priceKindOf(request)] = true;
	}

	/** Whether a job of this kind was made in this execution and its answer has stated no price. */
	isUnpriced(request: Priced): boolean {
		return this.unpriced[priceKindOf(request)] === true;
	}
}

/** A request has one name in all its tries, and the next one under the same key another. */
function nameOfOpen({ memory: { state }, origin }: AskedItem): string | undefined {
	if (state.is !== 'sent') return undefined;
	return `request ${state.key ?? origin.place} ${state.firstSentAt}`;
}
