import { ENDPOINTS } from '../../contract';
import { fail, refusalStatusOf, type Failed, type Result } from '../base/result';
import { Semaphore } from '../base/semaphore';
import { isRecord, type ApiRequest, type Channel, type Resource } from '../base/types';
import type { Item } from './item';
import { isOutcomeOpen } from './itemState';
import type { Settings } from './settings';

/**
 * Everything that a 402 and Max Credits mean. _When Credits Run Out_ decides about the items of the
 * run:
 *
 * | value | the refused item | items not sent yet |
 * | -------- | ------------------------------------------ | --------------------------------- |
 * | stop | fails | not sent; the run fails |
 * | continue | becomes an error item | not sent; they become error items |
 * | wait | waits for a top-up; at its timeout as stop | keep trying |
 *
 * While a workspace is out of credits, the waiting items of all executions share one attempt in a
 * while (`limits/creditGate.ts`).
 */

/**
 * Whether the service refused for lack of credits: nothing was created. Specification: Errors 2.
 */
export const isOutOfCredits = (failed: Failed): boolean => refusalStatusOf(failed) === 402;

/** Whether an item failed only for lack of credits, and the user wants error items for that. */
export function becomesErrorItem(failed: Failed, { onInsufficientCredits }: Settings): boolean {
	const { failure } = failed;
	const lacksCredits =
		failure.kind === 'skipped'
			? failure.credits
			: failure.kind === 'creditCap' || isOutOfCredits(failed);
	return lacksCredits && onInsufficientCredits === 'continue';
}

type Priced = Pick<ApiRequest, 'path' | 'body'>;

const approvesRun = (path: string) => {
	const [before = '', after = ''] = ENDPOINTS.approveAgentRun.path.split('{id}');
	return path.startsWith(before) && path.endsWith(after);
};

/** Planning a run costs this. Specification: Credit rules. */
const PLANNING_CREDITS = 1;

/**
 * The most that a request may reserve, where the specification says so: agent planning costs 1
 * credit, and approved media steps reserve their budget. Specification: Credit rules.
 */
export function statedPrice({ path, body }: Priced): number | undefined {
	if (!isRecord(body)) return undefined;
	const budget = typeof body.max_credits === 'number' ? body.max_credits : undefined;
	if (approvesRun(path)) return budget;
	if (path !== ENDPOINTS.createAgentRun.path) return undefined;
	if (body.auto_approve !== true) return PLANNING_CREDITS;
	return budget === undefined ? undefined : PLANNING_CREDITS + budget;
}

const asCredits = (value: unknown): number | undefined =>
	typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;

/**
 * What a job has reserved or spent: of an agent run both, of others `estimated_credits`; where that
 * is not shown (Voice), the first number that is named after credits. `undefined` where the
 * response does not say.
 */
export function creditsOf(job: Resource): number | undefined {
	const { object, reserved_credits: reserved, spent_credits: spent } = job;
	if (object === 'agent_run') {
		const both = [asCredits(reserved), asCredits(spent)].filter((one) => one !== undefined);
		return both.length > 0 ? both.reduce((sum, one) => sum + one, 0) : undefined;
	}
	const named = Object.entries(job).filter(
		([name]) => /credit/i.test(name) && !/max|balance|left|remain/i.test(name),
	);
	const values = named.map(([, value]) => asCredits(value));
	return asCredits(job.estimated_credits) ?? values.find((value) => value !== undefined);
}

/** Requests with the same model and mode are taken to have the same price. */
const kindOf = ({ path, body }: Priced): string => {
	const { mode, model } = isRecord(body) ? body : {};
	return JSON.stringify([path, mode, model]);
};

/**
 * In n8n's flow context, which belongs to the execution and is kept over Retry On Fail, Retry
 * Execution and waits.
 */
const FIELD = 'mediaGenCredits';
const PRICES = 'mediaGenPrices';

/** What one execution has reserved with all of its MediaGen nodes. */
export class ExecutionCredits {
	/** Under Max Credits one creation is sent at a time, once the price of the one before is known. */
	readonly turn = new Semaphore(1);

	/** What each job counts with: a repeated key gives it again, and an approval what its plan has cost. */
	private readonly counted = new Map<string, number>();

	constructor(private readonly flow: Record<string, unknown>) {}

	get reserved(): number {
		const known = Number(this.flow[FIELD] ?? 0);
		return Number.isFinite(known) ? known : 0;
	}

