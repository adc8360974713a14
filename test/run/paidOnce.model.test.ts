import { Run } from '../../src/run/run';
import { itemMemory, type NodeMemory } from '../../src/run/state';
import { toolCall } from '../../src/run/identity';
import type { Result } from '../../src/base/result';
import type { Resource } from '../../src/base/types';
import { Workspace } from '../../src/service/workspace';
import { InstantClock } from '../model/instantClock';
import { habitsOf, LedgerService, type Charge, type Outcome } from '../model/ledgerService';
import { dice } from '../model/random';
import { playSeeds } from '../support/seed';
import { cases } from '../support/thorough';
import { createJob, hostWith, runOf } from '../model/run';

/*
 * One item with _On Retries_, and the user before it, against a strict ledger: random sequences of what users, networks
 * and services do. Nothing is paid for twice, and no job stays unknown to the user. `executions.model.test.ts` judges
 * whole executions, with the other modes too.
 */

const SEQUENCES = cases(2_500);

const HOUR = 3_600_000;
const PLAN = { requestsPerMinute: 1_000_000, concurrentJobs: 5 };

/** Refusals, and a request that is lost before it is carried out. */
const NOT_DONE = [400, 401, 402, 403, 404, 409, 422, 429, 'lostBefore'] as const;

/** It is carried out, whatever the answer of the service or of a gateway says. */
const DONE = [
	...(['lostAfter', 'brokenAfter', 'errorAfter'] as const),
	...[302, 409, 501, 520, 524].map((after) => ({ after })),
];

type Rerun = 'retryOnFail' | 'retryExecution' | 'edit' | 'newExecution';

class Sequence {
	readonly log: string[] = [];
	readonly violations: string[] = [];
	private readonly dice: ReturnType<typeof dice>;
	private readonly clock = new InstantClock();
	private readonly service: LedgerService;
	/** Whether the request reads differently each time, as with `$now`. */
	private readonly isVolatile: boolean;
	private readonly isTool: boolean;
	private workspace: Workspace;
	private node: NodeMemory = { runId: 'execution 1', items: {} };
	private execution = 1;
	/** What the user asks for; an edit changes it. */
	private version = 1;
	private evaluations = 0;
	/** Jobs that an output or an error has named, or a warning has said to look for. */
	private readonly known = new Set<string>();
	/** Jobs that a retry by hand gives up: a warning has said to look for them before it. */
	private readonly decidable = new Set<string>();
	/** Jobs that the user has given up, so that another one may be paid for. */
	private readonly abandoned = new Set<string>();
	private chargesOfTry = 0;

	constructor(seed: number) {
		this.dice = dice(seed);
		const { random } = this.dice;
		this.isTool = random() < 0.25;
		this.isVolatile = random() < 0.3;
		const habits = habitsOf(this.dice);
		this.service = new LedgerService(this.clock, habits, (charge) => this.judge(charge));
		this.workspace = new Workspace(PLAN, this.clock, this.dice.random);
		const kinds = [this.isTool && 'tool', this.isVolatile && 'volatile'];
		this.log.push(`${kinds.filter(Boolean).join(' ')} ${JSON.stringify(habits)}`);
	}

	/** A charge is right when every earlier job has failed, or the user has given it up. */
	private judge({ id }: Charge): void {
		this.chargesOfTry += 1;
		const live = this.service.charges.filter(
			(one) => this.service.isLive(one) && !this.abandoned.has(one.id),
		);
		for (const one of live) this.violations.push(`${id} was paid although ${one.id} exists`);
		if (this.chargesOfTry > 1) this.violations.push(`${this.chargesOfTry} charges in one try`);
	}

	private abandonAll(): void {
		for (const { id } of this.service.charges) this.abandoned.add(id);
	}

	/** What happens to the requests of the next try. */
	private disturb(): void {
		const { random, pick } = this.dice;
		const outage = random() < 0.15 ? pick(...NOT_DONE, ...DONE) : undefined;
		// A top-up may come between two requests of one try.
		const topUpAt = pick(2, 3, Infinity);
		let sent = 0;
		const roll = (): Outcome => {
			const rolled = random();
			if (rolled < 0.5) return 'answer';
			return rolled < 0.65 ? pick(...NOT_DONE) : pick(...DONE);
		};
		this.service.outcome = (): Outcome => {
			sent += 1;
			if (sent >= topUpAt) this.service.balance = Infinity;
			const outcome = outage ?? roll();
			this.log.push(`  request ${sent}: ${JSON.stringify(outcome)}`);
			return outcome;
		};
		this.service.balance = random() < 0.2 ? 0 : Infinity;
		const takes = pick(0, 1_000, 20_000, HOUR);
		const fails = random() < 0.35;
		this.service.next = () => ({ takes, fails });
		const credits = `balance ${this.service.balance}, topped up at request ${topUpAt}`;
		this.log.push(`  ${credits}; jobs take ${takes} ms${fails ? ' and fail' : ''}`);
	}

