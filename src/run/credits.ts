import { ENDPOINTS, type Endpoint } from '../contract';
import { fail, type Failed, type Result } from '../base/result';
import { Semaphore } from '../base/semaphore';
import { flagOf } from '../base/values';
import { isRecord, type Channel, type Resource } from '../base/types';
import { OUT_OF_CREDITS, refusalOf } from '../service/statuses';
import { jobState } from '../service/jobState';
import type { Item, Settings } from './item';
import { isOutcomeOpen } from './state';

/*
 * Everything that a 402 and Max Credits mean. _When Credits Run Out_ decides about the items of the run:
 *
 * | value    | the refused item                           | items not sent yet                |
 * | -------- | ------------------------------------------ | --------------------------------- |
 * | stop     | fails                                      | not sent; the run fails           |
 * | continue | becomes an error item                      | not sent; they become error items |
 * | wait     | waits for a top-up; at its timeout as stop | keep trying                       |
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

/** Under Wait for Top-Up, waits until a creation may be tried. @returns why it may not */
export async function awaitCredits(
	{ settings, workspace: { credits, clock } }: Item,
	channel: Channel,
	wait: CreditWait,
): Promise<Failed | undefined> {
	if (settings.onInsufficientCredits !== 'wait') return undefined;
	wait.wasFree = !credits.lacksCredits;
	if (credits.lacksCredits) wait.creditsBy ??= clock.monotonic() + settings.creditWaitTimeoutMs;
	const wasRefused = wait.lackedCredits !== undefined;
	if (await credits.mayTry(channel, wait.creditsBy ?? Infinity, wasRefused)) return undefined;
	if (channel.signal?.aborted) return fail({ kind: 'cancelled' });
	return wait.lackedCredits ?? NO_CREDITS;
}

/** Whether an item failed only for lack of credits, its own or those of the item that halted the run, and becomes a row. */
export function becomesErrorItem(failed: Failed, { onInsufficientCredits }: Settings): boolean {
	const { failure } = failed;
	if (failure.kind === 'skipped') return failure.becomesRow;
	if (onInsufficientCredits !== 'continue') return false;
	return failure.kind === 'creditCap' || isOutOfCredits(failed);
}

/** Planning a run costs this. Specification: Credit rules. */
const PLANNING_CREDITS = 1;

/**
 * The most that a request may reserve, where the specification says so: agent planning costs 1
 * credit, and approved media steps reserve their budget. Specification: Credit rules.
 */
export function statedPrice({ path }: Endpoint, body: unknown): number | undefined {
	if (!isRecord(body)) return undefined;
	const budget = typeof body.max_credits === 'number' ? body.max_credits : undefined;
	if (path === ENDPOINTS.approveAgentRun.path) return budget;
	if (path !== ENDPOINTS.createAgentRun.path) return undefined;
	if (!flagOf(body.auto_approve)) return PLANNING_CREDITS;
	return budget === undefined ? undefined : PLANNING_CREDITS + budget;
}

const isAmount = (value: unknown): value is number =>
	typeof value === 'number' && Number.isFinite(value) && value >= 0;

/**
 * What a job has reserved or spent: of an agent run both, of others `estimated_credits`; where that
 * is not shown (Voice), the first number that is named after credits. `undefined` where the
 * response does not say.
 */
export function creditsOf(job: Resource): number | undefined {
	if (job.object === 'agent_run') {
		const both = [job.reserved_credits, job.spent_credits].filter(isAmount);
		return both.length > 0 ? both.reduce((sum, one) => sum + one, 0) : undefined;
	}
	const isCharge = (name: string) => /credit/i.test(name) && !/max|balance|left|remain/i.test(name);
	const named = Object.entries(job).flatMap(([name, value]) => (isCharge(name) ? [value] : []));
	return [job.estimated_credits, ...named].find(isAmount);
}

/** Requests with the same model and mode are taken to have the same price. */
const requestKindOf = ({ path }: Endpoint, body: unknown): string => {
	const { mode, model } = isRecord(body) ? body : {};
	return JSON.stringify([path, mode, model]);
};

/**
 * What one execution has reserved with all of its MediaGen nodes. In n8n's flow context, which belongs
 * to the execution and is kept over Retry On Fail, Retry Execution and waits.
 */
