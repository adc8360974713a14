import { fail, type Failed, type Result } from '../base/result';
import type { Resource } from '../base/types';
import { keyOf } from './itemKey';
import { isOutcomeOpen } from './itemState';
import type { Item } from './item';
import { creditsOf, priceKey, priceKind, spokenLength, statedPrice } from './price';
import { jobState } from '../jobs/jobState';
import type { Created } from '../limits/singleFlight';
import { halted } from './haltRun';
import type { Outgoing } from './post';

type Priced = Pick<Outgoing, 'path' | 'body'>;

/**
 * What a request reserves; `undefined` while nothing like it was created in this process, with as
 * much to speak.
 */
export const knownPrice = (
	{ workspace }: Pick<Item, 'workspace'>,
	request: Priced,
): number | undefined => statedPrice(request) ?? workspace.prices.of(priceKey(request));

/** The same, however much there is to speak. */
const expectedPrice = (item: Item, request: Priced): number | undefined =>
	knownPrice(item, request) ??
	item.workspace.prices.ofKind(priceKind(request), spokenLength(request));

/**
 * Why a request must not be sent: its expected price does not fit under Max Credits, or it is
 * unknown and nothing is left. As only one request is out at a time, no more than one job can
 * exceed the limit.
 */
function exceeded(item: Item, outgoing: Outgoing): Failed | undefined {
	const { settings, credits, memory } = item;
	const { maxCredits } = settings;
	// What this item has possibly reserved before is already in the sum.
	const reserved = credits.reserved - (memory.expectedCredits ?? 0);
	const price = expectedPrice(item, outgoing);
	const isTooMuch = price === undefined ? reserved >= maxCredits : reserved + price > maxCredits;
	if (!isTooMuch) return undefined;
	return fail({ kind: 'creditCap', maxCredits, reserved: credits.reserved, price });
}

/**
 * Names a job by what may give it again: a key that other items and executions share, or the
 * approval of a run that this execution has planned.
 */
function repeatName(item: Item, job: Resource, attempt: number): string | undefined {
	const { settings, origin, memory } = item;
	if (job.object === 'agent_run') return `${origin.executionId} ${job.id}`;
	const isShared = settings.idempotency === 'content' || settings.idempotency === 'custom';
	return isShared ? `${keyOf(item, memory.fingerprint ?? '', attempt)} ${job.id}` : undefined;
}

/**
 * What a job has reserved. Where the response does not say, what it was expected to; and an approved
 * run that has not ended may still reserve all of its budget, though it shows less for now.
 */
function reservedBy(item: Item, outgoing: Outgoing, job: Resource): number | undefined {
	const said = creditsOf(job);
	if (said === undefined) return expectedPrice(item, outgoing);
	const isRunning = jobState(job, item.settings.terminalStatuses) === 'running';
	return isRunning ? Math.max(said, statedPrice(outgoing) ?? 0) : said;
}

/** Adds to the sum of the execution what a request has reserved, or may have reserved. */
function account(item: Item, outgoing: Outgoing, created: Result<Created>): void {
	const { credits, memory, workspace } = item;
	if (created.ok) {
		const { job, attempt } = created.value;
		const named = { ...job, object: job.object ?? item.spec.object };
		const reserved = reservedBy(item, outgoing, named);
		const { prices } = workspace;
		if (reserved !== undefined) {
			prices.noteKind(priceKind(outgoing), spokenLength(outgoing), reserved);
		}
		const added =
			reserved === undefined
				? 0
				: prices.record(priceKey(outgoing), repeatName(item, named, attempt), reserved);
		credits.add(added - (memory.expectedCredits ?? 0));
		delete memory.expectedCredits;
		return;
	}
	if (memory.expectedCredits !== undefined || !isOutcomeOpen(memory.state)) return;
	// If the amount that it may have reserved is unknown, it takes all that is left of the limit.
	const left = Math.max(0, item.settings.maxCredits - credits.reserved);
	const price = expectedPrice(item, outgoing) ?? left;
	if (price === 0) return;
	memory.expectedCredits = price;
	credits.add(price);
}

/**
 * Sends a creation if Max Credits allows it, and adds what it reserves to the sum of the execution.
 * Without a limit nothing waits.
 */
export async function withinCap(
	item: Item,
	outgoing: Outgoing,
	send: () => Promise<Result<Created>>,
): Promise<Result<Created>> {
	const { settings, credits, host, batch, memory } = item;
	// Without a key it is not the request that may have reserved them, so they stay in the sum.
	if (settings.idempotency === 'none') delete memory.expectedCredits;
	if (settings.maxCredits === 0) {
		const created = await send();
		account(item, outgoing, created);
		return created;
	}
	const signal = batch.stopSignal(host.channel.signal);
	const releaseLock = await credits.acquireLock({ ...host.channel, signal });
	if (!releaseLock) return halted(item) ?? fail({ kind: 'cancelled' });
	try {
		const refused = halted(item) ?? exceeded(item, outgoing);
		if (refused) return refused;
		const created = await send();
		account(item, outgoing, created);
		return created;
	} finally {
		releaseLock();
	}
}
