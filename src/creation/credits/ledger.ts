import { ENDPOINTS, type Endpoint } from '../../api';
import type { Result } from '../../base/result';
import { DAY_MS } from '../../base/times';
import type { Resource } from '../../base/types';
import { isOutcomeOpen } from '../idempotency/itemState';
import type { Item } from '../item';
import type { ObtainedJob } from '../progress';
import type { Run } from '../run';
import { AGENT_STATUSES, jobState } from '../../transport/jobState';
import {
	chargeOf,
	creditsOf,
	PLANNING_CREDITS,
	priceKindOf,
	type Priced,
} from '../../transport/priceBook';
import { UNLISTED } from './shownToday';
import type { TodayAsOf } from './today';

/*
 * The ledger of credits. A creation that goes out is entered with what it may reserve (`addEntry`), and its
 * answer corrects the entry (`settleEntry`). Later the entry is told how the job has ended (`closeEntry`), or
 * that it had been there before and has cost nothing (`takeBack`).
 *
 * All sums are made of that: those of a run (`accountOf`) and of the day (`today.ts`) add entries up, and
 * n8n stores what the entries of an execution come to (`ExecutionSum`). A limit asks these sums before
 * anything goes out (`creditLimits.ts`). Nothing else counts credits.
 */

/** Whether the list of generations shows what an operation makes. All else is only in the usage. */
export const isListed = ({ path }: Endpoint): boolean => path === ENDPOINTS.createGeneration.path;

/** One creation in the ledger. */
export interface LedgerEntry {
	/** The idempotency key that it was sent under. */
	readonly key?: string;
	/** Whether the list of generations shows its job. */
	readonly isListed: boolean;
	/** When it was sent, in ms since the epoch. */
	readonly sentAt: number;
	/** What it has reserved, or may have. */
	credits: number;
	/** Whether it is known to be only repeated, for nothing. */
	readonly isFree: boolean;
	/** Whether its credits are only a guess, as it had no answer and its price is not certain. */
	isGuess?: boolean;
	/** When its answer came, on the monotonic clock; `undefined` as long as there is none. */
	answeredAt?: number;
	/** Whether its job was made for it, and so paid for. */
	isNew: boolean;
	job?: Pick<Resource, 'id' | 'object'>;
	/** What its answer says that it has reserved, if it says that. */
	stated?: number;
	/** Whether its job may have been there before, which nobody says. */
	mayBeOld?: boolean;
	hasFailed?: boolean;
	/** Whether its job has ended. Then the usage of the workspace contains its credits. */
	isOver?: boolean;
	/** When its job was last read to learn whether it has ended, on the monotonic clock. */
	lookedAt?: number;
}

/** More creations than a workspace makes in a day. */
const MOST_ENTRIES = 20_000;

/** The ledger of a workspace. */
export class Ledger {
	/** What was sent today and before, the oldest first. */
	readonly entries = new Set<LedgerEntry>();
	/** By key, those of which nobody knows whether they were carried out. */
	private readonly open = new Map<string, LedgerEntry>();

	get mayBeForgotten(): boolean {
		return this.entries.size === 0;
	}

	/** After a day no key leads to its job any more, and it is of no day that still counts. */
	removeOld(now: number): void {
		for (const oldest of this.entries) {
			if (this.entries.size < MOST_ENTRIES && now - oldest.sentAt < DAY_MS) break;
			this.remove(oldest);
		}
	}

	/** What was sent under a key, by whichever item, and was not answered. It leads to one job at most. */
	openUnder(key: string | undefined): LedgerEntry | undefined {
		return key === undefined ? undefined : this.open.get(key);
	}

	/** Whether anything was sent under a key and was not answered. */
	get hasAnyOpen(): boolean {
		return this.open.size > 0;
	}

	addOpen(entry: LedgerEntry): void {
		if (entry.key !== undefined) this.open.set(entry.key, entry);
	}

	remove(entry: LedgerEntry): void {
		this.entries.delete(entry);
		if (entry.key !== undefined && this.open.get(entry.key) === entry) this.open.delete(entry.key);
	}
}

/** What of an item its price depends on. @param body as it is sent, or that of one of its parts */
export const pricedOf = (
	{ spec, request }: Pick<Item, 'spec' | 'request'>,
	body = request.body,
): Priced => ({ endpoint: spec.endpoint, body });

export const ledgerOf = ({ workspace }: Pick<Item, 'workspace'>): Ledger =>
	workspace.shared(Ledger);

/**
 * A creation goes out.
 * @param isFree whether it is known to be only repeated
 * @returns its entry; `undefined` where its operation costs nothing
 */
export function addEntry(
	item: Item,
	body: unknown,
	key: string | undefined,
	isFree: boolean,
): LedgerEntry | undefined {
	const { run, spec, workspace } = item;
	if (!spec.charges) return undefined;
	const ledger = ledgerOf(item);
	const now = workspace.clock.now();
	ledger.removeOld(now);
	const isCounted = ledger.openUnder(key) !== undefined;
	const expected = workspace.prices.reservationOf(pricedOf(item, body)) ?? 0;
	const entry: LedgerEntry = {
		key,
		isListed: isListed(spec.endpoint),
		sentAt: now,
		credits: isCounted || isFree ? 0 : expected,
		isFree,
		isNew: false,
	};
	run.entries.add(entry);
	ledger.entries.add(entry);
	return entry;
}

