import { ExecutionSum } from '../../../src/creation/credits/ledger';
import { LostOfWorkflow, type Requester } from '../../../src/creation/idempotency/lostRequests';
import { Run } from '../../../src/creation/run';
import {
	itemMemory,
	memoriesOf,
	recordEnd,
	type ItemMemory,
	type NodeMemory,
} from '../../../src/creation/idempotency/itemState';
import { runItem } from '../../../src/n8n/runOperation';
import { fail, type Result } from '../../../src/base/result';
import type { Json, Resource } from '../../../src/base/types';
import type { IdempotencyMode } from '../../../src/creation/item';
import { Workspace } from '../../../src/transport/workspace';
import { InstantClock } from '../../model/instantClock';
import { habitsOf, LedgerService, type Charge, type Outcome } from '../../model/ledgerService';
import { dice } from '../../model/random';
import { hostWith, runOf } from '../../model/run';
import { playSeeds } from '../../support/seed';
import { cases } from '../../support/thorough';

/*
 * Whole executions of one node against a strict ledger: in the editor, in production, retried, stopped
 * while requests are out, in a loop, with rows that need several requests each, such as long texts, with
 * another key of the same workspace, with rows taken out, with a process that dies. What n8n keeps of an
 * execution, the model keeps: the memory of the node if it has ended by itself, nothing if it was stopped.
 *
 * The rules that it judges:
 * 1. An execution in the editor pays for nothing again that a former execution of the same node has
 *    paid for and lost: because it failed, in whichever round of a loop, was stopped, or has output a
 *    failed row.
 * 2. A retry pays for nothing again that its execution has paid for, also where n8n gives it no memory.
 * 3. Two executions in production are two orders.
 * 4. No job is output for two items of one execution, and none for another prompt.
 */

const SEQUENCES = cases(4_000);
const PLAN = { requestsPerMinute: 1_000_000, concurrentJobs: 5 };
const DAY = 86_400_000;

const PROMPTS = ['a cat', 'a dog', 'a cow', 'a bird'];

type Mode = 'manual' | 'production' | 'retry';

/** What one item asks for: a job for each prompt. */
type Row = string[];

type Output = [row: Row, result: Result<{ resources: Json[] }>];

/** How one execution went. */
interface Execution {
	id: string;
	/** The executions that may be asked for the same order: itself, and what it goes on with. */
	order: number;
	mode: Mode;
	rounds: Row[][];
	/** What n8n has stored of it; nothing of one that was stopped. */
	memory?: NodeMemory;
	failedAt?: number;
	wasStopped: boolean;
}

const requestOf = (prompt: string) => ({
	method: 'POST' as const,
	path: '/generations',
	query: {},
	body: { mode: 'image', model: 'm', prompt },
});

const jobsOf = ([, result]: Output) => (result.ok ? result.value.resources : []) as Resource[];

const isGood = (outputs: Output[]) => outputs.every(([, { ok }]) => ok);

class World {
	readonly log: string[] = [];
	readonly violations: string[] = [];
	private readonly random: () => number;
	private readonly upTo: (end: number) => number;
	private readonly pick: ReturnType<typeof dice>['pick'];
	private readonly clock = new InstantClock();
	private readonly service: LedgerService;
	private readonly idempotency: IdempotencyMode;
	private readonly continuesOnFail: boolean;
	private lost: LostOfWorkflow;
	private workspace: Workspace;
	private count = 0;
	private rounds: Row[][];
	private readonly hasParts: boolean;
	/** Whether one order is retried again and again, from any of its failed executions. */
	private readonly isRetriedOften: boolean;
	private running: Execution | undefined;
	private last: Execution | undefined;
	/** What n8n lists as failed, which may be retried however often it was retried before. */
	private failed: Execution[] = [];
	/** By charge: the order that has paid for it; and whether an execution has kept its result. */
	private readonly paidIn = new Map<string, number>();
	private readonly kept = new Set<string>();
	/** Charges that only the memory of n8n knows of: a retry that is stopped loses them. */
	private readonly beforeCrash = new Set<string>();

