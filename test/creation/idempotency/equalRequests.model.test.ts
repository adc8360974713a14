import type { Result } from '../../../src/base/result';
import type { Resource, Send } from '../../../src/base/types';
import { newMemory, type NodeMemory } from '../../../src/creation/idempotency/itemState';
import type { Settings } from '../../../src/creation/item';
import { Run } from '../../../src/creation/run';
import { habitsOf, LedgerService, type Charge, type Outcome } from '../../model/ledgerService';
import { dice } from '../../model/random';
import { createJob, hostWith, runOf, workspaceWith } from '../../model/run';
import { VirtualClock } from '../../model/virtualClock';
import { playSeeds } from '../../support/seed';
import { cases } from '../../support/thorough';

/*
 * Two to four equal rows of one process under Same Request, of one execution or of several, before a service
 * that refuses, delays and loses answers at random: their request never has more than one job that has not
 * failed, and in the end all have that job.
 */

const WORLDS = cases(5_000);
const SECOND = 1_000;
const HOUR = 3_600 * SECOND;

const SETTINGS: Array<Partial<Settings>> = [
	{},
	{},
	{ onInsufficientCredits: 'wait', creditWaitTimeoutMs: 60 * SECOND },
	{ maxCredits: 50 },
	{ maxCreditsPerDay: 50 },
];

/** How often what the promise is about has happened. */
const seen = {
	refused: 0,
	throttled: 0,
	lost: 0,
	stopped: 0,
	failed: 0,
	'paid after a refusal': 0,
};

interface Row {
	execution: string;
	settings: Partial<Settings>;
	nodeMemory: NodeMemory;
	memory: ReturnType<typeof newMemory>;
	result?: Result<Resource>;
}

class World {
	private readonly log: string[] = [];
	private readonly violations: string[] = [];
	private readonly dice: ReturnType<typeof dice>;
	private readonly clock = new VirtualClock();
	private readonly workspace = workspaceWith(this.clock, { requestsPerMinute: 1_000_000 });
	private readonly service: LedgerService;
	private rows: Row[];
	private isCalm = false;
	private wasRefused = false;

	constructor(seed: number) {
		this.dice = dice(seed);
		const { random, upTo, pick } = this.dice;
		const habits = { ...habitsOf(this.dice), dropsFailed: random() < 0.3 };
		this.service = new LedgerService(this.clock, habits, (charge) => this.charged(charge));
		this.service.saysPrice = true;
		this.log.push(JSON.stringify(habits));
		const own = random() < 0.5;
		this.rows = Array.from({ length: 2 + upTo(3) }, (_, index) => {
			const execution = own ? `execution ${index}` : 'execution';
			const nodeMemory: NodeMemory = { runId: execution, items: {} };
			return { execution, settings: pick(...SETTINGS), nodeMemory, memory: newMemory() };
		});
		this.disturb();
	}

	private charged(charge: Charge): void {
		const isCurrent = ({ at }: Charge) => this.clock.now() - at < 24 * HOUR;
		const current = this.service.charges.filter(isCurrent);
		const live = current.filter((one) => this.service.isLive(one));
		if (live.length > 0 && !charge.fails)
			this.violations.push(`${charge.id} was paid for beside ${live.map(({ id }) => id).join()}`);
		if (this.wasRefused) seen['paid after a refusal'] += 1;
	}

	private disturb(): void {
		const { random, pick } = this.dice;
		const odds = pick(0.2, 0.5, 0.8);
		this.service.outcome = ({ method }): Outcome => {
			if (this.isCalm || method !== 'POST' || random() > odds) return 'answer';
			return pick(402, 402, 402, 429, 'lostBefore', 'lostAfter', 'errorAfter', 400);
		};
		this.service.next = () => {
			const fails = !this.isCalm && random() < 0.2;
			if (fails) seen.failed += 1;
			return { takes: pick(0, 500, 20_000, 120_000), fails };
		};
		if (random() < 0.5) this.service.balance = 0;
		this.clock.after(pick(500, 5_000, 40_000), () => {
			this.service.balance = Infinity;
		});
	}

