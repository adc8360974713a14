import { ENDPOINTS, LIMITS } from '../api';
import { isResource, type Channel, type Clock, type Resource, type Send } from '../base/types';
import { UNANSWERED, type Client } from './client';
import { mustBeList, pageOf } from './pages';
import { MIN_GAP_MS, pauseAfter } from './pollRule';
import { refusalOf } from './statuses';

/** A list that takes longer counts as failed, so that it holds up nobody. */
const PATIENCE_MS = 10_000;

/** A list on its way. Before it is sent, it may be queued. */
interface Underway {
	sentAt: number;
}

/**
 * The lists of the newest generations, a full page each: one request answers for all jobs in flight. One is
 * under way at a time, and each that fails makes the next wait longer. Times are in ms on the monotonic
 * clock.
 */
export class JobLists {
	/** The one whose answer is awaited. */
	private underway: Underway | undefined;
	/** In a row. */
	private failures = 0;
	private isThrottled = false;
	private nextAt = -Infinity;
	/** When the newest one was sent that has been answered: it shows the state of then. */
	answeredAt = -Infinity;
	private readonly lastUseOf = new WeakMap<Send, number>();

	constructor(
		private readonly client: Client,
		private readonly clock: Clock,
		/** The time from one list to the next. */
		private readonly gapMs: () => number,
		private readonly onListed: (jobs: Resource[], sentAt: number) => void,
	) {}

	/** Whether an answer is awaited, which may show the jobs. */
	get isUnderway(): boolean {
		return this.underway !== undefined;
	}

	/**
	 * Whether lists get no answer, so that each job is read by itself. That is no way out where they are
	 * refused for the requests of the minute.
	 */
	get areLost(): boolean {
		return this.failures > 0 && !this.isThrottled;
	}

	mayBegin(now: number): boolean {
		return !this.underway && now >= this.nextAt;
	}

	/** Gives up the one under way if it takes too long. */
	check(now: number): void {
		if (this.underway && now - this.underway.sentAt >= PATIENCE_MS) this.failed(now, false);
	}

	/**
	 * Requests a list over the channel that was used least recently: its time limit and proxy are those of
	 * its node, which may be wrong.
	 */
	async request(channels: Iterable<Channel>): Promise<void> {
		const channel = this.leastUsed(channels);
		if (!channel) return;
		this.lastUseOf.set(channel.send, this.clock.monotonic());
		const underway: Underway = { sentAt: Infinity };
		this.underway = underway;
		const onSending = () => {
			underway.sentAt = this.clock.monotonic();
		};
		const query = { limit: LIMITS.listLimit.max };
		const list = { method: 'GET', path: ENDPOINTS.listGenerations.path, query } as const;
		const page = await this.client
			.request(channel, list, { retry: false, onSending, validate: mustBeList })
			.catch(() => UNANSWERED);
		const isAwaited = this.underway === underway;
		const now = this.clock.monotonic();
		if (page.ok) this.answered(page.value.body, underway, now);
		else if (isAwaited && page.failure.kind === 'cancelled') this.underway = undefined;
		else if (isAwaited) this.failed(now, refusalOf(page) === 'throttled');
	}

	/** One that was given up may be answered after all, while the next is under way. */
	private answered(body: unknown, answered: Underway, now: number): void {
		if (this.underway === answered) this.underway = undefined;
		this.failures = 0;
		this.nextAt = Math.max(answered.sentAt + this.gapMs(), now + MIN_GAP_MS);
		this.answeredAt = Math.max(this.answeredAt, answered.sentAt);
		this.onListed(pageOf(body).entries.filter(isResource), answered.sentAt);
	}

	private failed(now: number, isThrottled: boolean): void {
		this.underway = undefined;
		this.isThrottled = isThrottled;
		this.failures += 1;
		this.nextAt = now + pauseAfter(this.failures);
	}

	private leastUsed(channels: Iterable<Channel>): Channel | undefined {
		let least: Channel | undefined;
		let usedAt = Infinity;
		for (const channel of channels) {
			const lastUse = this.lastUseOf.get(channel.send) ?? -Infinity;
			if (least && lastUse >= usedAt) continue;
			least = channel;
			usedAt = lastUse;
		}
		return least;
	}
}