	constructor(seed: number) {
		const all = dice(seed);
		this.random = all.random;
		this.upTo = all.upTo;
		this.pick = all.pick;
		const habits = { ...habitsOf(all), balanceFirst: false };
		this.idempotency = this.pick('execution', 'execution', 'execution', 'content', 'custom');
		this.continuesOnFail = this.random() < 0.3;
		this.lost = new LostOfWorkflow(this.clock);
		// Nobody sets the clock of the service.
		const clock = { now: () => this.clock.monotonic() };
		this.service = new LedgerService(clock, habits, (charge) => this.judge(charge));
		this.workspace = new Workspace(PLAN, this.clock, this.random);
		this.hasParts = this.random() < 0.3;
		this.isRetriedOften = this.random() < 0.3;
		const isLoop = this.random() < 0.3;
		const count = 1 + this.upTo(this.hasParts ? 2 : 5);
		const rows = Array.from({ length: count }, () =>
			Array.from({ length: this.hasParts ? 2 + this.upTo(3) : 1 }, () => this.pick(...PROMPTS)),
		);
		this.rounds = isLoop ? rows.map((row) => [row]) : [rows];
		this.log.push(
			`${this.idempotency} ${this.continuesOnFail ? 'continue' : 'stop'} ${JSON.stringify(habits)}`,
		);
	}

	/** How often the running execution asks for a prompt. */
	private wanted(prompt: string): number {
		return this.running?.rounds.flat(2).filter((one) => one === prompt).length ?? 0;
	}

	private judge(charge: Charge): void {
		const { running } = this;
		if (!running) return;
		this.paidIn.set(charge.id, running.order);
		const now = this.clock.monotonic();
		const live = this.service.charges.filter(
			(one) =>
				one.prompt === charge.prompt &&
				this.service.isLive(one) &&
				now - one.at < DAY &&
				!this.kept.has(one.id) &&
				(this.idempotency !== 'execution' || this.paidIn.get(one.id) === running.order),
		);
		const wanted = this.idempotency === 'content' ? 1 : this.wanted(charge.prompt);
		if (live.length >= wanted) {
			this.violations.push(
				`${charge.id} (${charge.prompt}) was paid although ${live.map(({ id }) => id).join()} exists and ${wanted} is wanted`,
			);
		}
	}

	/** What happens to the requests of the next execution. */
	private disturb(stop: () => void): void {
		const outage =
			this.random() < 0.15 ? this.pick('lostBefore', 'lostAfter', 503, 401) : undefined;
		const stopAt = this.random() < 0.25 ? this.upTo(8) : Infinity;
		const badAfter = this.random() < 0.25 ? this.upTo(6) : Infinity;
		const odds = this.random() < 0.3 ? 0 : 0.35;
		let requests = 0;
		this.service.outcome = (): Outcome => {
			requests += 1;
			if (requests >= stopAt) stop();
			if (requests > badAfter) return 401;
			if (outage !== undefined && requests > 1) return outage;
			if (this.random() >= odds) return 'answer';
			return this.pick(
				...(['lostBefore', 'lostAfter', 'errorAfter', 'brokenAfter'] as const),
				...[429, 400, 403, 409, 425, 302],
				{ after: 409 },
				{ after: 520 },
			);
		};
		this.service.balance =
			this.random() < (this.isRetriedOften ? 0.5 : 0.1) && this.idempotency === 'execution'
				? this.upTo(3)
				: Infinity;
		this.service.next = () => ({
			takes: this.pick(0, 1_000, 20_000, 3_600_000),
			fails: this.idempotency === 'execution' && this.random() < 0.2,
		});
		this.log.push(
			`  outage ${String(outage)}, stop at ${stopAt}, 401 after ${badAfter}, balance ${this.service.balance}`,
		);
	}

