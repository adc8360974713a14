import type { IExecuteSingleFunctions, NodeApiError, NodeOperationError } from 'n8n-workflow';
import { Lead } from './lead';
import type { Result } from './result';
import type { Settings } from './settings';
import type { ApiRequest, Resource } from './types';

/** An item whose parameters have been checked: nothing about it is known to be wrong. */
export interface Prepared {
	request: ApiRequest;
	settings: Settings;
}

/** Why a run sends nothing further. */
export interface Halt {
	cause: string;
	/** Whether it is for lack of credits. */
	credits: boolean;
}

/** Where in n8n a run of a node takes place. */
export interface Place {
	runIndex: number;
	/** Workflow and node: the same in every execution. */
	node: string;
}

type NodeError = NodeApiError | NodeOperationError;

/**
 * What the items of one run of a node know of each other. n8n starts all of them at once and, without Continue On Fail,
 * throws away the results of all when one fails; so nothing is sent when one of them cannot be right, and the error of
 * a failed run names what exists all the same.
 */
export class Batch {
	private readonly prepared = new Map<number, Result<Prepared>>();

	private readonly jobs = new Map<number, Resource>();

	private readonly errors: Array<{ error: NodeError; description: string }> = [];

	/** The items of each content, in the order in which they are asked for. */
	private readonly contents = new Map<string, number[]>();

	readonly lead = new Lead();

	/** Filled in by the first item that needs it. */
	place: Place | undefined;

	/** Why nothing further is sent, once that is so. */
	halted: Halt | undefined;

	private readonly stop = new AbortController();

	private ending: AbortSignal | undefined;

	constructor(
		private readonly total: number,
		/** Whether n8n starts the items in portions (its batching option), so that not all are known at first. */
		private readonly portioned: boolean,
	) {}

	has(item: number): boolean {
		return this.prepared.has(item);
	}

	add(item: number, prepared: Result<Prepared>): void {
		this.prepared.set(item, prepared);
	}

	of(item: number): Result<Prepared> | undefined {
		return this.prepared.get(item);
	}

	/** Whether the run fails as a whole before anything was sent: a bad item, or n8n itself gave up on one. */
	get isDoomed(): boolean {
		if (!this.portioned && this.prepared.size < this.total) return true;
		return [...this.prepared.values()].some((prepared) => !prepared.ok);
	}

	created(item: number, job: Resource): void {
		this.jobs.set(item, job);
	}

	/** The how-manieth item with this content an item is: tells identical items of one run apart. */
	ordinal(print: string, item: number): number {
		const same = this.contents.get(print) ?? [];
		this.contents.set(print, same.includes(item) ? same : [...same, item]);
		return (this.contents.get(print) ?? []).indexOf(item);
	}

	/** The first reason counts. */
	halt(reason: Halt): void {
		this.halted ??= reason;
		this.stop.abort();
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

	/** Keeps an error that is going to be thrown, to complete it with the ids of jobs that come after it. */
	fails(error: NodeError): NodeError {
		this.errors.push({ error, description: error.description ?? '' });
		this.tellJobs();
		return error;
	}

	/** Brings the errors of this run up to date. n8n throws one of them only when all items have ended. */
	tellJobs(): void {
		if (this.errors.length === 0 || this.jobs.size === 0) return;
		const told = this.jobList();
		for (const { error, description } of this.errors) error.description = `${description}${told}`;
	}

	private jobList(): string {
		const jobs = [...this.jobs].sort(([a], [b]) => a - b);
		const named = jobs.map(([item, { id, status }]) => `${id} (item ${item}, ${String(status)})`);
		return (
			` Jobs of this run that exist and can be fetched by their id: ${named.join(', ')}.` +
			' Retrying this execution continues with them instead of paying again.'
		);
	}
}

const batches = new WeakMap<object, Batch>();

/**
 * The batch that an item belongs to, told by the object that n8n makes for each run of a node.
 * @param item when it is in the batch already, n8n is running the whole node again (Retry On Fail): a new batch begins
 */
export function joinBatch(context: IExecuteSingleFunctions, item: number): Batch {
	const run = context.getExecuteData();
	const known = batches.get(run);
	if (known && !known.has(item)) return known;
	const items = run.data.main?.[0] ?? run.data.ai_tool?.[0] ?? [];
	const interval = context.getNodeParameter('requestOptions.batching.batch.batchInterval', 0);
	// With Execute Once n8n hands over all items and takes only the first.
	const total = context.getNode().executeOnce ? Math.min(1, items.length) : items.length;
	const batch = new Batch(total, Number(interval) > 0);
	batches.set(run, batch);
	return batch;
}

/** The batch of an item that has joined one. */
export const batchOf = (context: IExecuteSingleFunctions): Batch | undefined =>
	batches.get(context.getExecuteData());
