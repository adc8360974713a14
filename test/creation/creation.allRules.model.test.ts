import type { ApiRequest, Resource, SendResult } from '../../src/base/types';
import type { Failed, Result } from '../../src/base/result';
import { accountOf, ExecutionSum } from '../../src/creation/credits/ledger';
import type { IdempotencyMode, Item, ItemOutput as Made, Settings } from '../../src/creation/item';
import { LostOfWorkflow, type Requester } from '../../src/creation/idempotency/lostRequests';
import {
	itemMemory,
	memoriesOf,
	recordEnd,
	statesOf,
	type ItemMemory,
	type NodeMemory,
	isOutcomeOpen,
} from '../../src/creation/idempotency/itemState';
import { Run } from '../../src/creation/run';
import { detailsOf } from '../../src/n8n/output/errors';
import { runItem } from '../../src/n8n/runOperation';
import { Workspace } from '../../src/transport/workspace';
import { habitsOf, LedgerService, type Charge, type Outcome } from '../model/ledgerService';
import { dice } from '../model/random';
import { CREATE, hostWith, runOf } from '../model/run';
import { VirtualClock } from '../model/virtualClock';
import { playSeeds } from '../support/seed';
import { cases } from '../support/thorough';

/*
 * Whole executions in which everything that a user can choose meets everything that can go wrong: who asks
 * again, Avoid Paying Twice, limits of credits, texts of several parts, refusals, a loop. A rule that holds
 * by itself is often broken by another. The ledger of the service is the judge; each promise has a method.
 */

const WORLDS = cases(2_000);
const PLAN = { requestsPerMinute: 1_000_000, concurrentJobs: 5 };
const SECOND = 1_000;
const DAY = 86_400 * SECOND;

/** One request: what is asked for under a prompt has always one model. */
interface Ask {
	prompt: string;
	model: string;
	count: number;
}

/** An item, with a request for each of its parts. */
type Row = Ask[];

const MODELS: Record<string, string> = { cat: 's', dog: 'm', cow: 'first', bird: 'l' };

/** The model that the workspace lists first. */
const FIRST = 's';

const contentOf = ({ prompt, count }: Pick<Ask, 'prompt' | 'count'>): string =>
	`${prompt} x${count}`;

const modelOf = ({ model }: Ask): string => (model === 'first' ? FIRST : model);

const requestOf = ({ prompt, model, count }: Ask): ApiRequest => {
	const body = { mode: 'image', model, prompt, parameters: { count } };
	return { method: 'POST', path: '/generations', query: {}, body };
};

/** Only speech has parts, which takes no slot: a 429 puts off none of them. */
const SPEECH = { ...CREATE, takesSlot: undefined };

/** The prompts of parts are numbered. */
const isPart = ({ prompt }: Pick<Ask, 'prompt'>): boolean => prompt.includes(' ');

const sumOf = (charges: Iterable<Charge>): number =>
	[...charges].reduce((sum, { credits }) => sum + credits, 0);

/** What n8n keeps of an execution for its retry: nothing if it was stopped. */
interface Execution {
	id: string;
	isManual: boolean;
	/** What a retry goes on with; all executions in the editor are one. */
	order: string;
	rounds: Row[][];
	memory?: NodeMemory;
	flow: Record<string, unknown>;
	failedAt?: number;
	wasStopped: boolean;
}

/** An item that has ended. */
interface End {
	row: Row;
	item: Item;
	result: Result<Made>;
}

/** One run of the node. */
interface RunOfNode {
	execution: Execution;
	rows: Row[];
	run: Run;
	/** What was paid for during it, and what it has first heard of. */
	charged: Charge[];
	heard: Charge[];
	/** What was owed to it, by content, that no limit may refuse. */
	owed: Map<string, number>;
	/** The contents that were refused, by status. */
	refused: Map<number, Set<string>>;
	knowsPrices: boolean;
	/** Whether the service has dropped a key that had to be sent again. */
	isBeyondControl: boolean;
	/** Whether an answer may be about what another process has paid for. */
	isReceiptUnsure: boolean;
	ofFlowBefore: number;
	ofDayBefore: number;
}

/** How a charge has become known. */
interface Heard {
	flow: object;
	process: number;
	at: number;
}

/** How often what the promises are about has happened: the model would prove nothing otherwise. */
const seen = {
	'retry on fail': 0,
	'retry of a failed execution': 0,
	'retry of a stopped execution': 0,
	'click after a loss': 0,
	'next round after a loss': 0,
	'another process': 0,
	'changed prompt': 0,
	'changed price': 0,
	'lost and paid for': 0,
	'lost and not paid for': 0,
	'given again': 0,
	'given again under a tight limit': 0,
	'refused by Max Credits per Execution': 0,
	'refused by Max Credits per Day': 0,
	'text refused by a limit': 0,
	'limit checked at known prices': 0,
	'sum compared': 0,
	'receipt compared': 0,
	'out of credits': 0,
	'topped up': 0,
	'forbidden model': 0,
	'first model': 0,
	'not sent': 0,
	'row with parts failed': 0,
	'job failed': 0,
	'job outlasted the wait': 0,
	'slot left to a running job': 0,
};

