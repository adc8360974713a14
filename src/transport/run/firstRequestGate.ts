import { onAbort } from '../base/abortListeners';
import { PORTION, yieldToEventLoop } from '../base/portions';
import type { Clock } from '../base/types';

const NOOP = () => {};

/**
 * The first request of a run is sent alone. If it is refused for a reason that holds for all items (key, scope, credits),
 * one request finds out, not one per item. Once one request gets through, all others follow.
 */
export class FirstRequestGate {
	private isOpen = false;

	private hasLeader = false;

	private readonly waiting: Array<() => void> = [];

	private passed = 0;

	/**
	 * Waits until this item is the first or all may go. Returns early, without throwing, when the signal fires.
	 * @returns lets the next item go first, once: for when this one has ended or sends no request of its own
	 */
	async acquire(clock: Clock, signal?: AbortSignal): Promise<() => void> {
		if (this.isOpen && this.waiting.length === 0) return NOOP;
		if (!this.hasLeader) {
			this.hasLeader = true;
			return this.releaseOnce(clock);
		}
		return await new Promise((resolve) => {
			const go = () => {
				dispose();
				resolve(this.isOpen ? NOOP : this.releaseOnce(clock));
			};
			const dispose = onAbort(signal, () => {
				const index = this.waiting.indexOf(go);
				if (index >= 0) this.waiting.splice(index, 1);
				return () => resolve(NOOP);
			});
			this.waiting.push(go);
		});
	}

	/** A request got through: all items may go, in portions, so that n8n can do something else between them. */
	async open(clock: Clock): Promise<void> {
		if (this.isOpen) return;
		this.isOpen = true;
		for (;;) {
			for (let count = 0; count < PORTION; count += 1) this.next();
			if (this.waiting.length === 0) return;
			await yieldToEventLoop(clock);
		}
	}

	/** Lets the one go that has waited longest. @returns whether there was one */
	private next(): boolean {
		const go = this.waiting.shift();
		go?.();
		return go !== undefined;
	}

	/** Where nothing may be sent any more, all items pass here one after the other: in portions, too. */
	private async passOn(clock: Clock): Promise<void> {
		this.passed += 1;
		if (this.passed % PORTION === 0) await yieldToEventLoop(clock);
		if (!this.isOpen && !this.next()) this.hasLeader = false;
	}

	private releaseOnce(clock: Clock): () => void {
		let isReleased = false;
		return () => {
			if (isReleased || this.isOpen) return;
			isReleased = true;
			void this.passOn(clock);
		};
	}
}
