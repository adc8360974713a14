import { createHash, randomUUID } from 'crypto';
import { systemClock } from '../base/clock';
import { BoundedMap } from '../base/boundedMap';
import { getOrCreate } from '../base/getOrCreate';
import { Semaphore } from '../base/semaphore';
import { DAY_MS } from '../base/times';
import type { Clock, Random, Resource } from '../base/types';
import type { Access, RateLimits } from './credential';
import { Client } from './client';
import { JobPoller } from './jobPoller';
import { TopUpGate } from './topUpGate';
import { JobSlots } from './jobSlots';
import { OtherClients } from './otherClients';
import { PriceBook } from './priceBook';
import { RateLimiter } from './rateLimiter';
import { MINUTE_MS } from './tuning';

/**
 * After so long without a request a workspace is forgotten, in ms, if nobody waits in it and nothing was
 * created.
 */
const UNUSED_MS = 3_600_000;

/** More jobs than a workspace makes in a day. After a day keys have expired. */
const MOST_JOBS = 20_000;

/** More kinds of requests than wait at the same time. */
const MOST_KINDS = 100;

/** A key in the place of another one. */
export interface ReplacementKey {
	readonly key: string;
	/** When it was first used, on the monotonic clock. */
	readonly since: number;
	/** Whether this process has paid under it. */
	isPaid: boolean;
}

/** One creation in the ledger of credits (`creation/credits/ledger.ts`, which writes it). */
export interface LedgerEntry {
	/** The idempotency key that it was sent under. */
	readonly key?: string;
	/** Whether the list of generations shows its job. */
	readonly isListed: boolean;
	/** When it was sent, in ms since the epoch. */
	readonly sentAt: number;
	/** What it has reserved, or may have. */
	credits: number;
	/** When its answer came, on the monotonic clock; `undefined` as long as there is none. */
	answeredAt?: number;
	/** Whether its job was made for it, and so paid for. */
	isNew: boolean;
	job?: Pick<Resource, 'id' | 'object'>;
	/** What its answer says that it has reserved, if it says that. */
	stated?: number;
	/** Whether its job may have been there before, which nobody says. */
	seemsOld?: boolean;
	hasFailed?: boolean;
	/** Whether its job has ended. Then the usage of the workspace contains its credits. */
	isOver?: boolean;
	/** When its job was last read to learn whether it has ended, on the monotonic clock. */
	lookedAt?: number;
}

/**
 * What all items, nodes and executions of this process share when they use the same workspace. A creation
 * meets its parts in this order:
 *
 * 1. `topUpGate`: after a 402 it waits for its turn to try again, under _Wait for Top-Up_.
 * 2. `slots`: it waits until one of the jobs that a plan runs at once may be its own. A 429 to a creation
 *    that takes a slot means that none was free. `OtherClients` says how many slots others take.
 * 3. `client`: it goes out, again and again under its key while nobody knows what was done.
 * 4. `rateLimiter`: each attempt waits for its turn within the requests of a minute. A 429 to anything but
 *    such a creation means that there were too many.
 * 5. `poller`: its job is polled until it has ended. Then the slot is free for the next creation.
 *
 * `prices` knows what requests cost. What stands below it belongs to `src/creation`, and is kept here because
 * it is shared in the same way.
 */
export class Workspace {
	readonly rateLimiter: RateLimiter;
	readonly client: Client;
	readonly poller: JobPoller;
	readonly slots: JobSlots;
	readonly topUpGate: TopUpGate;
	readonly prices: PriceBook;
	/** When this process first saw a job, on the monotonic clock, by a hash of the job. */
	readonly seenJobs = new BoundedMap<string, number>(MOST_JOBS);
	/** When a key was first used that was paid for, on both clocks, by a hash of the key. */
	readonly paidKeys = new BoundedMap<string, { wall: number; monotonic: number }>(MOST_JOBS);
	/** The key that this process uses in place of a shared key under which the service keeps a 402. */
	readonly replacementKeys = new BoundedMap<string, ReplacementKey>(MOST_JOBS);
	/** What was sent today and before, the oldest first. */
	readonly entries = new Set<LedgerEntry>();
	/** By key, those of them of which nobody knows whether they were carried out. */
	readonly openEntries = new Map<string, LedgerEntry>();
	/** By kind of request: creations whose price is not known are sent one after the other. */
	readonly turns = new BoundedMap<string, Semaphore>(MOST_KINDS);
	/** The limits that each credential sets, and when it was last used. */
	private readonly configured = new Map<string, RateLimits & { usedAt: number }>();

	constructor(
		limits: RateLimits,
		readonly clock: Clock = systemClock,
		readonly random: Random = Math.random,
		/**
		 * The name of the workspace. It stays the same after the workspace was forgotten and is needed again.
		 */
		readonly name: string = randomUUID(),
	) {
		const others = new OtherClients();
		this.rateLimiter = new RateLimiter(clock, limits.requestsPerMinute, others);
		this.client = new Client(this.rateLimiter, clock, random);
		this.poller = new JobPoller(this.client, this.rateLimiter, clock, others);
		this.slots = new JobSlots(
			limits.concurrentJobs,
			clock,
			random,
			others,
			(channel) => this.poller.list(channel),
			this.rateLimiter,
		);
		this.topUpGate = new TopUpGate(clock);
		this.prices = new PriceBook(this.client, clock);
	}

	get isUnused(): boolean {
		const now = this.clock.monotonic();
		// An equal request within a day must find its key again, and a limit of the day what was spent.
		const isKnown = this.paidKeys.size + this.replacementKeys.size + this.entries.size > 0;
		const hasRested = now - this.rateLimiter.usedAt >= (isKnown ? DAY_MS : UNUSED_MS);
		return hasRested && this.poller.isIdle;
	}

	/**
	 * Sets the limits of a credential. They apply from the next request on. If several credentials with one
	 * key are used within a minute, the smaller limits count.
	 */
	updateLimits(limits: RateLimits, credential = ''): this {
		const now = this.clock.monotonic();
		this.configured.set(credential, { ...limits, usedAt: now });
		const used = [...this.configured.values()].filter(({ usedAt }) => now - usedAt < MINUTE_MS);
		const least = (name: keyof RateLimits) =>
			Math.max(1, Math.min(...used.map((each) => each[name])));
		this.rateLimiter.limit = least('requestsPerMinute');
		this.slots.limit = least('concurrentJobs');
		return this;
	}
}

const workspaces = new Map<string, Workspace>();

/**
 * The workspace of a base URL and an API key. Only a hash of both is kept, never the key.
 * @param credential the id of the credential that contains the key and the limits
 */
export function workspaceOf({ baseUrl, apiKey, limits }: Access, credential?: string): Workspace {
	for (const [name, workspace] of workspaces) if (workspace.isUnused) workspaces.delete(name);
	const name = createHash('sha256').update(`${baseUrl}\n${apiKey}`).digest('hex');
	const newOne = () => new Workspace(limits, systemClock, Math.random, name);
	return getOrCreate(workspaces, name, newOne).updateLimits(limits, credential);
}