class World {
	readonly log: string[] = [];
	readonly violations: string[] = [];
	private readonly dice: ReturnType<typeof dice>;
	private readonly clock = new VirtualClock();
	private readonly service: LedgerService;
	private readonly settings: Partial<Settings>;
	private readonly mode: IdempotencyMode;
	private readonly continuesOnFail: boolean;
	private readonly isDated: boolean;
	private readonly dropsFailed: boolean;
	private readonly prices: Record<string, number>;
	private lost: LostOfWorkflow;
	private workspace: Workspace;
	private process = 0;
	private executions = 0;
	/** Of the prompts. */
	private version = 0;
	private rounds: Row[][] = [];
	private isRetry = false;
	/** Whether the last round has output a failed row. */
	private hasLost = false;
	private last: Execution | undefined;
	private now: RunOfNode | undefined;
	private forbidden: string | undefined;
	private hadNoCredits = false;
	/** By id: the order that has paid for it, the flow in which, and how it has become known. */
	private readonly orderOf = new Map<string, string>();
	private readonly flowOf = new Map<string, object>();
	/** In which process it was paid for. */
	private readonly processOf = new Map<string, number>();
	private readonly heard = new Map<string, Heard>();
	/** Charges that nobody asks for again: they were given, or only a process that is over knew of them. */
	private readonly settled = new Set<string>();
	private readonly forgotten = new Set<string>();
	/** What the running execution was given. */
	private given = new Set<string>();
	/** The prices that this process has learnt. */
	private readonly taught = new Map<string, number>();
	/** Whether something of which the answer was lost has cost another price than the one it counts with. */
	private hasSurprise = false;
	/** Flows whose sum nobody can know. */
	private readonly uncertain = new WeakSet<object>();

	constructor(seed: number) {
		this.dice = dice(seed);
		const { random, upTo, pick } = this.dice;
		this.dropsFailed = random() < 0.3;
		const habits = { ...habitsOf(this.dice), balanceFirst: false, dropsFailed: this.dropsFailed };
		this.isDated = habits.saysWhen;
		this.mode = pick('execution', 'execution', 'execution', 'content', 'content', 'custom', 'none');
		this.continuesOnFail = random() < 0.5;
		this.prices = { s: 1 + upTo(4), m: 1 + upTo(8), l: 1 + upTo(8) };
		const tight = 2 + upTo(20);
		this.settings = {
			idempotency: this.mode,
			waitTimeoutMs: 25 * SECOND,
			creditWaitTimeoutMs: 60 * SECOND,
			onInsufficientCredits: pick('stop', 'stop', 'wait'),
			maxCredits: pick(Infinity, tight, tight, 200),
			maxCreditsPerDay: pick(Infinity, Infinity, tight + upTo(20), 400),
		};
		this.service = new LedgerService(this.clock, habits, (charge) => this.charged(charge));
		this.service.saysPrice = true;
		this.service.price = ({ model = '', parameters }) =>
			(this.prices[model] ?? 1) * (parameters?.count ?? 1);
		this.lost = new LostOfWorkflow(this.clock);
		this.workspace = new Workspace(PLAN, this.clock, random);
		this.rounds = this.anyRounds();
		const { maxCredits, maxCreditsPerDay, onInsufficientCredits } = this.settings;
		this.log.push(
			`Avoid Paying Twice: ${this.mode}; On Error: ${this.continuesOnFail ? 'continue' : 'stop'}`,
			`Max Credits per Execution ${maxCredits}, per Day ${maxCreditsPerDay}; ${onInsufficientCredits}`,
			`prices ${JSON.stringify(this.prices)}; service ${JSON.stringify(habits)}`,
		);
	}

	private anyRow(): Row {
		const { random, upTo, pick } = this.dice;
		const animal = pick('cat', 'dog', 'cow', 'bird');
		const model = MODELS[animal] ?? FIRST;
		const prompt = `${animal}${this.version}`;
		if (random() > 0.3) return [{ prompt, model, count: pick(1, 1, 2, 4) }];
		// Only speech has parts, of which a model is always chosen.
		const chosen = modelOf({ prompt, model, count: 1 });
		const parts = 2 + upTo(3);
		return Array.from({ length: parts }, (_, part) => {
			return { prompt: `${prompt} ${random() < 0.8 ? part : 0}`, model: chosen, count: 1 };
		});
	}

	/**
	 * In a loop, a later round asks for the same or for something else. Never for fewer of the same: where
	 * the outcome of both is unknown, nothing can tell which of two equal ones has a job.
	 */
	private anyRounds(): Row[][] {
		const { random, upTo } = this.dice;
		this.version += 1;
		const rows = Array.from({ length: 1 + upTo(4) }, () => this.anyRow());
		if (random() < 0.6) return [rows];
		this.version += 1;
		const next = random() < 0.7 ? rows : [this.anyRow()];
		return random() < 0.5 ? [rows, next] : [rows, next, rows];
	}