	/** n8n runs the node. */
	private async attempt(): Promise<Result<Resource>> {
		this.chargesOfTry = 0;
		this.evaluations += 1;
		const source = `version ${this.version}`;
		const execution = String(this.execution);
		const name = this.isTool ? toolCall(this.node, source, execution) : '0:0';
		const memory = itemMemory(this.node, name);
		const item = runOf({
			host: hostWith(this.service.send),
			workspace: this.workspace,
			run: new Run(1, false),
			memory,
			node: this.node,
			inputFingerprint: source,
			prompt: this.isVolatile ? `${source} at ${this.evaluations}` : source,
			settings: { waitTimeoutMs: 60_000 },
			origin: { item: name, executionId: execution },
		});
		const result = await createJob(item);
		if (this.isTool && result.ok) memory.endedIn = execution;
		// n8n stores the memory of the node with the execution.
		this.node = JSON.parse(JSON.stringify(this.node)) as NodeMemory;
		this.hear(result);
		return result;
	}

	private hear(result: Result<Resource>): void {
		this.log.push(`  -> ${JSON.stringify(result)}`);
		if (!result.ok) {
			if (result.job) this.known.add(result.job.id);
			if (result.failure.kind !== 'possibleDuplicate') return;
			for (const { id } of this.service.charges) {
				this.known.add(id);
				this.decidable.add(id);
			}
			return;
		}
		const { id, prompt } = result.value;
		this.known.add(id);
		if (!String(prompt).startsWith(`version ${this.version}`))
			this.violations.push(`${id} is of ${String(prompt)}`);
		// A call of a tool that has ended well is over: the next one creates a new job.
		if (this.isTool) this.abandoned.add(id);
	}

	private go(way: Rerun): void {
		this.log.push(way);
		if (way === 'retryOnFail') return;
		this.execution += 1;
		switch (way) {
			case 'retryExecution':
				for (const id of this.decidable) this.abandoned.add(id);
				return;
			case 'edit':
				this.version += 1;
				// Another call of a tool is another order. Otherwise jobs that users know of are theirs to judge; of all
				// others they must be warned before they pay again.
				if (this.isTool) this.abandonAll();
				for (const id of this.known) this.abandoned.add(id);
				return;
			case 'newExecution':
				this.workspace = new Workspace(PLAN, this.clock, this.dice.random);
				this.node = { runId: `execution ${this.execution}`, items: {} };
				this.abandonAll();
		}
	}

	/** @returns what happened, if anything was wrong with it */
	async play(): Promise<string[]> {
		const { random, upTo, pick } = this.dice;
		const steps = 2 + upTo(5);
		for (let step = 0; step < steps && this.violations.length === 0; step += 1) {
			this.disturb();
			await this.attempt();
			const rolled = random();
			const pause = rolled < 0.75 ? 1_000 : rolled < 0.9 ? HOUR : 25 * HOUR;
			this.clock.pass(pause);
			if (pause > 1_000) this.log.push(`${pause / HOUR} h later`);
			const retry = pick('retryOnFail', 'retryExecution');
			this.go(pick(retry, retry, pick('edit', 'newExecution')));
		}
		await this.settle();
		return this.violations.length > 0 ? [...this.log, ...this.violations] : [];
	}

	/** All is well again: whatever was paid for must come to light. */
	private async settle(): Promise<void> {
		this.service.outcome = () => 'answer';
		this.service.balance = Infinity;
		this.service.next = () => ({ takes: 1_000, fails: false });
		this.log.push('all is well');
		for (let time = 0; time < 8 && this.violations.length === 0; time += 1) {
			const { ok } = await this.attempt();
			if (ok) break;
			this.go('retryExecution');
			// Where a service repeats a 402 after an unknown outcome, only the end of the key lets the nodes look for the job.
			this.clock.pass(time < 4 ? HOUR : 25 * HOUR);
		}
		for (const charge of this.service.charges) {
			const isKnown = this.known.has(charge.id) || this.abandoned.has(charge.id);
			if (this.service.isLive(charge) && !isKnown)
				this.violations.push(`nobody knows of ${charge.id}`);
		}
	}
}

test(`${SEQUENCES} random sequences: nothing is paid for twice, and no job is unknown to the user`, async () => {
	await playSeeds(SEQUENCES, async (seed) => await new Sequence(seed).play());
});
