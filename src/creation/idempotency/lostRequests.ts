import { onAbort } from '../../base/abort';
import { systemClock } from '../../base/clock';
import { BoundedMap, getOrCreate } from '../../base/maps';
import { DAY_MS } from '../../base/times';
import type { Clock } from '../../base/types';
import type { ExecutionSum, StoredSum } from '../credits/ledger';
import type { Item } from '../item';
import { rankOf, stageOf, type ItemMemory, type NodeMemory } from './itemState';

/*
 * Whether a request was made before and not delivered. What is remembered of an item is about one request,
 * which is named by its content. An item that asks for the first time looks for what was lost of the same
 * content: first by an earlier run of the node in its own execution, such as another round of a loop, then by
 * another execution. What it finds becomes its own (`goOnWithLost`).
 */

/*
 * What a node remembers of an execution, n8n keeps with the execution, but not always: each click in the
 * editor is a new execution, a stopped one is stored as it was at its start, and each retry of a failed one
 * begins with what that knew, whatever other retries of it have made. So this process keeps the very same
 * objects for a day:
 *
 * - for the editor, what any execution of the workflow has lost: a run of a node has failed, a row has, or
 *   the execution was stopped. The next click that asks for the same takes it over, once.
 * - for production, what executions that were stopped had. A retry for which n8n has kept no memory takes
 *   it over, however often it is retried. Executions that are no retries are other orders.
 * - for production, what failed executions and their retries have come to. A retry of any of them goes on
 *   with what has come furthest (`RetriedOrders`).
 */

/**
 * Makes what was lost of the same request the state of an item. Only one that asks for the first time may
 * take it from another item. Of any one in a retry this process may know more than n8n (`RetriedOrders`).
 */
export function goOnWithLost(item: Item, requestHash: string, isFirst: boolean): void {
	const { executionSum, memory, nodeMemory, origin, lost, host } = item;
	// After a stop nothing is sent: what was taken would be lost for good.
	if (host.channel.signal?.aborted) return;
	const own = isFirst ? takeUnfinished(item, requestHash) : undefined;
	if (own) return goOnWith(memory, own);
	const { mayResumeLost, place, requester } = origin;
	const mayTake = isFirst && mayResumeLost;
	const later = lost.orders.laterThan(nodeMemory.runId, place, memory);
	const taken = mayTake && !later ? lost.take(requestHash, requester) : undefined;
	const known = later ?? taken;
	if (known) goOnWith(memory, known);
	const reservedWith = taken && lost.sumWith(taken);
	if (reservedWith) executionSum.countAsIn(reservedWith, item);
	// If this retry is stopped too, the next one goes on with what this one comes to.
	if (mayTake && lost.isProduction) lost.add(memory, requester, executionSum.stored);
}

/** The memory is copied: the other execution may still get an answer, which it records in its own. */
function goOnWith(memory: ItemMemory, { keySeed, state }: ItemMemory): void {
	memory.keySeed = keySeed;
	memory.state = state;
}

/**
 * Takes a request that an earlier run of the node in this execution has made and got nothing for. From now on
 * it is this item's.
 */
function takeUnfinished({ run, nodeMemory, origin, settings }: Item, requestHash: string) {
	// A call of a tool finds the one that it repeats by its name (`placeOfToolCall` in `n8n/tool.ts`).
	if (settings.isTool) return undefined;
	run.cache.unfinished ??= unfinishedIn(nodeMemory, origin.place);
	const [place, memory] = run.cache.unfinished.get(requestHash)?.shift() ?? [];
	if (place !== undefined) delete nodeMemory.items[place];
	return memory;
}

/** The requests of earlier runs of a node, within one execution, that have not ended well, by their hash. */
export type Unfinished = Map<string, Array<[place: string, memory: ItemMemory]>>;

/** @param place of an item of the run that asks: what its other items have asked for is theirs */
function unfinishedIn({ items }: NodeMemory, place: string): Unfinished {
	const found: Unfinished = new Map();
	for (const [other, memory] of Object.entries(items)) {
		const { requestHash, endedIn } = memory;
		if (requestHash === undefined || endedIn !== undefined || rankOf(memory) === 0) continue;
		if (runOf(other) === runOf(place)) continue;
		getOrCreate(found, requestHash, () => []).push([other, memory]);
	}
	return found;
}

const runOf = (place: string): string => place.slice(0, place.indexOf(':'));

const SWEEP_EVERY_MS = 60_000;

/** The most requests that a pool keeps. Whoever loses more within a day pays again for the oldest. */
const MAX_LOST = 20_000;

/** Who has lost a request, or asks for one. */
export interface Requester {
	execution: string;
	/** Whether that is one in the editor. */
	isManual: boolean;
	/** Workflow and node. */
	nodeId: string;
	/** Of the node. Another node of the workflow with the same one leads to the same jobs. */
	credential: string;
	/**
	 * A hash of what the execution has started with, which a retry of a stopped execution starts with again.
	 */
	startDataHash: () => string;
}