	private get isShared(): boolean {
		return this.mode === 'content' || this.mode === 'custom';
	}

	/** What was paid for and is owed to the running execution. */
	private owedOf(content: string, execution: Execution): Charge[] {
		const now = this.clock.monotonic();
		const wallNow = this.clock.now();
		return this.service.charges.filter((charge) => {
			const isSame = contentOf(charge) === content && this.service.isLive(charge);
			if (!isSame || wallNow - charge.at >= DAY || now < 0) return false;
			if (this.mode === 'content') return true;
			const { id } = charge;
			const isOpen = ![this.settled, this.given, this.forgotten].some((all) => all.has(id));
			return isOpen && this.orderOf.get(charge.id) === execution.order;
		});
	}

	/** How often the run asks for it. */
	private wanted({ rows }: RunOfNode, content: string): number {
		return rows.flat().filter((ask) => contentOf(ask) === content).length;
	}

	private charged(charge: Charge): void {
		const { now } = this;
		if (!now) return;
		this.paidOnce(charge, now);
		if (this.isInsteadOf(charge)) {
			now.isBeyondControl = true;
			this.uncertain.add(now.execution.flow);
		}
		this.orderOf.set(charge.id, now.execution.order);
		this.processOf.set(charge.id, this.process);
		this.flowOf.set(charge.id, now.execution.flow);
		now.charged.push(charge);
	}

	/** Whether the service has dropped the key of a job that has failed before anybody heard of it. */
	private isInsteadOf(charge: Charge): boolean {
		const isUnheard = (one: Charge) => !this.service.isLive(one) && !this.heard.has(one.id);
		const equal = this.service.charges.filter((one) => contentOf(one) === contentOf(charge));
		return this.dropsFailed && equal.some(isUnheard);
	}

	/** docs/paid-once.md: whoever asks again for what was paid for and not delivered gets that. */
	private paidOnce(charge: Charge, now: RunOfNode): void {
		if (this.mode === 'none' || this.mode === 'custom') return;
		const content = contentOf(charge);
		// After a 402 the key is one that no other process finds.
		const isFound = ({ id }: Charge) =>
			this.mode !== 'content' || !this.hadNoCredits || this.processOf.get(id) === this.process;
		const owed = this.owedOf(content, now.execution).filter(isFound);
		const wanted = this.mode === 'content' ? 1 : this.wanted(now, content);
		if (owed.length >= wanted) {
			const ids = owed.map(({ id }) => id).join();
			this.violations.push(`${charge.id} (${content}) was paid for although ${ids} is owed`);
		}
	}

	/** docs/paid-once.md: one try pays at most once for each request. */
	private paidOnceATry(now: RunOfNode): void {
		if (now.isBeyondControl) return;
		// What has failed at once is made again under a key that others share.
		const most = this.mode === 'content' ? 3 : 1;
		for (const content of new Set(now.charged.map(contentOf))) {
			const charges = now.charged.filter((charge) => contentOf(charge) === content);
			const allowed = this.wanted(now, content) * most;
			if (charges.length > allowed)
				this.violations.push(`${charges.length} charges for ${content} in one try`);
		}
	}

	/** docs/paid-once.md: a round after a good one is a new order, and so is each of two equal rows. */
	private newOrderGetsItsOwn(ends: End[]): void {
		if (this.isShared) return;
		const got = new Set<string>();
		for (const { result } of ends) {
			for (const { id } of result.ok ? result.value.resources : []) {
				if (got.has(String(id)) || this.given.has(String(id)))
					this.violations.push(`${String(id)} is given for two orders`);
				got.add(String(id));
			}
		}
	}

	/** Whether all that the run asks for under it was paid for before. */
	private isOwed(now: RunOfNode, content: string): boolean {
		const wanted = this.mode === 'content' ? 1 : this.wanted(now, content);
		return (now.owed.get(content) ?? 0) >= wanted;
	}

	/** docs/credits.md: no limit refuses what was paid for. */
	private notRefusedByALimit(now: RunOfNode, ends: End[]): void {
		for (const { row, result } of ends) {
			if (result.ok) continue;
			const { kind } = result.failure;
			if (kind === 'creditCap') seen['refused by Max Credits per Execution'] += 1;
			if (kind === 'dayCap') seen['refused by Max Credits per Day'] += 1;
			if (kind !== 'creditCap' && kind !== 'dayCap') continue;
			const contents = row.map(contentOf);
			const isAllOwed = contents.every((content) => this.isOwed(now, content));
			if (isAllOwed) this.violations.push(`a limit refuses ${contents.join()}, which is paid for`);
		}
	}

