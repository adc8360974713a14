import { Portions } from '../base/portions';
import { CustomKeyRegistry, type KeyConflict } from './keyConflict';
import { FirstRequestGate } from './firstRequestGate';
import { Outage } from './outage';
import { PendingErrors, type PendingError } from './pendingErrors';
import type { JobReference } from './itemState';
import type { Prepared } from './prepared';
import { SameSettings } from './sameSettings';
import type { Result } from '../base/result';
import type { Resource } from '../base/types';

/** Why a run sends nothing further. */
export interface Halt {
	cause: string;
	/** Whether the reason is a lack of credits. */
	credits: boolean;
}

/** Which run of which node. */
export interface RunLocation {
	runIndex: number;
	/** Workflow and node: the same in every execution. */
	node: string;
}

/**
 * What the items of one run of a node know about each other. n8n starts all of them at once and,
 * without Continue On Fail, discards all results when one fails. So nothing is sent if one item is
 * invalid, and the error of a failed run names the jobs that exist nevertheless.
 */
export class Batch {
	private readonly prepared = new Map<number, Result<Prepared>>();

	private readonly jobs = new Map<number, Resource>();

	/** Whether this run has got a job or found one again: the service is there. */
	hasReachedJobs = false;

	private readonly errors = new PendingErrors();

	readonly customKeys = new CustomKeyRegistry();

	private invalidItems = 0;

	/** Items that only a service on this machine may be sent; empty once it is known where the service is. */
	private localOnly: number[] = [];

	private lastJoined = -1;

	private readonly settings = new SameSettings();

	private hasStarted = false;

	private endedItems = 0;

	/** The items read the credential, from n8n's database: all at once, they would hold up the first request. */
	readonly opening = new Portions();

	readonly firstRequest = new FirstRequestGate();

	readonly outage = new Outage();

	/** Set by the first item that needs it. */
	runLocation: RunLocation | undefined;

	/** Fingerprint of the unevaluated parameters, which all items share; set by the first. */
	parameters: string | undefined;

	/** Whether files under one custom key differ; set by the first item that needs it. */
	hasMismatchedFiles: Promise<boolean> | undefined;

	/** Why nothing further is sent; `undefined` while items may be sent. */
	halted: Halt | undefined;

	private readonly haltController = new AbortController();

	private anyStopSignal: AbortSignal | undefined;

	constructor(
		readonly total: number,
		/** Whether n8n starts the items in portions (its batching option): not all are known at first. */
		readonly isBatched: boolean,
	) {}

	/**
	 * Whether an item that n8n starts now belongs to this run of the node. n8n starts items in
	 * ascending order and, unless they are batched, all of them before the first one runs. Anything
	 * else is a new run (Retry On Fail).
	 */
	accepts(item: number): boolean {
		return item > this.lastJoined && (this.isBatched || !this.hasStarted);
	}

	add(item: number, prepared: Result<Prepared>): void {
		this.prepared.set(item, prepared);
		this.lastJoined = item;
		if (!prepared.ok) {
			this.invalidItems += 1;
			return;
		}
		if (prepared.value.unlessLocal) this.localOnly.push(item);
		prepared.value.settings = this.settings.of(prepared.value.settings);
		this.rejectSharedKey(item, this.customKeys.findConflict(item, prepared.value));
	}

	/** Where the service is, as the first item to read the credential finds out, before anything is sent. */
	locateService(isLocal: boolean): void {
		for (const item of this.localOnly.splice(0)) {
			const prepared = this.prepared.get(item);
			if (isLocal || !prepared?.ok || !prepared.value.unlessLocal) continue;
			this.prepared.set(item, prepared.value.unlessLocal);
			this.invalidItems += 1;
		}
	}

	/** Neither item is sent, because it is unclear which one the key is meant for. */
	rejectSharedKey(item: number, conflict: KeyConflict | undefined): void {
		if (!conflict) return;
		for (const one of [item, conflict.item]) this.prepared.set(one, conflict.failed);
		this.invalidItems += 1;
	}

	/** How many items will be run: n8n itself may have given up on one before the first began. */
	get expected(): number {
		return this.prepared.size;
	}

	/** An item that n8n has begun to run. */
	beginItem(item: number): Result<Prepared> | undefined {
		this.hasStarted = true;
		return this.prepared.get(item);
	}

	/** Whether the run fails before anything is sent: an item is invalid, or n8n gave up on one. */
	get isRejected(): boolean {
		return this.invalidItems > 0 || (!this.isBatched && this.prepared.size < this.total);
	}

	addJob(item: number, job: Resource): void {
		this.hasReachedJobs = true;
		this.jobs.set(item, job);
	}

	/**
	 * A job of an earlier try. The error of this one names it too, should the run be halted before it
	 * is read again or should it be impossible to read.
	 */
	addKnownJob(item: number, { id }: JobReference): void {
		if (!this.jobs.has(item)) this.jobs.set(item, { id, status: 'from an earlier try' });
	}

	/** Only the first reason is kept. */
	halt(reason: Halt): void {
		this.halted ??= reason;
		this.haltController.abort();
	}

	/** Fires when the run is halted. */
	get haltSignal(): AbortSignal {
		return this.haltController.signal;
	}

	/**
	 * Fires when the run is halted or cancelled, so that items waiting to send stop waiting.
	 * @param cancel the same for all items of a run
	 */
	stopSignal(cancel: AbortSignal | undefined): AbortSignal {
		this.anyStopSignal ??= cancel
			? AbortSignal.any([cancel, this.haltController.signal])
			: this.haltController.signal;
		return this.anyStopSignal;
	}

	get jobIds(): string[] {
		return [...this.jobs.values()].map(({ id }) => id);
	}

	/** Whether all items have ended. */
	get hasEnded(): boolean {
		return this.endedItems >= this.total;
	}

	get submitted(): number {
		return this.jobs.size;
	}

	get notSubmitted(): number {
		return this.total - this.jobs.size;
	}

	/** Keeps an error until the last item has ended: only then are its counts and job ids known. */
	addError(pending: PendingError): void {
		this.errors.add(pending);
	}

	/** Whether n8n would report the error of this item: not if an item before it has failed already. */
	reportsErrorOf(item: number): boolean {
		return this.errors.isReported(item);
	}

	/** Completes the errors after the last item: n8n uses them only when all items have ended. */
	endItem(): void {
		this.endedItems += 1;
		if (this.endedItems >= this.total) this.errors.complete(this.jobs);
	}
}
