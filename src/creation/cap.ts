import { ENDPOINTS } from '../api';
import { fail, type Failed, type Result } from '../base/result';
import { Semaphore } from '../base/semaphore';
import { flagOf } from '../base/values';
import { isRecord, type Channel, type Resource } from '../base/types';
import {
	chargeOf,
	creditsOf,
	priceKindOf,
	PLANNING_CREDITS,
	type Priced,
} from '../transport/priceBook';
import type { Spent } from '../transport/spending';
import { OUT_OF_CREDITS, refusalOf } from '../transport/statuses';
import { AGENT_STATUSES, jobState } from '../transport/jobState';
import { leftOfDay, withinDay } from './day';
import type { Item, Whole } from './item';
import { isTooMuch, toleranceOf } from './limit';
import type { ItemMemory } from './memory';
import { isOutcomeOpen } from './state';

/*
 * Everything that a 402 and Max Credits mean. By _When Credits Run Out_ an item that is refused with 402
 *
 * - `stop`: fails, and the others are not sent. Where n8n's _On Error_ wants rows, only those alike are not
 *   (`refusals.ts`).
 * - `wait`: waits for a top-up, and fails when its time is over; so do the others.
 */

/** Whether the service refused for lack of credits: nothing was created. Specification: Errors 2. */
export const isOutOfCredits = (failed: Failed): boolean => refusalOf(failed) === 'noCredits';

/** Others have found out that there are no credits, and none came in time. */
const NO_CREDITS = fail({
	kind: 'status',
	status: OUT_OF_CREDITS,
	serviceError: {},
	outcomeUnknown: false,
});

/** What a creation has met that waits for a top-up. */
export interface CreditWait {
	/** Whether credits were not known to be lacking when it last began to wait for a slot. */
	wasFree?: boolean;
	/** By when there have to be credits, on the monotonic clock. */
	creditsBy?: number;
	/** How the service last refused it. */
	lackedCredits?: Failed;
}

/** What a creation costs, as far as that is known. */
export interface Charge {
	/** Whether its job was paid for now. */
	isNew: boolean;
	/** What its answer has added to the sum of the execution. */
	counted: number;
	/** The same for all executions of this process. */
	spent?: Spent;
}

/** Under Wait for Top-Up, waits until a creation may be tried. @returns why it may not */
export async function awaitCredits(
	{ settings, workspace: { credits, clock } }: Item,
	channel: Channel,
	wait: CreditWait,
): Promise<Failed | undefined> {
	wait.wasFree = !credits.lacksCredits;
	if (credits.lacksCredits) wait.creditsBy ??= clock.monotonic() + settings.creditWaitTimeoutMs;
	const wasRefused = wait.lackedCredits !== undefined;
	if (await credits.mayTry(channel, wait.creditsBy ?? Infinity, wasRefused)) return undefined;
	if (channel.signal?.aborted) return fail({ kind: 'cancelled' });
	return wait.lackedCredits ?? NO_CREDITS;
}

/**
 * Lets the book of the workspace read what it lacks for these requests: of generations a list says what they
 * have cost.
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
 * What one execution has reserved with all of its MediaGen nodes. In n8n's flow context, which belongs
 * to the execution and is kept over Retry On Fail, Retry Execution and waits.
 */
export class ExecutionCredits {
	/** Under Max Credits one creation is sent at a time, once the price of the one before is known. */
	readonly turn = new Semaphore(1);
	/** Kinds of requests of which one was made without its answer stating a price. */
	private readonly unpriced: Record<string, boolean>;
	/** What each job counts with: a repeated key gives it again, and an approval what its plan has cost. */
	private readonly counted: Record<string, number>;

	constructor(private readonly flow: Record<string, unknown>) {
		flow.mediaGenUnpriced ??= {};
		flow.mediaGenCounted ??= {};
		this.unpriced = flow.mediaGenUnpriced as Record<string, boolean>;
		this.counted = flow.mediaGenCounted as Record<string, number>;
	}

	get reserved(): number {
		const known = Number(this.flow.mediaGenCredits ?? 0);
		return Number.isFinite(known) ? known : 0;
	}

	/** @param credits negative to correct what was only expected */
	add(credits: number): void {
		if (credits !== 0) this.flow.mediaGenCredits = Math.max(0, this.reserved + credits);
	}

