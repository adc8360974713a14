import type { IDataObject, IExecuteSingleFunctions, NodeApiError } from 'n8n-workflow';
import { KeysOfRun, type KeyClash } from './keyClash';
import { FirstRequestGate } from './firstRequestGate';
import { inputItems, nodeInput } from '../host/nodeInput';
import { jobsSentence, type OtherJob } from './otherJobs';
import type { Prepared } from './prepared';
import type { Result } from '../base/result';
import { asText, type Resource } from '../base/types';

/** Why a run sends nothing further. */
export interface Halt {
	cause: string;
	/** Whether it is for lack of credits. */
	credits: boolean;
}

/** Where in n8n a run of a node takes place. */
export interface RunLocation {
	runIndex: number;
	/** Workflow and node: the same in every execution. */
	node: string;
}

/** The error of an item, until the run has ended. */
interface KeptError {
	error: NodeApiError;
	/** Its description with the counts of the moment. */
	describe: () => string;
	/** The item that throws it; `undefined` for the error of an error item. */
	thrownBy?: number;
}

/**
 * What the items of one run of a node know of each other. n8n starts all of them at once and, without Continue On Fail,
 * throws away the results of all when one fails; so nothing is sent when one of them cannot be right, and the error of
 * a failed run names what exists all the same.
 */
export class Batch {
	private readonly prepared = new Map<number, Result<Prepared>>();

	private readonly jobs = new Map<number, Resource>();

	private readonly errors: KeptError[] = [];

	private readonly keys = new KeysOfRun();

	private faulty = 0;

	private lastJoined = -1;

	private begun = false;

	private ended = 0;

	readonly firstRequest = new FirstRequestGate();

	/** Filled in by the first item that needs it. */
	runLocation: RunLocation | undefined;

	/** Fingerprint of the unevaluated parameters, which all items share; filled in by the first. */
	parameters: string | undefined;

	/** Why nothing further is sent, once that is so. */
	halted: Halt | undefined;

	private readonly stop = new AbortController();

	private ending: AbortSignal | undefined;

	constructor(
		readonly total: number,
		/** Whether n8n starts the items in portions (its batching option), so that not all are known at first. */
		private readonly portioned: boolean,
	) {}

	/**
	 * Whether an item that n8n starts now belongs to this run of the node. n8n starts items in ascending order, and all of
	 * them before the first one runs, unless in portions. So anything else is a new run (Retry On Fail).
	 */
	takes(item: number): boolean {
		return item > this.lastJoined && (this.portioned || !this.begun);
	}

	add(item: number, prepared: Result<Prepared>): void {
		this.prepared.set(item, prepared);
		this.lastJoined = item;
		if (!prepared.ok) this.faulty += 1;
		else this.refuseSharedKey(item, this.keys.clashOf(item, prepared.value));
	}

	/** Neither is sent, as nobody knows which one the key is meant for. */
	private refuseSharedKey(item: number, clash: KeyClash | undefined): void {
		if (!clash) return;
		for (const one of [item, clash.item]) this.prepared.set(one, clash.failed);
		this.faulty += 1;
	}

	/** An item that n8n has begun to run. */
	begin(item: number): Result<Prepared> | undefined {
		this.begun = true;
		return this.prepared.get(item);
	}

	/** Whether the run fails as a whole before anything was sent: a bad item, or n8n itself gave up on one. */
	get isRejected(): boolean {
		return this.faulty > 0 || (!this.portioned && this.prepared.size < this.total);
	}

	created(item: number, job: Resource): void {
		this.jobs.set(item, job);
	}

	/** The first reason counts. */
	halt(reason: Halt): void {
		this.halted ??= reason;
		this.stop.abort();
	}

	/** Fires when the run is halted. */
	get stopping(): AbortSignal {
		return this.stop.signal;
	}

	/**
	 * Fires when the run is halted or cancelled: what waits for its turn to send need not wait.
	 * @param cancel the same for all items of a run
	 */
	stopped(cancel: AbortSignal | undefined): AbortSignal {
		this.ending ??= cancel ? AbortSignal.any([cancel, this.stop.signal]) : this.stop.signal;
		return this.ending;
	}

	get submitted(): number {
		return this.jobs.size;
	}

	get notSubmitted(): number {
		return this.total - this.jobs.size;
	}

	/** Keeps an error until the last item has ended: only then its counts are right and all ids of jobs are known. */
	keepError(kept: KeptError): void {
		this.errors.push(kept);
	}

	/** Completes the errors after the last item: n8n throws one of them, or outputs them, only when all items have ended. */
	end(): void {
		this.ended += 1;
		if (this.ended < this.total) return;
		let first: KeptError | undefined;
		for (const kept of this.errors) {
			kept.error.description = kept.describe();
			const { thrownBy = Infinity } = kept;
			if (thrownBy < (first?.thrownBy ?? Infinity)) first = kept;
		}
		// Of several that are thrown, n8n reports that of the first item.
		if (first) this.nameJobs(first);
	}

	private nameJobs({ error, thrownBy }: KeptError): void {
		const others = this.jobsBut(thrownBy ?? -1);
		if (others.length === 0) return;
		error.description = `${error.description ?? ''} ${jobsSentence(others)}`.trim();
		const data = error.context.data as IDataObject;
		error.context.data = { ...data, otherJobs: others };
	}

	/** The jobs of the other items: that of the failed one its error has named. */
	private jobsBut(own: number): OtherJob[] {
		const jobs = [...this.jobs].filter(([item]) => item !== own).sort(([a], [b]) => a - b);
		return jobs.map(([item, { id, status }]) => ({
			id,
			item,
			status: asText(status) || 'no status',
		}));
	}
}

const batches = new WeakMap<object, Batch>();

/** The batch that an item belongs to, identified by the object that holds the input of a run of the node. */
export function joinBatch(context: IExecuteSingleFunctions, item: number): Batch {
	const run = nodeInput(context);
	const known = batches.get(run);
	if (known?.takes(item)) return known;
	const items = inputItems(context);
	const interval = context.getNodeParameter('requestOptions.batching.batch.batchInterval', 0);
	// With Execute Once n8n takes only the first item.
	const total = context.getNode().executeOnce ? Math.min(1, items.length) : items.length;
	const batch = new Batch(total, Number(interval) > 0);
	batches.set(run, batch);
	return batch;
}

/** The batch of an item that has joined one. */
export const batchOf = (context: IExecuteSingleFunctions): Batch | undefined =>
	batches.get(nodeInput(context));
