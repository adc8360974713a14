import { onAbort } from '../base/abort';
import { systemClock } from '../base/clock';
import { DAY_MS } from '../base/times';
import type { ItemMemory, NodeMemory } from './memory';
import type { ItemState } from './state';

/*
 * What a node remembers of an execution, n8n keeps with the execution, but not always: each click in the
 * editor is a new execution, and a stopped one is stored as it was at its start. So this process keeps the
 * very same objects for a day:
 *
 * - for the editor, what any execution of the workflow has lost: a run of a node has failed, a row has, or
 *   the execution was stopped. The next click that asks for the same takes it over, once.
 * - for production, what executions that were stopped had. A retry for which n8n has kept no memory takes
 *   it over, however often it is retried. Executions that are no retries are other orders.
 */

const SWEEP_EVERY_MS = 60_000;

/** Of a pool. Whoever loses more within a day pays for the oldest again. */
const MAX_LOST = 20_000;

/** Who has lost a request, or asks for one. */
export interface Owner {
	execution: string;
	/** Whether that is one in the editor. */
	isManual: boolean;
	/** Workflow and node. */
	node: string;
	/** Of the node. Another node of the workflow with the same one leads to the same jobs. */
	credential: string;
	/**
	 * A hash of what the execution has started with, which a retry of a stopped execution starts with again.
	 */
	order: () => string;
}

interface Lost {
	/** May be about another request by now. */
	memory: ItemMemory;
	/** What it was lost with. */
	content: string;
	scope: string;
	/** On the monotonic clock. */
	since: number;
	/** Who has lost it, or taken it over last. */
	owner: Owner;
}

/** What is worth most: a job, then a request that may have made one. */
const RANKS: Record<ItemState['is'], number> = { done: 2, created: 2, sent: 1, new: 0 };

export const rankOf = ({ state }: ItemMemory): number => RANKS[state.is];

/** How far the request of an item has come. */
const progressOf = (memory: ItemMemory): number => memory.state.nextKey * 3 + rankOf(memory);

/** Requests of the nodes of a workflow that were lost. */
export class LostRequests {
	/** By content and scope; of equal ones the one that was added or taken last at the end. */
	private readonly requests = new Map<string, Map<string, Lost>>();
	/** All of them, the oldest first. */
	private readonly all = new Map<ItemMemory, Lost>();

	/** @param isProduction whether it is for retries: several of one order may go on with the same request */
	constructor(
		readonly isProduction: boolean,
		private readonly clock = systemClock,
	) {}

	add(memory: ItemMemory, owner: Owner): void {
		const { content, scope } = memory;
		if (content === undefined || scope === undefined) return;
		this.remove(memory);
		const [oldest] = this.all.values();
		if (oldest && this.all.size >= MAX_LOST) this.forget(oldest);
		const equal = this.requests.get(content) ?? new Map<string, Lost>();
		this.requests.set(content, equal);
		const lost: Lost = { memory, content, scope, since: this.clock.monotonic(), owner };
		equal.set(scope, lost);
		this.all.set(memory, lost);
	}

	remove(memory: ItemMemory): void {
		const { content = '', scope = '' } = memory;
		this.forget(this.all.get(memory));
		this.forget(this.requests.get(content)?.get(scope));
	}

	private forget(lost: Lost | undefined): void {
		if (!lost) return;
		const { memory, content, scope } = lost;
		this.all.delete(memory);
		const equal = this.requests.get(content);
		equal?.delete(scope);
		if (equal?.size === 0) this.requests.delete(content);
	}

	/**
	 * What is known of the same request, if that has come further: n8n hands a retry that was stopped on with
	 * the memory of its start.
	 */
	laterThan(memory: ItemMemory): ItemMemory | undefined {
		const { content = '', scope = '' } = memory;
		const known = this.requests.get(content)?.get(scope)?.memory;
		return known && progressOf(known) > progressOf(memory) ? known : undefined;
	}

	/**
	 * What an execution goes on with that asks for this content: of equal ones one with a job, then one of
	 * its own kind, and then the one that nobody has taken for longest.
	 */
	take(content: string, asking: Owner): ItemMemory | undefined {
		let best: ItemMemory | undefined;
		let worth = 0;
		for (const { memory, owner } of this.requests.get(content)?.values() ?? []) {
			// What an execution has lost itself, it knows by its own memory.
			if (owner.execution === asking.execution || memory.content !== content) continue;
			if (owner.node !== asking.node && owner.credential !== asking.credential) continue;
			if (this.isProduction && owner.order() !== asking.order()) continue;
			if (rankOf(memory) === 0) continue;
			const its = rankOf(memory) * 2 + Number(owner.isManual === asking.isManual);
			if (its <= worth) continue;
			worth = its;
			best = memory;
		}
		if (!best) return undefined;
		this.remove(best);
		if (this.isProduction) this.add(best, asking);
		return best;
	}

	/** Keys are over after a day, and so is the price of memory that nobody asks for. */
	forgetOld(): void {
		const end = this.clock.monotonic() - DAY_MS;
		for (const lost of this.all.values()) {
			if (lost.since > end) return;
			this.forget(lost);
		}
	}
}

/** Both pools of a workflow. */
export class LostOfWorkflow {
	readonly editor: LostRequests;
	readonly production: LostRequests;
	/** The memories of executions whose stop is heard. */
	private readonly watched = new WeakSet<NodeMemory>();
	/** The memories of executions that have lost all that they had. */
	private readonly lostAll = new WeakSet<NodeMemory>();

	constructor(clock = systemClock) {
		this.editor = new LostRequests(false, clock);
		this.production = new LostRequests(true, clock);
	}

	/** The one in which an execution looks. */
	poolOf({ isManual }: Owner): LostRequests {
		return isManual ? this.editor : this.production;
	}

	/**
	 * Hears when an execution is stopped, which its runs may hear much later, or never: n8n keeps none of its
	 * memory then, so what it had been given of any run is lost.
	 */
	watch(signal: AbortSignal | undefined, node: NodeMemory, owner: Owner): void {
		if (this.watched.has(node)) return;
		this.watched.add(node);
		onAbort(signal, () => this.stopped(node, owner));
	}

	private stopped(node: NodeMemory, owner: Owner): void {
		this.lostAll.add(node);
		for (const memory of Object.values(node.items)) {
			this.editor.add(memory, owner);
			if (!owner.isManual) this.production.add(memory, owner);
		}
	}

	/**
	 * A run of the node has ended. With one that has failed n8n loses the earlier rounds of a loop too; a
	 * later try of it may mend that.
	 * @param items of that run
	 */
	ended(node: NodeMemory, items: ItemMemory[], owner: Owner, hasFailed: boolean): void {
		const isMended = this.lostAll.has(node) && !hasFailed;
		if (hasFailed) this.lostAll.add(node);
		else this.lostAll.delete(node);
		const concerned = hasFailed || isMended ? Object.values(node.items) : items;
		for (const memory of concerned) {
			if (hasFailed || memory.endedIn === undefined) this.editor.add(memory, owner);
			else this.editor.remove(memory);
		}
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
	const known = workflows.get(workflow) ?? new LostOfWorkflow();
	workflows.set(workflow, known);
	const now = systemClock.monotonic();
	if (now - sweptAt < SWEEP_EVERY_MS) return known;
	sweptAt = now;
	// Also of workflows that are never executed again.
	for (const each of workflows.values()) each.forgetOld();
	return known;
}