	/** Whether a job of this kind was made in this execution and its answer has stated no price. */
	isUnpriced(request: Priced): boolean {
		return this.unpriced[priceKindOf(request)] === true;
	}

	/** A job turns out to have been there before. @param credits what its answer has added */
	forget(id: string, credits: number): void {
		this.add(-credits);
		this.counted[id] = (this.counted[id] ?? 0) - credits;
	}

	/**
	 * @param id of the job that was made
	 * @param said what it has reserved, as far as it says so
	 * @param expected what it was expected to reserve, where that is known
	 * @param mayGrow whether it may still reserve all of that, though it shows less for now
	 * @returns what it adds to the sum
	 */
	addJob(
		id: string,
		request: Priced,
		said: number | undefined,
		expected: number | undefined,
		mayGrow: boolean,
	): number {
		if (said === undefined) this.unpriced[priceKindOf(request)] = true;
		const price = expected ?? 0;
		const reserved = Math.max(said ?? price, mayGrow ? price : 0);
		const known = Object.hasOwn(this.counted, id) ? (this.counted[id] ?? 0) : 0;
		this.counted[id] = Math.max(known, reserved);
		const more = Math.max(0, reserved - known);
		this.add(more);
		return more;
	}
}

const executions = new WeakMap<object, ExecutionCredits>();

/** @param flow the flow context of n8n, the same object for all nodes of an execution */
export function executionCredits(flow: Record<string, unknown>): ExecutionCredits {
	const known = executions.get(flow) ?? new ExecutionCredits(flow);
	executions.set(flow, known);
	return known;
}

/**
 * What is left of Max Credits for a request of this item; `Infinity` without a limit. What it has
 * possibly reserved before is in the sum already.
 */
const leftFor = ({ settings: { maxCredits }, credits, memory }: Item): number =>
	maxCredits - credits.reserved + (memory.expectedCredits ?? 0);

/**
 * The body of a creation: an agent run that approves itself may spend what is left of Max Credits, and says
 * so to the service.
 * @param isShared whether other executions use its key: then the body must not depend on what was spent
 */
export function withBudget(item: Item, body: unknown, isShared: boolean): unknown {
	const { maxCredits, maxCreditsPerDay } = item.settings;
	const left = isShared
		? Math.min(maxCredits, maxCreditsPerDay)
		: Math.min(leftFor(item), leftOfDay(item));
	const isBounded =
		left < Infinity &&
		item.spec.endpoint.path === ENDPOINTS.createAgentRun.path &&
		isRecord(body) &&
		(flagOf(body.auto_approve) ?? false) &&
		typeof body.max_credits !== 'number';
	if (!isBounded) return body;
	// Of at least 1, so that where nothing is left it does not fit.
	const budget = Math.floor(left - PLANNING_CREDITS + toleranceOf(left));
	return { ...body, max_credits: Math.max(1, budget) };
}

const pricedOf = ({ spec }: Item, body: unknown): Priced => ({ endpoint: spec.endpoint, body });

/**
 * What the other parts of an item are yet to pay for: also what another execution has lost, or a 429 has put
 * off, as no sum of this one has it.
 */
function bodiesToCome({ parts }: Whole, asking: ItemMemory): unknown[] {
	const isToCome = ({ memory: { state, expectedCredits } }: Whole['parts'][number]) =>
		state.is === 'new' || (state.is === 'sent' && expectedCredits === undefined);
	return parts
		.filter((part) => part.memory !== asking && isToCome(part) && !part.costsNothing())
		.map(({ body }) => body);
}

/**
 * Why a request must not be sent: its price does not fit under a limit; it is unknown and nothing is left, or
 * one of its kind was made without stating one. As only one request is out at a time, no more than one job of
 * each kind can exceed the limit, and only if nothing was known of its price.
 */
export function withinLimits(item: Item, body: unknown): Failed | undefined {
	const { settings, credits, memory, workspace } = item;
	// It may have been carried out, was let out under these limits, and is in the sums.
	if (memory.expectedCredits !== undefined && isOutcomeOpen(memory.state)) return undefined;
	const { maxCredits } = settings;
	const left = leftFor(item);
	const request = pricedOf(item, body);
	const known = workspace.prices.reservationOf(request);
	const { whole = { parts: [] } } = item;
	if (whole.refusedBy) return whole.refusedBy;
	// What is known to be needed for what follows of the same item goes with it.
	const following = bodiesToCome(whole, memory).map(
		(one) => workspace.prices.reservationOf(pricedOf(item, one)) ?? 0,
	);
	const all = known === undefined ? known : following.reduce((sum, one) => sum + one, known);
	const price = all === undefined && credits.isUnpriced(request) ? null : all;
	whole.refusedBy =
		left === Infinity || !isTooMuch(price, { left, limit: maxCredits })
			? withinDay(item, price)
			: fail({ kind: 'creditCap', maxCredits, reserved: credits.reserved, price });
	return whole.refusedBy;
}

