import type { IExecutePaginationFunctions } from 'n8n-workflow';
import type { Item, Outcome, Park, Parking } from '../transport/item/item';
import { fail, type Result } from '../transport/base/result';
import { subscribe, type EventSubscription } from './eventSubscription';
import { isOver, readPending, outcomeOf, waitsOf, type Wait } from './pendingWaits';

/**
 * The shortest parking, in ms: n8n looks for due executions once a minute, and itself waits in
 * memory for less.
 */
const SHORTEST_MS = 65_000;

const SKIPPED = fail({ kind: 'skipped', cause: 'another item failed', credits: false });

/**
 * The outcome of every wait. Without Continue On Fail the run fails with the first error; the other
 * items are skipped.
 */
async function outcomesOf(waits: Wait[], mustSkip: boolean): Promise<Parking['outcomes']> {
	const outcomes = new Map<number, Result<Outcome>>();
	for (const wait of waits) {
		const { item, job, failed } = wait;
		const result =
			failed ?? (mustSkip || !job ? SKIPPED : await outcomeOf(item, job, isOver(wait)));
		outcomes.set(item.itemIndex, result);
	}
	return outcomes;
}

/** The same failure for every wait that is not over. */
function failAll(waits: Wait[], failed: ReturnType<typeof fail>): void {
	for (const wait of waits) if (!isOver(wait)) wait.failed = { ...failed, job: wait.job };
}

/** A wait that is too short for parking stays in memory. */
async function waitInMemory(waits: Wait[], ms: number): Promise<void> {
	const waiting = waits.map(async (wait) => {
		const { item, job, ref } = wait;
		if (!job || isOver(wait)) return;
		const { path, terminalStatuses } = ref;
		const options = { path, terminalStatuses, isOld: true };
		const ended = await item.workspace.jobPoller.wait(item.host.channel, job, ms, options);
		if (ended.ok) wait.job = ended.value.job;
		else if (ended.failure.kind === 'deadline') wait.job = ended.job ?? job;
		else wait.failed = ended;
	});
	await Promise.all(waiting);
}

/** Registers for events, then reads the jobs once more, so that no end is missed in between. */
async function register(
	waits: Wait[],
	subscription: EventSubscription,
	until: Date,
): Promise<void> {
	const registered = await subscription.open(waits, until);
	if (!registered.ok) failAll(waits, registered);
	else if (registered.value) await readPending(waits, { retry: false });
}

async function parkAll(
	context: IExecutePaginationFunctions,
	waits: Wait[],
	settings: NonNullable<Item['settings']['park']>,
): Promise<Parking> {
	const continues = context.continueOnFail();
	const mustSkip = () => !continues && waits.some(({ failed }) => failed !== undefined);
	const subscription = await subscribe(context, settings.resumeBy);
	if (!subscription.ok) {
		failAll(waits, subscription);
		return { outcomes: await outcomesOf(waits, mustSkip()) };
	}
	await readPending(waits);
	const { maxParkMs } = settings;
	const [first] = waits;
	const isPending = () => !mustSkip() && waits.some((wait) => !isOver(wait));
	let until: Date | undefined;
	if (isPending() && maxParkMs < SHORTEST_MS) await waitInMemory(waits, maxParkMs);
	else if (first && isPending()) {
		until = new Date(first.item.workspace.clock.now() + maxParkMs);
		await register(waits, subscription.value, until);
		if (!isPending()) until = undefined;
	}
	if (until) subscription.value.save(waits);
	else await subscription.value.close();
	return { outcomes: await outcomesOf(waits, mustSkip()), until };
}

/** n8n itself failed, for example to provide the credential. */
const brokenHost = (error: unknown) =>
	fail({
		kind: 'noResponse',
		reason: error instanceof Error ? error.message : 'unknown',
		attempts: 1,
		replayable: true,
		outcomeUnknown: false,
		unsent: 'local',
	});

/**
 * The settings of the item that parks for the shortest time: an execution is parked once for all
 * items.
 */
const settingsOf = (items: Item[]) =>
	items
		.flatMap(({ settings: { park } }) => (park ? [park] : []))
		.sort((a, b) => a.maxParkMs - b.maxParkMs)[0];

/**
 * A parking run: reads all jobs at once, outputs those that have ended, and has the execution
 * parked for the others. It creates nothing, so nothing is lost if a parking gets lost.
 */
export const park: Park = async (context, items) => {
	const waits = waitsOf(context, items);
	const settings = settingsOf(items);
	if (!settings) return { outcomes: new Map() };
	try {
		return await parkAll(context, waits, settings);
	} catch (error) {
		failAll(waits, brokenHost(error));
		return { outcomes: await outcomesOf(waits, false) };
	}
};
