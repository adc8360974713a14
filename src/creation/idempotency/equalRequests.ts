import { BoundedMap, getOrCreate } from '../../base/maps';
import { DAY_MS } from '../../base/times';
import type { Clock } from '../../base/types';
import { WaitQueue } from '../../base/waitQueue';

/*
 * Requests of this process that are equal and share a key. After a 402, which the service may keep for that
 * key, one of them takes a key of its own (`SameRequest`). Were another one out under the shared key at that
 * moment, both could be paid for. So there are two rules:
 *
 * 1. Where one may have been carried out, all go out under its key alone, for a day: they only repeat it,
 *    however many are out.
 * 2. Where none may have been, one is out at a time. The others hold no slot and no turn, and wait for its
 *    answer, which decides under which key they are sent.
 */

/** What a request that was out has come to: whether there is a job under its key. */
export type Outcome = 'job' | 'nothing' | 'unknown';

/** Those that wait behind an equal request. They are told whether nobody knows what that has done. */
export type QueueBehind = WaitQueue<boolean>;

/** More requests than a workspace makes in a day. */
const MOST_REQUESTS = 20_000;

/** Of a workspace, by what names a request. */
export class EqualRequests {
	/** The key under which one may have been carried out, and since when, on the monotonic clock. */
	private readonly leading = new BoundedMap<string, { key: string; since: number }>(MOST_REQUESTS);
	/** How many are out, and those that wait behind them. */
	private readonly out = new Map<string, { count: number; queue: QueueBehind }>();

	constructor(private readonly clock: Clock) {}

	get mayBeForgotten(): boolean {
		return this.leading.size === 0;
	}

	/**
	 * The only key under which a request may be sent, if there is one.
	 * @param goneAt when the job was seen to be gone that the key led to before, on the monotonic clock
	 */
	leadingKey(name: string, goneAt = -Infinity): string | undefined {
		const known = this.leading.get(name);
		if (known === undefined || known.since <= goneAt) return undefined;
		return this.clock.monotonic() - known.since < DAY_MS ? known.key : undefined;
	}

	/** Where a request waits that must not be sent now. @param goneAt see `leadingKey` */
	queueBehind(name: string, goneAt?: number): QueueBehind | undefined {
		return this.leadingKey(name, goneAt) === undefined ? this.out.get(name)?.queue : undefined;
	}

	/** A request goes out. Equal ones wait, unless there is a leading key. */
	hold(name: string): void {
		const out = getOrCreate(this.out, name, () => ({ count: 0, queue: new WaitQueue(false) }));
		out.count += 1;
	}

	/** Under this key one was carried out, or may have been. */
	setLeadingKey(name: string, key: string): void {
		this.leading.set(name, { key, since: this.clock.monotonic() });
	}

	/**
	 * A request is not out any more. If they need not wait for another one, those that are equal go on.
	 * @param isUnknown whether nobody knows what it has done
	 */
	release(name: string, isUnknown: boolean): void {
		const out = this.out.get(name);
		if (out === undefined) return;
		out.count -= 1;
		if (out.count === 0) this.out.delete(name);
		if (this.queueBehind(name)) return;
		while (out.queue.size > 0) out.queue.grant(isUnknown);
	}

	/** The job under this key has failed: another one is made under another key. */
	forgetKey(name: string, key: string): void {
		if (this.leading.get(name)?.key === key) this.leading.delete(name);
	}
}
