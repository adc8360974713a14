import { createHash } from 'crypto';
import { Client } from './client/client';
import { systemClock } from './base/clock';
import { CreditGate } from './limits/creditGate';
import { RateLimiter } from './limits/rateLimiter';
import { SingleFlight } from './limits/singleFlight';
import { JobSemaphore } from './limits/jobSemaphore';
import type { Clock, Random } from './base/types';
import { JobPoller } from './jobs/jobPoller';

/** What a plan allows. Specification: Limits (defaults 60 and 5). */
export interface RateLimits {
	requestsPerMinute: number;
	concurrentJobs: number;
}

/** What all items, nodes and executions of this process share that talk to the same workspace. */
export class Workspace {
	readonly rateLimiter: RateLimiter;

	readonly jobSemaphore: JobSemaphore;

	readonly client: Client;

	readonly jobPoller: JobPoller;

	readonly creditGate: CreditGate;

	readonly creations = new SingleFlight();

	constructor(
		limits: RateLimits,
		readonly clock: Clock = systemClock,
		readonly random: Random = Math.random,
	) {
		this.rateLimiter = new RateLimiter(clock, limits.requestsPerMinute);
		this.client = new Client(this.rateLimiter, clock, random);
		this.creditGate = new CreditGate(clock);
		this.jobPoller = new JobPoller(this.client, this.rateLimiter, clock);
		this.jobSemaphore = new JobSemaphore(
			limits.concurrentJobs,
			clock,
			random,
			async (channel, job) => await this.jobPoller.hasEnded(channel, job),
		);
	}

	/** A plan that was changed in the credential holds from the next request on. */
	adopt(limits: RateLimits): this {
		this.rateLimiter.plan = limits.requestsPerMinute;
		this.jobSemaphore.limit = Math.max(1, limits.concurrentJobs);
		return this;
	}
}

const workspaces = new Map<string, Workspace>();

/** The workspace of a base URL and key. The key itself is not kept, only a hash of both. */
export function workspaceOf(baseUrl: string, apiKey: string, limits: RateLimits): Workspace {
	const name = createHash('sha256').update(`${baseUrl}\n${apiKey}`).digest('hex');
	const known = workspaces.get(name);
	if (known) return known.adopt(limits);
	const workspace = new Workspace(limits);
	workspaces.set(name, workspace);
	return workspace;
}
