import { getOrCreate } from '../../base/maps';
import { Semaphore } from '../../base/semaphore';
import type { Waiter } from '../../base/waitQueue';
import type { Item } from '../item';
import type { Priced } from '../../transport/priceBook';
import type { Workspace } from '../../transport/workspace';
import { askBook } from './creditLimits';

/*
 * The lock that a creation holds under a limit of credits, from before it is sent until it has its answer. So
 * creations go out one after the other there, and each is judged by what those before it have cost.
 */

interface CreditLock {
	/** Gives it to the next. */
	leave(): void;
}

/** The lock of an execution that has a limit, by n8n's object for the execution. */
const locks = new WeakMap<object, Semaphore>();

/**
 * Waits until no other creation of the execution is out and the price of the one before is known.
 * @param isRepetition whether it is known to be only repeated, for nothing
 * @returns `undefined` where it was cancelled meanwhile
 */
export async function takeCreditLock(
	item: Item,
	request: Priced,
	isRepetition: () => boolean,
	waiter: Waiter,
): Promise<CreditLock | undefined> {
	const ofExecution = getOrCreate(locks, item.executionSum.stored, () => new Semaphore(1));
	if (!(await ofExecution.enter(waiter))) return undefined;
	let lock: CreditLock | undefined;
	try {
		// A repetition takes it too: if the service has forgotten its key, no other follows.
		lock = isRepetition()
			? ofExecution
			: await aloneIfUncertain(item, request, ofExecution, waiter);
		return lock;
	} finally {
		if (!lock) ofExecution.leave();
	}
}

/** The lock of a workspace, under a limit of the day, for creations without a certain price. */
const locksOfUncertain = new WeakMap<Workspace, Semaphore>();

/** Under a limit of the day, of all executions one request without a certain price is out at a time. */
async function aloneIfUncertain(
	item: Item,
	request: Priced,
	ofExecution: CreditLock,
	waiter: Waiter,
): Promise<CreditLock | undefined> {
	const { settings, workspace } = item;
	const { prices } = workspace;
	await askBook(item, [request]);
	if (prices.isCertain(request) || settings.maxCreditsPerDay === Infinity) return ofExecution;
	const ofUncertain = getOrCreate(locksOfUncertain, workspace, () => new Semaphore(1));
	if (!(await ofUncertain.enter(waiter))) return undefined;
	// The one before may have told the price: then this one goes out beside the next.
	if (prices.isCertain(request)) {
		ofUncertain.leave();
		return ofExecution;
	}
	const leave = () => {
		ofUncertain.leave();
		ofExecution.leave();
	};
	return { leave };
}