	/** docs/credits.md: only what is known to cost more than is left is not sent. */
	private refusedOnlyIfTooDear(now: RunOfNode, ends: End[]): void {
		const { maxCredits = Infinity } = this.settings;
		if (!now.knowsPrices || this.mode === 'none' || this.mode === 'custom') return;
		for (const { row, result } of ends) {
			if (result.ok || result.failure.kind !== 'creditCap') continue;
			const unpaid = row.map(contentOf).filter((content) => !this.isOwed(now, content));
			const needed = row
				.filter((ask) => unpaid.includes(contentOf(ask)))
				.reduce((sum, ask) => sum + (this.prices[modelOf(ask)] ?? 0) * ask.count, 0);
			// Nobody knows what a request has cost that had no answer, so nothing else fits.
			const { reserved, isGuess = false } = result.failure;
			if (isGuess) continue;
			if (reserved + needed <= maxCredits)
				this.violations.push(
					`a limit refuses ${row.map(contentOf).join()}, of which ${needed} is new`,
				);
		}
	}

	/** How much of what is owed no limit may refuse: it is known, or was let out under the same limit. */
	private safelyOwed(content: string, execution: Execution): number {
		const isSafe = (charge: Charge): boolean => {
			if (charge.fails) return false;
			const heard = this.heard.get(charge.id);
			if (this.mode === 'content') {
				// A service that drops a key makes the node trust no other.
				const isOfProcess = heard?.process === this.process && heard.at < charge.at + SECOND;
				return isOfProcess && this.isDated && !this.hadNoCredits && !this.dropsFailed;
			}
			return heard !== undefined || this.flowOf.get(charge.id) === execution.flow;
		};
		if (this.mode === 'none' || this.mode === 'custom') return 0;
		return this.owedOf(content, execution).filter(isSafe).length;
	}

	/** docs/credits.md: at known prices, a limit is never exceeded. */
	private withinLimits(now: RunOfNode): void {
		if (this.hasSurprise) return;
		if (!now.knowsPrices || now.isBeyondControl || (this.isShared && this.dropsFailed)) return;
		const { maxCredits = Infinity, maxCreditsPerDay = Infinity } = this.settings;
		if (maxCredits < Infinity || maxCreditsPerDay < Infinity)
			seen['limit checked at known prices'] += 1;
		const ofFlow = this.ofFlow(now.execution);
		const ofDay = this.ofDay();
		if (ofFlow > Math.max(maxCredits, now.ofFlowBefore))
			this.violations.push(`${ofFlow} of ${maxCredits} credits of the execution`);
		if (ofDay > Math.max(maxCreditsPerDay, now.ofDayBefore))
			this.violations.push(`${ofDay} of ${maxCreditsPerDay} credits of the day`);
	}

	/**
	 * docs/credits.md: at known prices, a text of several parts is sent as a whole or not at all. A part that
	 * waits for a top-up lets other rows pass, which may take its credits.
	 */
	private wholeOrNotAtAll(now: RunOfNode, ends: End[]): void {
		if (!now.knowsPrices || now.isBeyondControl) return;
		const contents = now.charged.map(contentOf);
		for (const { row, result } of ends) {
			const kind = result.ok ? '' : result.failure.kind;
			if (row.length < 2 || (kind !== 'creditCap' && kind !== 'dayCap')) continue;
			if (row.some((ask) => now.refused.get(402)?.has(contentOf(ask)))) continue;
			seen['text refused by a limit'] += 1;
			const isOnlyHere = (content: string) => this.wanted(now, content) === 1;
			const paid = row.map(contentOf).filter((one) => contents.includes(one) && isOnlyHere(one));
			if (paid.length > 0)
				this.violations.push(`only ${paid.join()} of a text was paid for: the rest does not fit`);
		}
	}

	private ofFlow({ flow }: Execution): number {
		return sumOf(this.service.charges.filter(({ id }) => this.flowOf.get(id) === flow));
	}

	private ofDay(): number {
		const today = this.clock.now() - (this.clock.now() % DAY);
		return sumOf(this.service.charges.filter(({ at }) => at >= today));
	}

	/** docs/credits.md: a job counts once in an execution, and all that it has made count. */
	private countedOnce({ flow }: Execution, nodeMemory: NodeMemory): void {
		const isOpen = ({ state }: ItemMemory) => isOutcomeOpen(state);
		if (Object.values(nodeMemory.items).some(isOpen)) {
			if (this.mode === 'none') this.uncertain.add(flow);
			return;
		}
		if (this.uncertain.has(flow)) return;
		seen['sum compared'] += 1;
		const { charges } = this.service;
		const states = Object.values(nodeMemory.items).map(({ state }) => state);
		const has = (id: string) => states.some((state) => 'job' in state && state.job.id === id);
		const isRetry = nodeMemory.startedInRetry ?? false;
		const known = charges.filter(
			({ id }) => this.heard.get(id)?.flow === flow || (isRetry && has(id)),
		);
		// What a retry took over and has failed since counts too, and only the node knows what that was.
		const most = isRetry ? charges : known;
		const { reserved } = new ExecutionSum(flow);
		if (reserved < sumOf(known) || reserved > sumOf(most))
			this.violations.push(`the node counts ${reserved}, the ledger ${sumOf(known)}`);
	}

