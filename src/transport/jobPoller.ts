import { BoundedMap } from '../base/boundedMap';
import { fail, ok, type Result } from '../base/result';
import { asText, type Channel, type Clock, type Resource } from '../base/types';
import { WakeUp } from '../base/wakeUp';
import type { Client } from './client';
import { JobLists } from './jobLists';
import { holdsSlot, isGeneration, jobState } from './jobState';
import { JobWait, type Polling, type WaitOptions } from './jobWait';
import type { OtherClients } from './otherClients';
import { Durations, isLookDue, MIN_GAP_MS } from './pollRule';
import type { RateLimiter } from './rateLimiter';
import { ReadBudget } from './readBudget';
import { MINUTE_MS, TUNING } from './tuning';

/** How often it is decided what to read next. */
const TICK_MS = 250;

/** A service that names each job's model differently must not fill the memory. */
const MAX_KINDS = 1_000;

/** Names the jobs that usually take about the same time. */
const kindOf = ({ object, mode, model }: Resource) => [object, mode, model].map(asText).join(' ');

/**
 * Waits for jobs to end, one poller for a workspace and process. Each tick decides what to read:
 *
 * - A list (`jobLists.ts`) answers for all generations in flight, if there are several. It is due as soon as
 *   one of them is, or as enough of them have probably ended (`pollRule.ts`).
 * - A job is read by itself if no list looks after it: it is the only one or no generation, the list has left
 *   it out or shown its end without all that belongs to it, lists get no answer, or they have shown the job
 *   as running for so long that they may be wrong. These reads share half of the plan's requests
 *   (`readBudget.ts`).
 *
 * A wait (`jobWait.ts`) ends with the end of its job, at its deadline, by a cancel, by a refusal that will
 * not change, or by three answers in a row that are no job: never by a fault of the network or of the
 * service. Whatever fails holds up only itself.
 */
export class JobPoller {
	private readonly polling: Polling;
	private readonly lists: JobLists;
	private readonly known = new BoundedMap<string, Durations>(MAX_KINDS);
	private readonly wakeUp: WakeUp;

	constructor(
		client: Client,
		private readonly rateLimiter: RateLimiter,
		private readonly clock: Clock,
		private readonly others: OtherClients,
	) {
		const budget = new ReadBudget(rateLimiter);
		this.polling = { client, clock, rateLimiter, others, budget, waits: new Set() };
		this.lists = new JobLists(
			client,
			clock,
			() => this.listGapMs,
			(jobs, sentAt) => this.listed(jobs, sentAt),
		);
		this.wakeUp = new WakeUp(clock, () => this.tick());
	}

	/**
	 * Waits until a job has ended, well or badly. Fails with the job as it was last seen: at the
	 * deadline, when cancelled, when it cannot be read. Not `async`: thousands may wait.
	 */
	wait(
		channel: Channel,
		job: Resource,
		timeoutMs: number,
		options: WaitOptions = {},
	): Promise<Result<Resource>> {
		if (jobState(job, options.terminalStatuses) !== 'running') return Promise.resolve(ok(job));
		if (channel.signal?.aborted) return Promise.resolve(fail({ kind: 'cancelled' }, job));
		const durations = this.known.get(kindOf(job)) ?? new Durations();
		this.known.set(kindOf(job), durations);
		this.wakeUp.set(this.clock.monotonic() + TICK_MS);
		return new Promise((resolve) => {
			new JobWait(this.polling, channel, job, timeoutMs, options, durations, resolve);
		});
	}

	/**
	 * Passes on a job as a verified event shows it. A wait for it ends at once if the job has ended, or
	 * looks at once if its outputs are missing here.
	 */
	notify(job: Resource): void {
		for (const wait of [...this.waits].filter((each) => each.job.id === job.id))
			wait.see(job, this.clock.monotonic(), 'event');
	}

	/** A job that somebody waits for, as it was last seen. */
	seen(id: string): Resource | undefined {
		return [...this.waits].find(({ job }) => job.id === id)?.job;
	}

	/** Requests a list, whether or not any job is due, unless lists must wait. */
	list(channel: Channel): void {
		if (this.lists.mayBegin(this.clock.monotonic())) void this.lists.request([channel]);
	}

	get isIdle(): boolean {
		return this.waits.size === 0;
	}

	private get waits(): Set<JobWait> {
		return this.polling.waits;
	}

	/** Awaits no request, because deadlines must hold even while one hangs. */
	private tick(): void {
		const now = this.clock.monotonic();
		for (const wait of this.waits) wait.checkDeadline(now);
		this.lists.check(now);
		const { listable } = this;
		if (this.lists.mayBegin(now) && this.isListDue(listable, now))
			void this.lists.request(listable.map(({ channel }) => channel));
		// A list that is about to be answered may show the jobs.
		if (!this.lists.isUnderway) this.readSingly(listable, now);
		if (!this.isIdle) this.wakeUp.set(now + TICK_MS);
	}

	private get generations(): JobWait[] {
		return [...this.waits].filter(({ job }) => isGeneration(job));
	}

	/**
	 * Those whose jobs a list covers. A single one is read by itself, unless others use the workspace:
	 * then a list shows them, too.
	 */
	private get listable(): JobWait[] {
		const { generations } = this;
		const isShared = this.clock.monotonic() < this.others.thereUntil;
		return generations.length > 1 || isShared ? generations : [];
	}

	private isListDue(listable: readonly JobWait[], now: number): boolean {
		const shown = listable.filter(({ isUnlisted }) => !isUnlisted);
		return isLookDue(shown, this.lists.answeredAt, now, this.rateLimiter.requestsPerMinute);
	}

	/**
	 * Between two lists. While others are there, who has more jobs lists more often: it has more ends to see.
	 */
	private get listGapMs(): number {
		if (this.clock.monotonic() >= this.others.thereUntil) return MIN_GAP_MS;
		const jobs = Math.max(TUNING.leastJobsToList, this.generations.length);
		return MINUTE_MS / (this.rateLimiter.requestsPerMinute * TUNING.listShareOfJob * jobs);
	}

	private listed(jobs: readonly Resource[], sentAt: number): void {
		const byId = new Map(jobs.map((job) => [job.id, job]));
		for (const wait of this.waits) {
			const job = byId.get(wait.job.id);
			if (job) wait.see(job, sentAt, 'list');
			wait.isUnlisted = wait.isDue(this.clock.monotonic());
		}
		const idsWhere = (isRunning: boolean) =>
			jobs.filter((job) => holdsSlot(job) === isRunning).map(({ id }) => id);
		this.others.listed(idsWhere(true), sentAt, idsWhere(false));
	}

	/** Reads the due jobs that no list looks after, longest ago first, so that each has its turn. */
	private readSingly(listable: readonly JobWait[], now: number): void {
		const covered = new Set(this.lists.areLost ? [] : listable);
		const due = [...this.waits]
			.filter((wait) => wait.needsRead(covered.has(wait), now))
			.sort((one, other) => one.readAt - other.readAt);
		for (const wait of due) {
			// At their deadlines they are read once each, however many they are.
			if (now >= wait.deadline || this.polling.budget.take(now)) void this.readOne(wait);
		}
	}

	private async readOne(wait: JobWait): Promise<void> {
		await wait.read();
		if (wait.isOver) this.polling.budget.giveBack();
	}
}
