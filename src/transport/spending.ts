import { BoundedMap } from '../base/boundedMap';
import { Semaphore } from '../base/semaphore';
import { DAY_MS } from '../base/times';
import type { Clock, Resource } from '../base/types';
import { MINUTE_MS } from './tuning';

/** What one creation has reserved, or may have. */
export interface Spent {
	/** Whether the list of generations shows it. */
	isListed: boolean;
	/** When it went out, in ms since the epoch. */
	sentAt: number;
	/** When its answer came, on the monotonic clock; not yet where there is none. */
	endedAt?: number;
	credits: number;
	/** Its idempotency key, under which it may be sent again. */
	key?: string;
	/** Of its job, if it is known. */
	id?: string;
	object?: unknown;
	/** Whether its job has ended: then the usage shows what it has cost. */
	isOver?: boolean;
	/** When its job was last looked at for that, on the monotonic clock. */
	lookedAt?: number;
}

/** What the service has shown of its jobs of a day, and from when. */
export interface Shown {
	/** When the day began, in ms since the epoch. */
	began: number;
	/** When it was asked, on the monotonic clock. */
	askedAt: number;
	ids: ReadonlySet<unknown>;
}

/** By so much a list may be behind. */
const BEHIND_MS = 5 * MINUTE_MS;

/** What an answer that was lost may have made is in the usage after so long. */
const LOST_MS = 60 * MINUTE_MS;

/** More than a workspace makes in a day. */
const MOST = 20_000;

/** More kinds of requests than wait at the same time. */
const MOST_KINDS = 100;

/** What they have reserved together. */
export const sumOf = (all: readonly Spent[]): number =>
	all.reduce((sum, { credits }) => sum + credits, 0);

/**
 * What this process has spent in a workspace today: a list that was read shows nothing of what was sent
 * since, by whatever execution, and the usage shows what has ended only.
 */
export class Spending {
	/** The oldest first. */
	private readonly all = new Set<Spent>();
	/** Those of which nobody knows what was done, by their keys: sent again, they are the same. */
	private readonly open = new Map<string, Spent>();

	/** By kind of request, those whose price is not known take turns. */
	private readonly turns = new BoundedMap<string, Semaphore>(MOST_KINDS);

	constructor(private readonly clock: Pick<Clock, 'now' | 'monotonic'>) {}

	turnOf(kind: string): Semaphore {
		const known = this.turns.get(kind) ?? new Semaphore(1);
		this.turns.set(kind, known);
		return known;
	}

	/** A creation goes out. @param credits what it is expected to reserve, 0 where that is not known */
	begin(credits: number, isListed: boolean, key?: string): Spent {
		const open = key === undefined ? undefined : this.open.get(key);
		if (open) return open;
		const sentAt = this.clock.now();
		for (const old of this.all) {
			if (this.all.size < MOST && sentAt - old.sentAt < DAY_MS) break;
			this.all.delete(old);
			if (old.key !== undefined) this.open.delete(old.key);
		}
		const spent: Spent = { isListed, sentAt, credits, key };
		this.all.add(spent);
		return spent;
	}

	/** Nobody knows what was done. @param credits what it may have reserved */
	leaveOpen(spent: Spent, credits: number): void {
		if (spent.key !== undefined && this.open.has(spent.key)) return;
		this.end(spent, credits);
		if (spent.key !== undefined) this.open.set(spent.key, spent);
	}

	/** Its answer has come. @param credits what it has reserved */
	end(spent: Spent, credits: number, job?: Resource): void {
		if (spent.key !== undefined) this.open.delete(spent.key);
		spent.credits = credits;
		spent.id = job?.id;
		spent.object = job?.object;
		spent.endedAt = this.clock.monotonic();
	}

	/** What was sent, or had its answer, since the service was asked, and it has not shown. */
	notIn({ askedAt, ids }: Shown): number {
		return sumOf(
			[...this.all].filter(({ endedAt = Infinity, id }) => endedAt > askedAt && !ids.has(id)),
		);
	}

	/** What had its answer shortly before, that day, and is missing in the list. */
	missingIn({ began, askedAt, ids }: Shown): number {
		return sumOf(
			[...this.all].filter(
				({ isListed, sentAt, id, endedAt = Infinity }) =>
					isListed &&
					sentAt >= began &&
					id !== undefined &&
					!ids.has(id) &&
					endedAt <= askedAt &&
					endedAt > askedAt - BEHIND_MS,
			),
		);
	}

	/** What was sent since a moment and had its answer by another, and goes on, of what no list shows. */
	goingOn(since: number, until: number): Spent[] {
		return [...this.all].filter(
			({ isListed, isOver, sentAt, id, endedAt = Infinity }) =>
				!isListed &&
				!isOver &&
				sentAt >= since &&
				endedAt <= until &&
				(id !== undefined || endedAt > until - LOST_MS),
		);
	}

	/** Whether something goes on of which only this process knows. */
	get isNeeded(): boolean {
		const { clock } = this;
		return this.goingOn(clock.now() - DAY_MS, clock.monotonic()).length > 0;
	}
}