	/** n8n runs the node once for each round, until one fails or the execution is stopped. */
	private async execute(mode: Mode, base?: Execution): Promise<void> {
		this.count += 1;
		const id = String(this.count);
		const { memory } = base ?? {};
		if (base && !memory) for (const id of this.beforeCrash) this.kept.add(id);
		const nodeMemory: NodeMemory = memory
			? (JSON.parse(JSON.stringify(memory)) as NodeMemory)
			: { runId: `run ${id}`, startedIn: id, startedInRetry: mode === 'retry', items: {} };
		const order = base?.order ?? (mode === 'manual' ? 0 : this.count);
		const rounds = base?.rounds ?? this.rounds;
		const execution: Execution = { id, order, mode, rounds, wasStopped: false };
		this.running = execution;
		this.log.push(`${id} ${mode}${base ? ` of ${base.id}` : ''}: ${JSON.stringify(rounds)}`);
		const cancel = new AbortController();
		this.disturb(() => cancel.abort());
		const from = base?.failedAt ?? 0;
		const outputs: Output[] = [];
		for (let round = from; round < rounds.length; round += 1) {
			const tries = mode !== 'retry' && this.random() < 0.2 ? 3 : 1;
			let results: Output[] = [];
			for (let attempt = 0; attempt < tries; attempt += 1) {
				results = await this.runNode(execution, nodeMemory, round, cancel.signal);
				if (this.continuesOnFail || isGood(results) || cancel.signal.aborted) break;
			}
			outputs.push(...results);
			// While another node works on what this one has output.
			if (this.random() < 0.05) cancel.abort();
			if (cancel.signal.aborted) break;
			if (!this.continuesOnFail && !isGood(results)) {
				execution.failedAt = round;
				break;
			}
		}
		execution.wasStopped = cancel.signal.aborted;
		// A run in which nothing comes so far as to create leaves no memory.
		const isBegun = memory !== undefined || Object.keys(nodeMemory.items).length > 0;
		if (!execution.wasStopped && isBegun) {
			execution.memory = nodeMemory;
		} else {
			// As it was at its start, where a retry has what the execution knew that it retries.
			execution.memory = memory;
			execution.failedAt = from;
		}
		this.check(outputs);
		const isKept = execution.failedAt === undefined;
		if (isKept) for (const { id } of outputs.flatMap(jobsOf)) this.kept.add(id);
		this.last = execution;
		if (!isKept && mode !== 'manual') this.failed.push(execution);
		this.running = undefined;
	}

	private async runNode(
		execution: Execution,
		nodeMemory: NodeMemory,
		round: number,
		signal: AbortSignal,
	): Promise<Output[]> {
		const rows = execution.rounds[round] ?? [];
		const run = new Run(undefined, false, signal);
		const requester: Requester = {
			execution: execution.id,
			isManual: execution.mode === 'manual',
			nodeId: 'workflow/node',
			credential: 'credential',
			startDataHash: () => `order ${execution.order}`,
		};
		const known = { nodeMemory, executionSum: new ExecutionSum({}), requester };
		this.lost.watch(signal, known);
		if (this.random() < 0.05) {
			// A row that is invalid, or a credential that cannot be read: nothing comes so far as to create.
			this.log.push(`  round ${round}: invalid`);
			if (!signal.aborted) this.lost.runEnded(known, [], !this.continuesOnFail);
			const invalid = fail({ kind: 'input', field: 'Prompt', problem: 'is empty' });
			return rows.map((row) => [row, invalid]);
		}
		const host = hostWith(this.service.send);
		const mayResumeLost = execution.mode !== 'production' && nodeMemory.startedIn === execution.id;
		const memories: ItemMemory[] = [];
		const results = await Promise.all(
			rows.map(async (row, itemIndex): Promise<Output> => {
				const place = `${round}:${itemIndex}`;
				const parts = row.map(requestOf);
				const item = runOf({
					host: { ...host, channel: { ...host.channel, signal } },
					workspace: this.workspace,
					run,
					lost: this.lost.poolOf(requester),
					nodeMemory,
					memory: itemMemory(nodeMemory, place),
					itemIndex,
					userInputHash: `${place} ${row.join()}`,
					request: parts[0],
					parts,
					settings: {
						idempotency: this.idempotency,
						idempotencyKey: `key of ${place}`,
						waitTimeoutMs: 25_000,
					},
					origin: {
						place,
						requester,
						mode: execution.mode === 'manual' ? 'manual' : 'production',
						mayResumeLost,
					},
				});
				const result = await runItem(item);
				recordEnd(item, result.ok ? execution.id : undefined);
				memories.push(...memoriesOf(item));
				return [row, result];
			}),
		);
		const hasFailed = !isGood(results) && !this.continuesOnFail;
		if (!signal.aborted) this.lost.runEnded(known, memories, hasFailed);
		const said = results.map(([, { ok, ...result }]) => (ok ? 'ok' : JSON.stringify(result)));
		this.log.push(`  round ${round}: ${said.join(', ')}${signal.aborted ? ', stopped' : ''}`);
		return results;
	}