	/** docs/credits.md: the sentence above the output counts what the run has bought. */
	private receiptIsTrue({ run, heard, execution, isReceiptUnsure }: RunOfNode): void {
		if (isReceiptUnsure || this.uncertain.has(execution.flow)) return;
		seen['receipt compared'] += 1;
		const { bought, inVain } = accountOf(run);
		const said = bought.reduce<number>((sum, one = 0) => sum + one, inVain);
		if (said !== sumOf(heard))
			this.violations.push(`the receipt says ${said}, the ledger ${sumOf(heard)}`);
	}

	/** docs/credits.md: nothing is left out but for a reason that is named there. */
	private leftOutForAReason(now: RunOfNode, ends: End[]): void {
		const failures = ends.flatMap(({ result }) => (result.ok ? [] : [result.failure]));
		const told = failures.filter(({ kind }) => kind !== 'skipped');
		// A row of several parts shows the first reason only.
		const isToldAway = told.some((failure) => 'outageOf' in failure && failure.outageOf);
		const isOutage = isToldAway || [0, 502, 503].some((status) => now.refused.has(status));
		const isRefused = now.refused.has(401);
		for (const { row, result } of ends) {
			if (result.ok || result.failure.kind !== 'skipped') continue;
			seen['not sent'] += 1;
			const mayHalt = !this.continuesOnFail && told.length > 0;
			if (mayHalt || isOutage || isRefused) continue;
			const refused = (status: number) =>
				ends.filter((other) =>
					other.row.some((ask) => now.refused.get(status)?.has(contentOf(ask))),
				);
			const isWaited = this.settings.onInsufficientCredits === 'wait';
			const isTooDear = refused(402).some(({ row: other }) =>
				other.some((ask) =>
					row.some((own) => modelOf(own) === modelOf(ask) && own.count >= ask.count),
				),
			);
			if (isTooDear || (isWaited && refused(402).length > 0)) continue;
			const alike = refused(403).filter(({ row: other }) => other[0]?.model === row[0]?.model);
			if (alike.length >= 3) continue;
			this.violations.push(
				`${row.map(contentOf).join()} was not sent: ${JSON.stringify(result.failure)}`,
			);
		}
	}

	/** docs/paid-once.md: whoever has paid for a job is told of it. */
	private nothingUnsaid(now: RunOfNode, ends: End[]): void {
		const told = new Set<unknown>();
		const doubtful = new Set<string>();
		for (const { row, item, result } of ends) {
			if (result.ok) {
				for (const { id } of result.value.resources) told.add(id);
				continue;
			}
			const details = this.detailsOf(item, result);
			const ids = [details.jobId, ...((details.jobIds as string[] | undefined) ?? [])];
			for (const id of ids) told.add(id);
			if (details.credits !== 'none spent') for (const ask of row) doubtful.add(contentOf(ask));
			for (const [, state] of statesOf(item)) {
				if ('job' in state && !told.has(state.job.id))
					this.violations.push(`a failed row does not name ${state.job.id}`);
			}
		}
		for (const charge of now.charged) {
			const isSaid = told.has(charge.id) || doubtful.has(contentOf(charge));
			if (this.service.isLive(charge) && !isSaid)
				this.violations.push(`nothing says that ${charge.id} may exist`);
		}
	}

	private detailsOf(item: Item, failed: Failed) {
		const { spec, itemIndex, settings, origin } = item;
		const states = statesOf(item).map(([, state]) => state);
		return detailsOf(failed, {
			endpoint: spec.endpoint,
			creates: true,
			charges: true,
			itemIndex,
			isRow: true,
			idempotency: settings.idempotency,
			mode: origin.mode,
			jobIds: states.flatMap((state) => ('job' in state ? [state.job.id] : [])),
			outcomeUnknown: states.some(isOutcomeOpen),
		});
	}

	/** docs/limits.md: a slot is held by a job that runs, and by nothing else. */
	private slotsAreOfJobs(): void {
		const { media } = this.workspace.slots as unknown as {
			media: {
				underWay: Map<unknown, number>;
				awaited: Set<string>;
				abandoned: Map<string, number>;
			};
		};
		if (media.underWay.size > 0) this.violations.push(`${media.underWay.size} slots of no job`);
		const awaited = [...media.awaited].join();
		if (awaited !== '') this.violations.push(`slots of ${awaited}, for which nobody waits`);
		for (const charge of this.now?.heard ?? []) {
			const { id, endsAt } = charge;
			if (endsAt <= this.clock.now() || isPart(charge)) continue;
			seen['slot left to a running job'] += 1;
			if (!media.abandoned.has(id)) this.violations.push(`${id} runs and holds no slot`);
		}
	}

