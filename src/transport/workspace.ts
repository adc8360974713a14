import { createHash } from 'crypto';
import { Client } from './http/client';
import { systemClock } from './base/clock';
import type { RateLimits } from './credential';
import { CreditGate } from './limits/creditGate';
import { POLICIES, type Tuning } from './limits/policies';
import { Prices } from './limits/prices';
import { RateLimiter } from './limits/rateLimiter';
import { SharedUse } from './limits/sharedUse';
import { SingleFlight } from './limits/singleFlight';
import { JobSemaphore } from './limits/jobSemaphore';
import type { Clock, Random } from './base/types';
import { JobPoller } from './jobs/jobPoller';

export type { RateLimits };

/** What all items, nodes and executions of this process share when they use the same workspace. */
export class Workspace {
	readonly rateLimiter: RateLimiter;

	readonly jobSemaphore: JobSemaphore;

	readonly client: Client;

	readonly jobPoller: JobPoller;

	readonly creditGate: CreditGate;

	readonly creations = new SingleFlight();

	readonly prices = new Prices();

	constructor(
		limits: RateLimits,
		readonly clock: Clock = systemClock,
		readonly random: Random = Math.random,
		tuning: Tuning = POLICIES,
	) {
		const sharedUse = new SharedUse(tuning.rate);
		this.rateLimiter = new RateLimiter(clock, limits.requestsPerMinute, sharedUse, tuning.rate);
		this.client = new Client(this.rateLimiter, clock, random);
		this.creditGate = new CreditGate(clock);
		const onSwept = () => this.jobSemaphore.listed();
		this.jobPoller = new JobPoller(
			this.client,
			this.rateLimiter,
			clock,
			sharedUse,
			onSwept,
			() => this.jobSemaphore.pending,
			tuning.polling,
		);
		this.jobSemaphore = new JobSemaphore(
			limits.concurrentJobs,
			clock,
			random,
			sharedUse,
			{
				awaitEnd: async (channel, job) => await this.jobPoller.waitUntilEnded(channel, job),
				requestList: async (channel) => await this.jobPoller.requestList(channel),
				refused: () => this.rateLimiter.creationRefused(),
				throttled: () => this.rateLimiter.throttled(0),
			},
			tuning,
		);
	}

	/** Limits changed in the credential apply from the next request on. */
	updateLimits(limits: RateLimits): this {
		this.rateLimiter.limit = limits.requestsPerMinute;
		this.jobSemaphore.limit = Math.max(1, limits.concurrentJobs);
		return this;
	}
}

const workspaces = new Map<string, Workspace>();

/** The workspace of a base URL and key. Keeps only a hash of both, never the key. */
export function workspaceOf(baseUrl: string, apiKey: string, limits: RateLimits): Workspace {
	const name = createHash('sha256').update(`${baseUrl}\n${apiKey}`).digest('hex');
	const known = workspaces.get(name);
	if (known) return known.updateLimits(limits);
	const workspace = new Workspace(limits);
	workspaces.set(name, workspace);
	return workspace;
}
