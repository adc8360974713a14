import { Run } from '../../../src/creation/run';
import { itemMemory, type NodeMemory } from '../../../src/creation/idempotency/itemState';
import { placeOfToolCall } from '../../../src/n8n/tool';
import type { Result } from '../../../src/base/result';
import type { IdempotencyMode } from '../../../src/creation/item';
import type { Resource } from '../../../src/base/types';
import { Workspace } from '../../../src/transport/workspace';
import { InstantClock } from '../../model/instantClock';
import { LedgerService, type Charge, type Outcome } from '../../model/ledgerService';
import { seeded } from '../../model/random';
import { playSeeds } from '../../support/seed';
import { cases } from '../../support/thorough';
import { createJob, hostWith, runOf } from '../../model/run';

/**
 * The rules of docs/paid-once.md as a model: random sequences of what users, networks and services
 * do to one item, against a strict ledger.
 */
const SEQUENCES = cases(2_500);

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const PLAN = { requestsPerMinute: 1_000_000, concurrentJobs: 5 };

const REFUSALS = [400, 401, 402, 403, 404, 409, 422];

/**
 * What nobody documents: a service or a gateway that is still busy with the first attempt, or has
 * lost its answer.
 */
const STRANGE = [302, 409, 501, 520, 524].map((after) => ({ after }));

type Rerun = 'retryOnFail' | 'retryExecution' | 'edit' | 'newExecution' | 'crash';

/**
 * One item, the user before it, and what the model knows: which charges belong to one request of
 * the user.
 */
class Sequence {
	readonly log: string[] = [];
	readonly violations: string[] = [];
	private readonly random: () => number;
	private readonly clock = new InstantClock();
	private readonly service: LedgerService;
	private readonly mode: IdempotencyMode;
	private readonly isVolatile: boolean;
	private readonly isTool: boolean;
	/**
	 * By Content, a 402 may be kept for the key, so that the execution's own is tried, which no other one
	 * finds.
	 */
	private hadNoCredits = false;
	private workspace: Workspace;
	private node: NodeMemory = { runId: 'first', items: {} };
	private execution = 1;
	/** What the user asks for; an edit changes it. */
	private version = 1;
	/**
	 * Counts what is a request of its own to the user: executions, edits and calls, as far as the
	 * mode keeps them apart.
	 */
	private request = 1;
	private evaluations = 0;
	private readonly requestOf = new Map<string, number>();
	/** By the number of the request. */
	private readonly firstTries = new Map<number, number>();
	private readonly warnedOf = new Set<string>();
	/** Charges of requests that the user has given up, or whose memory a crash has taken. */
	private readonly abandoned = new Set<string>();
	/** Jobs that the user was shown because he had changed a request whose outcome was unknown. */
	private readonly decidable = new Set<string>();
	/** Jobs that need not come to light, although they must not be paid for again. */
	private readonly excused = new Set<string>();
	/**
	 * Jobs from before the memory of the node was lost: only their key, which lives for a day, can
	 * find them.
	 */
	private readonly forgotten = new Set<string>();
	private chargesOfTry = 0;

	constructor(seed: number) {
		this.random = seeded(seed);
		const flag = () => this.random() < 0.5;
		const habits = {
			caches402: flag(),
			balanceFirst: flag(),
			comparesBody: flag(),
			showsNow: flag(),
			saysWhen: flag(),
		};
		this.mode = this.pick(['execution', 'execution', 'content', 'custom', 'none'] as const);
		this.isTool = this.random() < 0.25;
		this.isVolatile = this.random() < 0.3;
		this.service = new LedgerService(this.clock, habits, (charge) => this.judge(charge));
		this.workspace = new Workspace(PLAN, this.clock, this.random);
		const kinds = [this.mode, this.isTool && 'tool', this.isVolatile && 'volatile'];
		this.log.push(`${kinds.filter(Boolean).join(' ')} ${JSON.stringify(habits)}`);
	}

	private pick<T>(all: readonly T[]): T {
		return all[Math.floor(this.random() * all.length)] as T;
	}

	/**
	 * A charge is right when every earlier one of the same request has failed, or the user was warned
	 * of it and has decided.
	 */
	private judge(charge: Charge): void {
		this.chargesOfTry += 1;
		const now = this.clock.now();
		const isShared = this.mode === 'content' || this.mode === 'custom';
		// By Content the 24 hours are those of the first try: then all executions start with the first key
		// again.
		const isOver = ({ at }: Charge) =>
			this.mode === 'content' ? at < this.triedSince() : isShared && now - at >= DAY;
		const earlier = this.service.charges.filter(
			(one) => this.requestOf.get(one.id) === this.request && !isOver(one),
		);
		const live = earlier.filter((one) => this.service.isLive(one) && !this.abandoned.has(one.id));
		// By Content, the keys that all executions share are two.
		const failed = earlier.filter((one) => !this.service.isLive(one)).length;
		const isBeyondShared = this.mode === 'content' && (this.hadNoCredits || failed >= 2);
		if (live.length > 0 && this.mode !== 'none' && !isBeyondShared) {
			this.violations.push(
				`${charge.id} was paid although ${live.map(({ id }) => id).join()} exists`,
			);
		}
		// By Content, a job that has failed when it is first read counts as an earlier one's.
		if (this.chargesOfTry > (this.mode === 'content' ? 3 : 1))
			this.violations.push(`${this.chargesOfTry} charges in one try`);
		this.requestOf.set(charge.id, this.request);
	}

