import { createHash } from 'crypto';
import { Client } from './client/client';
import { systemClock } from './base/clock';
import { Funds } from './limits/creditGate';
import { Gate } from './limits/rateLimiter';
import { SharedCreations } from './limits/singleFlight';
import { Slots } from './limits/jobSemaphore';
import type { Clock, Random } from './base/types';
import { Watch } from './jobs/jobPoller';

/** What a plan allows. Specification: Limits (defaults 60 and 5). */
export interface Plan {
	requestsPerMinute: number;
	concurrentJobs: number;
}

/** What all items, nodes and executions of this process share that talk to the same workspace. */
export class Workspace {
	readonly gate: Gate;

	readonly slots: Slots;

	readonly client: Client;

	readonly watch: Watch;

	readonly funds: Funds;

	readonly creations = new SharedCreations();

	constructor(
		plan: Plan,
		readonly clock: Clock = systemClock,
		readonly random: Random = Math.random,
	) {
		this.gate = new Gate(clock, plan.requestsPerMinute);
		this.client = new Client(this.gate, clock, random);
		this.funds = new Funds(clock);
		this.watch = new Watch(this.client, this.gate, clock);
		this.slots = new Slots(
			plan.concurrentJobs,
			clock,
			random,
			async (line, job) => await this.watch.hasEnded(line, job),
		);
	}

	/** A plan that was changed in the credential holds from the next request on. */
	adopt(plan: Plan): this {
		this.gate.plan = plan.requestsPerMinute;
		this.slots.limit = Math.max(1, plan.concurrentJobs);
		return this;
	}
}

const workspaces = new Map<string, Workspace>();

/** The workspace of a base URL and key. The key itself is not kept, only a hash of both. */
export function workspaceOf(baseUrl: string, apiKey: string, plan: Plan): Workspace {
	const name = createHash('sha256').update(`${baseUrl}\n${apiKey}`).digest('hex');
	const known = workspaces.get(name);
	if (known) return known.adopt(plan);
	const workspace = new Workspace(plan);
	workspaces.set(name, workspace);
	return workspace;
}
