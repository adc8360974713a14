import { fail, type Failed } from '../base/result';
import type { Clock, Channel } from '../base/types';
import { WaitQueue } from '../base/waitQueue';
import { WakeUp } from '../base/wakeUp';

const TRIAL_EVERY_MS = 20_000;

/** How often the queues are checked while a creation waits in them. */
const RECHECK_MS = 1_000;

/** The state of one creation that waits for a top-up. */
export interface CreditWait {
	/** The shortage that it last met, by number. */
	shortage?: number;
	/** Its deadline for credits in that shortage, on the monotonic clock. */
	creditsBy?: number;
	/** The last 402 that it was refused with. */
	lackedCredits?: Failed;
	/** Ends its trial, if it has one and no answer has said yet whether there are credits. */
	endTrial?: () => void;
}

/**
 * Whether a workspace has credits: a circuit breaker that a 402 opens. The fields of GET /credits are not
 * documented (specification: Other response bodies), so only a creation that succeeds proves that there are
 * credits. From the first 402 on, of all creations that wait for a top-up one is sent as a trial every 20
 * seconds.
 *
 * 1. Creations that were not refused yet come first: they may be cheaper than the refused ones.
 * 2. If a creation succeeds that was refused before, there was a top-up, and all go on. Any other that
 *    succeeds may only be cheaper: then the next trial begins at once.
 * 3. If the newest trial ends without an answer about credits, whatever the reason, the next one begins at
 *    once.
 * 4. A creation that was refused waits until its deadline, any other until it is tried or cancelled. Once a
 *    deadline has passed, those of its run that ask for as much of the same are not sent (`haltAlike` in
 *    `creation/refusals.ts`).
 */
export class TopUpGate {
	/** When the next trial may begin, on the monotonic clock; `undefined` while credits do not lack. */
	private nextTrialAt: number | undefined;
	/** The number of this shortage, or of the next one: each begins with a 402 and ends with a top-up. */
	private shortage = 1;
	/** When there was last a top-up, as far as is known, on the monotonic clock. */
	toppedUpAt = -Infinity;
	/** Whose trial has begun last. One before it may still wait for a slot, and others were tried since. */
	private newestTrial: CreditWait | undefined;
	private readonly untried = new WaitQueue(false);
	private readonly refusedBefore = new WaitQueue(false);
	private readonly wakeUp: WakeUp;

	constructor(private readonly clock: Clock) {
		const onFault = (fault: unknown) => {
			this.untried.rejectAll(fault);
			this.refusedBefore.rejectAll(fault);
		};
		this.wakeUp = new WakeUp(clock, () => this.serve(), onFault);
	}

	/**
	 * Waits for the trial of a creation.
	 * @param wasRefused whether the same creation has been refused with 402
	 * @returns whether it may be tried: not if it was cancelled, nor if it was refused and its deadline (on
	 * the monotonic clock) has passed
	 */
	mayTry(channel: Channel, deadline: number, wasRefused = false): Promise<boolean> {
		if (this.nextTrialAt === undefined) return Promise.resolve(!channel.signal?.aborted);
		const now = this.clock.monotonic();
		const queue = wasRefused ? this.refusedBefore : this.untried;
		const pending = queue.wait(channel, now, deadline - now);
		this.wakeUp.set(now + RECHECK_MS);
		return pending;
	}

	/**
	 * Waits until a creation may be tried.
	 * @param wait the state of the creation
	 * @param timeoutMs how long it waits for credits, from the moment at which it learns that they lack; anew
	 * in each shortage
	 * @returns why it may not be tried
	 */
	async awaitCredits(
		channel: Channel,
		wait: CreditWait,
		timeoutMs: number,
	): Promise<Failed | undefined> {
		// It may wait anew, such as after a 429.
		wait.endTrial?.();
		if (this.isNewTo(wait)) {
			wait.shortage = this.shortage;
			wait.creditsBy = this.clock.monotonic() + timeoutMs;
		}
		const { creditsBy = Infinity, lackedCredits } = wait;
		if (await this.mayTry(channel, creditsBy, lackedCredits !== undefined)) {
			if (this.lacksCredits) {
				this.newestTrial = wait;
				wait.endTrial = () => this.endTrial(wait);
			}
			return undefined;
		}
		// What was not refused yet waits until it is tried or cancelled.
		const isCancelled = channel.signal?.aborted || lackedCredits === undefined;
		return isCancelled ? fail({ kind: 'cancelled' }) : lackedCredits;
	}

	private get lacksCredits(): boolean {
		return this.nextTrialAt !== undefined;
	}

	/** Whether credits lack, and a creation has not waited for them in this shortage. */
	isNewTo({ shortage }: CreditWait): boolean {
		return this.lacksCredits && shortage !== this.shortage;
	}

	refused(): void {
		this.nextTrialAt ??= this.clock.monotonic() + TRIAL_EVERY_MS;
	}

	/**
	 * A creation has succeeded.
	 * @param wasRefusedBefore whether the same creation had been refused with 402
	 */
	succeeded(wasRefusedBefore: boolean): void {
		if (!wasRefusedBefore) return this.beginNextTrial();
		if (this.nextTrialAt === undefined) return;
		this.toppedUpAt = this.clock.monotonic();
		this.nextTrialAt = undefined;
		this.shortage += 1;
		this.serve();
	}

	/** Whoever is next is tried at once. */
	private beginNextTrial(): void {
		if (this.nextTrialAt === undefined) return;
		this.nextTrialAt = this.clock.monotonic();
		this.serve();
	}

	/** The trial of a creation is over, and nobody knows whether there are credits: the next one is tried. */
	private endTrial(wait: CreditWait): void {
		wait.endTrial = undefined;
		if (wait === this.newestTrial) this.beginNextTrial();
	}

	private get waiting(): number {
		return this.untried.size + this.refusedBefore.size;
	}

	private serve(): void {
		const now = this.clock.monotonic();
		this.refusedBefore.expire(
			({ since, timeoutMs }) => now >= since + timeoutMs,
			() => false,
		);
		while (this.waiting > 0 && now >= (this.nextTrialAt ?? now)) {
			if (this.nextTrialAt !== undefined) this.nextTrialAt = now + TRIAL_EVERY_MS;
			const queue = this.untried.size > 0 ? this.untried : this.refusedBefore;
			queue.grant(true);
		}
		if (this.waiting > 0) this.wakeUp.set(now + RECHECK_MS);
	}
}
