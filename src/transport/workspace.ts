import { createHash, randomUUID } from 'crypto';
import { systemClock } from '../base/clock';
import { BoundedMap } from '../base/boundedMap';
import { DAY_MS } from '../base/times';
import type { Clock, Random } from '../base/types';
import type { RateLimits } from './credential';
import { Client } from './client';
import { JobPoller } from './jobPoller';
import { CreditGate } from './creditGate';
import { JobSlots } from './jobSlots';
import { OtherClients } from './otherClients';
import { PriceBook } from './priceBook';
import { RateLimiter } from './rateLimiter';
import { Spending } from './spending';
import { MINUTE_MS } from './tuning';

/** So long without a request, in ms, a workspace is kept in which nobody waits, and which knows no keys. */
const UNUSED_MS = 3_600_000;

/** More than a workspace makes in a day, after which keys are over. */
const MOST_JOBS = 20_000;

/** What all items, nodes and executions of this process share when they use the same workspace. */
export class Workspace {
	readonly rateLimiter: RateLimiter;
	readonly client: Client;
	readonly poller: JobPoller;
	readonly slots: JobSlots;
	readonly credits: CreditGate;
	readonly prices: PriceBook;
	readonly spending: Spending;
	/** Jobs that this process has met, by a hash, and when first, on the monotonic clock. */
	readonly metJobs = new BoundedMap<string, number>(MOST_JOBS);
	/** Hashes of keys that were paid for under, and when each was new, on both clocks. */
	readonly paidKeys = new BoundedMap<string, { wall: number; monotonic: number }>(MOST_JOBS);
	/**
	 * By a key that others share and that leads to a 402, the one under which this process has paid instead.
	 */
	readonly standIns = new BoundedMap<string, { key: string; since: number }>(MOST_JOBS);
	/** By credential. */
	private readonly configured = new Map<string, RateLimits & { usedAt: number }>();

	constructor(
		limits: RateLimits,
		readonly clock: Clock = systemClock,
		readonly random: Random = Math.random,
		/** Tells it from others, also after it was forgotten here. */
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
		this.credits = new CreditGate(clock);
		this.prices = new PriceBook(this.client, clock);
		this.spending = new Spending(clock);
	}

	get isUnused(): boolean {
		const now = this.clock.monotonic();
		// Whoever asks for the same within a day is to be given it.
		const areKeysKnown = this.paidKeys.size + this.standIns.size > 0;
		const hasRested = now - this.rateLimiter.usedAt >= (areKeysKnown ? DAY_MS : UNUSED_MS);
		return hasRested && this.poller.isIdle && !this.spending.isNeeded;
	}

	/**
	 * Limits changed in a credential apply from the next request on. Of several credentials with one
	 * key that are used within a minute, the smaller limits count.
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
 * The workspace of a base URL and key. Keeps only a hash of both, never the key.
 * @param credential the id of the credential that has the key and the limits
 */
export function workspaceOf(
	baseUrl: string,
	apiKey: string,
	limits: RateLimits,
	credential?: string,
): Workspace {
	for (const [name, workspace] of workspaces) if (workspace.isUnused) workspaces.delete(name);
	const name = createHash('sha256').update(`${baseUrl}\n${apiKey}`).digest('hex');
	const workspace = workspaces.get(name) ?? new Workspace(limits, systemClock, Math.random, name);
	workspaces.set(name, workspace);
	return workspace.updateLimits(limits, credential);
}