/** It has reserved nothing. */
function voidEntry(item: Item, entry: LedgerEntry): void {
	entry.credits = 0;
	entry.isNew = false;
	item.run.entries.delete(entry);
	ledgerOf(item).remove(entry);
}

/**
 * The answer to a creation has come: its entry has from now on what it has reserved, or may have.
 * @param isNew whether the job was paid for now: under a key it may have been there before
 */
export function settleEntry(
	item: Item,
	entry: LedgerEntry,
	body: unknown,
	made: Result<Pick<ObtainedJob, 'job' | 'isPlan'>>,
	isNew: boolean,
): void {
	const { executionSum, memory, settings, spec, workspace } = item;
	const { clock, prices } = workspace;
	const ledger = ledgerOf(item);
	const request = pricedOf(item, body);
	const open = ledger.openUnder(entry.key);
	if (!made.ok) {
		if (entry.isFree || !isOutcomeOpen(memory.state)) return voidEntry(item, entry);
		const expected = prices.reservationOf(request) ?? 0;
		const isGuess = !prices.isCertain(request);
		executionSum.countOpen(item, expected, isGuess);
		// The day counts it once, however often it is sent.
		if (open) return voidEntry(item, entry);
		entry.credits = expected;
		entry.isGuess = isGuess;
		entry.answeredAt = clock.monotonic();
		ledger.addOpen(entry);
		return;
	}
	const { job, isPlan } = made.value;
	prices.learnFromAnswer(request, job);
	if (open) voidEntry(item, open);
	if (!isNew) return voidEntry(item, entry);
	const statedCredits = creditsOf(job);
	entry.stated = chargeOf(spec.endpoint, job);
	// An approved agent run may still reserve all of its budget, however little it has reserved so far.
	const mayGrow =
		job.object === 'agent_run' && !isPlan && jobState(job, settings.terminalStatuses) === 'running';
	const isExpected = statedCredits === undefined || mayGrow;
	const expected = isExpected ? prices.reservationOf(request) : undefined;
	if (statedCredits === undefined) executionSum.addUnpriced(request);
	entry.credits = executionSum.addJob(job.id, Math.max(statedCredits ?? 0, expected ?? 0));
	entry.job = { id: job.id, object: job.object };
	entry.isNew = true;
	entry.answeredAt = clock.monotonic();
	// A plan is paid for at once, whenever it is approved.
	const plans = spec.endpoint.path === ENDPOINTS.createAgentRun.path;
	entry.isOver = plans && entry.credits <= PLANNING_CREDITS;
}

/**
 * The job has ended. An agent run that waits for its review may still spend what it has reserved.
 * @param isGood whether it has ended well. Whether what a failed job has reserved is given back, the
 * specification does not say, so it counts.
 */