	private check(outputs: Output[]): void {
		const jobs = outputs.flatMap(jobsOf);
		const asked = outputs.flatMap(([row, { ok }]) => (ok ? row : []));
		if (jobs.map(({ prompt }) => prompt).join() !== asked.join())
			this.violations.push(`${JSON.stringify(jobs)} for ${asked.join()}`);
		const ids = new Set(jobs.map(({ id }) => id));
		if (ids.size < jobs.length && this.idempotency === 'execution')
			this.violations.push(`one of ${[...ids].join()} was output twice`);
	}

	private async step(): Promise<void> {
		const { last } = this;
		const mayRetry = last !== undefined && last.failedAt !== undefined;
		const ways = ['manual', 'production', 'retry', 'edit', 'key', 'crash'] as const;
		const way = this.pick(...ways, 'manual', 'manual', 'retry');
		const base = this.failed.length > 0 ? this.pick(...this.failed) : undefined;
		if (this.isRetriedOften && way !== 'crash')
			return base ? await this.execute('retry', base) : await this.execute('production');
		switch (way) {
			case 'edit':
				// A key that the user gives belongs to a place in this model.
				if (!this.hasParts && this.idempotency !== 'custom') this.edit();
				return await this.execute('manual');
			case 'key':
				// Another key of the workspace, or another spelling of its address.
				this.workspace = new Workspace(PLAN, this.clock, this.random);
				this.log.push('another key');
				return await this.execute('manual');
			case 'crash':
				// What only the process knew is lost: whoever goes on in the editor pays again.
				this.lost = new LostOfWorkflow(this.clock);
				this.workspace = new Workspace(PLAN, this.clock, this.random, this.workspace.name);
				this.log.push('crash');
				// What its retries have come to, only the process knew.
				this.failed = this.failed.filter((one) => one === last);
				for (const { id } of this.service.charges) {
					this.beforeCrash.add(id);
					if (this.paidIn.get(id) === 0 || last?.wasStopped) this.kept.add(id);
				}
				return;
			case 'retry':
				// A manual one cannot be retried in the editor; n8n retries those of production.
				if (!mayRetry || last.mode === 'manual') return await this.execute('manual');
				return await this.execute('retry', last);
			default:
				return await this.execute(way);
		}
	}

	/**
	 * Rows are taken out, or another one comes first. All that are equal: where the outcome of both is
	 * unknown, nothing can tell which of two equal ones has a job.
	 */
	private edit(): void {
		const out = this.pick(...PROMPTS);
		const rounds = this.rounds.map((rows) => rows.filter(([prompt]) => prompt !== out));
		this.rounds = rounds.filter((rows) => rows.length > 0);
		const added = this.pick(...PROMPTS.filter((prompt) => prompt !== out));
		if (this.rounds.length === 0 || this.random() < 0.3) this.rounds.unshift([[added]]);
	}

	/** @returns what happened, if anything was wrong with it */
	async play(): Promise<string[]> {
		const steps = 3 + this.upTo(6);
		for (let step = 0; step < steps && this.violations.length === 0; step += 1) {
			await this.step();
			this.clock.pass(this.random() < 0.9 ? 1_000 : 3_600_000);
			// It is set right.
			if (this.random() < 0.1) this.clock.setWall(-5_000);
		}
		return this.violations.length > 0 ? [...this.log, ...this.violations] : [];
	}
}

test(`${SEQUENCES} sequences of executions: nothing that was paid for and lost is paid for again`, async () => {
	await playSeeds(SEQUENCES, async (seed) => await new World(seed).play());
});