/**
 * Adds to the sums of the execution and of the run what a request has reserved, or may have reserved, and
 * learns its price.
 * @param wasCharged whether what was made was paid for by that: under a key it may have been there before
 */
export function countCredits(
	item: Item,
	body: unknown,
	made: Result<Resource>,
	wasCharged: boolean,
): number {
	const { credits, memory, run, spec, settings, workspace } = item;
	const request = pricedOf(item, body);
	if (made.ok) {
		const job = made.value;
		credits.add(-(memory.expectedCredits ?? 0));
		delete memory.expectedCredits;
		run.doubtful.delete(item.origin.item);
		workspace.prices.teach(request, job);
		const said = creditsOf(job);
		const charge = chargeOf(spec.endpoint, job);
		const expected = workspace.prices.reservationOf(request);
		if (!wasCharged) return 0;
		// An approved run may still reserve all of its budget.
		const mayGrow =
			job.object === 'agent_run' && jobState(job, settings.terminalStatuses) === 'running';
		run.buy(job.id, charge);
		return credits.addJob(job.id, request, said, expected, mayGrow);
	}
	if (memory.expectedCredits !== undefined || !isOutcomeOpen(memory.state)) return 0;
	// If the amount that it may have reserved is unknown, it takes all that is left of the limit.
	const left = leftFor(item);
	const allThatIsLeft = left === Infinity ? 0 : Math.max(0, left);
	const expected = workspace.prices.reservationOf(request) ?? allThatIsLeft;
	if (expected === 0) return 0;
	memory.expectedCredits = expected;
	run.doubtful.set(item.origin.item, expected);
	credits.add(expected);
	return 0;
}

/** A creation goes out: what it may reserve counts for all executions. */
export function beginToSpend(
	item: Item,
	charge: Charge,
	body: unknown,
	key: string | undefined,
): void {
	const { spec, workspace } = item;
	if (!spec.charges) return;
	const isListed = spec.endpoint.path === ENDPOINTS.createGeneration.path;
	const expected = workspace.prices.reservationOf(pricedOf(item, body)) ?? 0;
	charge.spent = workspace.spending.begin(expected, isListed, key);
}

/** Its answer has come, and was counted. */
export function endSpending(
	item: Item,
	{ spent, counted }: Charge,
	made: Result<Resource>,
	body: unknown,
): void {
	const { workspace, memory, spec } = item;
	if (!spent) return;
	const { spending, prices } = workspace;
	if (made.ok) {
		spending.end(spent, counted, made.value);
		// A plan is paid for at once, whenever it is approved.
		const isOfRun = spec.endpoint.path === ENDPOINTS.createAgentRun.path;
		spent.isOver = isOfRun && counted <= PLANNING_CREDITS;
		return;
	}
	if (!isOutcomeOpen(memory.state)) return spending.end(spent, 0);
	// Nobody knows what it costs: then nothing else fits beside it.
	const most = leftOfDay(item) < Infinity ? Math.max(0, leftOfDay(item)) : 0;
	const expected = prices.reservationOf(pricedOf(item, body)) ?? most;
	spending.leaveOpen(spent, expected);
}

/** Its job has ended; a run that waits for its review has not spent all that it has reserved. */
export function noteOver({ spent }: Charge, job: Resource): void {
	const isRun = job.object === 'agent_run';
	if (spent) spent.isOver ||= !isRun || jobState(job, AGENT_STATUSES.afterReview) !== 'running';
}

/** The job was there before: what was counted when its answer came costs nothing. */
export function takeBack({ credits, run, workspace }: Item, charge: Charge, id: string): void {
	if (charge.isNew) credits.forget(id, charge.counted);
	if (charge.spent) workspace.spending.end(charge.spent, 0);
	charge.isNew = false;
	run.wasThere(id);
}