export class ExecutionCredits {
	/** Under Max Credits one creation is sent at a time, once the price of the one before is known. */
	readonly turn = new Semaphore(1);
	/** By kind of request; `null` where the answer to one has stated none. */
	private readonly prices: Record<string, number | null>;
	/** What each job counts with: a repeated key gives it again, and an approval what its plan has cost. */
	private readonly counted: Record<string, number>;

	constructor(private readonly flow: Record<string, unknown>) {
		flow.mediaGenPrices ??= {};
		flow.mediaGenCounted ??= {};
		this.prices = flow.mediaGenPrices as Record<string, number | null>;
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

	/**
	 * As the specification says, or as the last request of its kind in this execution. `undefined` before the first one, `null`
	 * where the service states no price.
	 */
	priceOf(endpoint: Endpoint, body: unknown): number | null | undefined {
		return statedPrice(endpoint, body) ?? this.prices[requestKindOf(endpoint, body)];
	}

	addJob(endpoint: Endpoint, body: unknown, job: Resource, isRunning: boolean): void {
		const said = creditsOf(job);
		const kind = requestKindOf(endpoint, body);
		if (said !== undefined || this.prices[kind] === undefined) this.prices[kind] = said ?? null;
		const price = this.priceOf(endpoint, body) ?? 0;
		// An approved run may still reserve all of its budget, though it shows less for now.
		const mayGrow = isRunning && job.object === 'agent_run';
		const reserved = Math.max(said ?? price, mayGrow ? price : 0);
		const known = Object.hasOwn(this.counted, job.id) ? (this.counted[job.id] ?? 0) : 0;
		this.counted[job.id] = Math.max(known, reserved);
		this.add(Math.max(0, reserved - known));
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
 * The body of a creation: an agent run that approves itself may spend what is left of Max Credits, and says so to the service.
 * @param isShared whether other executions use its key: then the body must not depend on what this one has reserved
 */
export function withBudget(item: Item, body: unknown, isShared: boolean): unknown {
	const left = isShared ? item.settings.maxCredits : leftFor(item);
	const isBounded =
		left < Infinity &&
		item.spec.endpoint.path === ENDPOINTS.createAgentRun.path &&
		isRecord(body) &&
		(flagOf(body.auto_approve) ?? false) &&
		typeof body.max_credits !== 'number';
	// Of at least 1, so that where nothing is left it does not fit.
	return isBounded
		? { ...body, max_credits: Math.max(1, Math.floor(left - PLANNING_CREDITS)) }
		: body;
}

/**
 * Why a request must not be sent: its expected price does not fit under Max Credits, the answer to one of its kind has stated
 * none, or it is unknown and nothing is left. As only one request is out at a time, no more than one job of unknown price can
 * exceed the limit.
 */
export function withinMaxCredits(item: Item, body: unknown): Failed | undefined {
	const { settings, credits, spec } = item;
	const left = leftFor(item);
	if (left === Infinity) return undefined;
	const price = credits.priceOf(spec.endpoint, body);
	// Sums of fractions are not exact.
	const most = left + 1e-9 * settings.maxCredits;
	const isTooMuch = typeof price === 'number' ? price > most : price === null || left <= 0;
	if (!isTooMuch) return undefined;
	const { maxCredits } = settings;
	return fail({ kind: 'creditCap', maxCredits, reserved: credits.reserved, price });
}

/** Adds to the sum of the execution what a request has reserved, or may have reserved. */
export function countCredits(item: Item, body: unknown, made: Result<Resource>): void {
	const { credits, memory, spec, settings } = item;
	if (made.ok) {
		const job = { object: spec.object, ...made.value };
		credits.add(-(memory.expectedCredits ?? 0));
		delete memory.expectedCredits;
		const isRunning = jobState(job, settings.terminalStatuses) === 'running';
		return credits.addJob(spec.endpoint, body, job, isRunning);
	}
	if (memory.expectedCredits !== undefined || !isOutcomeOpen(memory.state)) return;
	// If the amount that it may have reserved is unknown, it takes all that is left of the limit.
	const left = leftFor(item);
	const allThatIsLeft = left === Infinity ? 0 : Math.max(0, left);
	const expected = credits.priceOf(spec.endpoint, body) ?? allThatIsLeft;
	if (expected === 0) return;
	memory.expectedCredits = expected;
	credits.add(expected);
}
