import { createHash, randomUUID } from 'crypto';
import { systemClock } from '../base/clock';
import { getOrCreate } from '../base/maps';
import { DAY_MS, MINUTE_MS } from '../base/times';
import type { Clock, Random } from '../base/types';
import type { Access, RateLimits } from './credential';
import { Client } from './client';
import { JobPoller } from './jobPoller';
import { TopUpGate } from './topUpGate';
import { JobSlots } from './jobSlots';
import { OtherClients, RateLimiter } from './sharing';
import { PriceBook } from './priceBook';

/**
 * After so long without a request a workspace is forgotten, in ms, if nothing is under way in it and nothing
 * was created.
 */
const UNUSED_MS = 3_600_000;

/** What a layer above the transport keeps for a workspace. */
interface Kept {
	/** Whether there is nothing in it that has to be found again within a day. */
	readonly mayBeForgotten: boolean;
}

/**
 * What all items, nodes and executions of this process share when they use the same workspace. A creation
 * meets its parts in this order:
 *
 * 1. `topUpGate`: after a 402 it waits until it is tried again, under _Wait for Top-Up_.
 * 2. `slots`: it waits until one of the jobs that a plan runs at once may be its own. A 429 to a creation
 *    that takes a slot means that none was free. `OtherClients` says how many slots others take.
 * 3. `client`: it goes out, again and again under its key while nobody knows what was done.
 * 4. `rateLimiter`: each attempt waits for its turn within the requests of a minute. A 429 to anything but
 *    such a creation means that there were too many.
 * 5. `poller`: its job is polled until it has ended. Then the slot is free for the next creation.
 *
 * `prices` knows what requests cost. What only `src/creation` knows of, such as keys, is shared in the same
 * way (`shared`).
 */
export class Workspace {
	readonly rateLimiter: RateLimiter;
	readonly client: Client;
	readonly poller: JobPoller;
	readonly slots: JobSlots;
	readonly topUpGate: TopUpGate;
	readonly prices: PriceBook;
	private readonly kept = new Map<new (clock: Clock) => Kept, Kept>();
	private underWay = 0;
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
		const isNeeded = [...this.kept.values()].some(({ mayBeForgotten }) => !mayBeForgotten);
		const hasRested = now - this.rateLimiter.usedAt >= (isNeeded ? DAY_MS : UNUSED_MS);
		return hasRested && this.underWay === 0 && this.poller.isIdle;
	}

	/**
	 * What may take hours begins, such as sending a file: until `workEnds` the workspace is not forgotten.
	 * These are two calls because a suspended async function around the work costs 400 bytes an item.
	 */
	workBegins(): void {
		this.underWay += 1;
	}

	workEnds(): void {
		this.underWay -= 1;
	}

	/** What a layer above keeps for all that use the workspace: one of each kind. */
	shared<T extends Kept>(kind: new (clock: Clock) => T): T {
		return getOrCreate(this.kept, kind, () => new kind(this.clock)) as T;
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
