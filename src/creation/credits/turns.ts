import { getOrCreate } from '../../base/maps';
import { Semaphore } from '../../base/semaphore';
import type { Waiter } from '../../base/waitQueue';
import type { Priced } from '../../transport/priceBook';
import type { Workspace } from '../../transport/workspace';
import type { Item } from '../item';
import { askBook } from './creditLimits';

/*
 * Whose turn it is under a limit of credits: creations go out one after the other there, so that each is
 * judged by what those before it have cost.
 */

/** The turn of a creation under a limit of credits. */
interface Turn {
	/** Gives it to the next. */
	leave(): void;
}

/** Creations of an execution that has a limit take turns, by n8n's object for the execution. */
const locks = new WeakMap<object, Semaphore>();

/**
 * Waits for the turn of a creation under a limit: of an execution one is out at a time, each once the price
 * of the one before is known.
 * @param isRepetition whether it is known to be only repeated, for nothing
 * @returns `undefined` where it was cancelled before its turn
 */
export async function takeTurn(
	item: Item,
	request: Priced,
	isRepetition: () => boolean,
	waiter: Waiter,
): Promise<Turn | undefined> {
	const ofExecution = getOrCreate(locks, item.executionSum.flow, () => new Semaphore(1));
	if (!(await ofExecution.enter(waiter))) return undefined;
	let turn: Turn | undefined;
	try {
		// In turn too: if the service has forgotten its key, no other follows.
		turn = isRepetition()
			? ofExecution
			: await aloneIfUncertain(item, request, ofExecution, waiter);
		return turn;
	} finally {
		if (!turn) ofExecution.leave();
	}
}

/** Creations of a workspace without a certain price take turns under a limit of the day. */
const locksOfUncertain = new WeakMap<Workspace, Semaphore>();

/** Under a limit of the day, of all executions one request without a certain price is out at a time. */
async function aloneIfUncertain(
	item: Item,
	request: Priced,
	ofExecution: Turn,
	waiter: Waiter,
): Promise<Turn | undefined> {
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