interface Lost {
	/** The very object that its item has, which may be about another request by now. */
	memory: ItemMemory;
	/** What it was lost with. */
	requestHash: string;
	keySeed: string;
	/** On the monotonic clock. */
	since: number;
	/**
	 * Who has lost it, or taken it over last. Not the requester itself: its function holds all data of its
	 * execution.
	 */
	by: Omit<Requester, 'startDataHash'>;
	/** Empty in the editor, which does not ask for it. */
	startDataHash: string;
	/** What its execution has reserved, of which a retry is a part: not in the editor. */
	sum?: StoredSum;
}

/** Requests of the nodes of a workflow that were lost. */
export class LostRequests {
	/** By `requestHash` and `keySeed`. Of one hash, those that were added or taken last are at the end. */
	private readonly requests = new Map<string, Map<string, Lost>>();
	/** All of them, the oldest first. */
	private readonly all = new Map<ItemMemory, Lost>();
	/** What retried executions have come to. */
	readonly orders: RetriedOrders;

	/** @param isProduction whether it is for retries, of which several may go on with the same request */
	constructor(
		readonly isProduction: boolean,
		private readonly clock = systemClock,
	) {
		this.orders = new RetriedOrders(clock);
	}

	add(memory: ItemMemory, requester: Requester, sum?: StoredSum): void {
		const { requestHash, keySeed } = memory;
		if (requestHash === undefined || keySeed === undefined) return;
		this.remove(memory);
		const [oldest] = this.all.values();
		if (oldest && this.all.size >= MAX_LOST) this.forget(oldest);
		const equal = getOrCreate(this.requests, requestHash, () => new Map());
		const { execution, isManual, nodeId, credential } = requester;
		const lost: Lost = {
			memory,
			requestHash,
			keySeed,
			since: this.clock.monotonic(),
			by: { execution, isManual, nodeId, credential },
			startDataHash: this.isProduction ? requester.startDataHash() : '',
			sum,
		};
		equal.set(keySeed, lost);
		this.all.set(memory, lost);
	}

	remove(memory: ItemMemory): void {
		const { requestHash = '', keySeed = '' } = memory;
		this.forget(this.all.get(memory));
		this.forget(this.requests.get(requestHash)?.get(keySeed));
	}

	private forget(lost: Lost | undefined): void {
		if (!lost) return;
		const { memory, requestHash, keySeed } = lost;
		this.all.delete(memory);
		const equal = this.requests.get(requestHash);
		equal?.delete(keySeed);
		if (equal?.size === 0) this.requests.delete(requestHash);
	}

	/**
	 * Takes the request with this content that an execution goes on with. If several were lost, it is one
	 * that has made a job; among these, one that was lost in the same kind of execution, the editor or
	 * production; and among these, the one that was added or taken longest ago.
	 */
	take(requestHash: string, asking: Requester): ItemMemory | undefined {
		let best: ItemMemory | undefined;
		let bestWorth = -1;
		for (const { memory, by, startDataHash } of this.requests.get(requestHash)?.values() ?? []) {
			// What the execution has lost itself is in the memories of its own items.
			if (by.execution === asking.execution || memory.requestHash !== requestHash) continue;
			if (by.nodeId !== asking.nodeId && by.credential !== asking.credential) continue;
			if (this.isProduction && startDataHash !== asking.startDataHash()) continue;
			// Two retries may go on at the same time. What neither has sent yet, both send under one key.
			if (rankOf(memory) === 0 && !this.isProduction) continue;
			const candidateWorth = rankOf(memory) * 2 + Number(by.isManual === asking.isManual);
			if (candidateWorth <= bestWorth) continue;
			bestWorth = candidateWorth;
			best = memory;
		}
		if (!best) return undefined;
		const sum = this.sumWith(best);
		this.remove(best);
		if (this.isProduction) this.add(best, asking, sum);
		return best;
	}

	/** What the execution has reserved that has made this request. */
	sumWith(memory: ItemMemory): StoredSum | undefined {
		return this.all.get(memory)?.sum;
	}

	/** After a day the service has dropped the keys, so that nobody could go on with a request. */
	forgetOld(): void {
		this.orders.forgetOld();
		const end = this.clock.monotonic() - DAY_MS;
		for (const lost of this.all.values()) {
			if (lost.since > end) return;
			this.forget(lost);
		}
	}
}

/** More orders than fail within a day and are retried twice. */
const MOST_ORDERS = 1_000;

interface NotedSince<T> {
	value: T;
	/** On the monotonic clock. */
	since: number;
}

/** Another request of the same item, which the user has changed, has another name. */
const nameInOrder = (runId: string, place: string, { userInputHash }: ItemMemory): string =>
	`${runId} ${place} ${userInputHash}`;

/**
 * What executions in production that have failed, and their retries, have come to: of each request and of the
 * credits, what has come furthest.
 */
export class RetriedOrders {
	/** By `nameInOrder`; the very objects that the items have. */
	private readonly requests = new BoundedMap<string, NotedSince<ItemMemory>>(MAX_LOST);
	/** By order; one object for all of its executions. */
	private readonly sums = new BoundedMap<string, NotedSince<StoredSum>>(MOST_ORDERS);

	constructor(private readonly clock: Clock) {}