	/** What takes a while before the service does it, and until its answer is there. */
	private readonly send: Send = async (request) => {
		const { pick } = this.dice;
		const sentAt = this.clock.monotonic();
		await this.clock.sleep(pick(10, 10, 700, 3_000, 30_000));
		const answered = await this.service.send(request);
		await this.clock.sleep(pick(10, 10, 700, 3_000, 30_000));
		if (request.method !== 'POST') return answered;
		const status = 'status' in answered ? answered.status : 0;
		if (status === 402) seen.refused += 1;
		if (status === 402) this.wasRefused = true;
		if (status === 429) seen.throttled += 1;
		if (status === 0) seen.lost += 1;
		const key = request.headers?.['Idempotency-Key']?.slice(4, 9);
		const { id } = ('body' in answered ? answered.body : {}) as Partial<Resource>;
		const time = `${sentAt} to ${this.clock.monotonic()}`;
		this.log.push(`  ${time}: POST ${key} -> ${status} ${id ?? ''}`);
		return answered;
	};

	private async tryRow(row: Row, index: number, run: Run, cancel?: AbortSignal): Promise<void> {
		const { execution, settings, nodeMemory, memory } = row;
		const host = hostWith(this.send, {}, execution);
		const item = runOf({
			host: { ...host, channel: { ...host.channel, signal: cancel } },
			workspace: this.workspace,
			run,
			nodeMemory,
			memory,
			itemIndex: index,
			settings: {
				idempotency: 'content',
				waitTimeoutMs: (this.isCalm ? 1_800 : 90) * SECOND,
				...settings,
			},
			origin: { place: `0:${index}`, executionId: execution },
		});
		row.result = await createJob(item);
		const said = row.result.ok ? row.result.value.id : JSON.stringify(row.result.failure);
		this.log.push(`  ${this.clock.monotonic()} row ${index}: ${said.slice(0, 120)}`);
	}

	/** All rows that have no job yet; those of one execution in one run. */
	private async tryAll(): Promise<void> {
		const { random, upTo } = this.dice;
		const runs = new Map<string, { run: Run; cancel: AbortController }>();
		const going = this.rows.map(async (row, index) => {
			if (row.result?.ok) return;
			const { execution } = row;
			const known = runs.get(execution);
			const cancel = known?.cancel ?? new AbortController();
			const run = known?.run ?? new Run(undefined, random() < 0.7, cancel.signal);
			if (!known && !this.isCalm && random() < 0.3) {
				seen.stopped += 1;
				this.clock.after(upTo(60_000), () => cancel.abort());
			}
			runs.set(execution, { run, cancel });
			await this.clock.sleep(upTo(3) * 1_500);
			await this.tryRow(row, index, run, cancel.signal);
		});
		await this.clock.run(Promise.all(going));
	}

	/** The rows that have a job have the same one. */
	private haveOneJob(): void {
		const ids = this.rows.flatMap(({ result }) => (result?.ok ? [result.value.id] : []));
		if (new Set(ids).size > 1) this.violations.push(`they have ${ids.join()}`);
	}

	async play(): Promise<string[]> {
		for (let time = 0; time < 3 && this.violations.length === 0; time += 1) {
			this.log.push('try');
			await this.tryAll();
		}
		this.isCalm = true;
		this.service.balance = Infinity;
		// What is still out is heard.
		await this.clock.pass(300 * SECOND);
		this.log.push('all is well');
		await this.tryAll();
		this.haveOneJob();
		// The service may keep a 402 for a key under which a request was lost. After a day that is over.
		this.rows = this.rows.filter(({ result }) => !result?.ok);
		await this.clock.pass(25 * HOUR);
		this.log.push('a day later');
		await this.tryAll();
		// Whoever was warned has decided.
		for (const row of this.rows) row.execution += ', again';
		await this.tryAll();
		this.haveOneJob();
		if (!this.rows.every(({ result }) => result?.ok)) this.violations.push('a row has no job');
		return this.violations.length > 0 ? [...this.log, ...this.violations] : [];
	}
}

test(`${WORLDS} worlds of equal rows: one request has one job, and all rows have that`, async () => {
	await playSeeds(WORLDS, async (seed) => await new World(seed).play());
	expect(Object.entries(seen).filter(([, times]) => times <= WORLDS / 100)).toEqual([]);
});
