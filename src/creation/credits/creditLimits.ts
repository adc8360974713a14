import { ENDPOINTS } from '../../api';
import { fail, type DayObstacle, type Failed } from '../../base/result';
import { isRecord } from '../../base/types';
import { flagOf } from '../../base/values';
import { isOutcomeOpen } from '../idempotency/itemState';
import type { Item, PartsOfItem } from '../item';
import { PLANNING_CREDITS, type Priced } from '../../transport/priceBook';
import { creditsOfToday, isListed, ledgerOf, leftOfDay, leftOfExecution, pricedOf } from './ledger';
import { isTodayGuessed } from './today';

/*
 * What is refused under a limit of credits, _Max Credits per Execution_ or _Max Credits per Day_. Where
 * neither is set, nothing of this decides.
 */

/**
 * Sums of fractions are not exact: three times 0.1 is a little more than 0.3. So this difference of an amount
 * counts as none.
 */
export const toleranceOf = (credits: number): number => 1e-9 * credits;

/** What a request is expected to cost. */
interface Expected {
	/** `null` where the service states no price, `undefined` where nothing is known of it yet. */
	price: number | null | undefined;
	/** Whether that is certain. A guess is no price: what goes out by it may cost any number of credits. */
	isCertain: boolean;
}

/** Whether a request does not fit into what is left of a limit. */
function isTooMuch(
	{ price, isCertain }: Expected,
	{ left, limit }: { left: number; limit: number },
): boolean {
	const tolerance = toleranceOf(limit);
	if (price === null || (!isCertain && left <= tolerance)) return true;
	return price !== undefined && price > left + tolerance;
}

/**
 * Lets the price book of the workspace read the prices that it lacks for these requests. Only generations
 * have a list that says what they have cost.
 */
export async function askBook(
	{ workspace, host, hasService }: Item,
	wanted: readonly Priced[],
): Promise<void> {
	const { path } = ENDPOINTS.createGeneration;
	const listed = wanted.filter(({ endpoint }) => endpoint.path === path);
	if (hasService && listed.length > 0) await workspace.prices.ask(host.channel, listed);
}

/**
 * The body of a creation. An agent run that approves itself decides at the service how much it spends, so its
 * body names what is left of the limits as its budget.
 * @param isMadeByOthers whether other executions make the same request: then the body must not depend on what
 * was spent
 */
export function withBudget(item: Item, body: unknown, isMadeByOthers: boolean): unknown {
	const { maxCredits, maxCreditsPerDay } = item.settings;
	const left = isMadeByOthers
		? Math.min(maxCredits, maxCreditsPerDay)
		: Math.min(leftOfExecution(item), leftOfDay(item));
	const isBounded =
		left < Infinity &&
		item.spec.endpoint.path === ENDPOINTS.createAgentRun.path &&
		isRecord(body) &&
		(flagOf(body.auto_approve) ?? false) &&
		typeof body.max_credits !== 'number';
	if (!isBounded) return body;
	// At least 1: where less is left, a budget of 1 does not fit, and the limit refuses the request.
	const budget = Math.floor(left - PLANNING_CREDITS + toleranceOf(left));
	return { ...body, max_credits: Math.max(1, budget) };
}

/**
 * The bodies of the other parts of an item that are still to be paid for: those that have no job, unless the
 * sum of the execution has them already because they may have been carried out. It does not have a part that
 * another execution has lost, nor one that a 429 has put off.
 */
function bodiesToCome({ memory, executionSum, partsOfItem }: Item): unknown[] {
	const isToCome = (part: PartsOfItem['all'][number]) =>
		!('job' in part.memory.state) && !executionSum.hasOpen(part);
	const others = partsOfItem?.all.filter((part) => part.memory !== memory) ?? [];
	return others.filter((part) => isToCome(part) && !part.repeatsOnly()).map(({ body }) => body);
}

/**
 * What a request is expected to cost, with all parts of its item that are to come and whose prices are known.
 */
function expectedOf(item: Item, body: unknown): Expected {
	const { prices } = item.workspace;
	const request = pricedOf(item, body);
	const isCertain = prices.isCertain(request);
	if (!isCertain && item.executionSum.isUnpriced(request)) return { price: null, isCertain };
	const ownPrice = prices.reservationOf(request);
	if (ownPrice === undefined) return { price: undefined, isCertain };
	const followingPrices = bodiesToCome(item).map(
		(followingBody) => prices.reservationOf(pricedOf(item, followingBody)) ?? 0,
	);
	const price = followingPrices.reduce((sum, one) => sum + one, ownPrice);
	return { price, isCertain };
}

/**
 * Whether a limit may refuse a request, which was not sent yet, only because requests of others had no answer
 * and count with what they may have cost. Another row may be about to ask for one of these again, which shows
 * what it has cost.
 */
export function dependsOnOpen(item: Item): boolean {
	const { executionSum, memory } = item;
	return !isOutcomeOpen(memory.state) && (executionSum.hasAnyOpen || ledgerOf(item).hasAnyOpen);
}

/**
 * Why a request must not be sent: what it is expected to cost does not fit under a limit; that is not certain
 * and nothing is left; one of its kind was made without stating a price; or what was spent is only a guess.
 * Only one request without a certain price is out at a time, also if it has no answer, so a limit is exceeded
 * by one job at most: the first of its exact kind.
 */
export function beyondLimits(item: Item, body: unknown): Failed | undefined {
	// It was sent before and may have been carried out. Then the sums have it, and there may be a job that is
	// paid for.
	if (item.executionSum.hasOpen(item)) return undefined;
	const expected = expectedOf(item, body);
	return beyondExecution(item, expected) ?? beyondDay(item, expected);
}

function beyondExecution(item: Item, expected: Expected): Failed | undefined {
	const { maxCredits } = item.settings;
	if (maxCredits === Infinity) return undefined;
	const { reserved, isGuess } = item.executionSum;
	if (!isGuess && !isTooMuch(expected, { left: leftOfExecution(item), limit: maxCredits }))
		return undefined;
	return fail({ kind: 'creditCap', maxCredits, reserved, price: expected.price, isGuess });
}

const NEVER_READ: DayObstacle = { kind: 'unreadable', problem: 'what was spent is not known' };

const UNANSWERED: DayObstacle = {
	kind: 'unreadable',
	problem: 'nobody knows what a request without an answer has cost',
};

const NO_PRICES: DayObstacle = {
	kind: 'unsaid',
	problem: 'the service does not state what a job costs',
};

function beyondDay(item: Item, expected: Expected): Failed | undefined {
	const { settings, run, memory, spec, workspace } = item;
	const { maxCreditsPerDay } = settings;
	// One that was sent before and may have been carried out is in the sum of the day, whichever execution
	// has sent it.
	if (maxCreditsPerDay === Infinity || isOutcomeOpen(memory.state)) return undefined;
	const today = run.today.get(workspace);
	const unanswered = isTodayGuessed(item) ? UNANSWERED : undefined;
	const uncounted = isListed(spec.endpoint) ? undefined : today?.uncounted;
	const obstacle = today ? (today.obstacle ?? uncounted ?? unanswered) : NEVER_READ;
	const spent = creditsOfToday(item);
	const left = maxCreditsPerDay - spent;
	if (obstacle === undefined && !isTooMuch(expected, { left, limit: maxCreditsPerDay }))
		return undefined;
	const day = { kind: 'dayCap', maxCredits: maxCreditsPerDay, spent } as const;
	const { price } = expected;
	return price === null
		? fail({ ...day, price: undefined, obstacle: NO_PRICES })
		: fail({ ...day, price, obstacle });
}