export function closeEntry(entry: LedgerEntry, job: Resource, isGood: boolean): void {
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

/** What is left of Max Credits per Execution; `Infinity` without a limit. */
export const leftOfExecution = ({ executionSum, settings }: Item): number =>
	settings.maxCredits - executionSum.reserved;

export const sumOf = (entries: LedgerEntry[]): number =>
	entries.reduce((sum, { credits }) => sum + credits, 0);

/** What was sent or answered after the day was read (`today.ts`), and whose jobs are not in that. */
export function creditsSince(item: Item, { askedAt, ids }: TodayAsOf): number {
	const isAfter = ({ answeredAt = Infinity, job }: LedgerEntry) =>
		answeredAt > askedAt && !ids.has(job?.id);
	return sumOf([...ledgerOf(item).entries].filter(isAfter));
}

/** What the workspace has spent today, with what this process has sent since it was read. */
export function creditsOfToday(item: Item): number {
	const today = item.run.today.get(item.workspace);
	return today ? today.credits + creditsSince(item, today) : 0;
}

/**
 * What is said of a row under *Max Credits per Day* where that has counted less than its name says;
 * `undefined` where it counts all.
 */
export function dayWarning({ run, settings, workspace }: Item): string | undefined {
	if (settings.maxCreditsPerDay === Infinity) return undefined;
	return run.today.get(workspace)?.uncounted
		? `Max Credits per Day has counted the list of generations only, and not what ${UNLISTED} have cost today`
		: undefined;
}

/** What is left of the day; `Infinity` without a limit. */
export const leftOfDay = (item: Item): number =>
	item.settings.maxCreditsPerDay - creditsOfToday(item);

/** What the jobs of a run have cost, by the answers to its own creations. */
export function accountOf({ entries, jobs }: Run): Account {
	const newJobs = new Map<string, LedgerEntry>();
	for (const entry of entries) if (entry.isNew && entry.job) newJobs.set(entry.job.id, entry);
	const account: Account = { bought: [], mayBeOld: 0, inVain: 0, old: 0 };
	for (const { hasFailed, mayBeOld, stated } of newJobs.values()) {
		if (hasFailed) account.inVain += stated ?? 0;
		else account.bought.push(stated);
		if (mayBeOld && !hasFailed) account.mayBeOld += 1;
	}
	account.old = [...jobs.values()].filter(({ job }) => !newJobs.has(job.id)).length;
	return account;
}

type AskedItem = Pick<Item, 'memory' | 'origin'>;

/** What is stored of an `ExecutionSum`. */
export interface StoredSum {
	sum: number;
	/** What it is made of. */
	amounts: Record<string, number>;
	/** How often it was changed: of two executions of one order, the one with more knows more. */
	changes: number;
	/** Kinds of requests of which one was made without its answer stating a price. */
	unpriced: Record<string, boolean>;
	/** The requests without an answer, and whether their amounts are only guesses. */
	open: Record<string, boolean>;
}

/**
 * What one execution has reserved with all of its MediaGen nodes: by job, as a repeated key gives it again,
 * and an approval adds to what its plan has cost; and by request of unknown outcome. Plain data in n8n's flow
 * context, which belongs to the execution and is kept over Retry On Fail, Retry Execution and waits.
 */
export class ExecutionSum {
	/** The same object for all nodes of an execution, and for all executions of its order in this process. */
	readonly stored: StoredSum;

	/**
	 * @param flow the flow context of n8n
	 * @param known what this process knows of other executions of the same order
	 */
	constructor(flow: Record<string, unknown>, known?: StoredSum) {
		flow.mediaGenSum ??= { sum: 0, amounts: {}, changes: 0, unpriced: {}, open: {} };
		const own = flow.mediaGenSum as StoredSum;
		this.stored = known && known.changes >= own.changes ? known : own;
		flow.mediaGenSum = this.stored;
	}

	get reserved(): number {
		return this.stored.sum;
	}

	/** Only this changes an amount, and the sum with it: each request asks for the sum of thousands. */
	private count(name: string, credits: number): void {
		const { stored } = this;
		stored.sum += credits - (stored.amounts[name] ?? 0);
		stored.changes += 1;
		if (credits > 0) stored.amounts[name] = credits;
		else delete stored.amounts[name];
	}

	/** @returns what a job adds to the sum that has reserved so much by now */
	addJob(id: string, reserved: number): number {
		const before = this.stored.amounts[`job ${id}`] ?? 0;
		const more = Math.max(0, reserved - before);
		this.count(`job ${id}`, before + more);
		return more;
	}

	/** @param credits what the job has added */
	subtractJob(id: string, credits: number): void {
		this.count(`job ${id}`, (this.stored.amounts[`job ${id}`] ?? 0) - credits);
	}

	/** Whether the sum is only a guess: what had no answer may have reserved any number of credits. */
	get isGuess(): boolean {
		return Object.values(this.stored.open).some((isGuess) => isGuess);
	}

	/** Whether a request had no answer. */
	get hasAnyOpen(): boolean {
		return Object.keys(this.stored.open).length > 0;
	}

	/** Whether the request of an item, as it was sent last, counts because it had no answer. */
	hasOpen(item: AskedItem): boolean {
		const name = nameOfOpen(item);
		return name !== undefined && name in this.stored.open;
	}

	/**
	 * The request of an item has no answer.
	 * @param credits what it counts with from now on
	 * @param isGuess whether it may have reserved any number of credits
	 */
	countOpen(item: AskedItem, credits: number, isGuess: boolean): void {
		const name = nameOfOpen(item);
		if (name === undefined) return;
		this.count(name, credits);
		this.stored.open[name] = isGuess;
	}

	/** The request of an item has its answer. */
	subtractOpen(item: AskedItem): void {
		const name = nameOfOpen(item);
		if (name === undefined) return;
		this.count(name, 0);
		delete this.stored.open[name];
	}

	/** The request of an item was taken over from another execution. It counts as in the sum of that. */
	countAsIn({ amounts, open }: StoredSum, item: AskedItem): void {
		const { state } = item.memory;
		if ('job' in state) this.addJob(state.job.id, amounts[`job ${state.job.id}`] ?? 0);
		const name = nameOfOpen(item) ?? '';
		const isGuess = open[name];
		if (isGuess !== undefined) this.countOpen(item, amounts[name] ?? 0, isGuess);
	}

	/** The user was told that the request of an item may have made a job, and goes on all the same. */
	acceptGuess(item: AskedItem): void {
		const name = nameOfOpen(item);
		if (name !== undefined) delete this.stored.open[name];
	}

	addUnpriced(request: Priced): void {
		this.stored.unpriced[priceKindOf(request)] = true;
	}

	/** Whether a job of this kind was made in this execution and its answer has stated no price. */
	isUnpriced(request: Priced): boolean {
		return this.stored.unpriced[priceKindOf(request)] === true;
	}
}

/** A request has one name in all its tries, and the next one under the same key another. */
function nameOfOpen({ memory: { state }, origin }: AskedItem): string | undefined {
	if (state.is !== 'sent') return undefined;
	const unique = state.key ?? `${origin.requester.nodeId} ${origin.place}`;
	return `request ${unique} ${state.firstSentAt}`;
}