	private readonly send = async (request: ApiRequest): Promise<SendResult> => {
		const before = this.service.charges.length;
		const answer = await this.serve(request);
		await this.clock.sleep(50);
		if (request.method !== 'POST') {
			this.note('status' in answer ? answer.status : 0, '');
			return answer;
		}
		const body = request.body as { prompt: string; model: string; parameters: { count: number } };
		const content = contentOf({ prompt: body.prompt, count: body.parameters.count });
		const status = 'status' in answer ? answer.status : 0;
		const { id } = ('body' in answer ? answer.body : {}) as Partial<Resource>;
		const charge = this.service.charges.find((one) => one.id === id);
		const isNew = this.service.charges.length > before;
		if (status === 202 && charge) this.hear(charge);
		else if (isNew) this.loseAnswer(this.service.charges.slice(before));
		else if (status === 0) seen['lost and not paid for'] += 1;
		if (status === 402) this.hadNoCredits = true;
		if (status === 402) seen['out of credits'] += 1;
		this.note(status, content);
		const how = charge ? charge.id : JSON.stringify(answer).slice(0, 60);
		this.log.push(`    POST ${content} of ${body.model} -> ${how}${isNew ? ' (paid)' : ''}`);
		return answer;
	};

	/** It counts with the price that the node knows. */
	private loseAnswer(charges: Charge[]): void {
		seen['lost and paid for'] += 1;
		const isSurprise = ({ model, credits, count }: Charge) =>
			this.taught.get(model) !== credits / count;
		if (this.now && charges.some(isSurprise)) this.hasSurprise = true;
	}

	private note(status: number, content: string): void {
		const refused = this.now?.refused.get(status) ?? new Set<string>();
		refused.add(content);
		this.now?.refused.set(status, refused);
	}

	private async serve(request: ApiRequest): Promise<SendResult> {
		if (request.path === '/models') {
			seen['first model'] += 1;
			return { status: 200, headers: {}, body: { object: 'list', data: [{ id: FIRST }] } };
		}
		return await this.service.send(request);
	}

	private hear(charge: Charge): void {
		const { now, heard } = this;
		if (!now) return;
		this.taught.set(charge.model, charge.credits / charge.count);
		const known = heard.get(charge.id);
		const isLate = this.clock.now() - charge.at > 50 * SECOND;
		// Under a key that others share nobody may know whether it was there before.
		const isOther = known && known.process !== this.process;
		const { flow } = now.execution;
		if (this.isShared && isOther) now.isReceiptUnsure = true;
		const isOfFlow = known?.flow === flow;
		if (this.isShared && (isLate || isOther) && !isOfFlow) this.uncertain.add(flow);
		if (known) {
			seen['given again'] += 1;
			return;
		}
		heard.set(charge.id, {
			flow,
			process: this.process,
			at: this.clock.now(),
		});
		now.heard.push(charge);
	}

	/** What happens to the requests of the next execution. */
	private disturb(stop: () => void): void {
		const { random, upTo, pick } = this.dice;
		const outage = random() < 0.1 ? pick('lostBefore', 'lostAfter', 503, 401) : undefined;
		/** Requests for so many whose answers are lost. */
		const away = random() < 0.35 ? pick([1, 2, 4], [1], [1], [2, 4]) : [];
		const stopAt = random() < 0.2 ? upTo(8) : Infinity;
		const odds = random() < 0.4 ? 0 : 0.3;
		this.forbidden = random() < 0.2 ? pick('s', 'm', 'l') : undefined;
		let requests = 0;
		this.service.outcome = ({ method, body }): Outcome => {
			requests += 1;
			if (requests >= stopAt) stop();
			const { model, parameters } = (body ?? {}) as {
				model?: string;
				parameters?: { count: number };
			};
			if (method === 'POST' && model === this.forbidden) {
				seen['forbidden model'] += 1;
				return 403;
			}
			if (away.some((count) => count === parameters?.count))
				return pick('lostAfter', 'lostAfter', 'lostBefore');
			if (outage !== undefined && requests > 1) return outage;
			if (random() >= odds) return 'answer';
			if (method !== 'POST') return pick('lostBefore', 429, 'answer');
			return pick('lostBefore', 'lostAfter', 'lostAfter', 'errorAfter', 'brokenAfter', 429, 400);
		};
		this.service.balance = random() < 0.15 ? upTo(12) : Infinity;
		if (this.service.balance < Infinity && random() < 0.5) {
			this.clock.after(30 * SECOND, () => {
				this.service.balance = Infinity;
			});
			seen['topped up'] += 1;
		}
		this.service.next = () => {
			const fails = random() < 0.15;
			if (fails) seen['job failed'] += 1;
			return { takes: pick(0, 1_000, 5_000, 20_000, 40_000, 3_600_000), fails };
		};
		this.log.push(
			`  outage ${String(outage)}, answers lost of ${away.join() || 'none'}, stop at ${stopAt}, ` +
				`403 for ${String(this.forbidden)}, balance ${this.service.balance}`,
		);
	}