	/** @param credits negative to correct what was only expected */
	add(credits: number): void {
		if (credits !== 0) this.flow[FIELD] = Math.max(0, this.reserved + credits);
	}

	/** By kind of request. */
	private get prices(): Record<string, number> {
		return (this.flow[PRICES] ??= {}) as Record<string, number>;
	}

	/** As the specification says, or as the last request of its kind in this execution. */
	priceOf(request: Priced): number | undefined {
		return statedPrice(request) ?? this.prices[kindOf(request)];
	}

	/** Adds what a job has reserved. */
	addJob(request: Priced, job: Resource, isRunning: boolean): void {
		const said = creditsOf(job);
		if (said !== undefined) this.prices[kindOf(request)] = said;
		// An approved run may still reserve all of its budget, though it shows less for now.
		const budget = isRunning && job.object === 'agent_run' ? (statedPrice(request) ?? 0) : 0;
		const reserved = Math.max(said ?? this.priceOf(request) ?? 0, budget);
		const known = this.counted.get(job.id) ?? 0;
		this.counted.set(job.id, Math.max(known, reserved));
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

/** What is left of Max Credits for a request of this item; `Infinity` without a limit. */
const leftFor = ({ settings, credits, memory }: Item): number =>
	settings.maxCredits === 0
		? Infinity
		: // What this item has possibly reserved before is already in the sum.
			settings.maxCredits - (credits.reserved - (memory.expectedCredits ?? 0));

/** An agent run that approves itself may spend what is left of Max Credits, and says so to the service. */
function withinBudget(item: Item, request: Priced): Priced {
	const { path, body } = request;
	const left = leftFor(item);
	const approvesItself =
		path === ENDPOINTS.createAgentRun.path && isRecord(body) && body.auto_approve === true;
	if (!approvesItself || left === Infinity) return request;
	// Of at least 1, so that where nothing is left it does not fit.
	const most = Math.max(1, Math.floor(left - PLANNING_CREDITS));
	const { max_credits: own } = body;
	return { path, body: { ...body, max_credits: typeof own === 'number' ? own : most } };
}

/**
 * Why a request must not be sent: its expected price does not fit under Max Credits, or it is
 * unknown and nothing is left. As only one request is out at a time, no more than one job of unknown
 * price can exceed the limit.
 */
function exceeded(item: Item, request: Priced): Failed | undefined {
	const { maxCredits } = item.settings;
	const left = leftFor(item);
	const price = item.credits.priceOf(request);
	const isTooMuch = price === undefined ? left <= 0 : price > left;
	return isTooMuch
		? fail({ kind: 'creditCap', maxCredits, reserved: item.credits.reserved, price })
		: undefined;
}

/** Adds to the sum of the execution what a request has reserved, or may have reserved. */
function account(item: Item, request: Priced, made: Result<Resource>, isRunning: boolean): void {
	const { credits, memory } = item;
	if (made.ok) {
		credits.add(-(memory.expectedCredits ?? 0));
		delete memory.expectedCredits;
		credits.addJob(request, { object: item.spec.object, ...made.value }, isRunning);
		return;
	}
	if (memory.expectedCredits !== undefined || !isOutcomeOpen(memory.state)) return;
	// If the amount that it may have reserved is unknown, it takes all that is left of the limit.
	const left = leftFor(item);
	const expected = credits.priceOf(request) ?? (left === Infinity ? 0 : Math.max(0, left));
	if (expected === 0) return;
	memory.expectedCredits = expected;
	credits.add(expected);
}

/**
 * Sends a creation if Max Credits allows it, and adds what it reserves to the sum of the execution.
 * Without a limit nothing waits.
 */
export async function withinMaxCredits(
	item: Item,
	channel: Channel,
	request: Priced,
	isRunning: (job: Resource) => boolean,
	send: (request: Priced) => Promise<Result<Resource>>,
): Promise<Result<Resource> | undefined> {
	const { settings, credits, memory } = item;
	// Without a key it is not the request that may have reserved them, so they stay in the sum.
	if (settings.idempotency === 'none') delete memory.expectedCredits;
	const sendAndCount = async (bounded: Priced) => {
		const made = await send(bounded);
		account(item, bounded, made, made.ok && isRunning(made.value));
		return made;
	};
	if (settings.maxCredits === 0) return await sendAndCount(request);
	return await credits.turn.run(channel, async () => {
		const bounded = withinBudget(item, request);
		return exceeded(item, bounded) ?? (await sendAndCount(bounded));
	});
}