	private abandon(): void {
		for (const { id } of this.service.charges) this.abandoned.add(id);
	}

	/** What happens to the requests of the next try. */
	private disturb(): void {
		const lost = ['lostBefore', 'lostAfter', 'brokenAfter', 'errorAfter'] as const;
		const outcomes = Array.from({ length: 12 }, (): Outcome => {
			const rolled = this.random();
			if (rolled < 0.5) return 'answer';
			if (rolled < 0.62) return this.pick(REFUSALS);
			return rolled < 0.65 ? 429 : this.pick([...lost, ...STRANGE]);
		});
		const hasOutage = this.random() < 0.15;
		const outage = this.pick(['lostBefore', 'lostAfter', 'errorAfter', 401, 403, 404] as const);
		let sent = 0;
		// A top-up may come between two requests of one try.
		const topUpAt = this.pick([2, 3, Infinity]);
		this.service.outcome = () => {
			sent += 1;
			if (sent >= topUpAt) this.service.balance = Infinity;
			const outcome = hasOutage ? outage : (outcomes[sent - 1] ?? 'answer');
			if (outcome === 402) this.hadNoCredits = true;
			return outcome;
		};
		const isEmpty = this.random() < 0.2;
		this.service.balance = isEmpty ? 0 : Infinity;
		this.hadNoCredits ||= isEmpty;
		const takes = this.pick([0, 1_000, 20_000, HOUR]);
		const fails = this.random() < 0.35;
		this.service.next = () => ({ takes, fails });
		const happens = hasOutage ? `outage ${outage}` : JSON.stringify(outcomes.slice(0, 8));
		const credits = `balance ${this.service.balance}, topped up at ${topUpAt}`;
		this.log.push(`  ${happens}; ${credits}; jobs ${takes} ms${fails ? ', fail' : ''}`);
	}

	private prompt(): string {
		this.evaluations += 1;
		return `version ${this.version}${this.isVolatile ? ` at ${this.evaluations}` : ''}`;
	}

	/** When the current 24 hours of the request began. */
	private triedSince(): number {
		const now = this.clock.now();
		const known = this.firstTries.get(this.request);
		const since = known === undefined || now - known >= DAY ? now : known;
		this.firstTries.set(this.request, since);
		return since;
	}

	/** n8n runs the node. */
	private async attempt(): Promise<Result<Resource>> {
		this.chargesOfTry = 0;
		this.triedSince();
		const prompt = this.prompt();
		const source = `version ${this.version}`;
		const execution = String(this.execution);
		const name = this.isTool ? placeOfToolCall(this.node, source, execution) : '0:0';
		const memory = itemMemory(this.node, name);
		const item = runOf({
			host: hostWith(this.service.send),
			workspace: this.workspace,
			run: new Run(),
			memory,
			nodeMemory: this.node,
			userInputHash: source,
			prompt,
			settings: { idempotency: this.mode, idempotencyKey: 'order 1', waitTimeoutMs: 60_000 },
			origin: { place: name, executionId: execution },
		});
		const result = await createJob(item);
		if (this.isTool && result.ok) memory.endedIn = execution;
		// n8n stores the memory of the node with the execution.
		this.node = JSON.parse(JSON.stringify(this.node)) as NodeMemory;
		this.hear(result);
		if (result.ok) this.check(result.value);
		return result;
	}

	private hear(result: Result<Resource>): void {
		if (result.ok) {
			this.warnedOf.add(result.value.id);
			this.log.push(`  -> ${result.value.id} ${String(result.value.status)}`);
			return;
		}
		const { failure, job } = result;
		if (job) this.warnedOf.add(job.id);
		if (failure.kind === 'possibleDuplicate') {
			for (const { id } of this.service.charges) {
				this.warnedOf.add(id);
				this.decidable.add(id);
			}
		}
		const text = JSON.stringify(failure);
		for (const { id } of this.service.charges)
			if (text.includes(`"${id}"`) || text.includes(`${id} `)) this.warnedOf.add(id);
		this.log.push(`  -> ${text}${job ? ` job ${job.id}` : ''}`);
	}

	/** An output is what was asked for, and not somebody else's. */
	private check({ id, prompt }: Resource): void {
		const isOwn = String(prompt).startsWith(`version ${this.version}`);
		// A service that repeats the answer to a key whatever is asked for gives what it gives.
		const isReplayed = this.mode === 'custom';
		if (!isOwn && !isReplayed) this.violations.push(`${id} is of ${String(prompt)}`);
	}