	/** n8n runs the node once for each round, until one fails or the execution is stopped. */
	private async execute(isManual: boolean, base?: Execution): Promise<void> {
		this.executions += 1;
		const id = String(this.executions);
		const memory = base?.memory;
		const nodeMemory: NodeMemory = memory
			? (JSON.parse(JSON.stringify(memory)) as NodeMemory)
			: { runId: `run ${id}`, startedIn: id, startedInRetry: base !== undefined, items: {} };
		const execution: Execution = {
			id,
			isManual,
			order: base?.order ?? (isManual ? 'editor' : `order ${id}`),
			rounds: base?.rounds ?? this.rounds,
			flow: memory && base ? base.flow : {},
			wasStopped: false,
		};
		const kind = base ? `retry of ${base.id}` : isManual ? 'click' : 'production';
		this.log.push(`${id} ${kind}`);
		this.given = new Set();
		const cancel = new AbortController();
		this.disturb(() => cancel.abort());
		for (let round = base?.failedAt ?? 0; round < execution.rounds.length; round += 1) {
			const isGood = await this.roundOf(execution, nodeMemory, round, cancel.signal);
			if (cancel.signal.aborted) break;
			if (!isGood) {
				execution.failedAt = round;
				break;
			}
			// A retry goes on behind it.
			if (!isManual) for (const one of this.given) this.settled.add(one);
		}
		execution.wasStopped = cancel.signal.aborted;
		if (execution.wasStopped) this.unsettle(execution);
		else if (execution.failedAt === undefined) for (const one of this.given) this.settled.add(one);
		if (!execution.wasStopped) execution.memory = nodeMemory;
		else execution.failedAt = 0;
		this.given = new Set();
		this.now = undefined;
		this.last = execution;
	}

	/** n8n keeps nothing of an execution that was stopped: what its rounds had given is lost too. */
	private unsettle({ order, isManual }: Execution): void {
		if (isManual) return;
		for (const [id, its] of this.orderOf) if (its === order) this.settled.delete(id);
	}

	/** With Retry On Fail, several tries. @returns whether the execution goes on */
	private async roundOf(
		execution: Execution,
		nodeMemory: NodeMemory,
		round: number,
		signal: AbortSignal,
	): Promise<boolean> {
		if (round > 0 && this.hasLost) seen['next round after a loss'] += 1;
		const tries = this.dice.random() < 0.3 ? 3 : 1;
		for (let attempt = 1; attempt <= tries; attempt += 1) {
			if (attempt > 1) seen['retry on fail'] += 1;
			this.changePrices();
			const ends = await this.runNode(execution, nodeMemory, round, signal);
			if (signal.aborted) return false;
			const isGood = ends.every(({ result }) => result.ok);
			if (isGood || this.continuesOnFail) {
				const good = ends.flatMap(({ result }) => (result.ok ? result.value.resources : []));
				for (const { id } of good) this.given.add(String(id));
				this.hasLost = !isGood;
				return true;
			}
			await this.clock.pass(SECOND);
		}
		return false;
	}

	private begin(execution: Execution, rows: Row[], run: Run): RunOfNode {
		const asks = rows.flat();
		const owed = new Map<string, number>();
		for (const content of asks.map(contentOf))
			owed.set(content, this.safelyOwed(content, execution));
		const { maxCredits = Infinity } = this.settings;
		if ([...owed.values()].some((many) => many > 0) && maxCredits <= 22)
			seen['given again under a tight limit'] += 1;
		return {
			execution,
			rows,
			run,
			charged: [],
			heard: [],
			owed,
			refused: new Map(),
			knowsPrices: asks.every((ask) => this.taught.get(modelOf(ask)) === this.prices[modelOf(ask)]),
			isBeyondControl: false,
			isReceiptUnsure: false,
			ofFlowBefore: this.ofFlow(execution),
			ofDayBefore: this.ofDay(),
		};
	}