	/** An execution has come so far that a retry of an earlier one has to know of it. */
	note({ runId, items }: NodeMemory): void {
		const since = this.clock.monotonic();
		for (const [place, memory] of Object.entries(items)) {
			if (memory.requestHash === undefined || this.laterThan(runId, place, memory)) continue;
			this.requests.set(nameInOrder(runId, place, memory), { value: memory, since });
		}
	}

	/** What an execution has reserved counts for all further ones of its order, also at the same time. */
	noteSum(order: string, { stored }: ExecutionSum): void {
		this.sums.set(order, { value: stored, since: this.clock.monotonic() });
	}

	/** What is known of the item at this place, if that has come further. */
	laterThan(runId: string, place: string, memory: ItemMemory): ItemMemory | undefined {
		const known = this.requests.get(nameInOrder(runId, place, memory))?.value;
		return known && stageOf(known) > stageOf(memory) ? known : undefined;
	}

	/** What the executions of an order have reserved, as far as this process knows. */
	sumOf(order: string): StoredSum | undefined {
		return this.sums.get(order)?.value;
	}

	/** After a day keys are over. */
	forgetOld(): void {
		const end = this.clock.monotonic() - DAY_MS;
		for (const kept of [this.requests, this.sums])
			for (const [name, { since }] of kept) {
				if (since > end) break;
				kept.delete(name);
			}
	}
}

/** An execution, as far as a node knows it. */
export interface KnownExecution {
	nodeMemory: NodeMemory;
	executionSum: ExecutionSum;
	requester: Requester;
}

/** Both pools of a workflow. */
export class LostOfWorkflow {
	readonly editor: LostRequests;
	readonly production: LostRequests;
	/** The memories of executions whose stop is noticed. */
	private readonly watched = new WeakSet<NodeMemory>();
	/** The memories of executions that have lost all that they had. */
	private readonly lostAll = new WeakSet<NodeMemory>();

	constructor(clock = systemClock) {
		this.editor = new LostRequests(false, clock);
		this.production = new LostRequests(true, clock);
	}

	/** The one in which an execution looks. */
	poolOf({ isManual }: Requester): LostRequests {
		return isManual ? this.editor : this.production;
	}

	/**
	 * Hears at once when an execution is stopped, which its runs may notice much later, or never. n8n keeps
	 * nothing of what the execution has remembered then, so all that its runs have made is lost.
	 */
	watch(signal: AbortSignal | undefined, known: KnownExecution): void {
		const { nodeMemory } = known;
		if (this.watched.has(nodeMemory)) return;
		this.watched.add(nodeMemory);
		onAbort(signal, () => this.executionStopped(known));
	}

	private executionStopped({ nodeMemory, executionSum, requester }: KnownExecution): void {
		this.lostAll.add(nodeMemory);
		for (const memory of Object.values(nodeMemory.items)) {
			this.editor.add(memory, requester);
			if (!requester.isManual) this.production.add(memory, requester, executionSum.stored);
		}
		if (!requester.isManual) this.production.orders.note(nodeMemory);
	}

	/**
	 * A run of the node has ended. If it has failed, n8n gives out nothing of the earlier rounds of a loop
	 * either, so they are lost too, until a later try of the run succeeds.
	 * @param items of that run
	 */
	runEnded(
		{ nodeMemory, executionSum, requester }: KnownExecution,
		items: ItemMemory[],
		hasFailed: boolean,
	): void {
		const isMended = this.lostAll.has(nodeMemory) && !hasFailed;
		if (hasFailed) this.lostAll.add(nodeMemory);
		else this.lostAll.delete(nodeMemory);
		const concerned = hasFailed || isMended ? Object.values(nodeMemory.items) : items;
		for (const memory of concerned) {
			if (hasFailed || memory.endedIn === undefined) this.editor.add(memory, requester);
			else this.editor.remove(memory);
		}
		if (requester.isManual) return;
		const { startedIn, startedInRetry = false } = nodeMemory;
		const isRetry = startedInRetry || startedIn !== requester.execution;
		const isDelivered = !hasFailed && items.every(({ endedIn }) => endedIn !== undefined);
		if (isRetry || !isDelivered) this.production.orders.note(nodeMemory);
		// Of what they all retry, n8n has no memory: a further retry of that finds it by its content.
		if (startedInRetry)
			for (const memory of concerned) this.production.add(memory, requester, executionSum.stored);
	}

	forgetOld(): void {
		this.editor.forgetOld();
		this.production.forgetOld();
	}
}

const workflows = new Map<string, LostOfWorkflow>();

/** When what is old was last forgotten, on the monotonic clock. */
let sweptAt = -Infinity;

/** @param workflow its id, or what stands for it where n8n has none */
export function lostRequestsOf(workflow: string): LostOfWorkflow {
	const ofWorkflow = getOrCreate(workflows, workflow, () => new LostOfWorkflow());
	const now = systemClock.monotonic();
	if (now - sweptAt < SWEEP_EVERY_MS) return ofWorkflow;
	sweptAt = now;
	// Also of workflows that are never executed again.
	for (const each of workflows.values()) each.forgetOld();
	return ofWorkflow;
}