	private go(way: Rerun): void {
		this.log.push(way);
		const isShared = this.mode === 'content' || this.mode === 'custom';
		switch (way) {
			case 'retryOnFail':
				return;
			case 'retryExecution':
				this.execution += 1;
				// A user who retries by hand after a warning with candidates has decided; Retry On Fail has
				// not.
				for (const id of this.decidable) this.abandoned.add(id);
				return;
			case 'edit':
				this.execution += 1;
				this.version += 1;
				// A call of a tool that asks for something else is another call.
				if (this.isTool && this.mode !== 'custom') {
					this.abandon();
					this.request += 1;
					return;
				}
				// One key is one request, whatever is asked for: the new one cannot find out about the old
				// one.
				if (this.mode === 'custom') for (const { id } of this.service.charges) this.excused.add(id);
				if (this.mode !== 'custom') {
					// Charges that users know of are theirs to judge; of all others they must be warned
					// before they pay again.
					for (const id of this.warnedOf) this.abandoned.add(id);
					// Of what a lost memory knew, only its key could find it, and that has changed.
					for (const id of this.forgotten) this.excused.add(id);
					if (this.mode === 'content') this.request += 1;
				}
				return;
			case 'crash':
				this.workspace = new Workspace(PLAN, this.clock, this.random, this.workspace.name);
				break;
			case 'newExecution':
				break;
		}
		this.execution += 1;
		this.node = { runId: `execution ${this.execution}`, items: {} };
		const isSame = isShared && !(this.mode === 'content' && this.isVolatile);
		for (const { id } of this.service.charges) this.forgotten.add(id);
		// A request that was given up for another one, and whose memory is lost, is not asked for
		// again.
		for (const { id } of this.service.charges)
			if (this.requestOf.get(id) !== this.request) this.excused.add(id);
		// The key then belongs to a text that can never be written again: the service refuses or
		// repeats, but nothing can be found out.
		if (this.isVolatile) for (const { id } of this.service.charges) this.excused.add(id);
		if (isSame) return;
		this.abandon();
		this.request += 1;
	}

	/** @returns what happened, if anything was wrong with it */
	async play(): Promise<string[]> {
		const steps = 2 + Math.floor(this.random() * 5);
		for (let step = 0; step < steps && this.violations.length === 0; step += 1) {
			this.disturb();
			await this.once();
			const rolled = this.random();
			const hours = rolled < 0.9 ? 1 : 25;
			const pause = rolled < 0.75 ? 1_000 : hours * HOUR;
			this.clock.pass(pause);
			if (pause > 1_000) this.log.push(`${pause / HOUR} h later`);
			const retries = ['retryOnFail', 'retryExecution'] as const;
			this.go(this.pick([...retries, ...retries, 'edit', 'newExecution', 'crash']));
		}
		await this.settle();
		return this.violations.length > 0 ? [...this.log, ...this.violations] : [];
	}

	private async once(): Promise<Result<Resource>> {
		const result = await this.attempt();
		// As a tool, a call that has ended well is over: the next one creates a new job.
		if (
			result.ok &&
			this.isTool &&
			(this.mode === 'execution' || (this.mode === 'content' && this.isVolatile))
		) {
			this.abandoned.add(result.value.id);
		}
		return result;
	}

	/** All is well again: whatever was paid for must come to light. */
	private async settle(): Promise<void> {
		this.service.outcome = () => 'answer';
		this.service.balance = Infinity;
		this.service.next = () => ({ takes: 1_000, fails: false });
		this.log.push('all is well');
		for (let time = 0; time < 8 && this.violations.length === 0; time += 1) {
			const result = await this.once();
			if (result.ok) break;
			// The key is that of the request before the edit: the user was warned, and nothing more can
			// be found out with it.
			if (result.failure.kind === 'input') return;
			this.go('retryExecution');
			// Where a service repeats a 402 after an unknown outcome, only the end of the key lets the
			// nodes look for the job.
			this.clock.pass(time < 4 ? HOUR : 25 * HOUR);
		}
		if (this.mode === 'none' || (this.mode === 'content' && this.hadNoCredits)) return;
		for (const charge of this.service.charges) {
			const { id } = charge;
			// By Content, what fails at once is created again in the same run, and only the last one is
			// reported.
			if (!this.service.isLive(charge)) continue;
			if (this.forgotten.has(id) && this.clock.now() - charge.at >= DAY) continue;
			const isKnown = this.warnedOf.has(id) || this.abandoned.has(id) || this.excused.has(id);
			if (!isKnown) this.violations.push(`nobody knows of ${id}`);
		}
	}
}

test(`${SEQUENCES} random sequences: nothing is paid for twice, and no job is unknown to the user`, async () => {
	await playSeeds(SEQUENCES, async (seed) => await new Sequence(seed).play());
});