	private async runNode(
		execution: Execution,
		nodeMemory: NodeMemory,
		round: number,
		signal: AbortSignal,
	): Promise<End[]> {
		const rows = execution.rounds[round] ?? [];
		const run = new Run(undefined, this.continuesOnFail, signal);
		const requester: Requester = {
			execution: execution.id,
			isManual: execution.isManual,
			nodeId: 'workflow/node',
			credential: 'credential',
			startDataHash: () => execution.order,
		};
		const now = this.begin(execution, rows, run);
		this.now = now;
		this.log.push(
			`  round ${round}: ${rows.map((row) => row.map(contentOf).join('+')).join(', ')}`,
		);
		const executionSum = new ExecutionSum(execution.flow);
		const known = { nodeMemory, executionSum, requester };
		this.lost.watch(signal, known);
		const host = hostWith(this.send);
		const items = rows.map((row, itemIndex) => {
			const place = `${round}:${itemIndex}`;
			const parts = row.map(requestOf);
			return runOf({
				host: { ...host, channel: { ...host.channel, signal } },
				workspace: this.workspace,
				run,
				lost: this.lost.poolOf(requester),
				nodeMemory,
				executionSum,
				memory: itemMemory(nodeMemory, place),
				itemIndex,
				userInputHash: `${place} ${row.map(contentOf).join()}`,
				spec: row.length > 1 ? SPEECH : CREATE,
				request: parts[0],
				parts,
				settings: { ...this.settings, idempotencyKey: `key of ${row.map(contentOf).join()}` },
				origin: {
					place,
					requester,
					mode: execution.isManual ? 'manual' : 'production',
					mayResumeLost:
						(execution.isManual || this.isRetry) && nodeMemory.startedIn === execution.id,
				},
			});
		});
		const ended = Promise.all(
			items.map(async (item, index): Promise<End> => {
				const result = await runItem(item);
				recordEnd(item, result.ok ? execution.id : undefined);
				return { row: rows[index] ?? [], item, result };
			}),
		);
		const ends = await this.clock.run(ended);
		const hasFailed = !this.continuesOnFail && ends.some(({ result }) => !result.ok);
		const memories = items.flatMap(memoriesOf);
		if (!signal.aborted) this.lost.runEnded(known, memories, hasFailed);
		for (const { row, result } of ends) this.tell(row, result);
		await this.clock.pass(200);
		this.paidOnceATry(now);
		this.withinLimits(now);
		this.wholeOrNotAtAll(now, ends);
		if (signal.aborted) return ends;
		this.notRefusedByALimit(now, ends);
		this.newOrderGetsItsOwn(ends);
		this.refusedOnlyIfTooDear(now, ends);
		this.leftOutForAReason(now, ends);
		this.nothingUnsaid(now, ends);
		this.receiptIsTrue(now);
		this.countedOnce(execution, nodeMemory);
		this.slotsAreOfJobs();
		return ends;
	}

	private tell(row: Row, result: Result<Made>): void {
		const asked = row.map(contentOf).join('+');
		if (result.ok) {
			const ids = result.value.resources.map(({ id }) => String(id));
			this.log.push(`    ${asked}: ${ids.join()}`);
			return;
		}
		const { failure } = result;
		if (row.length > 1) seen['row with parts failed'] += 1;
		// What the former request may have reserved stays in the sum.
		if (failure.kind === 'possibleDuplicate') this.uncertain.add(this.now?.execution.flow ?? this);
		if (failure.kind === 'deadline') seen['job outlasted the wait'] += 1;
		this.log.push(`    ${asked}: ${JSON.stringify(failure).slice(0, 160)}`);
	}

	private crash(): void {
		seen['another process'] += 1;
		this.log.push('another process');
		this.process += 1;
		this.lost = new LostOfWorkflow(this.clock);
		this.workspace = new Workspace(PLAN, this.clock, this.dice.random, this.workspace.name);
		this.taught.clear();
		for (const { id } of this.service.charges) {
			const order = this.orderOf.get(id);
			const isLost = order === 'editor' || (this.last?.wasStopped && order === this.last.order);
			if (isLost) this.forgotten.add(id);
		}
	}

	private changePrices(): void {
		const { pick, random } = this.dice;
		if (random() > 0.2) return;
		const model = pick('s', 'm', 'l');
		this.prices[model] = (this.prices[model] ?? 0) + pick(1, 5, 15);
		seen['changed price'] += 1;
		this.log.push(`prices ${JSON.stringify(this.prices)}`);
	}

	private async step(): Promise<void> {
		const { random } = this.dice;
		const { last } = this;
		if (random() < 0.1) this.crash();
		this.changePrices();
		const mayRetry = last?.failedAt !== undefined && !last.isManual;
		this.isRetry = mayRetry && random() < 0.7;
		if (this.isRetry && last) {
			const kind = last.wasStopped ? 'retry of a stopped execution' : 'retry of a failed execution';
			seen[kind] += 1;
			return await this.execute(false, last);
		}
		if (random() < 0.15) {
			seen['changed prompt'] += 1;
			this.rounds = this.anyRounds();
		}
		const isManual = random() < 0.6;
		if (isManual && last?.isManual && last.failedAt !== undefined) seen['click after a loss'] += 1;
		await this.execute(isManual);
	}

	/** @returns what happened, if anything was wrong with it */
	async play(): Promise<string[]> {
		const steps = 3 + this.dice.upTo(4);
		for (let step = 0; step < steps && this.violations.length === 0; step += 1) {
			await this.step();
			await this.clock.pass(this.dice.random() < 0.9 ? SECOND : DAY + SECOND);
		}
		return this.violations.length > 0 ? [...this.log, ...this.violations] : [];
	}
}

test(`${WORLDS} worlds in which all rules meet: paid once, within the limits, counted and told`, async () => {
	await playSeeds(WORLDS, async (seed) => await new World(seed).play());
	expect(Object.entries(seen).filter(([, times]) => times <= WORLDS / 100)).toEqual([]);
});
